"""The settings of the window itself; each is in force as soon as it is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.consent_list import ConsentList
from app.dialogs.remembered_list import RememberedList
from app.preferences import FRAME_RATE, FRAME_RATES, LANGUAGE, PORT, REDUCED_MOTION, TEXT_SIZE, THEME
from app.theme.fonts import TEXT_SIZES
from app.translations import LANGUAGES
from app.widgets.figures import percent
from app.widgets.keep_fields import KeepFields
from app.widgets.labels import role_label
from app.widgets.named_combo import NamedCombo
from app.widgets.screen_room import within_screen
from app.widgets.segmented import Segmented
from app.widgets.upright_scroll import UprightScroll

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QShowEvent

    from app.preferences import Preferences


_LEAST_WIDTH = 540
_BELOW = 16


class SettingsDialog(QDialog):
    """Edits Preferences directly; there is nothing to apply and nothing to lose."""

    def __init__(
        self, preferences: Preferences, parent: QWidget | None = None, *, reset_layout: Callable[[], None] | None = None
    ) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self.setWindowTitle(self.tr("Settings"))
        form = self._form = QFormLayout()
        form.setContentsMargins(24, 20, 24, 8)
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(12)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.addRow(self.tr("Theme"), self._theme())
        form.addRow(self.tr("Text size"), self._text_size())
        form.addRow(self.tr("Language"), self._language())
        form.addRow(self.tr("Motion"), self._motion())
        form.addRow(self.tr("Frames per second"), self._frame_rate())
        form.addRow(self.tr("Port of the engine host"), self._port())
        keep = KeepFields(preferences, self)
        form.addRow(self.tr("Outgoing model"), keep.choice)
        form.addRow(self.tr("Waiting models"), keep.limits)
        note = role_label(
            self.tr("Language and port take effect when KVDeck starts next. Port 0 lets the system choose a free one."),
            "caption",
            wrap=True,
        )
        inset = QVBoxLayout()
        inset.setContentsMargins(24, 0, 24, 0)
        inset.setSpacing(16)
        inset.addWidget(note)
        inset.addWidget(ConsentList(preferences.consents))
        inset.addWidget(RememberedList(preferences.remembered, reset_layout))
        self._body = QWidget()
        self._body.setObjectName("scrollBody")
        whole = QVBoxLayout(self._body)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(16)
        whole.addLayout(form)
        whole.addLayout(inset)
        whole.addStretch(1)
        self._arrange()
        self._fit()

    def _arrange(self) -> None:
        """What there is to set scrolls where the screen is low; the way out stays below it."""
        scroll = self._scroll = UprightScroll(self._body)
        scroll.setAccessibleName(self.tr("Settings"))
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self._buttons.setContentsMargins(20, 0, 20, 0)
        self._buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, _BELOW)
        column.setSpacing(_BELOW)
        column.addWidget(scroll, 1)
        column.addWidget(self._buttons)

    def showEvent(self, event: QShowEvent) -> None:
        """Fields have their width once the theme's style is on them."""
        super().showEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Keep room for the widest field when the text size changes."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        width = max(_LEAST_WIDTH, self._form.sizeHint().width())
        height = self._body.heightForWidth(width) + self._buttons.sizeHint().height() + 2 * _BELOW
        least = self._body.minimumSizeHint().width() + self._scroll.verticalScrollBar().sizeHint().width()
        self.setMinimumWidth(within_screen(self, QSize(least, 0)).width())
        self.resize(within_screen(self, QSize(width, height)))

    def _theme(self) -> QWidget:
        choices = (("system", self.tr("as the system")), ("dark", self.tr("dark")), ("light", self.tr("light")))
        field = Segmented(self.tr("Theme"), choices)
        field.show_key(self._preferences.theme)
        field.chosen.connect(lambda key: self._preferences.set(THEME, key))
        return field

    def _text_size(self) -> QWidget:
        field = Segmented(self.tr("Text size"), [(str(size), percent(size)) for size in TEXT_SIZES])
        field.show_key(str(self._preferences.text_size))
        field.chosen.connect(lambda key: self._preferences.set(TEXT_SIZE, float(key)))
        return field

    def _language(self) -> QWidget:
        field = NamedCombo()
        field.setAccessibleName(self.tr("Language"))
        field.addItem(self.tr("as the system"), "system")
        for code, name in LANGUAGES:
            field.addItem(name, code)
        field.setCurrentIndex(max(0, field.findData(self._preferences.language)))
        field.activated.connect(lambda index: self._preferences.set(LANGUAGE, field.itemData(index)))
        return field

    def _motion(self) -> QWidget:
        field = QCheckBox(self.tr("Reduce motion: no glow, no fading"))
        field.setChecked(self._preferences.reduced_motion)
        field.toggled.connect(lambda on: self._preferences.set(REDUCED_MOTION, on))
        return field

    def _frame_rate(self) -> QWidget:
        field = Segmented(self.tr("Frames per second"), [(str(rate), str(rate)) for rate in FRAME_RATES])
        field.show_key(str(self._preferences.frame_rate))
        field.chosen.connect(lambda key: self._preferences.set(FRAME_RATE, int(key)))
        return field

    def _port(self) -> QWidget:
        field = QSpinBox()
        field.setAccessibleName(self.tr("Port of the engine host"))
        field.setRange(0, 65535)
        field.setValue(self._preferences.port)
        field.lineEdit().setTextMargins(6, 0, 6, 0)  # a style sheet's padding does not reach a spin box's text
        field.setGroupSeparatorShown(False)
        field.valueChanged.connect(lambda value: self._preferences.set(PORT, value))
        return field
