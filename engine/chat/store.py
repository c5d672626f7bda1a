"""Conversations on disk: one SQLite file, private to the user, safe with two windows at once."""

from __future__ import annotations

import errno
import logging
import sqlite3
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.chat import queries
from engine.chat.beside import Beside, copy_chats, discard
from engine.chat.rows import conversation_row, message_row, read_conversation, read_message
from engine.chat.transcript import Conversation, Message, Transcript
from engine.domain.errors import DiskFull, KVDeckError
from engine.domain.private_database import open_database, set_aside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from engine.chat.beside import WholeChat

log = logging.getLogger(__name__)

_BUSY_MS = 1000  # at the end of the window, too; what cannot be written by then is kept beside
_UNDO_S = 3600.0


class ChatsUnavailable(KVDeckError):
    """The chat file cannot be read or written."""

    kind = "chats_unavailable"


class ChatGone(KVDeckError):
    """What is written belongs to a conversation (or a message) that is no longer there."""

    kind = "chat_gone"


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One conversation that matches a search: the words around the newest match (empty: the title matched)."""

    conversation: Conversation
    excerpt: str
    message_id: str | None


class ChatStore:
    """All conversations of this user. Every method blocks on the disk: call them in a thread.

    `notice` says in a sentence what the user must know about the file (a damaged one was set aside), else None.
    `path` None keeps them in memory alone. What the file cannot take for a while (another program holds it) is kept in
    another one beside it, and brought in by `take_in`, before anything newer, or when it is opened next.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.notice: str | None = None
        self.waits = False  # something is to be taken in
        self._file = path
        self._beside = None if path is None else Beside(path)
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None  # which file it is that the connection has

    def open(self) -> None:
        """Open or create the file. A damaged one is renamed, never deleted; one of a newer KVDeck is left alone."""
        with self._lock:
            if self._connection is not None:
                return
            self._connection = self._open_file()
            with suppress(sqlite3.OperationalError), self._connection:  # held by another program: next time
                self._connection.execute("DELETE FROM conversations WHERE deleted < ?", (time.time() - _UNDO_S,))
            self.waits = True  # of windows that ended meanwhile
            with suppress(KVDeckError):
                self._take_in()

    def go_beside(self) -> None:
        """Go on without the file, for when it cannot be used: in one beside it, in memory where that cannot be, too."""
        with self._lock:
            self.waits = self._file is not None
            self.path = None
            if self._beside is not None:
                with suppress(sqlite3.Error, OSError):
                    self._connection = _with_functions(self._beside.connect())
                    self.path = self._beside.path
                    return
            self._connection = _connect(None)

    def keep_beside(self, chat: WholeChat) -> None:
        """Keep all of a chat that the file did not take. Raises ChatsUnavailable or DiskFull."""
        if self._beside is None:
            raise _unavailable(self.path, sqlite3.OperationalError("it is kept in memory"))
        with self._lock:
            try:
                self._beside.keep(chat)
            except (sqlite3.Error, OSError) as error:
                raise _unavailable(self._beside.path, error) from error
            self.waits = True

    def take_in(self) -> None:
        """Bring into the file what is kept beside it. Raises ChatsUnavailable or DiskFull where it still cannot."""
        with self._lock:
            self._take_in()

    def close(self) -> None:
        """Close the file; harmless when it is closed."""
        with self._lock:
            if self._connection is None:
                return
            beside = self._beside.path if self._beside is not None and self.path == self._beside.path else None
            is_empty = beside is not None and not self._connection.execute(queries.CONVERSATIONS).fetchall()
            self._connection.close()
            self._connection = None
            if beside is not None and is_empty:
                discard(beside)

    def conversations(self) -> tuple[Conversation, ...]:
        """All that are not deleted, the one used last first."""
        with self._use() as connection:
            return tuple(read_conversation(row) for row in connection.execute(queries.CONVERSATIONS))

    def transcript(self, chat_id: str) -> Transcript:
        """Every message of one conversation."""
        with self._use() as connection:
            rows = connection.execute(queries.MESSAGES, (chat_id,)).fetchall()
        return Transcript((read_message(row) for row in rows), (row[0] for row in rows if row[-1]))

    def save_conversation(self, conversation: Conversation) -> None:
        """Write a conversation's title, prompt and options; creates it where it is new."""
        with self._use(writes=True) as connection:
            connection.execute(queries.SAVE_CONVERSATION, conversation_row(conversation))

    def save_messages(self, messages: Iterable[Message], chosen: frozenset[str] = frozenset()) -> None:
        """Write messages, new or changed, in one transaction. Those in `chosen` become the version shown."""
        rows = [message_row(message) for message in messages]
        if not rows:
            return
        with self._use(writes=True) as connection:
            connection.executemany(queries.SAVE_MESSAGE, rows)
            connection.execute(queries.USED_NOW, (time.time(), rows[0][1]))
            for message_id in chosen:
                connection.execute(queries.CHOOSE, (message_id,))

    def choose(self, message_id: str) -> None:
        """Remember that this version of its place is the one shown."""
        with self._use(writes=True) as connection:
            connection.execute(queries.CHOOSE, (message_id,))

    def remove_message(self, message_id: str) -> None:
        """Delete a message and all that follows it."""
        with self._use(writes=True) as connection:
            connection.execute("DELETE FROM messages WHERE id = ?", (message_id,))

    def delete_conversation(self, chat_id: str) -> None:
        """Hide a conversation; it can be restored until it is purged (at the latest an hour later, at a start)."""
        with self._use(writes=True) as connection:
            connection.execute("UPDATE conversations SET deleted = ? WHERE id = ?", (time.time(), chat_id))

    def restore_conversation(self, chat_id: str) -> None:
        """Undo `delete_conversation`."""
        with self._use(writes=True) as connection:
            connection.execute("UPDATE conversations SET deleted = NULL WHERE id = ?", (chat_id,))

    def purge_conversation(self, chat_id: str) -> None:
        """Delete a hidden conversation and its messages for good; one that is not hidden stays."""
        with self._use(writes=True) as connection:
            connection.execute("DELETE FROM conversations WHERE id = ? AND deleted IS NOT NULL", (chat_id,))

    def search(self, text: str, limit: int = 200) -> tuple[SearchHit, ...]:
        """Conversations whose title or any message (of any version) contains `text`, whatever its case."""
        wanted = text.casefold().strip()
        with self._use() as connection:
            rows = connection.execute(queries.SEARCH, (wanted, limit)).fetchall()
        return tuple(SearchHit(read_conversation(row), _excerpt(row[7], wanted), row[8]) for row in rows)

    def version(self) -> int:
        """A number that changes when another window (or program) has written."""
        with self._use() as connection:
            return int(connection.execute("PRAGMA data_version").fetchone()[0])

    @contextmanager
    def _use(self, *, writes: bool = False) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._connection is None:
                raise ChatsUnavailable("The chat file is not open.", remedy="Start KVDeck again.")
            if writes and self.waits and self.path == self._file:
                self._take_in()  # it is older than what comes now
            self._follow_file()
            try:
                with self._connection:
                    yield self._connection
            except sqlite3.IntegrityError as error:
                raise ChatGone("This chat was deleted in another window.", remedy="Send again to keep it.") from error
            except sqlite3.Error as error:
                raise _unavailable(self.path, error) from error

    def _follow_file(self) -> None:
        """Open what lies there now where the file was removed or replaced: the old one, nobody would ever read again.

        Chats that it does not have come back whole with the next that is said in them (`ChatGone`).
        """
        if self._connection is not None and self.path == self._file and _identity(self.path) != self._opened:
            log.warning("%s was removed or replaced; it is opened anew", self.path)
            before, self._connection = self._connection, self._open_file()
            before.close()

    def _open_file(self) -> sqlite3.Connection:
        connection = self._connect_file()
        self._opened = _identity(self._file)
        return connection

    def _connect_file(self) -> sqlite3.Connection:
        try:
            return _connect(self._file)
        except (sqlite3.OperationalError, OSError) as error:
            raise _unavailable(self._file, error) from error
        except sqlite3.DatabaseError as error:
            if self._file is None:
                raise
            kept = set_aside(self._file)
            self.notice = f"The chat file was damaged ({error}); it is kept as {kept.name}, and a new one was begun."
            return _connect(self._file)

    def _take_in(self) -> None:
        if not self.waits or self._beside is None or self._connection is None:
            return
        self._follow_file()  # what lies beside is removed there: it must not go into a file that nobody reads again
        present = self._connection
        taking = present if self.path == self._file else self._open_file()
        try:
            if taking is not present:
                copy_chats(present, taking)
                present.close()
                self._connection, self.path = taking, self._file
            self._beside.give_to(taking)
        except (sqlite3.Error, OSError) as error:
            if taking is not self._connection:
                taking.close()
            raise _unavailable(self._file, error) from error
        self.waits = False


def _identity(path: Path | None) -> tuple[int, int] | None:
    if path is not None:
        with suppress(OSError):
            status = path.stat()
            return status.st_dev, status.st_ino
    return None


def _connect(path: Path | None) -> sqlite3.Connection:
    def newer(version: int) -> ChatsUnavailable:
        known = len(queries.MIGRATIONS)
        return ChatsUnavailable(
            f"The chats in {path} are of a newer KVDeck (format {version}, this one knows {known}).",
            remedy="Update KVDeck; what is said until then is kept beside them.",
        )

    return _with_functions(open_database(path, queries.MIGRATIONS, _BUSY_MS, newer))


def _with_functions(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.create_function("fold", 1, _fold, deterministic=True)
    return connection


def _fold(text: str | None) -> str:
    return (text or "").casefold()


def _excerpt(content: str | None, wanted: str, before: int = 24, after: int = 80) -> str:
    if not content:
        return ""
    flat = " ".join(content.split())
    place = flat.casefold().find(" ".join(wanted.split()))
    if place < 0:
        return flat[:after]
    start, end = max(0, place - before), min(len(flat), place + len(wanted) + after)
    return ("…" if start else "") + flat[start:end] + ("…" if end < len(flat) else "")


def _unavailable(path: Path | None, error: sqlite3.Error | OSError) -> KVDeckError:
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL or getattr(error, "errno", 0) == errno.ENOSPC:
        return DiskFull(f"There is no room to save chats in {path}.", remedy="Free some disk space.")
    if getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return ChatsUnavailable(
            f"Another program holds the chats in {path}.",
            remedy="Close it; what is said until then is kept beside them, and written when they can be.",
        )
    return ChatsUnavailable(
        f"Chats cannot be read or written in {path}: {error}.", remedy="Check the folder's permissions and the disk."
    )
