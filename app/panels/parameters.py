"""The parameters panel: one table of everything that can be tuned."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.panels.panel import Panel
from app.tables.parameters import apply_plan, problems, row_state
from app.widgets.end_orphans import ask_to_end
from app.widgets.fit_card import FitCard
from app.widgets.icon import IconButton
from app.widgets.labels import role_label
from app.widgets.parameter_apply import ApplyBar
from app.widgets.parameter_extras import ParameterExtras
from app.widgets.parameter_presets import PresetButtons
from app.widgets.parameter_row import ParameterRow
from app.widgets.parameter_words import group_name
from app.widgets.preflight_list import PreflightList
from app.widgets.upright_scroll import UprightScroll
from app.wording.engine import worded
from engine.domain.errors import ParameterInvalid
from engine.parameters.catalog import CATALOG, GROUPS
from engine.parameters.command_line import export_command
from engine.parameters.preset import presets

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent, QShowEvent
    from PySide6.QtWidgets import QLabel

    from app.bridge.store import Pointer
    from app.panels.panel import PanelContext
    from engine.checkpoints.advice import Advice
    from engine.domain.lifecycle import Lifecycle, ParameterValue

_WIDE_FROM = 660  # pixels of width from which a row is one line


class ParametersPanel(Panel):
    """Edits parameters; live ones apply at once, the others with a reload. Shows what the engine reports."""

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._device = ""
        self._lifecycle: Lifecycle | None = None  # as it was drawn, without how far a load has come
        self._blocked = False
        self._search = QLineEdit()
        self._search.setObjectName("parameterSearch")
        self._search.setPlaceholderText(self.tr("Search parameters"))
        self._search.setAccessibleName(self.tr("Search parameters"))
        self._search.setClearButtonEnabled(True)
        self._more = IconButton("more", self.tr("More"))
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._presets = PresetButtons(presets())
        self._headings: dict[str, QLabel] = {group: role_label(group_name(group), "panelTitle") for group in GROUPS}
        self._rows = {name: ParameterRow(spec) for name, spec in CATALOG.items()}
        self._none = role_label("", "muted", wrap=True)
        self._bar = ApplyBar()
        self._fit = FitCard(context.themes.current)
        self._extras = ParameterExtras(
            context.store, context.tasks, context.lab, context.adapters, context.themes.current, self._rows, self
        )
        self._preflight = PreflightList()
        self._preflight.mend_asked.connect(self._mend)
        self._body = QWidget()
        self._restyle()  # before it has children: styling them twice takes longer than all the rest
        self._arrange()
        self._connect()
        self._draw()

    def row(self, name: str) -> ParameterRow:
        """The row of a parameter; raises KeyError for a name that the table does not have."""
        return self._rows[name]

    def _go_to(self, pointer: Pointer) -> None:
        """Bring a parameter's row into view, and the keyboard into its field."""
        row = self._rows.get(pointer.parameter or "")
        if row is None:
            return
        self._search.clear()
        self._draw()
        QTimer.singleShot(0, row, lambda: self._scroll.ensureWidgetVisible(row))  # once the rows are laid out
        row.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while hidden."""
        super().showEvent(event)
        self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """One line a row where there is room."""
        super().resizeEvent(event)
        for row in self._rows.values():
            row.show_wide(self.width() >= _WIDE_FROM)

    def _arrange(self) -> None:
        self._body.setObjectName("scrollBody")
        rows = QVBoxLayout(self._body)
        rows.setContentsMargins(0, 0, 0, 8)
        rows.setSpacing(1)
        rows.addWidget(self._none)
        self._none.setContentsMargins(16, 8, 12, 0)
        for group in GROUPS:
            self._headings[group].setContentsMargins(16, 10, 12, 2)
            rows.addWidget(self._headings[group])
            for name, spec in CATALOG.items():
                if spec.group == group:
                    for part in (self._rows[name], *self._extras.after(name)):
                        rows.addWidget(part)
        rows.addStretch(1)
        self._scroll = UprightScroll(self._body)
        self._scroll.setAccessibleName(self.tr("Parameters"))
        top = QHBoxLayout()
        top.setSpacing(4)
        top.addWidget(self._search, 1)
        top.addWidget(self._more)
        head = QVBoxLayout()
        head.setContentsMargins(16, 2, 8, 4)
        head.setSpacing(6)
        head.addLayout(top)
        head.addWidget(self._presets)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._scroll, 1)
        column.addWidget(self._fit)
        column.addWidget(self._preflight)
        column.addWidget(self._bar)

    def _connect(self) -> None:
        store, commands = self.context.store, self.context.commands
        store.lifecycle_changed.connect(self._lifecycle_changed)
        for signal in (store.limits_changed, store.edits_changed):
            signal.connect(self._draw_if_visible)
        store.hardware_changed.connect(self._hardware_changed)
        store.pointed.connect(self._go_to)
        self.context.themes.changed.connect(self._restyle)
        for row in self._rows.values():
            row.edited.connect(self._edited)
            row.invalid_changed.connect(self._draw_bar)
            row.offers.taken.connect(self._take)
        self._search.textChanged.connect(self._draw_rows_shown)
        store.library_changed.connect(self._draw_fit)
        if self.context.fit is not None:
            self.context.fit.recorded.connect(self._draw_fit)
            self.context.fit.changed.connect(self._draw_fit)
        self._presets.chosen.connect(commands.apply_preset)
        self._bar.apply_asked.connect(self._apply)
        self._bar.live_asked.connect(self._apply_live)
        self._bar.revert_asked.connect(self._revert)
        self._add_actions()

    def _add_actions(self) -> None:
        menu = QMenu(self)
        for text, keys, act in (
            (self.tr("Search parameters"), "Ctrl+F", self._search.setFocus),
            (self.tr("Copy as vllm serve command"), "", self._copy_command),
            (self.tr("Import a command or file…"), "", lambda: self._exchange("import")),
            (self.tr("Export as command, YAML or docker…"), "", lambda: self._exchange("export")),
            (self.tr("Profiles of this model…"), "", lambda: self._exchange("profiles")),
            (self.tr("Compare edits with what runs…"), "", lambda: self._exchange("differences")),
            (self.tr("Revert all edits"), "", self._revert),
        ):
            action = QAction(text, self)
            if keys:
                action.setShortcut(QKeySequence(keys))
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            action.triggered.connect(lambda _checked=False, act=act: act())
            self.addAction(action)
            menu.addAction(action)
        self._more.setMenu(menu)

    # Drawing

    def _lifecycle_changed(self, lifecycle: Lifecycle) -> None:
        """Draw anew, unless a load only got on: that is told ten times a second and changes no parameter."""
        state = replace(lifecycle, elapsed_s=None, stages=())
        if state != self._lifecycle:
            self._draw_if_visible()

    def _draw_if_visible(self) -> None:
        if self.isVisible():
            self._draw()

    def _hardware_changed(self) -> None:
        if self.context.store.device != self._device:
            self._draw_if_visible()
        else:
            self._draw_fit()

    def _draw(self) -> None:
        store = self.context.store
        self._device = store.device
        self._lifecycle = replace(store.lifecycle, elapsed_s=None, stages=())
        self._presets.show_device(self._device)
        found = {name: problem for problem in reversed(problems(store)) for name in problem.names[:1]}
        self._blocked = any(problem.blocking for problem in found.values())
        for name, row in self._rows.items():
            row.show_state(row_state(row.spec, store))
            problem = found.get(name)
            text = f"{worded(problem.message)} {worded(problem.remedy)}".strip() if problem is not None else ""
            offers = problem.offers if problem is not None else ()
            row.show_problem(text, blocking=problem is not None and problem.blocking, offers=offers)
        self._draw_rows_shown()
        self._extras.draw()
        self._draw_bar()
        self._draw_fit()

    def _draw_rows_shown(self) -> None:
        """Rows that have a meaning on this device and that the search finds; headings of groups that have any."""
        words = self._search.text().casefold().split()
        groups = set()
        for name, row in self._rows.items():
            spec = row.spec
            text = f"{name} {name.replace('_', ' ')} {spec.help} {spec.group}".casefold()
            fits_device = not spec.device or not self._device or spec.device == self._device
            shown = fits_device and all(word in text for word in words)
            row.setVisible(shown)
            self._extras.show_after(name, shown=shown)
            if shown:
                groups.add(spec.group)
        for group, heading in self._headings.items():
            heading.setVisible(group in groups)
        self._none.setText(self.tr("No parameter matches “{}”.").format(self._search.text()))
        self._none.setVisible(not groups)

    def _draw_fit(self) -> None:
        fit = self.context.fit
        view = fit.view() if fit is not None and self.isVisible() else None
        record = fit.newest(view.checkpoint.path) if fit is not None and view is not None else None
        self._fit.show_fit(view, record)
        self._preflight.show_advice(fit.advice(view) if fit is not None and self.isVisible() else ())

    def _draw_bar(self) -> None:
        store = self.context.store
        invalid = any(row.is_invalid for row in self._rows.values())
        running = store.serving.running if store.serving is not None else None
        self._bar.show_plan(
            apply_plan(store), any_edit=bool(store.edits.values), blocked=self._blocked or invalid, running=running
        )

    def _restyle(self) -> None:
        theme = self.context.themes.current
        self._fit.use_theme(theme)
        self._extras.use_theme(theme)

    # Acts

    def _edited(self, name: str, value: ParameterValue) -> None:
        try:
            self.context.commands.edit(name, value)
        except ParameterInvalid as error:  # the row has checked it already; this guards against a stricter command
            self._rows[name].show_problem(worded(str(error)), blocking=True)

    def _take(self, changes: dict[str, ParameterValue]) -> None:
        """Make the edits of an offer; they are applied with the others."""
        for name, value in changes.items():
            self.context.commands.edit(name, value)

    def _apply(self, mode: str) -> None:
        plan = apply_plan(self.context.store)
        edits = dict(self.context.store.edits.values)
        if plan.limits is not None:
            self.context.commands.apply_limits(replace(plan.limits, mode=mode))
        if plan.reload_names or plan.waiting:
            self.context.commands.reload(edits)

    def _apply_live(self, mode: str) -> None:
        limits = apply_plan(self.context.store).limits
        if limits is not None:
            self.context.commands.apply_limits(replace(limits, mode=mode))

    def _revert(self) -> None:
        self.context.commands.revert_edits()
        for row in self._rows.values():
            row.revert()
        self._draw()

    def _mend(self, advice: Advice) -> None:
        """Do what an advice offers; ending processes is asked about first."""
        self._take(dict(advice.edits))
        if advice.ends_sleepers:
            self.context.commands.end_sleeper()
        if advice.orphans and self.context.fit is not None:
            fit = self.context.fit
            ask_to_end(self, worded(advice.message), lambda: fit.mend(advice))

    def _exchange(self, page: str) -> None:
        """Open the dialog for parameters elsewhere on that page."""
        action = self.window().findChild(QAction, f"exchange-{page}")
        if action is not None:
            action.trigger()

    def _copy_command(self) -> None:
        """The command for what runs (or would be loaded), edits included."""
        store = self.context.store
        lifecycle, facts = store.lifecycle, store.lifecycle.facts
        checkpoint = lifecycle.checkpoint or lifecycle.previous_checkpoint or "MODEL"
        values = {name: row.field.current() for name, row in self._rows.items() if name in store.edits.values}
        base = {} if facts is None else {n: v for n, v in facts.parameters.items() if n in CATALOG}
        name = facts.served_model_name if facts is not None else None
        command = export_command(checkpoint, {**base, **values}, self._device or "cpu", served_model_name=name)
        QGuiApplication.clipboard().setText(command)
