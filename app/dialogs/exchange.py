"""Parameters to and from commands, configuration files and named profiles; and what differs from what runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.bridge.store import Notice
from app.tables.parameter_differences import DifferencesTable, differences
from app.theme.fonts import mono
from app.widgets.dialog_parts import button_row, dialog_page, differences_view
from app.widgets.file_question import ask_to_open, ask_to_save
from app.widgets.icon import PlainButton
from app.widgets.labels import role_label, show_role
from app.widgets.line_breaks import WrappedEdit
from app.widgets.screen_room import within_screen
from app.widgets.segmented import Segmented
from app.wording.engine import worded
from engine.domain.errors import KVDeckError
from engine.domain.whole_file import write_whole
from engine.parameters.catalog import CATALOG
from engine.parameters.interchange import Form, export, import_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from app.bridge.profile_desk import ProfileDesk
    from app.bridge.store import Store
    from engine.domain.lifecycle import ParameterValue
    from engine.parameters.command_line import ServeCommand

_SIZE = QSize(760, 560)
_MOST_LETTERS = 1 << 20  # of a file: no command and no configuration is longer
_SUFFIXES = {Form.COMMAND: "sh", Form.YAML: "yaml", Form.DOCKER: "sh"}


class ExchangeDialog(QDialog):
    """Four pages: import, export, profiles, differences. Nothing comes into force here: values become edits."""

    def __init__(self, desk: ProfileDesk, store: Store, page: str = "import", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Parameters elsewhere"))
        self.resize(within_screen(self, _SIZE))
        self._desk, self._store = desk, store
        self._command: ServeCommand | None = None
        self.pages = Segmented(
            self.tr("Page"),
            [("import", self.tr("Import")), ("export", self.tr("Export")), ("profiles", self.tr("Profiles")),
             ("differences", self.tr("Differences"))],
        )  # fmt: skip
        self._stack = QStackedWidget()
        self.source = WrappedEdit()
        self.found = DifferencesTable(self.tr("now"), self.tr("imported"), self)
        self.verdict = role_label("", "muted", wrap=True)
        self.take_over = PlainButton(self.tr("Take over as edits"), "primary")
        self.form = Segmented(
            self.tr("Form"), [(Form.COMMAND, "vllm serve"), (Form.YAML, "YAML"), (Form.DOCKER, "docker")]
        )
        self.exported = QPlainTextEdit()
        self.profiles = QListWidget()
        self.name = QLineEdit()
        self.differing = DifferencesTable(self.tr("Runs"), self.tr("Edited"), self)
        self._nothing = role_label("", "muted", wrap=True)
        for widget in (self._import_page(), self._export_page(), self._profiles_page(), self._differences_page()):
            self._stack.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(12)
        column.addWidget(self.pages)
        column.addWidget(self._stack, 1)
        self.pages.chosen.connect(self.show_page)
        store.edits_changed.connect(self._refresh)
        store.lifecycle_changed.connect(self._refresh)
        desk.changed.connect(self._show_profiles)
        self.show_page(page)
        self.pages.button(page).setFocus()

    def show_page(self, key: str) -> None:
        """Turn to a page: "import", "export", "profiles" or "differences"."""
        self.pages.show_key(key)
        self._stack.setCurrentIndex(["import", "export", "profiles", "differences"].index(key))
        if key == "profiles":
            self._desk.refresh()
        self._refresh()

    # Pages

    def _import_page(self) -> QWidget:
        self.source.setPlaceholderText(
            self.tr("Paste a vllm serve command, a docker run command or vLLM's YAML configuration file")
        )
        self.source.setAccessibleName(self.tr("What to import"))
        self.source.setFont(mono(self.font()))
        self.source.setTabChangesFocus(True)
        self.source.textChanged.connect(self._read_source)
        self.take_over.clicked.connect(self._take_over)
        open_file = PlainButton(self.tr("Open a file…"))
        open_file.clicked.connect(self._open)
        return dialog_page(self.source, self.verdict, differences_view(self.found, self.tr("What it changes")),
                     button_row(open_file, None, self.take_over))  # fmt: skip

    def _export_page(self) -> QWidget:
        self.exported.setReadOnly(True)
        self.exported.setFont(mono(self.font()))
        self.exported.setAccessibleName(self.tr("Exported"))
        self.form.show_key(Form.COMMAND)
        self.form.chosen.connect(self._refresh)
        copy, save = PlainButton(self.tr("Copy"), "primary"), PlainButton(self.tr("Save…"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.exported.toPlainText()))
        save.clicked.connect(self._save)
        return dialog_page(self.form, self.exported, button_row(None, save, copy))

    def _profiles_page(self) -> QWidget:
        self.profiles.setAccessibleName(self.tr("Profiles of this model"))
        self.name.setPlaceholderText(self.tr("Name of a new profile"))
        self.name.setAccessibleName(self.tr("Name of a new profile"))
        keep, use, forget = (
            PlainButton(self.tr("Keep the present parameters")),
            PlainButton(self.tr("Take over as edits"), "primary"),
            PlainButton(self.tr("Forget"), "danger"),
        )
        keep.setEnabled(False)
        self.name.textChanged.connect(lambda text: keep.setEnabled(bool(text.strip()) and bool(self._desk.checkpoint)))
        self.name.returnPressed.connect(keep.click)
        keep.clicked.connect(self._keep)
        use.clicked.connect(lambda: self._with_profile(self._desk.take_over))
        forget.clicked.connect(lambda: self._with_profile(self._desk.forget))
        self.profiles.itemActivated.connect(lambda item: self._desk.take_over(item.text()))
        for button in (use, forget):
            self.profiles.currentRowChanged.connect(lambda row, button=button: button.setEnabled(row >= 0))
        use.setEnabled(False)
        forget.setEnabled(False)
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.name, 1)
        row.addWidget(keep)
        return dialog_page(self._nothing, holder, self.profiles, button_row(forget, None, use))

    def _differences_page(self) -> QWidget:
        self._same = role_label("", "muted", wrap=True)
        return dialog_page(self._same, differences_view(self.differing, self.tr("Differences")))

    # Drawing

    def _present(self) -> dict[str, ParameterValue]:
        facts = self._store.lifecycle.facts
        return dict(facts.parameters) if facts is not None else {}

    def _refresh(self, *_: object) -> None:
        present, edits = self._present(), self._store.edits.values
        self.differing.show_rows(differences(present, edits))
        if self.differing.rows:
            text = self.tr("Edited and not in force yet: {count}").format(count=len(self.differing.rows))
        elif present:
            text = self.tr("What runs and what is edited are the same.")
        else:
            text = self.tr("No engine runs; the next load starts from the defaults.")
        self._same.setText(text)
        self._show_export(present | edits)
        self._show_found()

    def _show_export(self, values: Mapping[str, ParameterValue]) -> None:
        facts = self._store.lifecycle.facts
        form = Form(self.form.key or Form.COMMAND)
        known = {name: value for name, value in values.items() if name in CATALOG}
        try:
            text = export(
                form,
                self._desk.checkpoint or "MODEL",
                known,
                facts.device if facts is not None else "cuda",
                served_model_name=facts.served_model_name if facts is not None else None,
                vllm_version=facts.vllm_version if facts is not None else None,
            )
        except KVDeckError as error:
            text = worded(str(error))
        if text != self.exported.toPlainText():
            self.exported.setPlainText(text)

    def _read_source(self) -> None:
        self._command = None
        text = self.source.toPlainText()
        try:
            self._command = import_text(text) if text.strip() else None
        except KVDeckError as error:
            self.verdict.setText(worded(str(error)))
            show_role(self.verdict, "error")
        else:
            show_role(self.verdict, "muted")
        self._show_found()

    def _said(self, command: ServeCommand | None) -> str:
        if command is None:
            return ""
        lines = [self.tr("Model: {name}").format(name=command.checkpoint)] if command.checkpoint else []
        if command.trust_remote_code:
            lines.append(self.tr("trust_remote_code is left out: KVDeck asks when a model brings code of its own."))
        lines += [self.tr("Left out: {what}").format(what=each) for each in command.left_out]
        if not self.found.rows:
            lines.append(self.tr("It changes nothing: all of it is so already."))
        return "\n".join(lines)

    def _show_found(self) -> None:
        values = self._command.values if self._command is not None else {}
        changes = differences(self._present() | self._store.edits.values, values)
        self.found.show_rows(changes)
        self.take_over.setEnabled(bool(changes))
        if self.verdict.property("role") != "error":
            self.verdict.setText(self._said(self._command))

    def _show_profiles(self) -> None:
        chosen = self.profiles.currentItem().text() if self.profiles.currentItem() else ""
        self.profiles.clear()
        self.profiles.addItems(self._desk.names)
        found = self.profiles.findItems(chosen, Qt.MatchFlag.MatchExactly) if chosen else []
        if found:
            self.profiles.setCurrentItem(found[0])
        if self._desk.checkpoint is None:
            text = self.tr("Profiles belong to a model: load one first.")
        elif not self._desk.names:
            text = self.tr("No profile yet. One keeps what deviates from the defaults, as TOML.")
        else:
            text = self.tr("A profile's values become edits; they are in force once they are applied.")
        self._nothing.setText(text)

    # Acts

    def _take_over(self) -> None:
        if self._command is None:
            return
        refused = self._desk.edit_all(self._command.values)
        if refused:
            self.verdict.setText("\n".join(refused))
            show_role(self.verdict, "error")
            return
        self.show_page("differences")

    def _keep(self) -> None:
        self._desk.keep(self.name.text())
        self.name.clear()

    def _with_profile(self, act: object) -> None:
        item = self.profiles.currentItem()
        if item is not None and callable(act):
            act(item.text())

    def _open(self) -> None:
        ask_to_open(self, self.tr("A command or a configuration file"), self.open_file)

    def open_file(self, path: Path) -> None:
        """Read a file into the import page; what cannot be read is said in place."""
        try:
            with path.open(encoding="utf-8") as file:
                text = file.read(_MOST_LETTERS)
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else self.tr("it is no text")
            self.verdict.setText(self.tr("{file} cannot be read: {reason}.").format(file=path, reason=reason))
            show_role(self.verdict, "error")
            return
        self.source.setPlainText(text)

    def _save(self) -> None:
        suffix = _SUFFIXES[Form(self.form.key or Form.COMMAND)]
        ask_to_save(self, self.tr("Save"), f"vllm.{suffix}", "", lambda path, _filter: self.save_file(path))

    def save_file(self, path: Path) -> None:
        """Write the exported text; what cannot be written is said in the window's notice bar."""
        try:
            write_whole(path, self.exported.toPlainText().encode())
        except OSError as error:
            text = self.tr("{file} cannot be written: {reason}.").format(file=path, reason=error.strerror)
            self._store.publish(Notice("error", text, self.tr("Choose another folder.")))

