"""What every panel is and what it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from app.widgets.leading_widget import LeadingWidget

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QSettings
    from PySide6.QtWidgets import QWidget

    from app.bridge.adapter_desk import AdapterDesk
    from app.bridge.ceilings_desk import CeilingsDesk
    from app.bridge.commands import Commands
    from app.bridge.fit_watch import FitWatch
    from app.bridge.frame_pace import FramePace
    from app.bridge.lab import Lab
    from app.bridge.late_import import LateImport
    from app.bridge.replay import Replay
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.theme.themes import Themes


@dataclass(frozen=True, slots=True)
class PanelContext:
    """What a panel is built from; constructed once, in `app.application`.

    `replay` where the window replays a recording, `lab` where loads can be sent and runs be read; `charts` is what
    draws the timeline, None where it is imported when it is needed; `pace` spreads over frames what is drawn a few
    times a second, None where there are no frames.
    """

    store: Store
    commands: Commands
    themes: Themes
    settings: QSettings
    tasks: Tasks
    replay: Replay | None = None
    lab: Lab | None = None
    ceilings: CeilingsDesk | None = None
    fit: FitWatch | None = None
    charts: LateImport | None = None
    adapters: AdapterDesk | None = None
    pace: FramePace | None = None


@runtime_checkable
class Pausable(Protocol):
    """A panel whose live view can be frozen while its data go on (Space inside it)."""

    paused: bool

    def set_paused(self, paused: bool) -> None:
        """Freeze the view, or let it follow again."""


class Panel(LeadingWidget):
    """Base of all panels: a widget that works from a PanelContext and draws nothing while hidden.

    QActions that a panel adds to itself (`addAction`, with a shortcut context of WidgetWithChildren) stand in the
    window's menu under the panel's title, in the list of shortcuts and in the command palette.
    """

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context


@dataclass(frozen=True, slots=True)
class PanelSpec:
    """One line of the registry. `title` is marked for translation there; `area` is "left", "centre", "right" or "page".

    The first of the centre is the middle of the window, the others stand under it; a page shares the middle with the
    first. `order` sorts panels within an area, `shortcut` shows and focuses it.
    """

    key: str
    title: str
    area: str
    order: int
    shortcut: str
    factory: Callable[[PanelContext], Panel]
