"""The tour from its first step to its exit status."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.tour.chat_step import ask, begin_anew
from app.tour.live_step import burst_with_live_limits
from app.tour.model_steps import build_starter, find_models, load_first, see_window, switch_to, wake
from app.tour.report import StepTold, TourReport
from app.tour.robot import Robot, StepFailed
from app.tour.scene import Scene, TourOptions
from engine.domain.errors import KVDeckError
from engine.domain.lifecycle import Phase
from engine.metrics.gaps import GapRecorder

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from app.bridge.frame_clock import FrameClock
    from app.bridge.store import Store
    from app.main_window import MainWindow
    from engine.chat.transcript import Message

log = logging.getLogger(__name__)

_SEEN_MS = 100.0
_SHOWN = 160  # characters of an answer


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what is printed before it, and what it does; it returns a sentence or raises.

    Without a `vital` one that held there is nothing to go on with. One that needs an engine that `serves` is left out
    where none does.
    """

    title: str
    act: Callable[[Scene], Awaitable[str]]
    vital: bool = False
    serves: bool = True


async def _ask_first(scene: Scene) -> str:
    answer = await ask(scene)
    figures = answer.figures
    assert figures.ttft_s is not None
    scene.report.set("chat.text", answer.content)
    scene.report.set("chat.ttft_ms", figures.ttft_s * 1000)
    scene.report.set("chat.tokens_per_s", figures.tokens_per_s)
    return f"{_shown(answer)}: first token after {figures.ttft_s:.2f} s, {figures.tokens_per_s or 0:.1f} tokens/s"


async def _ask_again(scene: Scene) -> str:
    if scene.options.models:  # whoever brings random weights gets an answer that fills the context
        await begin_anew(scene)
    answer = await ask(scene)
    return f"{_shown(answer)}: {answer.figures.tokens_per_s or 0:.1f} tokens/s"


def _shown(answer: Message) -> str:
    text = answer.content
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


def _steps(options: TourOptions) -> tuple[Step, ...]:
    """All steps: after the others a switch to each further model and a question, and, where they are kept, back."""
    streams = options.streams
    models = ("The models", find_models) if options.models else ("The starter model", build_starter)
    return (
        Step("The window", see_window, vital=True, serves=False),
        Step(*models, vital=True, serves=False),
        Step("Load it", load_first, serves=False),
        Step("Ask one question", _ask_first),
        Step(
            f"{streams} requests with one long system prompt, max_num_seqs to {streams // 4} and back",
            burst_with_live_limits,
        ),
        *_switches(options, options.names[1:], "Switch to", switch_to, serves=False),
        *(_switches(options, options.names, "Wake", wake, serves=True) if options.keep else ()),
    )


def _switches(
    options: TourOptions, names: Sequence[str], how: str, act: Callable[..., Awaitable[str]], *, serves: bool
) -> Iterator[Step]:
    for name in names:
        title = Path(name).name if options.models else f"the {name.upper()} variant"
        yield Step(f"{how} {title}", partial(act, name=name), serves=serves)
        yield Step(f"Ask again, {Path(name).name if options.models else name.upper()}", _ask_again)


class Tour:
    """Runs the steps in the window that it is given, asks the window to close, and says how it went.

    `run` belongs on the window's loop; `conclude` comes after the loop has ended and the engine with it.
    """

    def __init__(self, window: MainWindow, store: Store, clock: FrameClock, options: TourOptions) -> None:
        options.folder.mkdir(parents=True, exist_ok=True)
        self._report, self._path = TourReport(), options.folder / "report.json"
        self._clock = clock
        self._store = store
        self._window = window
        self._options = options
        self._scene = Scene(window, store, clock, Robot(window, options.folder), self._report, options)
        self._failed: list[str] = []
        self._held = 0
        self._steps = _steps(options)
        self._step_gaps = GapRecorder()
        clock.ticked.connect(lambda: self._step_gaps.tick(time.monotonic_ns()))

    def note_visible(self, seconds: float) -> None:
        """The window was painted for the first time, this long after the process began."""
        self._report.set("window_visible_s", seconds)

    async def run(self) -> None:
        """Take every step that makes sense after what did not hold; always ends by asking the window to close."""
        self._clock.reset_gaps()
        limit_s = self._options.limit_s
        try:
            async with asyncio.timeout(limit_s):
                for number, step in enumerate(self._steps, 1):
                    if not await self._take(number, step) and step.vital:
                        break
        except asyncio.CancelledError:
            self._failed.append("the tour was interrupted")
            raise
        except TimeoutError:
            self._failed.append(f"the whole tour took more than {limit_s:.0f} s")
        finally:
            self._report.set_frames(self._clock.gaps)
            self._say("Quit")
            self._window.close()

    async def _take(self, number: int, step: Step) -> bool:
        self._say(f"[{number}/{len(self._steps)}] {step.title}")
        if step.serves and self._store.lifecycle.phase is not Phase.READY:
            self._note(step, "left out", 0.0, f"no engine serves ({self._store.lifecycle.phase})")
            return False
        start = time.monotonic()
        self._step_gaps.reset()
        try:
            message = await step.act(self._scene)
            await self._scene.robot.picture(step.title)
        except (StepFailed, KVDeckError) as error:
            await self._fail(step, str(error), time.monotonic() - start)
            return False
        except Exception:  # the tour's own fault: told as one, and the window still closes
            log.exception("The tour's step %s broke", step.title)
            await self._fail(step, traceback.format_exc(), time.monotonic() - start)
            return False
        self._held += 1
        self._note(step, "held", time.monotonic() - start, message)
        return True

    def _note(self, step: Step, outcome: str, seconds: float, message: str) -> None:
        """Say what became of a step, and write it down at once: whoever is cut off later keeps it."""
        said = {"held": "held", "failed": "FAILED"}.get(outcome, outcome)
        self._say(f"    {said} after {seconds:.1f} s{self._unevenness()}: {message}")
        if outcome != "held":
            self._failed.append(f"{step.title}: {message}")
        self._report.steps.append(StepTold(step.title, outcome, round(seconds, 3), message))
        self._report.set_frames(self._clock.gaps)
        self._report.write(self._path)

    def _unevenness(self) -> str:
        """The longest time without a frame in this step, where it is one to see. Taking a picture is such a time."""
        longest = self._step_gaps.summary().max_ms
        return f", longest gap between frames {longest:.0f} ms" if longest is not None and longest > _SEEN_MS else ""

    async def _fail(self, step: Step, reason: str, seconds: float) -> None:
        self._note(step, "failed", seconds, reason)
        try:
            await self._scene.robot.picture(f"failed {step.title}")
        except StepFailed as error:
            self._say(f"    {error}")

    def conclude(self, processes_left: int) -> int:
        """Write the report, print the sum, and return the exit status: 0 only if every step held."""
        if processes_left:
            self._failed.append(f"Quit: {processes_left} processes were left behind")
        if self._held == len(self._steps) and self._report.missing:
            self._failed.append(f"The report has no value for {', '.join(self._report.missing)}")
        self._report.write(self._path)
        for reason in self._failed:
            self._say(f"FAILED  {reason}")
        self._say(f"{self._held} of {len(self._steps)} steps held. Pictures and report: {self._path.parent}")
        return 1 if self._failed or self._held != len(self._steps) else 0

    @staticmethod
    def _say(text: str) -> None:
        print(text, flush=True)  # noqa: T201 - the tour speaks on standard output
