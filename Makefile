# Two commands do all the set-up: `make run` and `make test`. ENGINE=cuda|cpu|none overrides what suits the machine.
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
ENGINE ?= auto
VENV ?= .venv
BIN := $(VENV)/bin
# Warnings of the tools themselves are errors in the tests; nothing here may phone home.
export HF_HUB_OFFLINE ?= 1
export VLLM_NO_USAGE_STATS ?= 1
export DO_NOT_TRACK ?= 1

.PHONY: run tour python setup dev test lint types contracts unit bench soak fuzz install uninstall clean

run: setup                ## Open the window (a self-driving tour, offscreen, where there is no display).
	@packaging/run $(BIN)/python $(ARGS)

tour: setup               ## The self-driving tour, offscreen.
	@QT_QPA_PLATFORM=offscreen $(BIN)/python -m app --tour $(ARGS)

python:
	@$(or $(PYTHON),false) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null || { \
	    echo "KVDeck needs Python 3.11 to 3.13; this is $(if $(PYTHON),$$($(PYTHON) -V 2>&1),no Python at all). With one installed:" \
	        "make PYTHON=python3.11" >&2; exit 2; }

setup: python
	@$(PYTHON) packaging/setup_venv.py --venv $(VENV) --engine $(ENGINE)

dev: python
	@$(PYTHON) packaging/setup_venv.py --venv $(VENV) --engine $(ENGINE) --dev

# The engine's tests on one lane; types, contracts and all other tests on another beside it (tests/lanes.py).
test: lint                ## Everything that CI runs.
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m tests.lanes $(PYTEST_ARGS)

lint: dev
	$(BIN)/ruff check .

types: dev
	$(BIN)/mypy

contracts: dev
	$(BIN)/lint-imports --no-cache

unit: dev                 ## The tests alone, one after the other; PYTEST_ARGS chooses among them.
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest $(PYTEST_ARGS)

bench: dev                ## The benchmarks; results go to the terminal (see docs/benchmarks.md).
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m benchmarks $(ARGS)

# The soak goes on after the last round in SOAK_REPORT; MINUTES bounds one call.
ROUNDS ?= 100
MINUTES ?= 90
EXAMPLES ?= 10000
SOAK_REPORT ?= build/soak.jsonl

soak: dev                 ## Kill the window, the host and the engine at random moments under load, ROUNDS times (ARGS="--parallel 4").
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest tests/soak/check_out_of_memory.py tests/app/check_remedies.py
	$(BIN)/python -m tests.soak --rounds $(ROUNDS) --minutes $(MINUTES) --report $(SOAK_REPORT) $(ARGS)

fuzz: dev                 ## EXAMPLES hostile checkpoints, pages, recordings, settings and event frames each.
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m tests.soak.fuzz --examples $(EXAMPLES) $(ARGS)

install: setup            ## Desktop entry, icon, AppStream metadata and the command `kvdeck`, for this user.
	@$(BIN)/python packaging/desktop.py install

uninstall:
	@$(PYTHON) packaging/desktop.py uninstall

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache tour
