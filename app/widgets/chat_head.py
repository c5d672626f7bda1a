"""The upper edge of the chat pane: the title, the list of chats, a new chat, what can be done, the system prompt."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from app.widgets.elided_label import ElidedLabel
from app.widgets.fold_mark import fold_mark
from app.widgets.icon import IconButton
from app.widgets.line_breaks import WrappedEdit

_PROMPT_SAVE_MS = 600
_PROMPT_LINES = 5


class ChatHead(QWidget):
    """Signals say what was asked for; the pane does it."""

    list_toggled = Signal(bool)
    new_asked = Signal()
    prompt_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list_button = IconButton("chat", self.tr("All chats"))
        self.list_button.setObjectName("chatListButton")
        self.list_button.setCheckable(True)
        self.list_button.toggled.connect(self.list_toggled)
        self._title = ElidedLabel("panelTitle")
        self._new = IconButton("add", self.tr("New chat"))
        self._new.setObjectName("chatNew")
        self._new.clicked.connect(self.new_asked)
        self._more = IconButton("more", self.tr("More about this chat"))
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._fold = QToolButton()
        self._fold.setObjectName("chatPromptFold")
        self._fold.setCheckable(True)
        self._fold.setText(self.tr("System prompt"))
        self._fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._fold.setArrowType(Qt.ArrowType.NoArrow)
        self._preview = ElidedLabel("faint")
        self.prompt = WrappedEdit()
        self._save = QTimer(self, singleShot=True, interval=_PROMPT_SAVE_MS)
        self._prepare_prompt()
        self._arrange()

    def show_model(self, choice: QWidget) -> None:
        """Where the model that answers is chosen; it hides itself where there is nothing to choose."""
        self._column.insertWidget(1, choice)

    def set_menu(self, menu: QMenu) -> None:
        """The menu of the button at the end."""
        self._more.setMenu(menu)

    def show_title(self, title: str) -> None:
        """Name the chat; an empty one is new."""
        self._title.show_text(title or self.tr("New chat"))

    def show_prompt(self, text: str, *, of_another_chat: bool = False) -> None:
        """Show the chat's system prompt; one that is being written just now stays, unless another chat is shown."""
        if (of_another_chat or not self.prompt.hasFocus()) and self.prompt.toPlainText() != text:
            self.prompt.blockSignals(True)
            self.prompt.setPlainText(text)
            self.prompt.blockSignals(False)
        self._preview.show_text(text or self.tr("none"))

    def flush(self) -> None:
        """Hand over what was written in the prompt, now."""
        if self._save.isActive():
            self._save.stop()
            self.prompt_changed.emit(self.prompt.toPlainText())

    def toggle_prompt(self) -> None:
        """Unfold or fold the prompt."""
        self._fold.toggle()

    def _prepare_prompt(self) -> None:
        self.prompt.setObjectName("chatPrompt")
        self.prompt.setAccessibleName(self.tr("System prompt"))
        self.prompt.setPlaceholderText(
            self.tr("What the model is told before everything else, e.g. “Answer in French.”")
        )
        self.prompt.setTabChangesFocus(True)
        self.prompt.hide()
        self.prompt.textChanged.connect(self._save.start)
        self._save.timeout.connect(lambda: self.prompt_changed.emit(self.prompt.toPlainText()))
        self._fold.toggled.connect(self._unfolded)
        self._unfolded(False)

    def _unfolded(self, is_open: bool) -> None:
        self.prompt.setVisible(is_open)
        self._preview.setVisible(not is_open)
        self._fold.setText(f"{fold_mark(self, unfolded=is_open)} " + self.tr("System prompt"))
        if is_open:
            self.prompt.setFixedHeight(_PROMPT_LINES * self.fontMetrics().lineSpacing() + 12)
            self.prompt.setFocus()
        else:
            self.flush()

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(4)
        for widget, stretch in ((self.list_button, 0), (self._title, 1), (self._new, 0), (self._more, 0)):
            row.addWidget(widget, stretch)
        fold = QHBoxLayout()
        fold.setSpacing(6)
        fold.addWidget(self._fold)
        fold.addWidget(self._preview, 1)
        fold.addStretch(0)
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(8, 2, 8, 4)
        column.setSpacing(2)
        column.addLayout(row)
        column.addLayout(fold)
        column.addWidget(self.prompt)
