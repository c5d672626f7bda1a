"""The system libraries that Qt needs and pip cannot bring, by the Debian package that has each.

Standard library alone, and older Pythons too: `packaging/setup_venv.py` reads it before anything is installed.
"""

from __future__ import annotations

import ctypes

# Without one of these PySide6 cannot even be imported.
QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libglib-2.0.so.0": "libglib2.0-0",
}
# And without one of these Qt ends the program when it is to open a window under X11.
X11_LIBRARIES = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}


def missing_packages(table: dict[str, str]) -> list[str]:
    """The Debian packages of those libraries in `table` that cannot be loaded, in its order."""
    return [package for library, package in table.items() if not _loads(library)]


def how_to_get(packages: list[str]) -> str:
    """One sentence: what to install, on Debian's terms; other systems have the same libraries under other names."""
    return f"Debian and Ubuntu: apt install {' '.join(packages)}"


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
