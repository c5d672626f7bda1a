"""What the phases and stages of an engine's life are called in the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from engine.domain.lifecycle import Phase, Stage


def stage_name(stage: Stage) -> str:
    """A stage of a load, in two words at most."""
    tr = QCoreApplication.translate
    names = {
        Stage.STARTING: tr("Stages", "starting"),
        Stage.WEIGHTS: tr("Stages", "weights"),
        Stage.COMPILING: tr("Stages", "compiling"),
        Stage.PROFILING: tr("Stages", "memory profiling"),
        Stage.GRAPHS: tr("Stages", "graph capture"),
        Stage.KV_CACHE: tr("Stages", "KV cache"),
        Stage.FIRST_TOKEN: tr("Stages", "first token"),
        Stage.READY: tr("Stages", "ready"),
    }
    return names[stage]


def phase_name(phase: Phase) -> str:
    """A phase, as the header says it."""
    tr = QCoreApplication.translate
    names = {
        Phase.OFFLINE: tr("Phases", "engine host offline"),
        Phase.CONNECTING: tr("Phases", "engine host starting"),
        Phase.IDLE: tr("Phases", "no model loaded"),
        Phase.LOADING: tr("Phases", "loading"),
        Phase.READY: tr("Phases", "ready"),
        Phase.UNLOADING: tr("Phases", "unloading"),
        Phase.ASLEEP: tr("Phases", "asleep"),
        Phase.FAILED: tr("Phases", "load failed"),
        Phase.CRASHED: tr("Phases", "engine died"),
    }
    return names[phase]
