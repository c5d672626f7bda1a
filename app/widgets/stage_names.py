"""What the phases and stages of an engine's life are called in the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from engine.domain.lifecycle import Phase, Stage


def stage_name(stage: Stage) -> str:
    """A stage of a load, in two words at most."""
    translate = QCoreApplication.translate
    names = {
        Stage.TO_SLEEP: translate("Stages", "putting to sleep"),
        Stage.WAKING: translate("Stages", "waking"),
        Stage.STARTING: translate("Stages", "starting"),
        Stage.WEIGHTS: translate("Stages", "weights"),
        Stage.COMPILING: translate("Stages", "compiling"),
        Stage.PROFILING: translate("Stages", "memory profiling"),
        Stage.GRAPHS: translate("Stages", "graph capture"),
        Stage.KV_CACHE: translate("Stages", "KV cache"),
        Stage.FIRST_TOKEN: translate("Stages", "first token"),
        Stage.READY: translate("Stages", "ready"),
    }
    return names[stage]


def phase_name(phase: Phase) -> str:
    """A phase, as the header says it."""
    translate = QCoreApplication.translate
    names = {
        Phase.OFFLINE: translate("Phases", "engine host offline"),
        Phase.CONNECTING: translate("Phases", "engine host starting"),
        Phase.IDLE: translate("Phases", "no model loaded"),
        Phase.LOADING: translate("Phases", "loading"),
        Phase.READY: translate("Phases", "ready"),
        Phase.UNLOADING: translate("Phases", "unloading"),
        Phase.ASLEEP: translate("Phases", "asleep"),
        Phase.FAILED: translate("Phases", "load failed"),
        Phase.CRASHED: translate("Phases", "engine died"),
    }
    return names[phase]
