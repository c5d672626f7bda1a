"""The window's language: our translations and Qt's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator

from app.resources import resource

if TYPE_CHECKING:
    from PySide6.QtCore import QCoreApplication

LANGUAGES: tuple[tuple[str, str], ...] = (("en", "English"), ("de", "Deutsch"))


def use_language(application: QCoreApplication, choice: str) -> QLocale:
    """Install the translators of a language ("system" asks the desktop) and return the locale now in force."""
    locale = QLocale.system() if choice == "system" else QLocale(choice)
    QLocale.setDefault(locale)
    for name, folder in (
        ("qtbase", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)),
        ("kvdeck", str(resource("translations"))),
    ):
        translator = QTranslator(application)
        if translator.load(locale, name, "_", folder):
            application.installTranslator(translator)
    return locale
