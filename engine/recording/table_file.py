"""A table into a file: comma-separated text, or Parquet, by the file's suffix."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from engine.domain.errors import KVDeckError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

FORMATS = ("csv", "parquet")
_ROWS_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns of one type each (int, float, str or bool); a value may be None everywhere."""

    name: str
    columns: Mapping[str, type]
    rows: Iterable[Sequence[object]]


def write_table(path: Path, table: Table) -> int:
    """Write the table, as Parquet where the name ends in .parquet, else as CSV; returns how many rows.

    Whole or not at all: what was at `path` stays until the new file is complete. Raises OSError, and KVDeckError where
    Parquet is asked for and pyarrow is not installed.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        write = _write_parquet if path.suffix.lower() == ".parquet" else _write_csv
        count = write(partial, table)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return count


def _write_csv(path: Path, table: Table) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.columns)
        for row in table.rows:
            writer.writerow(row)
            count += 1
    return count


def _write_parquet(path: Path, table: Table) -> int:
    arrow, parquet = _arrow()
    kinds = {int: arrow.int64(), float: arrow.float64(), str: arrow.string(), bool: arrow.bool_()}
    schema = arrow.schema([(name, kinds[kind]) for name, kind in table.columns.items()])
    count = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for rows in _batches(iter(table.rows)):
            columns = [
                arrow.array([_as(kind, value) for value in column], type=kinds[kind])
                for kind, column in zip(table.columns.values(), zip(*rows, strict=True), strict=True)
            ]
            writer.write_batch(arrow.record_batch(columns, schema=schema))
            count += len(rows)
    return count


def _as(kind: type, value: object) -> object:
    return None if value is None else kind(value)


def _batches(rows: Iterator[Sequence[object]]) -> Iterator[list[Sequence[object]]]:
    while batch := list(islice(rows, _ROWS_AT_ONCE)):
        yield batch


def _arrow() -> tuple[Any, Any]:
    """pyarrow, imported only where a Parquet file is asked for: it takes a third of a second."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise KVDeckError(
            "Parquet files need the package pyarrow, which is not installed.",
            remedy="Install KVDeck again with `make run`, or choose CSV.",
        ) from error
    return pa, parquet
