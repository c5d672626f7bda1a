"""What the engine says is said in the user's language: every sentence of it that reaches a window has its form."""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator

from app.bridge.store import Notice
from app.resources import resource
from app.widgets.failure_panel import FailurePanel
from app.widgets.notice_bar import NoticeBar
from app.widgets.preflight_list import PreflightList
from app.widgets.state_light import StateLight
from app.wording.engine import form_of, forms, worded
from engine.checkpoints.advice import Advice, Level
from engine.domain.lifecycle import EngineFacts, EngineProcess, Failure, Lifecycle, LogRecord, Phase, RemedyAction
from engine.host.fault_findings import Situation
from engine.host.faults import failure_of_death, failure_of_load
from engine.host.processes import Death

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from app.bridge.engine_commands import EngineCommands
    from app.bridge.store import Store
    from app.theme.themes import Themes

ROOT = Path(__file__).resolve().parents[2] / "engine"
# Where the sentences are made that a window shows, and the calls that carry them.
_MODULES = (
    "host/fault_findings.py", "host/fault_memory.py", "host/fault_rules.py", "host/faults.py", "host/listen.py",
    "host/live.py", "host/places.py", "host/adapters.py", "checkpoints/advice.py", "checkpoints/verdict.py",
    "checkpoints/preflight.py",
    "checkpoints/adapters.py", "checkpoints/drafts.py", "checkpoints/engine_choices.py", "checkpoints/ray_ready.py",
    "checkpoints/starter.py", "parameters/rules.py", "parameters/rules_engine.py", "parameters/spec.py",
    "parameters/speculation.py", "parameters/interchange.py", "client/faults.py", "client/host_process.py",
    "hub/faults.py", "hub/fetch.py", "recording/writer.py", "recording/recorder.py", "chat/store.py", "chat/book.py",
    "bench/datasets.py", "bench/load_run.py", "bench/store.py", "tuner/apply.py", "tuner/spec.py",
    "tuner/jobs.py", "tuner/experiment.py", "tuner/restore.py",
)  # fmt: skip
_CALLS = frozenset(
    re.findall(
        r"\w+",
        "Finding Failure _plain Advice Verdict _refused Problem _set change RemedyAction ParameterInvalid EngineBusy "
        "EngineMissing CheckpointInvalid CheckpointUnsupported ContextTooLong OutOfMemory PortInUse HostUnreachable "
        "DiskFull EngineCrashed EngineFailed AddressUnusable KVDeckError ChatsUnavailable ChatGone RecordingInvalid "
        "HubUnreachable HubBusy HubNotFound HubRefused Refusal DraftFit "
        "WorkloadInvalid RunFailed RunGone ServerRefused JobBusy JobUnreadable SpecInvalid MeasureFailed",
    )
)
_SENTENCE = re.compile(r"[A-Z{0-9][^|]* [^|]*[.:]?")


@pytest.fixture
def german() -> Iterator[None]:
    """The window's German, for one test."""
    application = QCoreApplication.instance()
    assert application is not None
    translator = QTranslator()
    assert translator.load("kvdeck_de", str(resource("translations")))
    application.installTranslator(translator)
    yield
    application.removeTranslator(translator)


@pytest.mark.parametrize("module", _MODULES)
def test_every_sentence_of_the_engine_has_a_form(module: str) -> None:
    said = list(_said(ROOT / module))
    assert said, f"{module} says nothing any more: take it off the list"
    unknown = [text for text, samples in said if not any(form_of(each) for each in samples)]
    assert not unknown, f"engine/{module}: add these to app/wording: {unknown}"


def test_every_form_is_in_german(german: None) -> None:
    places = re.compile(r"\{\w+\}")
    for form in forms():
        translated = QCoreApplication.translate("Engine", form)
        assert set(places.findall(translated)) == set(places.findall(form)), form
        stays = not re.sub(r"\{\w+\}|\W|GiB", "", form) or form.startswith(("{name}: ", "signal", "free"))
        assert translated != form or stays, f"not translated: {form}"


def test_names_and_numbers_come_back_into_the_sentence(german: None) -> None:
    said = worded("One request of 9000 tokens needs 1.5 GiB of KV cache, and 1 GiB are there: 600 tokens fit.")
    assert said == "Eine Anfrage von 9000 Tokens braucht 1.5 GiB KV-Cache, und 1 GiB sind da: 600 Tokens passen."
    odd = worded("{x} %n {name} cannot run here. vLLM 0.32.0 does not know the architecture Odd{0}.")
    assert odd == "{x} %n {name} kann hier nicht laufen. vLLM 0.32.0 kennt die Architektur Odd{0} nicht."


def test_a_sentence_without_a_form_stays_as_it_is(german: None) -> None:
    assert worded("RuntimeError: Expected all tensors to be on the same device") == (
        "RuntimeError: Expected all tensors to be on the same device"
    )
    assert worded("") == ""


def test_english_stays_untouched() -> None:
    said = "EngineCore (pid 12) was ended by SIGKILL while the model was loading: the system had run out of memory."
    assert worded(said) == said


@pytest.mark.parametrize("signal_name", ["SIGKILL", "SIGBUS", "SIGILL", "SIGSEGV", None])
def test_every_death_is_told_in_german(signal_name: str | None, german: None) -> None:
    for loading, killed in itertools.product((False, True), (False, True)):
        death = Death(EngineProcess(12, "EngineCore", 0), signal_name=signal_name, exit_code=None if signal_name else 3)
        found = failure_of_death(death, [], Situation(), oom_killed=killed, while_loading=loading)
        said = worded(found.message)
        assert "EngineCore (pid 12)" in said
        assert not re.search(r"\b(was|the|had|has|with)\b", said), said
        assert worded(found.remedy) != found.remedy


def test_a_failure_of_vllm_s_own_words_is_told_in_german(german: None) -> None:
    error = RuntimeError("Engine core initialization failed. See root cause above.")
    line = (
        "ValueError: To serve at least one request with the models's max seq len (8192), (0.35 GiB KV cache is needed, "
        "which is larger than the available KV cache memory (0.12 GiB). Based on the available memory, the estimated "
        "maximum model length is 2816."
    )
    found = failure_of_load(error, [LogRecord(1, 0.0, "ERROR", "engine", line)], Situation(device="cpu"))
    assert worded(found.message).startswith("Eine Anfrage von 8192 Tokens braucht 0.35 GiB")
    assert [worded(each) for each in found.numbers] == [
        "max_model_len: 8192 Tokens", "braucht: 0.35 GiB", "da ist: 0.12 GiB", "passt: 2816 Tokens"
    ]  # fmt: skip
    assert worded(found.actions[0].label) == "max_model_len auf 2816 setzen"


def test_the_window_shows_it_in_german(qtbot: QtBot, store: Store, commands: EngineCommands, german: None) -> None:
    action = RemedyAction("Set max_model_len to 600", {"max_model_len": 600})
    failure = Failure("out_of_memory", "A disk is full.", "Start the engine again.", ("free: 2 GiB",), (action,))
    panel, bar, advice = FailurePanel(store, commands), NoticeBar(store), PreflightList()
    for widget in (panel, bar, advice):
        qtbot.addWidget(widget)
    panel.show_lifecycle(Lifecycle(Phase.FAILED, failure=failure))
    store.publish(Notice("error", "The disk is full.", "Free some space and go on; nothing is lost."))
    advice.show_advice((Advice(Level.WARNS, "disk", "Only 0.50 GiB are free in /x.", "End them to have it back."),))
    shown = " ".join(_texts(panel))
    for words in ("Eine Platte ist voll.", "Die Engine neu starten.", "frei", "2 GiB", "max_model_len auf 600 setzen"):
        assert words in shown
    assert "Die Platte ist voll. Platz schaffen" in bar.accessibleName()
    assert "Nur 0.50 GiB sind frei in /x." in " ".join(_texts(advice))


def test_what_an_engine_is_known_for_is_told_in_german(
    qtbot: QtBot, store: Store, themes: Themes, german: None
) -> None:
    light = StateLight(store, themes)
    qtbot.addWidget(light)
    notes = ("Restarted by itself: A disk is full.",)
    facts = EngineFacts("0.32.0", "/m", "m", "cpu", "", None, 8, 8, 8, 8, 8, False, "", (), {}, notes=notes)
    store.publish(Lifecycle(Phase.READY, "/m", 1, facts=facts))
    assert "Von selbst neu gestartet: Eine Platte ist voll." in light.toolTip()


def _texts(widget: object) -> Iterator[str]:
    from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

    assert isinstance(widget, QWidget)
    for child in widget.findChildren(QWidget):
        if isinstance(child, QLabel | QAbstractButton):
            yield child.text()
        yield child.toolTip()


def _said(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Each sentence with samples of it: names and numbers in its places, and nothing in those that may be empty."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in _CALLS:
            continue
        carried = [*node.args, *(each.value for each in node.keywords if each.arg in (None, "message", "remedy"))]
        for argument in carried:
            samples = [each.strip() for each in _samples(argument)]
            if any(_SENTENCE.fullmatch(each) for each in samples):
                yield ast.unparse(argument), samples


def _samples(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant):
        text = node.value if isinstance(node.value, str) else ""
        return [re.sub(r"\{\w+\}", "7", text)] if text else []
    if isinstance(node, ast.JoinedStr):
        places = [["7", ""] if isinstance(each, ast.FormattedValue) else _plain_part(each) for each in node.values]
        return ["".join(parts) for parts in itertools.islice(itertools.product(*places), 64)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [left + right for left in _samples(node.left) for right in _samples(node.right)]
    if isinstance(node, ast.IfExp):
        return [*_samples(node.body), *_samples(node.orelse)]
    return []


def _plain_part(node: ast.expr) -> list[str]:
    return [str(node.value)] if isinstance(node, ast.Constant) else [""]
