"""Every row of the table against the installed vLLM: its name, type, default, choices, and the exported command."""

import shlex

import pytest

from engine.parameters.arguments import engine_arguments
from engine.parameters.catalog import CATALOG, DIFFERENT_DEFAULT, GROUPS, LIVE_NAMES, OURS
from engine.parameters.command_line import export_command, import_command
from engine.parameters.preset import presets, replaced_arguments
from engine.parameters.rows_execution import LORA_RANKS
from engine.parameters.rules import Surroundings, find_problems
from engine.parameters.spec import Kind
from engine.parameters.values import merge

RANKS = {"max_lora_rank": [str(rank) for rank in LORA_RANKS]}

COMMANDS = [
    ({"max_num_seqs": 16, "max_num_batched_tokens": 2048, "enable_prefix_caching": False}, "cpu"),
    ({"gpu_memory_utilization": 0.5, "kv_cache_dtype": "fp8", "max_model_len": 4096, "enforce_eager": True}, "cuda"),
    ({"tensor_parallel_size": 2, "quantization": "awq_marlin", "async_scheduling": False, "seed": 7}, "cuda"),
    ({"speculative_config": '{"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 4}'}, "cpu"),
    ({"kv_offloading_size": 2.5, "enable_sleep_mode": True, "cpu_kvcache_space_gib": 4.0}, "cuda"),
    (dict(presets()["throughput"].values("cuda")), "cuda"),
    (dict(presets()["latency"].values("cpu")), "cpu"),
]


@pytest.fixture(scope="module")
def answers(vllm_child):
    question = {
        "names": {name: list(row.choices) or RANKS.get(name, []) for name, row in CATALOG.items() if name not in OURS}
        | {name: [] for name in replaced_arguments()},
        "commands": [shlex.split(export_command("/m", values, device))[3:] for values, device in COMMANDS],
        "compare": [name for name in CATALOG if name not in OURS],
    }
    return vllm_child.ask("tests.engine.parameters.ask_vllm:rows_and_commands", question)


pytestmark = [pytest.mark.slow, pytest.mark.timeout(290)]


def test_every_row_is_an_argument_of_the_installed_vllm(answers):
    assert [name for name, row in answers["rows"].items() if row is None and name in CATALOG] == []


def test_arguments_said_to_be_gone_are_gone(answers):
    assert [name for name in replaced_arguments() if answers["rows"][name] is not None] == []


def test_defaults_are_vllms_or_documented(answers):
    different = {
        name: (CATALOG[name].default, row["default"])
        for name, row in answers["rows"].items()
        if name in CATALOG and CATALOG[name].default != row["default"]
    }
    assert set(different) <= set(DIFFERENT_DEFAULT), different


@pytest.mark.parametrize("name", [name for name in CATALOG if name not in OURS])
def test_types_and_choices_fit(answers, name):
    row, facts = CATALOG[name], answers["rows"][name]
    words = {Kind.INT: "int", Kind.FLOAT: "float", Kind.BOOL: "bool", Kind.TEXT: "dict"}
    if row.kind is Kind.CHOICE:
        assert facts["accepted"] == list(row.choices)
    elif name in RANKS:
        assert facts["accepted"] == RANKS[name]
    else:
        assert words[row.kind] in facts["type"]


def test_vllms_parser_reads_our_commands_as_we_meant_them(answers):
    for (values, device), parsed in zip(COMMANDS, answers["parsed"], strict=True):
        for name, value in engine_arguments(values, device).items():
            assert parsed[name] == value, (name, values)


def test_commands_come_back_as_they_went_out():
    for values, device in COMMANDS:
        command = import_command(export_command("/models/a b", values, device, served_model_name="a"))
        assert command.checkpoint == "/models/a b"
        assert command.served_model_name == "a"
        assert command.left_out == ()
        assert engine_arguments(command.values, device) == engine_arguments(values, device)


def test_the_table_is_whole():
    assert [row.group for row in CATALOG.values()] == sorted(
        (row.group for row in CATALOG.values()), key=GROUPS.index
    ), "rows of one group stand together, in the groups' order"
    limits = {"max_num_seqs", "max_num_batched_tokens", "long_prefill_token_threshold", "scheduling_policy"}
    more = {"long_prefill_token_threshold_adaptive", "watermark", "scheduler_reserve_full_isl"}
    assert limits | more == LIVE_NAMES
    for name, row in CATALOG.items():
        assert row.name == name
        assert row.help.endswith((".", ".)"))
        assert len(row.help) > 40
        assert row.check(row.default) == row.default
        if row.kind is Kind.CHOICE:
            assert row.choices
        if row.kind in (Kind.INT, Kind.FLOAT):
            assert row.minimum is not None
            assert row.maximum is not None


def test_an_fp8_cache_is_refused_where_vllms_cpu_attention_refuses_it(vllm_child):
    sizes = list(range(16, 513, 16))
    told = vllm_child.ask("tests.engine.parameters.ask_vllm:fp8_cache_refused", sizes)
    for size in sizes:
        around = Surroundings("cpu", fp8_cache=True, head_dim=size)
        found = find_problems(merge({"kv_cache_dtype": "fp8"}, device="cpu"), around)
        assert [problem.blocking for problem in found] == ([True] if told[str(size)] else []), (size, told[str(size)])
