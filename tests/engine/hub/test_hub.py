"""The hub program against a server that speaks the hub's protocol: search, download, and everything that goes wrong."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.checkpoints.find import find
from engine.checkpoints.places import Place
from engine.domain.errors import KVDeckError
from engine.hub.records import Access, DownloadState, Query
from tests.engine.hub.conftest import REPO
from tests.engine.hub.hub_server import Repository, model_files

if TYPE_CHECKING:
    from tests.engine.hub.conftest import Follower
    from tests.engine.hub.hub_server import HubServer

_SHARD = 4 << 20
_TAKEN = {"README.md", "config.json", "tokenizer.json", "model-00001-of-00002.safetensors",
          "model-00002-of-00002.safetensors"}  # fmt: skip


def _left(folder: Path, pattern: str) -> list[Path]:
    return [path for path in folder.rglob(pattern) if ".locks" not in path.parts]


def _seen_by_others(pid: int) -> bytes:
    """A process's arguments and environment."""
    return Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()


async def test_a_search_tells_quantization_size_and_access(follower: Follower) -> None:
    models = {model.repo: model for model in await follower.client.search(Query(text="small"))}
    assert set(models) == {REPO, "org/Small-7B"}
    awq, full = models[REPO], models["org/Small-7B"]
    assert (awq.quantization, awq.weights_bytes, awq.parameters) == ("AWQ", 4_400_000_000, 7_000_000_000)
    assert (full.quantization, full.weights_bytes, full.parameters) == ("BF16", 14_000_000_000, 7_000_000_000)
    (gated,) = await follower.client.search(Query(quantization="FP8"))
    assert (gated.repo, gated.access) == ("org/Gated-1B-FP8", Access.GATED_BY_HAND)
    assert await follower.client.search(Query(text="nothing of the kind")) == ()


async def test_details_show_the_card_and_what_a_download_takes(follower: Follower, tmp_path: Path) -> None:
    details = await follower.client.details(REPO)
    assert details.card.strip().startswith("# A small model")
    assert set(details.wanted) == _TAKEN
    assert details.license == "apache-2.0"
    assert details.base_models == ("org/base",)
    assert details.wanted_bytes == sum(len(model_files()[name]) for name in _TAKEN)
    assert _left(tmp_path, "models--*") == [], "reading about a model is not having it"


async def test_a_download_becomes_a_snapshot_that_the_library_finds(follower: Follower, tmp_path: Path) -> None:
    await follower.client.download(REPO)
    done = await follower.ended()
    assert done.state is DownloadState.DONE, done
    assert (done.done_bytes, done.done_files) == (done.total_bytes, done.total_files)
    (found,) = find(Place(tmp_path / "hub", "hub"), lambda: False)
    assert (str(found.path), found.name, found.problem) == (done.path, REPO, None)
    files = {file.name: file.read_bytes() for file in found.path.iterdir()}
    assert files == {name: content for name, content in model_files().items() if name in _TAKEN}
    assert _left(tmp_path, "*.incomplete") == []


async def test_a_cut_connection_costs_only_what_was_in_flight(hub: HubServer, follower: Follower) -> None:
    hub.cut_after, hub.cuts_left = 600_000, 2
    await follower.client.download(REPO)
    assert (await follower.ended()).state is DownloadState.DONE
    shards = [entry for entry in hub.sent if entry[0].endswith(".safetensors")]
    assert [first for _, first, _ in shards if first > 0], "it went on from where it was"
    assert sum(sent for _, _, sent in shards) < 1.5 * 2 * _SHARD


@pytest.mark.parametrize("how", ["pause", "kill"])
async def test_what_has_arrived_is_not_fetched_again(hub: HubServer, follower: Follower, how: str) -> None:
    hub.bytes_per_s = 2_000_000
    await follower.client.download(REPO)
    await follower.until(lambda state: state.done_bytes > 800_000)
    process = follower.client._process
    assert process is not None
    if how == "pause":
        await follower.client.pause(REPO)
    else:
        os.kill(process.pid, signal.SIGKILL)
    assert (await follower.ended()).state is DownloadState.PAUSED
    hub.bytes_per_s = None
    hub.sent.clear()
    follower.states.clear()
    await follower.client.download(REPO)
    assert (await follower.ended()).state is DownloadState.DONE
    shards = [(first, sent) for name, first, sent in hub.sent if name.endswith(".safetensors")]
    assert [sent for first, sent in shards if first > 500_000 and first + sent == _SHARD], shards


async def test_a_server_that_ignores_ranges_still_gives_the_right_file(hub: HubServer, follower: Follower) -> None:
    hub.cut_after, hub.cuts_left, hub.ignores_ranges = 600_000, 1, True
    await follower.client.download(REPO)
    done = await follower.ended()
    assert done.state is DownloadState.DONE
    assert done.done_bytes == done.total_bytes


async def test_damaged_content_is_refused_and_nothing_of_it_kept(
    hub: HubServer, follower: Follower, tmp_path: Path
) -> None:
    hub.wrong_bytes = True
    await follower.client.download(REPO)
    failed = await follower.ended()
    assert (failed.state, failed.kind) == (DownloadState.FAILED, "checksum_wrong")
    assert _left(tmp_path, "*.incomplete") == []
    hub.wrong_bytes = False
    await follower.client.download(REPO)
    assert (await follower.until(lambda state: state.state is DownloadState.DONE)).path


async def test_a_gated_model_needs_the_right_token(hub: HubServer, follower: Follower) -> None:
    for token, status in ((None, "401"), ("hf_wrong", "403")):
        follower.client.use_token(token)
        await follower.client.download("org/Gated-1B-FP8")
        failed = await follower.ended()
        assert (failed.state, failed.kind) == (DownloadState.FAILED, "hub_refused")
        assert status in failed.message
        assert "token" in failed.remedy
        follower.states.clear()
    follower.client.use_token("hf_right")
    await follower.client.download("org/Gated-1B-FP8")
    assert (await follower.ended()).state is DownloadState.DONE
    process = follower.client._process
    assert process is not None
    assert b"hf_right" not in _seen_by_others(process.pid)


@pytest.mark.parametrize(
    ("status", "kind"), [(401, "hub_refused"), (403, "hub_refused"), (404, "hub_not_found"), (503, "hub_busy")]
)
async def test_refusals_name_cause_and_remedy(hub: HubServer, follower: Follower, status: int, kind: str) -> None:
    hub.status = status
    with pytest.raises(KVDeckError) as refused:
        await follower.client.details(REPO)
    assert refused.value.kind == kind
    assert refused.value.remedy
    hub.status = None
    assert (await follower.client.details(REPO)).wanted


async def test_too_many_requests_are_said(hub: HubServer, follower: Follower) -> None:
    hub.status = 429
    with pytest.raises(KVDeckError, match="429"):
        await follower.client.search(Query())


async def test_no_hub_at_all_is_said(hub: HubServer, follower: Follower) -> None:
    follower.client._endpoint = "http://127.0.0.1:9"
    with pytest.raises(KVDeckError) as refused:
        await follower.client.search(Query(text="x"))
    assert refused.value.kind == "hub_unreachable"
    assert "network" in refused.value.remedy


async def test_deleting_frees_what_it_says(follower: Follower, tmp_path: Path) -> None:
    await follower.client.download(REPO)
    await follower.ended()
    freed = await follower.client.delete(REPO)
    assert freed == sum(len(model_files()[name]) for name in _TAKEN)
    assert _left(tmp_path, "models--*") == []
    with pytest.raises(KVDeckError, match="nothing"):
        await follower.client.delete(REPO)


async def test_an_unfinished_download_is_shown_as_such_and_can_be_deleted(
    hub: HubServer, follower: Follower, tmp_path: Path
) -> None:
    hub.bytes_per_s = 2_000_000
    await follower.client.download(REPO)
    await follower.until(lambda state: state.done_bytes > 800_000)
    await follower.client.pause(REPO)
    await follower.ended()
    (found,) = find(Place(tmp_path / "hub", "hub"), lambda: False)
    assert found.problem
    assert await follower.client.delete(REPO) > 500_000
    assert _left(tmp_path, "models--*") == []


async def test_pickles_and_code_are_warned_of(hub: HubServer, follower: Follower) -> None:
    hub.repositories["org/Old"] = Repository({"config.json": b"{}", "pytorch_model.bin": b"x" * 2048, "model.py": b"1"})
    details = await follower.client.details("org/Old")
    assert len(details.warnings) == 2
    assert "pytorch_model.bin" in details.warnings[0]
    assert "model.py" in details.warnings[1]
