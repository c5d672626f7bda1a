"""The kinds that a load is made of, as forms: how requests arrive, and how long prompts and answers are."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.widgets.lab_kind import Kind, KindField, Part
from app.widgets.lab_number import unit_tokens
from engine.bench.workload import (
    AsRecorded,
    Bursts,
    ClosedLoop,
    Fixed,
    FromData,
    LogNormal,
    Normal,
    OpenLoop,
    Ramp,
    Uniform,
)

tr = QCoreApplication.translate

_LONGEST = 1_048_576
_CLIENTS = 100_000
_RATE = 100_000.0


def arrival_field() -> KindField:
    """How requests arrive."""
    second = tr("LabForm", "per second")
    at_once = Part(
        "most_at_once", tr("LabForm", "At once at most"), tr("LabForm", "at once at most"), 1, _CLIENTS, None,
        optional=tr("LabForm", "any"), help_text=tr("LabForm", "Further requests are held back; how long is told as "
        "client lag."),
    )  # fmt: skip
    parts = (
        Part("clients", tr("LabForm", "Clients"), "", 1, _CLIENTS, 50, unit=tr("LabForm", "clients"),
             help_text=tr("LabForm", "So many requests are under way at any time.")),
        Part("rate_per_s", tr("LabForm", "Rate"), "", 0.001, _RATE, 2.0, whole=False, unit=second),
        Part("size", tr("LabForm", "Requests in a burst"), "", 1, _CLIENTS, 16, unit=tr("LabForm", "requests")),
        Part("every_s", tr("LabForm", "Time between bursts"), tr("LabForm", "every"), 0.01, 86_400, 10.0, whole=False,
             unit="s"),
        Part("from_per_s", tr("LabForm", "First rate"), tr("LabForm", "from"), 0.001, _RATE, 0.5, whole=False),
        Part("to_per_s", tr("LabForm", "Last rate"), tr("LabForm", "to"), 0.001, _RATE, 8.0, whole=False, unit=second),
        Part("over_s", tr("LabForm", "Length of the ramp"), tr("LabForm", "within"), 0.1, 86_400, 60.0, whole=False,
             unit="s"),
        Part("speed", tr("LabForm", "Speed"), "", 0.01, 1000, 1.0, whole=False, unit=tr("LabForm", "times as fast")),
        Part("think_s", tr("LabForm", "Pause of a client"), tr("LabForm", "pause"), 0, 86_400, 0.0, whole=False,
             unit="s", help_text=tr("LabForm", "Each client waits so long between an answer and its next request.")),
        Part("burstiness", tr("LabForm", "Burstiness"), tr("LabForm", "burstiness"), 0.01, 1000, 1.0, whole=False,
             help_text=tr("LabForm", "1 is a Poisson process; less is burstier, more is steadier.")),
        at_once,
    )  # fmt: skip
    kinds = (
        Kind(tr("LabForm", "Clients, each waits for its answer"), ClosedLoop, (("clients",), ("think_s",))),
        Kind(
            tr("LabForm", "By themselves, at random (Poisson)"), OpenLoop,
            (("rate_per_s",), ("burstiness",), ("most_at_once",)),
        ),
        Kind(tr("LabForm", "In bursts"), Bursts, (("size",), ("every_s",), ("most_at_once",))),
        Kind(tr("LabForm", "More and more (ramp)"), Ramp, (("from_per_s", "to_per_s"), ("over_s",), ("most_at_once",))),
        Kind(tr("LabForm", "As in the recorded log"), AsRecorded, (("speed",), (), ("most_at_once",))),
    )  # fmt: skip
    return KindField(tr("LabForm", "Arrival"), parts, kinds)


def lengths_field(name: str, *, from_data: bool) -> KindField:
    """How long something is; `from_data` offers the length that the data themselves name."""
    tokens = unit_tokens()

    def of(caption: str) -> str:
        return f"{name}: {caption}"

    parts = (
        Part("tokens", name, "", 1, _LONGEST, 128, unit=tokens),
        Part("mean", of(tr("LabForm", "mean")), tr("LabForm", "mean"), 1, _LONGEST, 128, whole=False),
        Part("deviation", of(tr("LabForm", "deviation")), "±", 0, _LONGEST, 32, whole=False),
        Part("median", of(tr("LabForm", "median")), tr("LabForm", "median"), 1, _LONGEST, 128, whole=False),
        Part("sigma", of("sigma"), "σ", 0, 4, 0.6, whole=False,
             help_text=tr("LabForm", "Spread of the logarithm: 0.6 makes one in six twice the median or more.")),
        Part("least", of(tr("LabForm", "least")), "", 1, _LONGEST, 16),
        Part("most", of(tr("LabForm", "most")), "–", 1, _LONGEST, 256, unit=tokens),
    )  # fmt: skip
    kinds = [
        Kind(tr("LabForm", "always the same"), Fixed, (("tokens",),)),
        Kind(tr("LabForm", "any from – to"), Uniform, ((), ("least", "most"))),
        Kind(tr("LabForm", "around a mean (normal)"), Normal, (("mean", "deviation"), ("least", "most"))),
        Kind(tr("LabForm", "mostly short (log-normal)"), LogNormal, (("median", "sigma"), ("least", "most"))),
    ]
    if from_data:
        kinds.append(Kind(tr("LabForm", "as the data say"), FromData, ((), ("most",))))
    return KindField(name, parts, kinds)
