"""Baselines: one run in a file, what repeats it, and which figures of the repetition are beyond a tolerance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from engine.bench.definitions import BY_KEY, value_of
from engine.bench.result import RunRecord
from engine.domain.errors import KVDeckError
from engine.domain.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from engine.bench.result import Figures

FORMAT = "kvdeck-baseline-1"
DEFAULT_KEYS = (
    "requests_per_s", "tokens_out_per_s", "goodput_per_s", "ttft.p50", "ttft.p95", "tpot.p50", "tpot.p95", "itl.p50",
    "itl.p95", "e2e.p50", "e2e.p95",
)  # fmt: skip
_PERCENT = 100.0


class BaselineInvalid(KVDeckError):
    """A baseline cannot be read, or has nothing to compare with."""

    kind = "baseline_invalid"


class _File(msgspec.Struct):
    format: str
    run: RunRecord


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much worse a figure may be: 0.1 is 10 %. `of` has what differs from `default`, by figure key."""

    default: float = 0.1
    of: Mapping[str, float] = field(default_factory=dict)

    def for_key(self, key: str) -> float:
        """What holds for one figure."""
        return self.of.get(key, self.default)


@dataclass(frozen=True, slots=True)
class Regression:
    """A figure that got worse by more than its tolerance. `change` is the relative change (failed: None)."""

    key: str
    baseline: float
    now: float | None
    change: float | None
    allowed: float


def save_baseline(path: Path, record: RunRecord) -> None:
    """Write a run as a baseline. Raises OSError, BaselineInvalid for a run without a result."""
    if record.result is None:
        raise BaselineInvalid(f"The run {record.title} has no result.", remedy="Choose one that finished.")
    content = msgspec.json.encode(_File(FORMAT, msgspec.structs.replace(record, baseline=True)))
    write_whole(path, msgspec.json.format(content, indent=1) + b"\n")


def load_baseline(path: Path) -> RunRecord:
    """Read a baseline. Raises BaselineInvalid."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_File)
    except OSError as error:
        raise BaselineInvalid(f"{path} cannot be read: {error.strerror}.", remedy="Check the path.") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BaselineInvalid(
            f"{path} is no baseline: {error}.", remedy="Write one with `kvdeck bench --save-baseline FILE`."
        ) from error
    if found.format != FORMAT or found.run.result is None:
        raise BaselineInvalid(f"{path} is of another version.", remedy="Write it again with --save-baseline.")
    return found.run


def parse_tolerance(text: str) -> Tolerance:
    """ "10%" or "0.1", and per figure: "10%,ttft.p95=25%". Raises ValueError with the part that is wrong."""
    default, of = 0.1, dict[str, float]()
    for part in text.split(","):
        key, equals, value = part.strip().rpartition("=")
        number = float(value.removesuffix("%")) / (_PERCENT if value.endswith("%") else 1.0)
        if not 0 <= number < float("inf"):
            raise ValueError(f"{part!r} is no tolerance")
        if not equals:
            default = number
        elif key in BY_KEY:
            of[key] = number
        else:
            raise ValueError(f"there is no figure {key!r}")
    return Tolerance(default, of)


def regressions(baseline: Figures, now: Figures, tolerance: Tolerance) -> tuple[Regression, ...]:
    """What got worse by more than is allowed. Failed requests count as soon as there are more of them, by share.

    A figure that the baseline has and the repetition lacks is one, too: then nothing succeeded.
    """
    found = []
    if now.failed * max(1, baseline.sent) > baseline.failed * max(1, now.sent):
        found.append(Regression("failed", float(baseline.failed), float(now.failed), None, 0.0))
    for key in dict.fromkeys((*DEFAULT_KEYS, *tolerance.of)):
        before, after = value_of(baseline, key), value_of(now, key)
        allowed = tolerance.for_key(key)
        if before is None or not before:
            continue
        if after is None:
            found.append(Regression(key, before, None, None, allowed))
            continue
        change = after / before - 1.0
        worse = change if BY_KEY[key].better == "less" else -change
        if worse > allowed + 1e-12:
            found.append(Regression(key, before, after, change, allowed))
    return tuple(found)
