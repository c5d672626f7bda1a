"""The block tables of all requests, written to the page in the order in which they changed."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from array import array
    from collections.abc import Mapping, Sequence

    from engine.page.writer import PageWriter
    from engine.probe.groups import GroupPlan


class BlockTables:
    """The block tables of one page. Call everything that changes one between the writer's begin and commit.

    A table goes by its key, `row * num_groups + group`. `held` is how many entries all tables of a group have together,
    `cut` the rows for whose tables the page has no room; whoever marks them clears it.
    """

    def __init__(self, writer: PageWriter) -> None:
        self._writer = writer.tables
        self._lengths = writer.tables.lengths
        self._groups = writer.geometry.num_groups
        self.held = [0] * self._groups
        self.cut: set[int] = set()
        self.changed = False

    def holds_any(self, row: int) -> bool:
        """Whether a row's request holds blocks in any group."""
        first = row * self._groups
        return any(self._lengths[first : first + self._groups])

    def num_held(self, row: int) -> int:
        """How many blocks a row's request has in group 0, whether the page has room for them or not."""
        return self._lengths[row * self._groups]

    def block_ids(self, row: int) -> array[int]:
        """The blocks of a row's request in group 0, whether the page has room for them or not."""
        return self._writer.ids(row * self._groups)

    def replace(self, row: int, block_ids: Sequence[Sequence[int]]) -> None:
        """All tables of a row are these from now on."""
        self.cut.discard(row)
        for group in range(self._groups):
            self._replace(row * self._groups + group, group, block_ids[group])

    def append(self, first_keys: Mapping[str, int], request_ids: Sequence[str], new: Sequence[Any]) -> None:
        """Running requests got more blocks: `new` has, per request, a list of block ids per group, or the id of the one
        block that it got.

        `first_keys` has each request's key in group 0. Requests without one are left out.
        """
        found: list[Any] = list(map(first_keys.get, request_ids))
        if None in found:
            kept = [key is not None for key in found]
            found, new = list(compress(found, kept)), list(compress(new, kept))
        self.changed = True
        for group in range(self._groups):
            ids = [each if each.__class__ is int else each[group] for each in new]
            keys = [key + group for key in found] if group else found
            if self._groups > 1:  # a step may bring blocks to some groups only
                keys, ids = list(compress(keys, ids)), list(filter(None, ids))
            added, cut = self._writer.append_each(keys, ids)
            self.held[group] += added
            if cut:
                self._note_cut(cut)

    def null_leading(self, row: int, group: int, last: int) -> None:
        """The first `last` positions of a table now point at the null block."""
        self.changed = True
        self._writer.zero(row * self._groups + group, last)

    def reload(self, row: int, request_id: str, plans: Sequence[GroupPlan]) -> None:
        """Read these groups' tables anew from vLLM's own bookkeeping."""
        for plan in plans:
            self._replace(row * self._groups + plan.index, plan.index, plan.table(request_id))

    def drop(self, row: int) -> None:
        """A row's request holds no blocks any more."""
        self.cut.discard(row)
        first, lengths = row * self._groups, self._lengths
        for group in range(self._groups):
            held = lengths[first + group]
            if held:
                self.held[group] -= held
                self.changed = True
                self._writer.clear(first + group)

    def _replace(self, key: int, group: int, ids: Sequence[int]) -> None:
        held = self._lengths[key]
        self.held[group] += len(ids) - held
        if held:
            self.changed = True
            self._writer.clear(key)
        if ids:
            self.changed = True
            if not self._writer.append(key, ids):
                self._note_cut((key,))

    def _note_cut(self, keys: Sequence[int]) -> None:
        self.cut.update(key // self._groups for key in keys)
