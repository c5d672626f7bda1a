"""The consents that the user asked to keep: what may run, from which folder, exactly which files."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtCore import QSettings

_KEY = "consent/kept"
_BY_PATH_ALONE = ("consent/trust_remote_code", "consent/allow_pickle")  # until 0.1: whatever lay there later could run
_MOST = 500


@dataclass(frozen=True, slots=True)
class KeptConsent:
    """`path` may do `what` (see engine.checkpoints.own_code) as long as its files still have this digest."""

    path: str
    what: str
    digest: str


class Consents:
    """Reads and writes them in the window's settings; a damaged list counts as empty, which only asks again."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings
        for key in _BY_PATH_ALONE:
            settings.remove(key)

    def kept(self) -> tuple[KeptConsent, ...]:
        """All of them, the oldest first."""
        try:
            found = json.loads(str(self._settings.value(_KEY) or "[]"))
            return tuple(KeptConsent(str(each["path"]), str(each["what"]), str(each["digest"])) for each in found)
        except (ValueError, TypeError, KeyError, RecursionError):
            return ()

    def allows(self, consent: KeptConsent) -> bool:
        """Whether the user has said yes to exactly these files, and has not taken it back."""
        return consent in self.kept()

    def keep(self, consent: KeptConsent) -> None:
        """Remember one; an earlier one of the same folder goes."""
        others = [each for each in self.kept() if (each.path, each.what) != (consent.path, consent.what)]
        self._write([*others, consent][-_MOST:])

    def revoke(self, consents: Iterable[KeptConsent]) -> None:
        """Forget these: their folders are asked about again."""
        gone = set(consents)
        self._write([each for each in self.kept() if each not in gone])

    def _write(self, consents: list[KeptConsent]) -> None:
        self._settings.setValue(_KEY, json.dumps([asdict(each) for each in consents]))
        self._settings.sync()
