"""Renders an animation: the replay goes from moment to moment, and what is asked for is drawn at each."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PIL import Image
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage

from app.animation.files import animation_file
from engine.domain.errors import Cancelled, DiskFull

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from app.animation.files import AnimationFile
    from app.animation.plan import AnimationPlan
    from app.bridge.replay import Replay

_TURNS = 2  # of the loop, until what a moment set off has been done


async def render_animation(
    widget: QWidget, replay: Replay, plan: AnimationPlan, keep_on: Callable[[int], bool] = lambda _done: True
) -> int:
    """Write the file of `plan` from what `widget` shows; returns its number of frames.

    The replay stands where it stood afterwards. `keep_on` is told how many frames are done; its False ends the work
    and nothing is left. Raises ParameterInvalid, Cancelled, DiskFull.
    """
    plan.check(*_frame(widget).size)
    came_from = replay.position_ns
    was_playing = replay.playing
    replay.pause()
    file: AnimationFile | None = None
    try:
        file = await asyncio.to_thread(animation_file, plan.path, plan.num_frames, plan.frame_ms)
        await _draw(widget, replay, plan, file, keep_on)
        await asyncio.to_thread(file.finish)
    except OSError as error:
        _discard(file)
        raise DiskFull(
            QCoreApplication.translate("Animation", "{file} could not be written: {reason}.").format(
                file=plan.path, reason=error.strerror or error
            ),
            remedy=QCoreApplication.translate("Animation", "Choose another folder, or free some space."),
        ) from error
    except BaseException:
        _discard(file)
        raise
    finally:
        replay.seek(came_from)
        if was_playing:
            replay.play()
    return plan.num_frames


async def _draw(
    widget: QWidget, replay: Replay, plan: AnimationPlan, file: AnimationFile, keep_on: Callable[[int], bool]
) -> None:
    size: tuple[int, int] | None = None
    for number, at_ns in enumerate(plan.moments_ns(replay.begin_ns)):
        replay.seek(at_ns)
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        frame = _frame(widget)
        size = size or frame.size
        if frame.size != size:  # the window was resized meanwhile
            frame = frame.resize(size)
        await asyncio.to_thread(file.add, frame)
        if not keep_on(number + 1):
            raise Cancelled(QCoreApplication.translate("Animation", "The animation was not finished."))


def _discard(file: AnimationFile | None) -> None:
    if file is not None:
        file.discard()


def _frame(widget: QWidget) -> Image.Image:
    """What the widget shows now, at the resolution of its screen."""
    picture = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    size = (picture.width(), picture.height())
    return Image.frombytes("RGB", size, bytes(picture.constBits()), "raw", "RGB", picture.bytesPerLine(), 1)
