"""The fit estimate in the window: it follows edits and hardware, and each load's prediction stands beside what came."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from app.bridge.fit_watch import FitWatch
from app.bridge.store import Edits, Store
from app.panels.parameters import ParametersPanel
from app.widgets.fit_card import FitCard, fit_explained, fit_headline
from engine.checkpoints.describe import describe
from engine.checkpoints.fit_record import FitRecords
from engine.checkpoints.machine import read_machine
from engine.checkpoints.verdict import judge
from engine.domain.checkpoint import AttentionShape, Checkpoint, Library, Quantization
from engine.domain.gpu import GpuSample, HardwareSample, HostSample
from engine.domain.lifecycle import EngineFacts, Lifecycle, LoadRequest, Phase

if TYPE_CHECKING:
    from pathlib import Path

    import qasync
    from pytestqt.qtbot import QtBot

    from app.bridge.tasks import Tasks
    from app.panels.panel import PanelContext
    from app.theme.themes import Themes
    from tests.engine.host.hosting import RunningHost

_GIB = 1 << 30
_HOST = HostSample(1, 64 * _GIB, 32 * _GIB, None, None, (0.1,))
_LLAMA_8B = Checkpoint(
    path="/m/Llama-8B",
    name="Llama-8B",
    family="Llama-8B",
    source="folder",
    architecture="LlamaForCausalLM",
    model_type="llama",
    quantization=Quantization("fp8", "FP8", 8.0),
    parameters=8_030_000_000,
    size_bytes=9_000_000_000,
    weights_bytes=9_080_000_000,
    weight_dtype="bfloat16",
    max_context=131_072,
    attention=AttentionShape("GQA", 32, 32, 8, 128),
    has_chat_template=True,
    needs_remote_code=False,
    pickled_files=(),
)


def _gpu(total_gib: float, others_gib: float, ours_gib: float) -> HardwareSample:
    total, others, ours = (int(value * _GIB) for value in (total_gib, others_gib, ours_gib))
    card = GpuSample(1, 0, "GPU-1", "Some GPU", total, others + ours, ours, others, (), 0.0, 0.0, None, None, None,
                     None, None)  # fmt: skip
    return HardwareSample(_HOST, (card,))


@pytest.fixture
def watch(store: Store, tasks: Tasks, tmp_path: Path, loop: qasync.QEventLoop) -> FitWatch:
    """Estimates for a store that knows an 8B model and a GPU of 24 GiB."""
    store.publish(Library((_LLAMA_8B,), ("/m",)))
    store.publish(_gpu(24, 1, 0))
    return FitWatch(store, tasks, tmp_path / "fit.jsonl")


def test_weights_cache_and_others_are_the_bar(watch: FitWatch) -> None:
    view = watch.view()
    assert view is not None
    fit = view.fit
    assert fit.weights_bytes == 9_080_000_000
    assert fit.cache.bytes_per_token == 32 * 2 * 8 * 128 * 2
    assert fit.others_bytes == _GIB
    assert fit.weights_bytes + fit.overhead_bytes + fit.cache.cache_bytes == fit.budget_bytes
    assert fit.cache.full_requests is not None
    assert fit.cache.full_requests < 1, "131,072 tokens of 128 KiB are 16 GiB"
    assert "131" in fit_headline(view)


def test_edits_and_the_outgoing_engine_change_it_at_once(watch: FitWatch, store: Store) -> None:
    store.publish(Edits({"max_model_len": 8192}))
    shorter = watch.view()
    store.publish(Edits({"max_model_len": 8192, "kv_cache_dtype": "fp8"}))
    halved = watch.view()
    store.publish(_gpu(24, 1, 20))
    loaded = watch.view()
    store.publish(_gpu(24, 18, 0))
    crowded = watch.view()
    assert shorter is not None
    assert halved is not None
    assert loaded is not None
    assert crowded is not None
    assert shorter.fit.fits is True
    assert halved.fit.cache.tokens == pytest.approx(2 * (shorter.fit.cache.tokens or 0), rel=0.01)
    assert loaded.fit == halved.fit, "what the running engine holds comes back before a load"
    assert "counted as free" in fit_explained(loaded)
    assert fit_headline(crowded).startswith("Does not fit")


def test_a_gpu_that_the_load_does_not_use_takes_no_part(
    watch: FitWatch, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    (card,) = _gpu(24, 1, 0).gpus
    full = replace(card, index=1, uuid="GPU-2", used_bytes=23 * _GIB, others_bytes=23 * _GIB)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    store.publish(HardwareSample(_HOST, (card, full)))

    def others() -> int:
        view = watch.view()
        assert view is not None
        return view.fit.others_bytes // _GIB

    assert others() == 1, "the first one is used"
    store.publish(Edits({"tensor_parallel_size": 2}))
    assert others() == 23
    store.publish(Edits({"gpu_uuids": "GPU-2"}))
    assert others() == 23
    store.publish(Edits({}))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert others() == 23
    facts = EngineFacts(
        "0.32.0", _LLAMA_8B.path, "m", "cuda", "bfloat16", None, 8192, 16, 64, 4, 512, True, "", (), {},
        gpu_uuids=("GPU-1",), request=LoadRequest(_LLAMA_8B.path),
    )  # fmt: skip
    store.publish(Lifecycle(Phase.READY, _LLAMA_8B.path, facts=facts))
    assert others() == 1, "where the engine is that runs, the next one will be"


def test_a_value_out_of_range_or_an_unknown_machine_shows_nothing(watch: FitWatch, store: Store) -> None:
    store.publish(Edits({"max_num_seqs": -4}))
    assert watch.view() is None
    store.publish(Edits({}))
    store.publish(Library((replace(_LLAMA_8B, weights_bytes=None, parameters=None),), ("/m",)))
    assert watch.view() is None


def test_the_panel_follows(watch: FitWatch, store: Store, context: PanelContext, qtbot: QtBot) -> None:
    panel = ParametersPanel(replace(context, fit=watch))
    qtbot.addWidget(panel)
    panel.resize(320, 600)
    panel.show()
    card = panel.findChild(FitCard)
    assert card is not None
    assert card.isVisible()
    before = card.headline.text()
    context.commands.edit("max_model_len", 4096)
    assert card.headline.text() != before
    assert "4,096" in card.headline.text() or "4096" in card.headline.text()
    assert card.headline.property("role") == ""
    context.commands.edit("max_model_len", None)
    assert card.headline.property("role") == "error"
    store.publish(Library((), ("/m",)))
    assert not card.isVisible()


def test_a_card_without_an_estimate_is_hidden(themes: Themes, qtbot: QtBot) -> None:
    card = FitCard(themes.current)
    qtbot.addWidget(card)
    card.show_fit(None, None)
    assert not card.isVisible()


@pytest.mark.engine
@pytest.mark.slow
def test_a_real_loads_prediction_is_recorded_beside_what_came(
    engine_host: RunningHost, starter_checkpoint: Path, store: Store, tasks: Tasks, tmp_path: Path,
    loop: qasync.QEventLoop,
) -> None:  # fmt: skip
    ready = engine_host.lifecycle
    assert ready.facts is not None
    assert ready.facts.request is not None
    checkpoint = judge(describe(starter_checkpoint), read_machine(None))
    store.publish(Library((checkpoint,), (str(starter_checkpoint.parent),)))
    store.publish(HardwareSample(_HOST))
    file = tmp_path / "fit.jsonl"

    async def follow() -> None:
        watch = FitWatch(store, tasks, file)
        store.publish(Lifecycle(Phase.LOADING, ready.checkpoint, 1))
        store.publish(ready)
        record = watch.newest(str(starter_checkpoint))
        assert record is not None
        assert record.reported_tokens == ready.facts.num_blocks * ready.facts.block_size
        assert record.tokens_error is not None
        assert abs(record.tokens_error) < 0.05
        while not file.exists():  # noqa: ASYNC110 - kept in a thread
            await asyncio.sleep(0.01)
        with file.open("ab") as damaged:
            damaged.write(b'{"unix_s": 1, "chec')
        again = FitWatch(store, tasks, file)
        await again.start()
        assert again.newest(str(starter_checkpoint)) == record

    loop.run_until_complete(follow())
    assert FitRecords(file).read()[-1].device == "cpu"
    assert msgspec.json.decode(file.read_bytes().splitlines()[0])["name"] == starter_checkpoint.name
