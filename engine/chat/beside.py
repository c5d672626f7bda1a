"""Chats that the chat file cannot take now, in a file of their own beside it until it can."""

from __future__ import annotations

import logging
import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.chat import queries
from engine.chat.rows import conversation_row, message_row
from engine.domain.pids import is_taken
from engine.domain.private_database import open_database, set_aside

if TYPE_CHECKING:
    from pathlib import Path

    from engine.chat.transcript import Conversation, Message

log = logging.getLogger(__name__)

_BUSY_MS = 1000
_REMOVED = "CREATE TABLE IF NOT EXISTS removed (id TEXT PRIMARY KEY)"


@dataclass(frozen=True, slots=True)
class WholeChat:
    """All of a chat at one moment, which of its messages are shown, and which were just deleted."""

    conversation: Conversation
    messages: tuple[Message, ...]
    chosen: frozenset[str]
    removed: tuple[str, ...] = ()


class Beside:
    """The file of this process, and those that ended ones have left."""

    def __init__(self, chat_file: Path) -> None:
        self._chat_file = chat_file
        self.path = chat_file.with_name(f"{self._stem}{os.getpid()}{chat_file.suffix}")

    def connect(self) -> sqlite3.Connection:
        """Open or create this process's file. Raises sqlite3.Error and OSError."""
        connection = _open(self.path)
        with connection:
            connection.execute(_REMOVED)
        return connection

    def keep(self, chat: WholeChat) -> None:
        """Write all of a chat, and which of its messages were deleted. Raises sqlite3.Error and OSError."""
        rows = [message_row(message) for message in chat.messages]
        gone = [(message_id,) for message_id in chat.removed]
        with closing(self.connect()) as connection, connection:
            connection.execute(queries.SAVE_CONVERSATION, conversation_row(chat.conversation))
            connection.executemany("DELETE FROM messages WHERE id = ?", gone)
            connection.executemany("INSERT OR IGNORE INTO removed VALUES (?)", gone)
            connection.executemany(queries.SAVE_MESSAGE, rows)
            connection.executemany("DELETE FROM removed WHERE id = ?", [row[:1] for row in rows])
            _choose(connection, [(row[0], row[1], row[2]) for row in rows if row[0] in chat.chosen])

    def give_to(self, connection: sqlite3.Connection) -> None:
        """Bring all that lies beside into the chat file, and remove it there.

        Raises sqlite3.Error where the chat file cannot take it: it stays then. A damaged one is set aside.
        """
        for path in self._present():
            try:
                source = _open(path)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError as error:
                log.warning("%s is damaged (%s); it is kept as %s", path, error, set_aside(path))
                continue
            with closing(source):
                copy_chats(source, connection)
            discard(path)

    @property
    def _stem(self) -> str:
        return f"{self._chat_file.stem}.unsaved-"

    def _present(self) -> list[Path]:
        """Files that no other living process writes."""
        found = self._chat_file.parent.glob(f"{self._stem}*{self._chat_file.suffix}")
        pids = {path: path.stem.removeprefix(self._stem) for path in found}
        return [path for path, pid in pids.items() if pid.isdecimal() and (path == self.path or not is_taken(int(pid)))]


def copy_chats(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Write all chats of one file into another, over what it has of them. Raises sqlite3.Error; all or nothing."""
    messages = source.execute(queries.ALL_MESSAGES).fetchall()
    removed = source.execute("SELECT id FROM removed").fetchall() if _knows_removed(source) else []
    with target:
        target.executemany(queries.SAVE_CONVERSATION, source.execute(queries.CONVERSATIONS).fetchall())
        target.executemany("DELETE FROM messages WHERE id = ?", removed)
        target.executemany(queries.SAVE_MESSAGE, [row[:-1] for row in messages])
        _choose(target, [(row[0], row[1], row[2]) for row in messages if row[-1]])


def discard(path: Path) -> None:
    """Remove such a file, with what SQLite keeps beside it."""
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _open(path: Path) -> sqlite3.Connection:
    def newer(version: int) -> sqlite3.OperationalError:
        return sqlite3.OperationalError(f"it is of a newer KVDeck (format {version})")

    return open_database(path, queries.MIGRATIONS, _BUSY_MS, newer)


def _choose(connection: sqlite3.Connection, messages: list[tuple[str, str, str | None]]) -> None:
    """As `queries.CHOOSE`, for many: by id, chat and parent."""
    connection.executemany("UPDATE messages SET chosen = (id = ?1) WHERE chat = ?2 AND parent IS ?3", messages)


def _knows_removed(source: sqlite3.Connection) -> bool:
    return source.execute("SELECT 1 FROM sqlite_master WHERE name = 'removed'").fetchone() is not None
