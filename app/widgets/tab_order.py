"""Tab goes where the eye goes: what comes later stands in the order of Tab where it stands in its panel.

Qt puts what comes later behind everything else in the window, wherever it is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from collections.abc import Iterable


def tab_through(before: QWidget, parts: Iterable[QWidget]) -> None:
    """Have Tab come to `parts`, with all that is in them, in this order: after `before` and all that is in it; or,
    where `before` is what they are in, first of it.
    """
    last: QWidget | None = None
    for part in parts:
        if last is None:
            last = before if before.isAncestorOf(part) else _within(before)[-1]
        for each in _within(part):
            _put(last, each)
            last = each


def _within(part: QWidget) -> list[QWidget]:
    """The part and what is in it, as it was put together.

    Not by `nextInFocusChain` from one to the next: walked along in PySide 6.11, it leaves layouts with items that are
    gone, and the next one that is laid out ends the program.
    """
    return [part, *part.findChildren(QWidget)]


def _put(before: QWidget, after: QWidget) -> None:
    """As `QWidget.setTabOrder`, which leaves those alone that take no keyboard themselves."""
    policies = [(widget, widget.focusPolicy()) for widget in (before, after)]
    for widget, policy in policies:
        if policy is Qt.FocusPolicy.NoFocus:
            widget.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    QWidget.setTabOrder(before, after)
    for widget, policy in policies:
        widget.setFocusPolicy(policy)
