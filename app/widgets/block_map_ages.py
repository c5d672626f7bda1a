"""Which blocks' age takes on another colour when the engine's step goes on, without looking at the rest. Without Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.widgets.block_map_palette import AGE_STEPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OLDEST = 1 << (AGE_STEPS - 1)  # steps, from which on the colour stays
_FIRST_AGES = tuple(1 << number for number in range(1, AGE_STEPS))  # of every colour but the first
_STEPS_AT_ONCE = 128  # more than these in one go, and looking at all blocks is no slower
_BLOCKS_AT_ONCE = 5_000  # 125,000 follow in half a second, and no frame takes longer for it
_ENTRIES_A_BLOCK = 4  # with more of them, most are of blocks that were used again since


class AgeCalendar:
    """Keeps young blocks by the step at which they last changed hands.

    A colour stands for a doubling of the age, so the step alone says which of those entries are due. A block that has
    been used again since may be named although nothing about it changes. Where a great many are due at the same step,
    as after a prefill that fills half of a large pool, they are named in parts, one each time.
    """

    def __init__(self) -> None:
        self._by_step: dict[int, list[NDArray[np.int32]]] = {}
        self._entries = 0
        self._step: int | None = None
        self._late: list[NDArray[np.int32]] = []

    @property
    def is_behind(self) -> bool:
        """Whether some that were due have not been named yet."""
        return bool(self._late)

    @staticmethod
    def can_follow(before: int, now: int) -> bool:
        """Whether `due` answers for these two steps."""
        return before <= now <= before + _STEPS_AT_ONCE

    def forget(self) -> None:
        """Read all blocks when `due` is asked next."""
        self._step, self._late = None, []

    def due(self, last_used: NDArray[np.uint32], before: int, now: int) -> list[NDArray[np.int32]]:
        """The blocks whose colour may be another at step `now` than at `before`, where `last_used` was in force."""
        if self._step != before or self._entries > _ENTRIES_A_BLOCK * len(last_used):
            self._by_step, self._entries = {}, 0
            self.note(np.arange(len(last_used)), last_used, before)
        found = self._late
        for age in _FIRST_AGES:
            take = self._by_step.pop if age == _OLDEST else self._by_step.get
            for step in range(before - age + 1, now - age + 1):
                found += take(step, ())
        self._step = now
        return self._some_of(list({id(blocks): blocks for blocks in found}.values()))  # some passed several ages

    def _some_of(self, due: list[NDArray[np.int32]]) -> list[NDArray[np.int32]]:
        """As many of these as are named at once; the others are late."""
        left, number = _BLOCKS_AT_ONCE, 0
        while number < len(due) and len(due[number]) <= left:
            left -= len(due[number])
            number += 1
        if number == len(due):
            self._late = []
            return due
        self._late = [due[number][left:], *due[number + 1 :]]
        return [*due[:number], due[number][:left]]

    def note(self, blocks: NDArray[np.intp], last_used: NDArray[np.uint32], now: int) -> None:
        """Take in these blocks, which changed hands by step `now`."""
        used_at = last_used[blocks]
        is_young = np.uint32(now) - used_at < _OLDEST
        young: NDArray[np.int32] = blocks[is_young].astype(np.int32)
        used_at = used_at[is_young]
        self._entries += len(young)
        self._step = now
        if not len(young):
            return
        if (used_at == used_at[0]).all():  # as a rule there is a snapshot for each step
            self._by_step.setdefault(int(used_at[0]), []).append(young)
            return
        order = np.argsort(used_at, kind="stable")
        steps, firsts = np.unique(used_at[order], return_index=True)
        for step, part in zip(steps.tolist(), np.split(young[order], firsts[1:]), strict=True):
            self._by_step.setdefault(step, []).append(part)
