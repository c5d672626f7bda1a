"""The block tables of all requests, kept as changes until they are published."""

from __future__ import annotations

from array import array
from itertools import compress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from engine.page.writer import PageWriter
    from engine.probe.groups import GroupPlan


class BlockTables:
    """Changes of the block tables of one page, in the order in which they happen to a table.

    A table goes by its key, `row * num_groups + group`. `held` is how many entries all tables of a group have together.
    """

    def __init__(self, writer: PageWriter) -> None:
        self._writer = writer.tables
        self._groups = writer.geometry.num_groups
        self._lengths = array("I", bytes(4 * writer.geometry.max_rows * self._groups))
        self._cleared: set[int] = set()
        self._whole: dict[int, list[int]] = {}
        self._keys: list[int] = []
        self._ids: list[list[int]] = []
        self._nulled: dict[int, int] = {}
        self.held = [0] * self._groups

    def holds_any(self, row: int) -> bool:
        """Whether a row's request holds blocks in any group."""
        first = row * self._groups
        return any(self._lengths[first : first + self._groups])

    def replace(self, row: int, block_ids: Sequence[Sequence[int]]) -> None:
        """All tables of a row are these from now on."""
        self.drop(row)
        for group in range(self._groups):
            self._put(row * self._groups + group, group, list(block_ids[group]))

    def append(
        self, first_keys: Mapping[str, int], request_ids: Sequence[str], new: Sequence[Any], skip: Container[str]
    ) -> None:
        """Running requests got more blocks: `new` has, per request, None or a list of block ids per group.

        `first_keys` has each request's key in group 0. Requests without one, and those in `skip`, are left out.
        """
        keys, ids, lengths, held, groups = self._keys, self._ids, self._lengths, self.held, self._groups
        # Most requests get no block in most steps; this picks the others without a Python-level loop over all.
        for i in compress(range(len(new)), new):
            key = first_keys.get(request_ids[i])
            if key is None or (skip and request_ids[i] in skip):
                continue
            for group, more in enumerate(new[i]):
                if more and group < groups:
                    keys.append(key + group)
                    ids.append(more)
                    lengths[key + group] += len(more)
                    held[group] += len(more)

    def null_leading(self, row: int, group: int, last: int) -> None:
        """The first `last` positions of a table now point at the null block."""
        self._nulled[row * self._groups + group] = last

    def reload(self, row: int, request_id: str, plans: Sequence[GroupPlan]) -> None:
        """Read these groups' tables anew from vLLM's own bookkeeping."""
        for plan in plans:
            key = row * self._groups + plan.index
            self._forget(key, plan.index)
            self._put(key, plan.index, plan.table(request_id))

    def drop(self, row: int) -> None:
        """A row's request holds no blocks any more."""
        for group in range(self._groups):
            self._forget(row * self._groups + group, group)

    @property
    def has_news(self) -> bool:
        """Whether anything waits to be written."""
        return bool(self._cleared or self._keys or self._nulled)

    def publish(self) -> set[int]:
        """Write all changes. Call between the writer's begin and commit. Returns the rows whose tables were cut."""
        writer, cut = self._writer, []
        for key in self._cleared:
            writer.clear(key)
        for key, ids in self._whole.items():
            if not writer.append(key, ids):
                cut.append(key)
        if self._keys:
            cut += writer.append_each(self._keys, self._ids)
        for key, last in self._nulled.items():
            writer.zero(key, last)
        self._cleared.clear()
        self._whole.clear()
        self._keys.clear()
        self._ids.clear()
        self._nulled.clear()
        return {key // self._groups for key in cut}

    def _put(self, key: int, group: int, ids: list[int]) -> None:
        self._lengths[key] = len(ids)
        self.held[group] += len(ids)
        if ids:
            self._whole[key] = ids

    def _forget(self, key: int, group: int) -> None:
        self.held[group] -= self._lengths[key]
        self._lengths[key] = 0
        self._cleared.add(key)
        self._whole.pop(key, None)
        self._nulled.pop(key, None)
        if key in self._keys:
            kept = [(other, ids) for other, ids in zip(self._keys, self._ids, strict=True) if other != key]
            self._keys = [other for other, _ in kept]
            self._ids = [ids for _, ids in kept]
