"""How engines that wait are described."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from app.widgets.figures import duration, size
from engine.domain.sleepers import Rest

if TYPE_CHECKING:
    from engine.domain.sleepers import Sleeper, Sleepers, WarmSwitch


def rest_name(rest: Rest) -> str:
    """How it waits, in two or three words."""
    if rest is Rest.ASLEEP:
        return QCoreApplication.translate("Sleepers", "asleep")
    return QCoreApplication.translate("Sleepers", "kept in RAM")


def held_text(sleeper: Sleeper) -> str:
    """What it holds: "asleep · 9.1 GiB RAM · 1.8 GiB VRAM". An unknown figure is a dash."""
    tr = QCoreApplication.translate
    parts = [rest_name(sleeper.rest), tr("Sleepers", "{size} RAM").format(size=size(sleeper.ram_bytes))]
    if sleeper.rest is Rest.ASLEEP:
        parts.append(tr("Sleepers", "{size} VRAM").format(size=size(sleeper.vram_bytes)))
    return " · ".join(parts)


def since_text(sleeper: Sleeper) -> str:
    """Since when it waits, and when it last had a request."""
    tr = QCoreApplication.translate
    return "\n".join(
        (
            tr("Sleepers", "Waits since {time}; fell asleep in {span}.").format(
                time=_clock(sleeper.since_unix_s), span=duration(sleeper.slept_in_s)
            ),
            tr("Sleepers", "Last used at {time}.").format(time=_clock(sleeper.used_unix_s)),
            *(
                [tr("Sleepers", "Gave back {size} of VRAM.").format(size=size(sleeper.freed_bytes))]
                if sleeper.freed_bytes is not None
                else []
            ),
            sleeper.checkpoint,
        )
    )


def warm_text(sleeper: Sleeper) -> str:
    """What a click on a variant that waits brings."""
    tr = QCoreApplication.translate
    return tr("Sleepers", "Warm: {how}. A click wakes it.").format(how=held_text(sleeper))


def limits_text(tray: Sleepers) -> str:
    """The limits in force."""
    tr = QCoreApplication.translate
    return tr("Sleepers", "{count} of {most} · {held} of {limit} RAM").format(
        count=QLocale().toString(len(tray.waiting)),
        most=QLocale().toString(tray.most),
        held=size(sum(each.ram_bytes or 0 for each in tray.waiting)),
        limit=size(tray.most_bytes),
    )


def switch_text(switch: WarmSwitch) -> str:
    """How the last switch to a waiting engine went, for hovering."""
    tr = QCoreApplication.translate
    lines = [
        tr(
            "Sleepers", "Switched in {all}: {sleep} until the other one rested, {wake} to wake, {token} to a token."
        ).format(
            all=duration(switch.seconds),
            sleep=duration(switch.sleep_s),
            wake=duration(switch.wake_s),
            token=duration(switch.first_token_s),
        )
    ]
    if switch.same_answer is True:
        lines.append(tr("Sleepers", "Its first token is the same as before its sleep."))
    elif switch.same_answer is False:
        lines.append(tr("Sleepers", "Its first token is another one than before its sleep."))
    return "\n".join(lines)


def _clock(unix_s: float) -> str:
    return QLocale().toString(QDateTime.fromSecsSinceEpoch(int(unix_s)).time(), QLocale.FormatType.ShortFormat)
