"""The loads that the lab offers to begin with, named and described in the user's language."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from engine.bench.workload import (
    CLASSIC,
    AsRecorded,
    Bursts,
    ClosedLoop,
    Fixed,
    FromData,
    LogNormal,
    OpenLoop,
    Ramp,
    RecordedLog,
    ShareGpt,
    Slos,
    Synthetic,
    Uniform,
    UserJsonl,
    Workload,
)

tr = QCoreApplication.translate

_CHAT = Workload(
    arrival=OpenLoop(rate_per_s=2.0), system_prompt_tokens=128, prompt=LogNormal(median=60, sigma=0.7, most=512),
    dataset=Synthetic(turns=3), output=LogNormal(median=96, sigma=0.6, most=512), duration_s=60.0,
    slos=Slos(ttft_s=2.0, tpot_s=0.2),
)  # fmt: skip
_SUMMARY = Workload(
    arrival=ClosedLoop(clients=8), prompt=Uniform(least=1024, most=3072), output=Fixed(tokens=128), requests=64
)
_CODE = Workload(
    arrival=ClosedLoop(clients=16, think_s=1.0), system_prompt_tokens=256, prompt=Uniform(least=256, most=1024),
    output=Uniform(least=8, most=32), requests=200, slos=Slos(ttft_s=1.0),
)  # fmt: skip
_BURST = Workload(
    arrival=Bursts(size=16, every_s=10.0), system_prompt_tokens=128, prompt=Uniform(least=32, most=128),
    output=Fixed(tokens=64), duration_s=60.0,
)  # fmt: skip
_RAMP = Workload(
    arrival=Ramp(from_per_s=0.5, to_per_s=8.0, over_s=60.0), system_prompt_tokens=128,
    prompt=Uniform(least=32, most=128), output=Fixed(tokens=64), duration_s=90.0,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LoadPreset:
    """One entry of the list. `workload` is complete but for a file that the user has to choose."""

    key: str
    name: str
    text: str
    workload: Workload


def load_presets() -> tuple[LoadPreset, ...]:
    """All of them, the classic first."""
    return (*_made_up(), *_from_files())


def _made_up() -> tuple[LoadPreset, ...]:
    return (
        LoadPreset(
            "classic", tr("LabPresets", "50 clients, one long prompt"),
            tr("LabPresets", "The classic: everybody asks at once, and all share a long beginning. Shows prefix reuse, "
               "batching and the queue."), CLASSIC,
        ),
        LoadPreset(
            "chat", tr("LabPresets", "Chat"),
            tr("LabPresets", "People come by themselves and ask three times each; short questions, answers of "
               "very different lengths."), _CHAT,
        ),
        LoadPreset(
            "summary", tr("LabPresets", "Summarization"),
            tr("LabPresets", "Long prompts, short answers: prefill and its chunks decide."), _SUMMARY,
        ),
        LoadPreset(
            "code", tr("LabPresets", "Code completion"),
            tr("LabPresets", "Many small answers that have to come at once: TTFT decides."), _CODE,
        ),
        LoadPreset(
            "burst", tr("LabPresets", "Bursts"),
            tr("LabPresets", "Sixteen requests in one moment, again and again: the queue decides."), _BURST,
        ),
        LoadPreset(
            "ramp", tr("LabPresets", "Ramp"),
            tr("LabPresets", "More and more a second, until latency tells where this engine is full."), _RAMP,
        ),
    )  # fmt: skip


def _from_files() -> tuple[LoadPreset, ...]:
    own = Workload(arrival=ClosedLoop(clients=16), dataset=UserJsonl(), output=Fixed(tokens=128), requests=200)
    share = Workload(
        arrival=OpenLoop(rate_per_s=2.0), dataset=ShareGpt(turns=1), output=FromData(most=1024), requests=200
    )
    log = Workload(arrival=AsRecorded(), dataset=RecordedLog(), output=FromData(), requests=1000)
    return (
        LoadPreset(
            "jsonl", tr("LabPresets", "My JSONL file"),
            tr("LabPresets", "Your own prompts: one JSON object a line with “prompt” or “messages”."), own,
        ),
        LoadPreset(
            "sharegpt", tr("LabPresets", "ShareGPT file"),
            tr("LabPresets", "Real conversations from a file in ShareGPT's format, with the answers' lengths."), share,
        ),
        LoadPreset(
            "recorded", tr("LabPresets", "Recorded log"),
            tr("LabPresets", "What once happened, at the times at which it happened: a request log or a KVDeck "
               "recording."), log,
        ),
    )  # fmt: skip
