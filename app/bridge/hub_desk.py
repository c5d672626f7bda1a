"""The hub for the window: one client program, what it found, and the downloads under way."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject, Signal

from app.bridge.store import Notice
from engine.checkpoints.find import name_of
from engine.domain.errors import KVDeckError
from engine.domain.lifecycle import Phase
from engine.hub.client import HubClient
from engine.hub.records import Download, DownloadState, Query
from engine.hub.token import NoKeyring, store_token, stored_token

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.hub.records import HubDetails, HubModel

_WITHOUT = {Phase.IDLE, Phase.FAILED, Phase.CONNECTING}  # no engine holds its files


class HubDesk(QObject):
    """Asks the hub and keeps its answers. Everything returns at once; signals say what came.

    `rescan` is called when a download or a deletion changed what is on disk. The newest question counts: an answer to
    an older one is dropped.
    """

    searching = Signal()
    found = Signal()
    search_failed = Signal(str, str)
    details_changed = Signal()
    downloads_changed = Signal(str)
    token_changed = Signal()

    def __init__(
        self, store: Store, tasks: Tasks, rescan: Callable[[], None], parent: QObject | None = None,
        client: HubClient | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._store = store
        self._tasks = tasks
        self._rescan = rescan
        self._client = HubClient(self._take) if client is None else client
        if client is not None:
            client.follow(self._take)
        self._token_known = False
        self._question = 0
        self._look = 0
        self.has_token = False
        self.models: tuple[HubModel, ...] = ()
        self.details: HubDetails | None = None
        self.details_of = ""
        self.details_error: tuple[str, str] | None = None
        self.downloads: dict[str, Download] = {}

    def is_here(self, repo: str) -> bool:
        """Whether the cache has a snapshot of it, or a download of this session."""
        return repo in self.downloads or any(name_of(path) == repo for path in self._paths())

    def is_whole(self, repo: str) -> bool:
        """Whether it is there and can be loaded."""
        state = self.downloads.get(repo)
        if state is not None:
            return state.state is DownloadState.DONE
        library = self._store.library
        known = library.checkpoints if library is not None else ()
        return any(each.source == "hub" and each.problem is None and name_of(each.path) == repo for each in known)

    def search(self, query: Query) -> None:
        """Find models; `found` or `search_failed` follows."""
        self._question += 1
        self._start(self._search(query, self._question), self.tr("Hub"))

    def look(self, repo: str) -> None:
        """Look at one model; `details_changed` follows, at once (what is known) and when the answer is there."""
        self._look += 1
        self.details, self.details_of, self.details_error = None, repo, None
        self.details_changed.emit()
        self._start(self._details(repo, self._look), self.tr("Hub"))

    def download(self, repo: str) -> None:
        """Start a download, or go on with one."""
        self._take(Download(repo=repo, state=DownloadState.RUNNING))
        self._start(self._download(repo), self.tr("Download"))

    def pause(self, repo: str) -> None:
        """Stop a download; what has arrived stays."""
        self._start(self._client.pause(repo), self.tr("Download"))

    def forget(self, repo: str) -> None:
        """Take a download that has ended out of the list; its files stay."""
        state = self.downloads.get(repo)
        if state is not None and state.state is not DownloadState.RUNNING:
            del self.downloads[repo]
            self.downloads_changed.emit(repo)

    def delete(self, repo: str) -> None:
        """Delete all files of a model from the cache, unfinished ones too; never of the one that is loaded."""
        lifecycle = self._store.lifecycle
        if lifecycle.checkpoint and name_of(lifecycle.checkpoint) == repo and lifecycle.phase not in _WITHOUT:
            text = self.tr("{model} is loaded.").format(model=repo)
            self._store.publish(Notice("warning", text, self.tr("Unload it or switch to another one first.")))
            return
        self._start(self._delete(repo), self.tr("Delete"))

    def use_token(self, token: str) -> None:
        """Ask with this token from now on, and keep it in the keyring; "" forgets it."""
        self._start(self._use_token(token), self.tr("Token"))

    def close(self) -> None:
        """End the client program: downloads go on from where they are the next time."""
        self._client.close()

    def _paths(self) -> list[str]:
        library = self._store.library
        return [each.path for each in library.checkpoints if each.source == "hub"] if library is not None else []

    def _start(self, work: Coroutine[object, object, object], name: str) -> None:
        self._tasks.start(work, name)

    async def _know_token(self) -> None:
        """Read the keyring once, when the hub is first needed: it may ask the user to unlock it."""
        if not self._token_known:
            self._token_known = True
            token = await asyncio.to_thread(stored_token)
            self._client.use_token(token)
            self.has_token = token is not None
            self.token_changed.emit()

    async def _search(self, query: Query, number: int) -> None:
        self.searching.emit()
        try:
            await self._know_token()
            models = await self._client.search(query)
        except KVDeckError as error:
            if number == self._question:
                self.search_failed.emit(error.message, error.remedy)
            return
        if number == self._question:
            self.models = models
            self.found.emit()

    async def _details(self, repo: str, number: int) -> None:
        try:
            await self._know_token()
            details = await self._client.details(repo)
        except KVDeckError as error:
            if number == self._look:
                self.details_error = (error.message, error.remedy)
                self.details_changed.emit()
            return
        if number == self._look:
            self.details = details
            self.details_changed.emit()

    async def _download(self, repo: str) -> None:
        try:
            await self._know_token()
            await self._client.download(repo)
        except KVDeckError as error:
            failed = Download(repo=repo, state=DownloadState.FAILED, message=error.message, remedy=error.remedy)
            self._take(failed)

    async def _delete(self, repo: str) -> None:
        freed = await self._client.delete(repo)
        self.downloads.pop(repo, None)
        self.downloads_changed.emit(repo)
        self._rescan()
        amount = QLocale().toString(freed / 2**30, "f", 2)
        text = self.tr("{model} is deleted; {size} GiB are free again.").format(model=repo, size=amount)
        self._store.publish(Notice("info", text))

    async def _use_token(self, token: str) -> None:
        self._token_known = True
        self.has_token = bool(token)
        self._client.use_token(token or None)
        self.token_changed.emit()
        try:
            await asyncio.to_thread(store_token, token or None)
        except NoKeyring as error:
            self._store.publish(Notice("warning", error.message, error.remedy))

    def _take(self, state: Download) -> None:
        before = self.downloads.get(state.repo)
        self.downloads[state.repo] = state
        self.downloads_changed.emit(state.repo)
        if state.state is DownloadState.DONE and (before is None or before.state is not DownloadState.DONE):
            self._rescan()
            text = self.tr("{model} is downloaded and checked.").format(model=state.repo)
            self._store.publish(Notice("info", text, self.tr("It is in the list of models now.")))
        if state.state is DownloadState.FAILED:
            self._store.publish(Notice("error", f"{state.repo}: {state.message}", state.remedy))
