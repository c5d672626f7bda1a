"""What an edit means for a running engine."""

from engine.domain.lifecycle import EngineFacts, LimitsRequest, LiveLimits
from engine.parameters.changes import plan_changes
from engine.parameters.spec import Applies

FACTS = EngineFacts(
    vllm_version="0.32.0",
    checkpoint="/m",
    served_model_name="m",
    device="cpu",
    dtype="bfloat16",
    quantization=None,
    max_model_len=8192,
    block_size=128,
    num_blocks=100,
    max_num_seqs=16,
    max_num_batched_tokens=2048,
    async_scheduling=False,
    page_path="/page",
    processes=(),
    parameters={"max_num_seqs": 16, "max_model_len": 8192, "block_size": 128},
)
LIMITS = LiveLimits(5, 8, 16, 2048, 2048, 0, "fcfs")


def test_under_the_capacity_a_limit_is_live():
    plan = plan_changes({"max_num_seqs": 12, "scheduling_policy": "priority"}, FACTS, LIMITS)
    assert [change.applies for change in plan.changes] == [Applies.LIVE, Applies.LIVE]
    assert plan.limits == LimitsRequest(max_num_seqs=12, policy="priority")
    assert not plan.needs_reload


def test_past_the_capacity_it_needs_a_reload_and_says_so():
    plan = plan_changes({"max_num_seqs": 32}, FACTS, LIMITS)
    assert plan.reload_names == ("max_num_seqs",)
    assert plan.limits is None
    assert plan.changes[0].reason == "Raising max_num_seqs past its capacity 16 needs a reload."


def test_lowering_says_that_no_memory_is_freed():
    (change,) = plan_changes({"max_num_batched_tokens": 512}, FACTS, LIMITS).changes
    assert "frees no memory" in change.reason


def test_what_is_fixed_at_load_needs_a_reload():
    plan = plan_changes({"block_size": 64, "max_num_seqs": 8, "dtype": "float32"}, FACTS, LIMITS)
    assert plan.reload_names == ("block_size", "dtype")
    assert plan.limits is None, "8 is already in force"


def test_an_edit_back_to_what_runs_is_no_change():
    assert plan_changes({"block_size": 128, "max_model_len": 8192, "seed": 0}, FACTS, LIMITS).changes == ()


def test_vllm_decides_is_a_change_only_after_another_choice():
    loaded = {"block_size": 64}
    assert plan_changes({"block_size": None}, FACTS, LIMITS, loaded).reload_names == ("block_size",)
    assert plan_changes({"max_model_len": None}, FACTS, LIMITS, loaded).changes == ()


def test_clearing_a_live_limit_opens_it_to_its_capacity():
    plan = plan_changes({"max_num_seqs": None}, FACTS, LIMITS, {})
    assert plan.limits == LimitsRequest(max_num_seqs=16)
    assert plan_changes({"max_num_seqs": None}, FACTS, LIMITS, {"max_num_seqs": 16}).needs_reload


def test_rows_of_another_device_change_nothing():
    assert plan_changes({"enable_sleep_mode": True}, FACTS, LIMITS).changes == ()
