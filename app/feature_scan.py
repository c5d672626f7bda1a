"""Spares the window a look that PySide takes at every module that is imported."""

from __future__ import annotations

import sys


def skip_feature_scan() -> None:
    """Tell PySide that no module selects its `snake_case` or `true_property` features.

    To find out, it reads the source of each module after its import (`inspect.getsource`), on the thread that imported
    it: tens of milliseconds in which the window does not draw. Nothing in KVDeck selects a feature. Where a release of
    PySide asks in another way, nothing happens.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if feature is not None and callable(getattr(feature, "_mod_uses_pyside", None)):
        feature._mod_uses_pyside = lambda _module: False  # type: ignore[attr-defined]  # noqa: SLF001
