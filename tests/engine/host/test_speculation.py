"""What is said of speculation before a load, and what vLLM's own counts come to."""

import json
from types import SimpleNamespace

import pytest

from engine.host.stats import StatsWindow
from engine.parameters.speculation import read_speculation

NGRAM = {"method": "ngram", "num_speculative_tokens": 3}


def drafts(drafts, tokens, accepted_at):
    counts = {"num_spec_tokens": 3, "num_drafts": drafts, "num_draft_tokens": tokens}
    stats = SimpleNamespace(**counts, num_accepted_tokens=sum(accepted_at), num_accepted_tokens_per_pos=accepted_at)
    return SimpleNamespace(
        num_running_reqs=1, num_waiting_reqs=0, kv_cache_usage=0.1, spec_decoding_stats=stats
    )  # fmt: skip


def test_acceptance_over_a_minute_and_since_the_load():
    now = [0.0]
    window = StatsWindow(clock=lambda: now[0])
    assert window.now().speculation is None
    window.record(drafts(2, 6, [2, 1, 0]), None)
    now[0] = 50.0
    window.record(drafts(1, 3, [1, 1, 1]), None)
    found = window.now().speculation
    assert (found.acceptance, found.mean_length, found.accepted_at) == (6 / 9, 3.0, (3, 2, 1))
    now[0] = 100.0
    found = window.now().speculation
    assert (found.drafts, found.accepted_at, found.drafts_total, found.accepted_total) == (1, (1, 1, 1), 3, 6)
    now[0] = 500.0
    late = window.now().speculation
    assert (late.acceptance, late.mean_length, late.draft_tokens_total) == (None, None, 9)
    window.reset()
    assert window.now().speculation is None


def test_data_parallel_engines_are_counted_together():
    window = StatsWindow()
    window.record(drafts(1, 3, [1, 0, 0]), None, 0)
    window.record(drafts(1, 3, [1, 1, 0]), None, 1)
    found = window.now()
    assert (found.running, found.kv_cache_usage) == (2, 0.1)
    assert found.speculation.accepted_at == (2, 1, 0)


@pytest.fixture
def draft(tmp_path, starter_checkpoint):
    """A checkpoint whose vocabulary is the starter's, with two tokens exchanged."""
    folder = tmp_path / "draft"
    folder.mkdir()
    (folder / "config.json").write_text((starter_checkpoint / "config.json").read_text())
    tokenizer = json.loads((starter_checkpoint / "tokenizer.json").read_text())
    vocabulary = tokenizer["model"]["vocab"]
    one, other = list(vocabulary)[500:502]
    vocabulary[one], vocabulary[other] = vocabulary[other], vocabulary[one]
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    return folder


def refuse(host, checkpoint, **config):
    found = host.load(checkpoint, {"speculative_config": json.dumps({"num_speculative_tokens": 2} | config)})
    assert found.status in (422, 503), found
    error = found.value["error"]
    for action in error["actions"]:  # not one of them is refused for what it offers
        offered = read_speculation(action["parameters"]["speculative_config"])
        assert offered is None or offered.method == "ngram" or offered.method in error["message"]
    return error["message"]


def test_a_draft_that_cannot_fit_is_refused_before_anything_is_loaded(bare_host, starter_checkpoint, draft):
    checkpoint = starter_checkpoint
    assert "2 of" in refuse(bare_host, checkpoint, method="draft_model", model=str(draft))
    config = json.loads((draft / "config.json").read_text())
    (draft / "config.json").write_text(json.dumps(config | {"vocab_size": 32000}))
    assert "32,000" in refuse(bare_host, checkpoint, method="draft_model", model=str(draft))
    (draft / "config.json").write_text(json.dumps(config | {"architectures": ["LlamaForCausalLMEagle3"]}))
    assert "a head for the method eagle3" in refuse(bare_host, checkpoint, method="draft_model", model=str(draft))
    (draft / "config.json").write_text(
        json.dumps(config | {"architectures": ["LlamaForCausalLMEagle3"], "hidden_size": 4096})
    )
    assert "width 4,096" in refuse(bare_host, checkpoint, method="eagle3", model=str(draft))
    assert "is not there" in refuse(bare_host, checkpoint, method="draft_model", model=str(draft / "gone"))
    assert "no layers that predict" in refuse(bare_host, checkpoint, method="mtp")
    assert "Arctic Inference" in refuse(bare_host, checkpoint, method="suffix")
    assert bare_host.lifecycle.phase == "idle"


def test_ray_is_refused_where_vllm_has_no_use_for_it(vllm_child, bare_host, starter_checkpoint):
    found = bare_host.load(starter_checkpoint, {"distributed_executor_backend": "ray"})
    assert vllm_child.ask("tests.engine.parameters.ask_vllm:ray_device", None) == "", "vLLM itself would refuse"
    assert "by Ray on GPUs only" in found.value["error"]["message"]
    assert found.value["error"]["actions"][0]["parameters"] == {"distributed_executor_backend": "mp"}
