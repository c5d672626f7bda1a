"""All fields of a load's set-up, and the load that they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QCheckBox

from app.widgets import figures
from app.widgets.lab_data_field import DataField
from app.widgets.lab_kind import ChoiceBox, KindField
from app.widgets.lab_kinds import arrival_field, lengths_field
from app.widgets.lab_number import NumberEdit, unit_tokens
from app.wording.engine import worded
from engine.bench.checks import objections
from engine.bench.workload import RecordedLog, Slos, Synthetic, Workload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.bench.workload import Lengths

_LONGEST_S = 604_800
_MOST = 10_000_000


class LoadFields(QObject):
    """The fields, without a layout. `changed` says that something was edited."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._filling = False
        self._make_kinds()
        self._make_numbers()
        self._make_switches()
        self._connect()

    @property
    def numbers(self) -> tuple[NumberEdit, ...]:
        """The fields that are one number."""
        return (
            self.system, self.requests, self.duration, self.ttft, self.tpot, self.e2e, self.warm_up, self.seed,
            self.temperature, self.timeout,
        )  # fmt: skip

    @property
    def trailing(self) -> tuple[NumberEdit, ...]:
        """The numbers that end a row of the form, but for the one with a unit of three words."""
        kinds = (*self.arrival.trailing, *self.prompt.trailing, *self.output.trailing)
        rest = (number for number in kinds if number is not self.arrival.numbers["speed"])
        return (*self.numbers, *rest, self.data.turns)

    def workload(self, name: str = "") -> Workload:
        """The load that the fields say; ask `problems` first."""
        return Workload(
            name=name,
            route=self.route.currentData(),
            arrival=self.arrival.value(),
            dataset=self.data.value(),
            system_prompt_tokens=self.system.whole or 0,
            prompt=self.prompt.value(),
            output=self.output.value(),
            ignore_eos=self.ignore_eos.isChecked(),
            requests=self.requests.whole,
            duration_s=self.duration.value,
            cut_at_end=self.cut.isChecked(),
            warm_up_requests=self.warm_up.whole or 0,
            seed=self.seed.whole or 0,
            temperature=self.temperature.value,
            request_timeout_s=self.timeout.value or 600.0,
            slos=self.slos(),
        )

    def slos(self) -> Slos:
        """What an answer has to keep; milliseconds in the fields, seconds in the value."""
        return Slos(ttft_s=_seconds(self.ttft.value), tpot_s=_seconds(self.tpot.value), e2e_s=self.e2e.value)

    def show_workload(self, workload: Workload) -> None:
        """Fill the fields from a load; `changed` comes once."""
        self._filling = True
        slos = workload.slos
        self.arrival.show_value(workload.arrival)
        self.data.show_value(workload.dataset)
        self.prompt.show_value(workload.prompt)
        self.output.show_value(workload.output)
        self.route.choose(workload.route)
        values = (
            workload.system_prompt_tokens, workload.requests, workload.duration_s, _milliseconds(slos.ttft_s),
            _milliseconds(slos.tpot_s), slos.e2e_s, workload.warm_up_requests, workload.seed, workload.temperature,
            workload.request_timeout_s,
        )  # fmt: skip
        for field, value in zip(self.numbers, values, strict=True):
            field.show_value(value)
        self.ignore_eos.setChecked(workload.ignore_eos)
        self.cut.setChecked(workload.cut_at_end)
        self._filling = False
        self._edited()

    def problems(self, max_model_len: int | None = None) -> tuple[str, ...]:
        """What is wrong, each a sentence with its remedy; empty where the load can be sent."""
        found = [text for text in self._own_problems() if text]
        if not found and self.requests.value is None and self.duration.value is None and not self._is_log():
            found.append(self.tr("It would never end: give a number of requests or a time."))
        if not found:
            found.extend(map(worded, objections(self.workload())))
        if not found and max_model_len is not None:
            found.extend(self._too_long(max_model_len))
        return tuple(found)

    def _own_problems(self) -> Iterator[str]:
        yield self.arrival.problem()
        yield self.data.problem()
        if not self.data.has_prompts:
            yield self.prompt.problem()
        yield self.output.problem()
        for number in self.numbers:
            yield number.problem()

    def _too_long(self, max_model_len: int) -> Iterator[str]:
        workload = self.workload()
        if not isinstance(workload.dataset, Synthetic):
            return
        turn = _longest(workload.prompt) + _longest(workload.output)
        whole = workload.system_prompt_tokens + turn * workload.dataset.turns
        if whole > max_model_len:
            yield self.tr(
                "The longest request needs {needed} tokens, this model takes {most} (max_model_len). Shorten prompts "
                "or answers, or reload with a larger max_model_len."
            ).format(needed=figures.count(whole), most=figures.count(max_model_len))

    def _is_log(self) -> bool:
        return isinstance(self.data.value(), RecordedLog)

    # Making them

    def _make_kinds(self) -> None:
        self.arrival: KindField = arrival_field()
        self.data = DataField()
        self.prompt: KindField = lengths_field(self.tr("Prompt"), from_data=False)
        self.output: KindField = lengths_field(self.tr("Answer"), from_data=True)
        routes = [("chat", "/v1/chat/completions"), ("completions", "/v1/completions")]
        self.route = ChoiceBox(self.tr("Route"), routes)

    def _make_numbers(self) -> None:
        none, anything = self.tr("none"), self.tr("any")
        self.system = NumberEdit(
            self.tr("Shared system prompt"), 0, _MOST, unit=unit_tokens(),
            help_text=self.tr("Every request begins with the same text of this length; 0: none. The engine computes it "
                              "once and reuses it."),
        )
        self.requests = NumberEdit(
            self.tr("Requests"), 1, _MOST, unit=self.tr("requests"), optional=anything,
            help_text=self.tr("It ends after so many requests. Empty: time ends it."),
        )
        self.duration = NumberEdit(
            self.tr("Longest time"), 0.5, _LONGEST_S, whole=False, unit="s", optional=anything,
            help_text=self.tr("It ends after so long. Empty: the number of requests ends it."),
        )
        self.ttft = NumberEdit(
            "TTFT", 0.1, _MOST, whole=False, unit="ms", optional=none,
            help_text=self.tr("Time to first token: at most so long for a good answer."),
        )
        self.tpot = NumberEdit(
            "TPOT", 0.01, _MOST, whole=False, unit="ms", optional=none,
            help_text=self.tr("Time per further token: at most so long for a good answer."),
        )
        self.e2e = NumberEdit(
            "E2E", 0.01, _LONGEST_S, whole=False, unit="s", optional=none,
            help_text=self.tr("The whole answer: at most so long for a good one."),
        )
        self.warm_up = NumberEdit(
            self.tr("Warm-up"), 0, 100_000, unit=self.tr("requests"),
            help_text=self.tr("Sent first, and counted nowhere."),
        )
        self.seed = NumberEdit(
            self.tr("Seed"), 0, 2**31 - 1, help_text=self.tr("The same seed sends the same requests.")
        )
        self.temperature = NumberEdit(self.tr("Temperature"), 0, 2, whole=False, optional=self.tr("model's"))
        self.timeout = NumberEdit(
            self.tr("Time-out"), 0.1, _LONGEST_S, whole=False, unit="s",
            help_text=self.tr("A request that takes longer counts as failed."),
        )  # fmt: skip

    def _make_switches(self) -> None:
        self.ignore_eos = QCheckBox(self.tr("Answers exactly as long as asked"))
        self.ignore_eos.setToolTip(
            self.tr("The model may not end an answer by itself (ignore_eos), so that runs can be compared.")
        )
        self.cut = QCheckBox(self.tr("Cut what runs when time is up"))
        self.cut.setToolTip(self.tr("What is cut counts as incomplete. Otherwise it may finish."))

    def _connect(self) -> None:
        for changed in (self.arrival.changed, self.data.changed, self.prompt.changed, self.output.changed):
            changed.connect(self._edited)
        for number in self.numbers:
            number.changed.connect(self._edited)
        self.route.currentIndexChanged.connect(self._edited)
        for switch in (self.ignore_eos, self.cut):
            switch.toggled.connect(self._edited)

    def _edited(self) -> None:
        if self._filling:
            return
        self._filling = True  # what does not go with the data gives way, without being an edit of its own
        self.arrival.offer(self.data.arrivals)
        self.output.offer(self.data.output_lengths)
        self._filling = False
        self.changed.emit()


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1000, 3)


def _longest(lengths: Lengths) -> int:
    return int(getattr(lengths, "tokens", 0) or getattr(lengths, "most", 0))
