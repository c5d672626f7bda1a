"""Whether the chat can be used now, in words: from the engine's lifecycle and the models that are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.widgets.figures import percent
from engine.checkpoints.find import name_of
from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from engine.domain.checkpoint import Checkpoint, Library, StarterProgress
    from engine.domain.lifecycle import Lifecycle


@dataclass(frozen=True, slots=True)
class Readiness:
    """What the input shows. `sentence` and `remedy` are empty where there is nothing to say or to offer.

    `load` is the checkpoint that the remedy loads; None with a remedy means that it builds the starter model.
    """

    ready: bool
    placeholder: str
    sentence: str = ""
    remedy: str = ""
    load: str | None = None


def readiness(lifecycle: Lifecycle, library: Library | None, starter: StarterProgress | None) -> Readiness:
    """What the chat can do in this state of the engine."""
    name = name_of(lifecycle.checkpoint) if lifecycle.checkpoint else ""
    if lifecycle.phase is Phase.READY:
        return Readiness(True, _tr("Message to {}").format(_served(lifecycle)))
    draft = _tr("Write already, send it later")
    if lifecycle.phase is Phase.LOADING:
        return Readiness(False, draft, _tr("{} is loading.").format(name or _tr("The model")))
    if lifecycle.phase in (Phase.UNLOADING, Phase.CONNECTING):
        return Readiness(False, draft, _tr("The engine is not ready yet."))
    if lifecycle.phase is Phase.ASLEEP:
        return Readiness(False, draft, _tr("{} is asleep.").format(name), _tr("Wake"), lifecycle.checkpoint)
    again = lifecycle.checkpoint or lifecycle.previous_checkpoint
    if lifecycle.phase is Phase.CRASHED and again:
        return Readiness(False, draft, _tr("The engine has died."), _tr("Start it again"), again)
    if lifecycle.phase is Phase.FAILED and lifecycle.previous_checkpoint:
        back = lifecycle.previous_checkpoint
        text = _tr("Load {}").format(name_of(back))
        return Readiness(False, draft, _tr("{} could not be loaded.").format(name), text, back)
    return _nothing_loaded(draft, again, library, starter)


def _nothing_loaded(
    draft: str, again: str | None, library: Library | None, starter: StarterProgress | None
) -> Readiness:
    checkpoint = _suggested(library, again)
    sentence = _tr("No model is loaded.")
    if checkpoint is not None:
        return Readiness(False, draft, sentence, _tr("Load {}").format(checkpoint.name), checkpoint.path)
    if starter is not None and starter.running:
        return Readiness(False, draft, _tr("The starter model is being built ({}).").format(percent(starter.progress)))
    if library is not None and not library.scanning and starter is not None:
        return Readiness(False, draft, _tr("No model is known yet."), _tr("Build the starter model"))
    return Readiness(False, draft, sentence)


def _suggested(library: Library | None, again: str | None) -> Checkpoint | None:
    """The one that was loaded last, else the first that runs here."""
    fit = [
        checkpoint
        for checkpoint in (library.checkpoints if library is not None else ())
        if checkpoint.problem is None and checkpoint.verdict.kind != "refused" and checkpoint.has_chat_template
    ]
    return next((checkpoint for checkpoint in fit if checkpoint.path == again), fit[0] if fit else None)


def _served(lifecycle: Lifecycle) -> str:
    if lifecycle.facts is not None:
        return lifecycle.facts.served_model_name
    return name_of(lifecycle.checkpoint or "")


def _tr(text: str) -> str:
    return QCoreApplication.translate("ChatState", text)
