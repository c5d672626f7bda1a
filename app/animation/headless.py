"""`kvdeck --replay FILE --animate OUT`: an animation without a window on the screen or the user's settings."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import TYPE_CHECKING

from engine.domain.errors import KVDeckError, ParameterInvalid

if TYPE_CHECKING:
    from app.application import Application
    from app.options import AnimationOptions, Options

_FAILED = 1


def animate(options: Options) -> int:
    """Make the animation that the command line asks for; the exit status."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    with tempfile.TemporaryDirectory() as home:  # the user's own layout is neither shown nor touched
        os.environ["KVDECK_HOME"] = home
        return _with_qt(options)


def _with_qt(options: Options) -> int:
    import qasync
    from PySide6.QtWidgets import QApplication

    from app.application import Application
    from app.translations import use_language

    qt = QApplication(["kvdeck"])
    qt.setLayoutDirection(use_language(qt, "").textDirection())
    with qasync.QEventLoop(qt) as loop:
        application = Application(qt, options)
        return int(loop.run_until_complete(_run(application, options)))


async def _run(application: Application, options: Options) -> int:
    assert options.animation is not None
    try:
        frames = await _make(application, options, options.animation)
    except KVDeckError as error:
        sys.stderr.write(f"{error}\n")
        return _FAILED
    finally:
        await application.end()
    sys.stdout.write(f"{options.animation.path}: {frames} {'picture' if frames == 1 else 'pictures'}\n")
    return 0


async def _make(application: Application, options: Options, wanted: AnimationOptions) -> int:
    from app.animation.plan import AnimationPlan
    from app.animation.render import render_animation

    window = application.window
    window.resize(*wanted.size)
    window.show()
    assert options.replay is not None
    replay = await application.open_replay(options.replay)
    if replay is None:
        failure = application.store.lifecycle.failure
        raise KVDeckError(failure.message if failure else "", remedy=failure.remedy if failure else "")
    await application.charts.done()
    window.reset_layout()
    window.slots["timeline"].raise_()
    replay.pause()
    if wanted.panel and wanted.panel not in window.slots:
        raise ParameterInvalid(
            f"There is no panel {wanted.panel}.", remedy=f"Choose one of {', '.join(window.slots)}."
        )
    await replay.read_timeline()
    if wanted.panel:
        window.show_panel(wanted.panel)
    slot = window.slots.get(wanted.panel)
    last_s = (replay.end_ns - replay.begin_ns) / 1e9
    plan = AnimationPlan(
        wanted.path, wanted.panel, wanted.begin_s, last_s if wanted.end_s is None else min(wanted.end_s, last_s),
        wanted.fps, wanted.speed,
    )  # fmt: skip
    return await render_animation((slot.panel or slot) if slot is not None else window, replay, plan, _tell)


def _tell(done: int) -> bool:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done}")
        sys.stderr.flush()
    return True
