"""`python -m app` and `kvdeck`: the window. Only what the first frame needs is imported before it is shown."""

from __future__ import annotations

import sys


def main() -> int:
    """Open the window (or drive the tour, or measure in the terminal) and return the exit status."""
    if sys.argv[1:2] == ["bench"]:  # before anything of Qt: a terminal on a server has none
        from engine.bench.cli import main as bench

        return bench(sys.argv[2:])
    if sys.argv[1:2] == ["lab"]:
        from engine.tuner.cli import main as lab

        return lab(sys.argv[2:])

    from importlib.metadata import PackageNotFoundError, version

    from app.options import parse

    try:
        release = version("kvdeck")
    except PackageNotFoundError:
        release = "(not installed)"
    options = parse(sys.argv[1:], release)

    if options.export is not None:
        from app.table_export import export_tables

        return export_tables(options)

    from app.display import refuse_without_display, refuse_without_qt

    if options.animation is None:  # which is drawn offscreen
        refuse_without_display(options)

    try:
        import qasync
        from PySide6.QtWidgets import QApplication
    except ImportError as error:
        refuse_without_qt(error)
        raise

    if options.animation is not None:
        from app.animation.headless import animate

        return animate(options)

    from app.application import Application
    from app.own_folders import refuse_unwritable_folders
    from app.preferences import stored_language
    from app.translations import use_language
    from app.working_folder import go_home

    options = go_home(options)

    qt = QApplication(["kvdeck"])  # the class of its X11 windows, as the desktop entry's StartupWMClass has it
    qt.setApplicationName("KVDeck")
    qt.setDesktopFileName("io.github.kvdeck.KVDeck")
    refuse_unwritable_folders(qt)
    qt.setLayoutDirection(use_language(qt, stored_language()).textDirection())
    loop = qasync.QEventLoop(qt)
    with loop:
        application = Application(qt, options)
        return int(loop.run_until_complete(application.run()))


if __name__ == "__main__":
    sys.exit(main())
