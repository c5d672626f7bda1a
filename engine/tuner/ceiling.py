"""Whether a run that goes on can still win: the most that its figure can come to, from what has happened so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.bench.messages import Finished, Progress
from engine.bench.sample import Outcome
from engine.bench.tally import is_good
from engine.bench.workload import Fixed
from engine.tuner.saying import FigureValue, SecondsValue, saying

if TYPE_CHECKING:
    from engine.bench.messages import Message
    from engine.bench.workload import Workload
    from engine.tuner.saying import Saying

_MARGIN = 0.97  # a run this near the best goes on: the best's own figure is noisy, too
_HALFWAY = 0.5
_FAR = 0.6  # halfway, a run whose rate is below this share of the best's is not going to catch up


class Ceiling:
    """Follows one run. `best` is the figure to beat (None: nothing yet), `best_s` how long that run took.

    Two rules. One is exact: of N requests of which `bad` missed, at most (N - bad) / elapsed can be good a second, and
    elapsed only grows. The other is a judgement: halfway through the best run's time, this one has less than 0.6 of its
    rate even if all that is under way counted as good.
    """

    def __init__(self, workload: Workload, objective: str, best: float | None, best_s: float | None) -> None:
        self._slos = workload.slos
        self._requests = workload.requests
        self._per_request = _worth(workload, objective)
        self._objective = objective
        self._goodput = objective == "goodput_per_s"
        self._best = best
        self._best_s = best_s
        self._bad = 0
        self._missed = 0  # of the successful ones
        self.most: float | None = None
        self.estimate: float | None = None
        self.why: Saying | None = None

    def take(self, message: Message) -> bool:
        """Hear what the run says; True once it cannot win, with the reason in `why` and the figure in `most`."""
        if isinstance(message, Finished):
            for sample in message.samples:
                good = is_good(sample, self._slos) if self._goodput else sample.outcome is Outcome.SUCCESSFUL
                self._bad += int(not good)
                self._missed += int(sample.outcome is Outcome.SUCCESSFUL and not good)
        if not isinstance(message, Progress) or message.phase not in ("running", "finishing"):
            return False
        if self._best is None or self._per_request is None or message.elapsed_s <= 0:
            return False
        # Samples are told later than counts: what has succeeded and is not yet told of may all be good.
        perhaps_good = max(0, message.successful - self._missed)
        return self._is_lost(message.elapsed_s, perhaps_good, message.running, self._best, self._per_request)

    def _is_lost(self, elapsed_s: float, good: int, running: int, best: float, worth: float) -> bool:
        self.estimate = worth * (good + running / 2) / elapsed_s  # half of what is under way is half done
        if self._requests is not None:
            self.most = worth * max(0, self._requests - self._bad) / elapsed_s
            if self.most < best * _MARGIN:
                self.why = saying(
                    "pruned_most",
                    seconds=SecondsValue(elapsed_s),
                    left=self._requests - self._bad,
                    most=FigureValue(self._objective, self.most),
                )
                return True
        if self._best_s is not None and elapsed_s >= _HALFWAY * self._best_s:
            rate = worth * (good + running) / elapsed_s
            if rate < best * _FAR:
                self.most = rate
                self.why = saying(
                    "pruned_half", seconds=SecondsValue(elapsed_s), most=FigureValue(self._objective, rate)
                )
                return True
        return False


def _worth(workload: Workload, objective: str) -> float | None:
    """What one good request adds to the objective; None where that is not known beforehand: nothing is pruned then."""
    if objective in ("goodput_per_s", "requests_per_s"):
        return 1.0
    if objective == "tokens_out_per_s" and isinstance(workload.output, Fixed) and workload.ignore_eos:
        return float(workload.output.tokens)
    return None
