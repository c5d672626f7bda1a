"""The special editors of the parameter table: speculation, GPUs, adapters; and the chat's choice of an adapter."""

import asyncio
import json

import pytest

from app.bridge.adapter_desk import AdapterDesk
from app.bridge.adapter_state import AdaptersState, FoundAdapter
from app.bridge.lab_state import LabJob
from app.bridge.store import Edits
from app.panels.parameters import ParametersPanel
from app.widgets.adapters_card import AdaptersCard
from app.widgets.chat_model import ChatModel
from app.widgets.gpu_field import GpuField, link_words
from app.widgets.speculation_card import acceptance_words, speed_words
from app.widgets.speculation_field import SpeculationField
from benchmarks.adapters import write_adapter
from engine.checkpoints.drafts import DraftFit
from engine.client.engine import ChatOptions
from engine.client.host_process import HostOptions
from engine.client.remote import RemoteEngine
from engine.domain.adapter import Adapter, EngineAdapters, LoadedAdapter
from engine.domain.gpu import GpuLink, GpuProcess, GpuSample
from engine.domain.lifecycle import EngineFacts, Lifecycle, Phase, ServingStats, SpeculationStats
from engine.tuner.outcome import ABResult, Difference
from engine.tuner.speculation import OBJECTIVE, is_of_speculation, speculation_ab, speed_up

NGRAM = '{"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_min": 2, "prompt_lookup_max": 4}'
DRAFTING = SpeculationStats(60.0, 10, 40, 20, (10, 6, 3, 1), 100, 400, 250)


def facts(**parameters):
    return EngineFacts(
        "0.32.0", "/m/base", "base", "cpu", "bfloat16", None, 8192, 32, 900, 8, 2048, False, "/p", (), parameters
    )


def serving(speculation):
    return ServingStats(1, 10.0, 0, 0, 0, None, None, None, None, None, None, 0, 0, 0.0, 0, 0, speculation)


def difference(ratio, better, *, shown=True):
    return Difference(
        key=OBJECTIVE, mean_a=50.0, mean_b=50.0 * ratio, ratio=ratio, low=ratio - 0.1, high=ratio + 0.1, shown=shown,
        better=better, sentence="",
    )  # fmt: skip


def gpu(index, uuid, *processes):
    return GpuSample(
        1, index, uuid, "NVIDIA H200", 140 << 30, 40 << 30, None, None, processes, 0.1, 0.1, 100.0, 700.0, 40, 1, 1
    )


@pytest.fixture
def field(qtbot):
    made = SpeculationField()
    qtbot.addWidget(made)
    said = []
    made.committed.connect(said.append)
    made.show()
    return made, said


def choose(combo, data):
    combo.setCurrentIndex(combo.findData(data))
    combo.activated.emit(combo.currentIndex())


def test_ngrams_are_chosen_and_their_lengths_kept_in_order(field):
    field, said = field
    choose(field.method, "ngram")
    assert json.loads(said[-1]) == json.loads(NGRAM)
    field.low.setValue(6)
    assert json.loads(said[-1]) | {"prompt_lookup_min": 6, "prompt_lookup_max": 6} == json.loads(said[-1])
    field.tokens.setValue(8)
    assert json.loads(field.current())["num_speculative_tokens"] == 8
    choose(field.method, "")
    assert said[-1] is None
    assert not field.tokens.isVisible()


def test_a_draft_is_taken_from_those_that_fit(field):
    field, said = field
    choose(field.method, "draft_model")
    assert said == []  # nothing that vLLM could load has been chosen yet
    assert "Looking" in field.note.text()
    bad = DraftFit("/m/other", "draft_model", "The vocabularies differ: 49,152 tokens, 32,000 in the draft.")
    field.show_drafts((bad,), {"/m/other": "other"})
    assert "49,152" in field.note.text()
    assert said == []
    good = DraftFit("/m/small", "draft_model", None, "The draft is not much smaller than the model.")
    field.show_drafts((good, bad), {"/m/other": "other", "/m/small": "small"})
    assert json.loads(said[-1])["model"] == "/m/small"
    assert "not much smaller" in field.note.text()
    choose(field.method, "eagle3")
    assert "no checkpoint" in field.note.text()


def test_what_the_editor_does_not_know_stays_as_it_was_written(field):
    field, said = field
    text = '{"method": "medusa", "model": "/m/heads", "num_speculative_tokens": 3}'
    field.show_value(text)
    assert field.json.isVisible()
    assert field.json.text() == text
    field.json.setText("{")
    field.json.editingFinished.emit()
    assert said == ["{"]  # the row's rule says what is wrong with it
    field.show_value('{"method": "ngram", "num_speculative_tokens": 2, "disable_by_batch_size": 4}')
    field.tokens.setValue(5)
    assert json.loads(said[-1])["disable_by_batch_size"] == 4


def test_acceptance_stands_under_the_row_while_the_engine_guesses(qtbot, context, store):
    panel = ParametersPanel(context)
    qtbot.addWidget(panel)
    panel.resize(380, 900)
    panel.show()
    card = panel.findChild(type(panel._extras.speculation))
    assert not card.isVisible()
    store.publish(Lifecycle(Phase.READY, checkpoint="/m/base", facts=facts(speculative_config=NGRAM)))
    store.publish(serving(DRAFTING))
    assert card.isVisible()
    assert "50" in card.figures.text()
    assert card.bars.isVisible()
    assert "position 2: 60" in card.bars.accessibleDescription()
    panel._search.setText("dtype")
    assert not card.isVisible()  # it goes with its row
    panel._search.setText("")
    store.publish(LabJob(speculation_ab(NGRAM), "ended", result=ABResult(
        objective=OBJECTIVE, a={}, b={}, pairs=(), differences=(difference(0.8, "a"),),
    )))  # fmt: skip
    assert "Slower than without" in card.outcome.text()
    store.publish(Lifecycle(Phase.READY, checkpoint="/m/base", facts=facts()))
    store.publish(LabJob(speculation_ab(NGRAM), "unfinished"))
    assert not card.isVisible()
    store.publish(Edits({"speculative_config": NGRAM}))
    assert card.measure.isVisible()  # an edit can be measured before it is in force


def test_a_measurement_is_said_in_words():
    assert is_of_speculation(speculation_ab(NGRAM))
    results = {
        "Faster than without": difference(1.5, "b"),
        "Slower than without": difference(0.8, "a"),
        "No difference is shown": difference(1.05, "b", shown=False),
    }
    for words, found in results.items():
        result = ABResult(objective=OBJECTIVE, a={}, b={}, pairs=(), differences=(found,))
        assert words in speed_words(speed_up(result))[0]
    assert "ended before" in speed_words(speed_up(ABResult(objective=OBJECTIVE, a={}, b={}, pairs=())))[0]
    assert "No draft" in acceptance_words(None)
    late = SpeculationStats(60.0, 0, 0, 0, (0, 0), 100, 400, 250)
    assert "none lately" in acceptance_words(late)


def test_gpus_are_chosen_by_uuid_with_what_is_known_of_them(qtbot):
    field = GpuField()
    qtbot.addWidget(field)
    said = []
    field.committed.connect(said.append)
    link = GpuLink("GPU-a", "GPU-b", False, "node")
    gpus = (gpu(0, "GPU-a", GpuProcess(71, "python", 9 << 30, False)), gpu(1, "GPU-b"))
    field.show_gpus(gpus, (link,))
    first, second = field._boxes.values()
    assert "100" in first.text()
    assert "python (71): 9" in first.toolTip()
    assert "Nobody" in second.toolTip()
    second.setChecked(True)
    first.setChecked(True)
    assert said == ["GPU-b", "GPU-b,GPU-a"]  # in the order of ticking
    assert second.text().endswith("rank 0")
    assert "through one processor" in field._note.text()
    field.show_value("GPU-gone")
    assert "GPU-gone" in field._note.text()
    assert link_words(("GPU-a", "GPU-b"), (GpuLink("GPU-a", "GPU-b", True, "node"),), {}) == "All connected by NVLink."


def test_adapters_are_listed_loaded_and_unloaded(qtbot):
    card = AdaptersCard()
    qtbot.addWidget(card)
    asked = []
    card.load_asked.connect(asked.append)
    card.unload_asked.connect(asked.append)
    card.show_state(AdaptersState())
    assert card.isHidden()
    fits = FoundAdapter(Adapter("/a/fits", "fits", "base", 8, ("q_proj",), 1 << 20), None)
    wrong = FoundAdapter(Adapter("/a/wrong", "wrong", "other", 64, (), None), "Its rank is 64.")
    card.show_state(AdaptersState(EngineAdapters(True, (), 16, 1), (fits, wrong)))
    assert not card.isHidden()
    assert "rank 16" in card.note.text()
    actions = [action for action in card.menu.actions() if action.text()]
    assert [action.isEnabled() for action in actions] == [True, False, True]
    assert "Its rank is 64." in actions[1].toolTip()
    actions[0].trigger()
    loaded = LoadedAdapter("fits", "/a/fits", 1, 8, ("q_proj",), 1 << 20)
    card.show_state(AdaptersState(EngineAdapters(True, (loaded,), 16, 1), (fits, wrong)))
    card.findChild(object, "unloadAdapter_fits").click()
    assert asked == ["/a/fits", "fits"]
    card.show_state(AdaptersState(EngineAdapters(True, (loaded,), 16, 1), None, busy="fits"))
    assert not card.add.isEnabled()


def test_the_chat_talks_to_the_adapter_that_is_chosen(qtbot, store):
    choice = ChatModel(store)
    qtbot.addWidget(choice)
    sent = []
    chat = choice.over(lambda _messages, options, **_more: sent.append(options))
    assert choice.isHidden()
    store.publish(Lifecycle(Phase.READY, checkpoint="/m/base", facts=facts(enable_lora=True)))
    polite = LoadedAdapter("polite", "/a/polite", 1)
    store.publish(AdaptersState(EngineAdapters(True, (polite,), 16, 1)))
    assert not choice.isHidden()
    assert choice.model_name() == "base"
    choose(choice, "polite")
    assert choice.model_name() == "polite"
    chat([], ChatOptions(extra={"n": 1}))
    assert sent[-1].extra == {"n": 1, "model": "polite"}
    store.publish(AdaptersState(EngineAdapters(True, (), 16, 1)))
    assert choice.model_name() == "base"  # it was unloaded
    store.publish(AdaptersState(EngineAdapters(True, (polite,), 16, 1)))
    assert choice.model_name() == "polite"  # it is back, as after a crash
    store.publish(AdaptersState(EngineAdapters(True, (), 16, 1)))
    chat([], ChatOptions())
    assert "model" not in sent[-1].extra


def test_a_load_that_fails_says_why_and_leaves_nothing_busy(loop, store, tasks, tmp_path, quiet):
    desk = AdapterDesk(store, tasks, RemoteEngine(HostOptions(port=0)), lambda: [str(tmp_path)])
    notices = []
    store.noticed.connect(notices.append)
    write_adapter(tmp_path / "polite")
    quiet.allow("Load adapter")

    async def act():
        desk.load("/a/polite")
        assert store.adapters.busy == "polite"
        desk.find()
        while store.adapters.busy is not None or store.adapters.found is None:  # noqa: ASYNC110 - the Store's state
            await asyncio.sleep(0.01)

    loop.run_until_complete(act())
    assert "No engine host is running" in notices[0].message
    assert [each.adapter.name for each in store.adapters.found] == ["polite"]
