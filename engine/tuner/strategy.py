"""What a search does next: many short runs to find where it is good, then the likeliest few again, on new requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine.tuner.optimizer import GridOptimizer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from engine.tuner.optimizer import Prediction, Vector

_FEWEST = 6  # runs, before it may find that nothing is worth another
_FINAL = 0.35  # of the work is for the likeliest few
_FINAL_RUNS = 2  # of a search whose runs are as long as the whole load
_UNLIKELY = 0.005
_WORTH = 0.1  # of the least gain: what a run is expected to gain is a mean, and most of its outcomes gain nothing

Why = Literal["present", "largest", "middle", "promising", "again"]


@dataclass(frozen=True, slots=True)
class Move:
    """The next run: of which point, why, and what is expected of it (None: no opinion yet).

    `batch` says which requests it gets: 0 the first, 1 others, ... A point's first run has batch 0.
    """

    index: int
    why: Why
    batch: int
    expected: Prediction | None = None


class Strategy:
    """Chooses one run after another. Scores are figures of which more is better.

    `work` is what there is to spend, in whole runs of the load; each of its runs sends `share` of one, and costs that
    and what it takes to begin one. It ends when the work is spent, or when no point is likely to be better than the
    best by `least_gain` (a share of its figure).
    """

    def __init__(
        self,
        coordinates: Vector,
        *,
        work: float,
        share: float = 1.0,
        least_gain: float = 0.01,
        first: int | None = None,
    ) -> None:
        self.optimizer = GridOptimizer(coordinates)
        self.share = share
        self.spent = 0.0
        self._cost = share  # of the next run, as the last one's
        self._all = range(len(coordinates))
        self._first = first
        self._least_gain = least_gain
        self._work = work
        final = _FINAL * work if share < 1 else min(_FINAL_RUNS, _FINAL * work)
        self._exploring_until = work - final
        self._scores: list[float] = []
        self._settled = False

    @property
    def runs(self) -> int:
        """How many runs the work is enough for, those that are done included."""
        return self.optimizer.told + max(0, int((self._work - self.spent) / self._cost + 1e-9))

    @property
    def exhausted(self) -> bool:
        """Whether all work is done."""
        return self.spent + self._cost > self._work + 1e-9

    @property
    def best(self) -> int | None:
        """The point to choose by all that is known."""
        told = self.optimizer.told
        return None if not told else self.optimizer.measured[0] if told == 1 else self.optimizer.best()

    def tell(
        self, index: int, score: float, *, batch: int = 0, share: float | None = None, cost: float | None = None
    ) -> None:
        """What a run came to; `share` where it was another share of a whole run than asked for (it was ended).

        `cost` is what it took in whole runs, None where that is its share.
        """
        self._cost = self.share if cost is None else cost
        self.spent += self._cost
        self._scores.append(score)
        self.optimizer.tell(index, score, share=self.share if share is None else share, batch=batch)

    def next(self, cost_s: Callable[[int], float], at_hand: Collection[int]) -> Move | None:
        """The next run, None when it is over.

        `cost_s` says how long a run of a point would take, a reload counted in; `at_hand` are the points without one.
        """
        if self.exhausted:
            return None
        known = self.optimizer.told
        if known == 0:
            largest = max(at_hand or self._all, key=self.optimizer.size)
            return Move(largest, "largest", 0) if self._first is None else Move(self._first, "present", 0)
        if known == 1 or (not any(self._scores) and known < _FEWEST):
            untried = [index for index in self._all if not self.optimizer.times(index)]
            near = [index for index in untried if index in at_hand] or untried
            if near:
                return Move(self.optimizer.middle(near), "middle", 0)
        if known > 1 and not self._settled and self.spent + self._cost <= self._exploring_until + 1e-9:
            move = self._explore(cost_s)
            if move is not None:
                return move
            self._settled = True
        return self._decide(at_hand)

    def _explore(self, cost_s: Callable[[int], float]) -> Move | None:
        """The point with the largest expected gain for its time; None when no gain is worth a run."""
        found = self.optimizer.predict(self._all, share=self.share)
        best = max(found, key=lambda one: one.gain / cost_s(one.index))
        if self.optimizer.told >= _FEWEST and max(one.gain for one in found) < _WORTH * self._margin():
            return None
        return self._move(best, "promising" if not self.optimizer.times(best.index) else "again")

    def _decide(self, at_hand: Collection[int]) -> Move | None:
        """The best against its likeliest rival, in turns, on requests that neither had; None once it is decided."""
        if self.optimizer.told < 2:
            return None
        duel = self.optimizer.duel(self._rivals(at_hand), margin=self._margin())
        if duel is None or duel.probability < _UNLIKELY:
            return None
        times = self.optimizer.times
        index = duel.leader if times(duel.leader) <= times(duel.challenger) else duel.challenger
        expected = self.optimizer.predict([index], share=self.share)[0]
        return self._move(expected, "again" if times(index) else "promising")

    def _rivals(self, at_hand: Collection[int]) -> list[int]:
        """No reload to and fro: where the best is loaded, who is loaded with it; else whoever was measured."""
        if self.best in at_hand:
            return sorted(at_hand)
        return self.optimizer.measured

    def _margin(self) -> float:
        """The least gain, in the figure's unit."""
        best = self.best
        return 0.0 if best is None else self._least_gain * abs(self.optimizer.predict([best])[0].mean)

    def _move(self, expected: Prediction, why: Why) -> Move:
        return Move(expected.index, why, self.optimizer.times(expected.index), expected)
