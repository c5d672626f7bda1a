"""LoRA adapters and speculation on a real engine of a tiny model: loaded, used, unloaded, refused; drafts counted."""

import asyncio
import contextlib
import os
import shutil
import signal

import pytest

from benchmarks.adapters import write_adapter, write_tiny
from engine.client.host_process import HostAddress
from engine.client.remote import RemoteEngine
from engine.domain.lifecycle import Phase, ServingStats
from tests.patience import PATIENCE_S

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.leaves_another_model, pytest.mark.timeout(280)]

NGRAM = '{"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_min": 1, "prompt_lookup_max": 3}'
PROMPT = [11, 12, 13, 14] * 40


@pytest.fixture(scope="module")
def host(session_host, starter_checkpoint, tmp_path_factory):
    """The session's host with a tiny model in it that takes adapters and guesses ahead by n-grams."""
    folder = write_tiny(tmp_path_factory.mktemp("tiny") / "tiny", starter_checkpoint)
    values = {"enable_lora": True, "max_loras": 2, "max_lora_rank": 16, "max_model_len": 512}
    # In float32 no rounding, of a cached prefix or of several tokens checked at once, turns one token into another.
    values |= {"dtype": "float32", "speculative_config": NGRAM, "cpu_kvcache_space_gib": 0.125, "max_num_seqs": 4}
    assert session_host.load(folder, values).status == 202
    session_host.wait_for(Phase.READY)
    return session_host


@pytest.fixture
def folder(host, tmp_path):
    """Where a test writes its adapter; whatever is loaded at its end is unloaded."""
    yield tmp_path / "polite"
    for adapter in host.get("/kvdeck/adapters").value["loaded"]:
        unload(host, adapter["name"])


def complete(host, model):
    body = {"model": model, "prompt": PROMPT, "max_tokens": 12, "temperature": 0, "logprobs": 1}
    return host.ask("POST", "/v1/completions", body, {**host.headers, "Content-Type": "application/json"})


def answer(host, model):
    found = complete(host, model)
    assert found.status == 200, found
    return found.value["choices"][0]["logprobs"]["tokens"]


def load(host, folder, name=""):
    return host.post("/kvdeck/adapters/load", {"path": str(folder), "name": name})


def unload(host, name):
    return host.post("/kvdeck/adapters/unload", {"name": name})


def test_an_adapter_changes_answers_while_it_is_loaded_and_no_longer(host, folder):
    plain = answer(host, "tiny")
    found = load(host, write_adapter(folder))
    assert found.status == 200, found
    (loaded,) = found.value["loaded"]
    assert (loaded["name"], loaded["rank"], loaded["targets"]) == ("polite", 8, ["q_proj", "v_proj"])
    assert found.value["max_rank"] == 16
    assert {each["id"] for each in host.get("/v1/models").value["data"]} == {"tiny", "polite"}
    changed = answer(host, "polite")
    assert changed != plain
    assert answer(host, "tiny") == plain  # the model itself is as it was, its cached prefix its own
    assert answer(host, "polite") == changed
    _crash(host, folder.parent)
    assert answer(host, "polite") == changed, "it came back with the engine"
    assert unload(host, "polite").value["loaded"] == []
    assert complete(host, "polite").status == 404
    assert answer(host, "tiny") == plain


def _crash(host, place):
    """The engine restarts by itself with what it had, and says what could not come back: its folder is gone."""
    assert load(host, write_adapter(place / "gone")).status == 200
    shutil.rmtree(place / "gone")
    before = host.lifecycle
    os.kill(next(each.pid for each in before.facts.processes if "EngineCore" in each.name), signal.SIGKILL)
    host.wait_until(lambda now: now.phase is Phase.READY and now.load_id > before.load_id)
    found = host.get("/kvdeck/adapters").value
    assert [each["name"] for each in found["loaded"]] == ["polite"]
    (said,) = found["left_out"]
    assert said.startswith("The adapter gone was not loaded again. gone cannot be loaded.")


def test_other_weights_under_a_known_name_do_not_find_the_old_ones_cache(host, folder, tmp_path):
    found = []
    again = write_adapter(folder)
    for adapter in (again, write_adapter(tmp_path / "other" / "polite", seed=1), again):
        assert load(host, adapter).status == 200
        found.append(answer(host, "polite"))
        assert unload(host, "polite").status == 200
    first, other, third = found
    assert third == first
    assert other != first


def test_what_does_not_fit_is_refused_with_its_numbers_and_the_engine_goes_on(host, tmp_path):
    plain = answer(host, "tiny")
    cut = write_adapter(tmp_path / "cut")
    weights = cut / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    refused = {
        write_adapter(tmp_path / "high", rank=32): ("checkpoint_unsupported", "rank is 32", "max_lora_rank 32"),
        write_adapter(tmp_path / "wide", hidden=256): ("checkpoint_unsupported", "width 256", "made for this model"),
        write_adapter(tmp_path / "dora", use_dora=True): ("checkpoint_invalid", "DoRA", ""),
        cut: ("checkpoint_invalid", "cut short", "download"),
        tmp_path / "none": ("checkpoint_invalid", "no adapter_config.json", ""),
    }
    for folder, (kind, words, remedy) in refused.items():
        found = load(host, folder)
        error = found.value["error"]
        assert (found.status, error["kind"]) == (422, kind), found
        assert words in error["message"]
        assert remedy in error["remedy"]
    assert unload(host, "nobody").status == 422
    assert host.get("/kvdeck/adapters").value["loaded"] == []
    assert answer(host, "tiny") == plain


def test_a_name_is_one_adapters_only(host, folder):
    assert load(host, write_adapter(folder)).status == 200
    again = load(host, folder).value["error"]
    assert "is loaded already" in again["message"]
    assert "the model's own name" in load(host, folder, "tiny").value["error"]["message"]
    assert unload(host, "polite").status == 200


async def test_drafts_are_counted_position_by_position(host):
    client = RemoteEngine(HostAddress(host.pid, host.url, host.token))
    await client.start()
    await asyncio.to_thread(answer, host, "tiny")  # it repeats itself, as tiny models do: there is much to look up
    async with asyncio.timeout(PATIENCE_S), contextlib.aclosing(client.events()) as events:
        async for event in events:
            found = event.speculation if isinstance(event, ServingStats) else None
            if found is not None and found.drafts_total:
                break
    await client.close()
    assert found.window_s == 60
    assert len(found.accepted_at) == 3
    assert found.draft_tokens_total >= found.drafts_total >= 1
    assert found.draft_tokens_total >= found.accepted_total
    assert list(found.accepted_at) == sorted(found.accepted_at, reverse=True)
