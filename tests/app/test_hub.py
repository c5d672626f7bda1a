"""The hub's dialog against a server that speaks the hub's protocol, through the real client program."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import keyring
import pytest
from keyring.backend import KeyringBackend
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QTextDocument

from app.bridge.hub_desk import HubDesk
from app.dialogs.hub import HubDialog
from app.dialogs.hub_token import HubTokenDialog
from app.widgets.hub_details import ModelCard
from app.widgets.hub_table import HubColumn
from engine.domain.gpu import HardwareSample, HostSample
from engine.domain.lifecycle import Lifecycle, Phase
from engine.hub.client import HubClient
from engine.hub.records import DownloadState
from tests.engine.hub.hub_server import HubServer, Repository, model_files
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    import qasync
    from pytestqt.qtbot import QtBot

    from app.bridge.store import Notice, Store
    from app.bridge.tasks import Tasks
    from tests.app.conftest import Quiet

REPO = "org/Small-7B-AWQ"


class _Memory(KeyringBackend):
    """A keyring that lives as long as the test; the system's own is not a test's to write to."""

    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def secrets() -> Iterator[_Memory]:
    before = keyring.get_keyring()
    memory = _Memory()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)


@pytest.fixture
def hub() -> Iterator[HubServer]:
    server = HubServer()
    server.repositories[REPO] = Repository(model_files(), tags=("awq",), safetensors={"I32": 800_000_000})
    server.repositories["org/Small-1T"] = Repository(model_files(), safetensors={"BF16": 10**12})
    server.repositories["org/Gated"] = Repository(model_files(), gated="auto", token="hf_right")
    server.start()
    yield server
    server.stop()


class _Bench:
    """The dialog with its desk, and what was noticed."""

    def __init__(self, hub: HubServer, store: Store, tasks: Tasks, home: Path) -> None:
        kept = (name for name in os.environ if not name.startswith("HF_") and "proxy" not in name.lower())
        environment = {name: os.environ[name] for name in kept} | {"HF_HOME": str(home)}
        self.client = HubClient(endpoint=hub.url, environment=environment)
        self.rescans = 0
        self.notices: list[Notice] = []
        store.noticed.connect(self.notices.append)
        self.desk = HubDesk(store, tasks, self._rescan, client=self.client)
        self.dialog = HubDialog(self.desk, store)

    def _rescan(self) -> None:
        self.rescans += 1

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not holds():  # noqa: ASYNC110 - Qt's signals have no awaitable
                await asyncio.sleep(0.01)

    async def found(self) -> None:
        await self.until(lambda: self.dialog.table.rowCount() > 0)

    def choose(self, repo: str) -> None:
        table = self.dialog.table
        row = next(row for row in range(table.rowCount()) if table.model_at(row).repo == repo)
        self.dialog.view.selectRow(row)


@pytest.fixture
def run(
    hub: HubServer, store: Store, tasks: Tasks, loop: qasync.QEventLoop, tmp_path: Path, qtbot: QtBot, secrets: _Memory
) -> Callable[..., None]:
    def go(scene: Callable[[_Bench], AsyncIterator[None]]) -> None:
        async def whole() -> None:
            bench = _Bench(hub, store, tasks, tmp_path / "hf")
            qtbot.addWidget(bench.dialog)
            bench.dialog.show()
            try:
                await scene(bench)  # type: ignore[misc]
            finally:
                process = bench.client._process
                bench.desk.close()
                if process is not None:
                    await asyncio.to_thread(process.wait, 10)
                await tasks.stop()

        loop.run_until_complete(asyncio.wait_for(whole(), 60))

    return go


def test_a_model_is_found_read_about_downloaded_and_deleted(run: Callable[..., None], hub: HubServer) -> None:
    async def scene(bench: _Bench) -> None:
        await bench.found()
        assert bench.dialog.table.rowCount() == 3
        assert bench.dialog.minimumSizeHint().width() <= 632  # 1280 pixels at 200 %, and a frame
        assert bench.dialog.width() <= bench.dialog.screen().availableSize().width()
        bench.choose(REPO)
        details = bench.dialog.details
        await bench.until(lambda: bench.desk.details is not None)
        assert "A small model" in details.card.toPlainText()
        assert not details.delete.isVisible()
        details.download.click()
        await bench.until(lambda: bench.desk.downloads[REPO].state is DownloadState.DONE)
        assert bench.rescans == 1
        assert "downloaded and checked" in bench.notices[-1].message
        assert not details.download.isEnabled()
        assert details.delete.isVisible()
        bench.desk.delete(REPO)
        await bench.until(lambda: REPO not in bench.desk.downloads)
        assert bench.rescans == 2

    run(scene)


def test_a_card_opens_nothing_of_this_machine(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A picture of /dev/zero ended the window."""
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    secret = tmp_path / "secret.txt"
    secret.write_text("mine")
    card = ModelCard()
    qtbot.addWidget(card)
    card.setMarkdown(f"# A card\n\n![picture]({QUrl.fromLocalFile(str(secret)).toString()})\n")
    card.grab()
    assert card.loadResource(QTextDocument.ResourceType.ImageResource.value, QUrl.fromLocalFile(str(secret))) is None
    for address in (QUrl.fromLocalFile(str(secret)).toString(), "https://huggingface.co/", "#a-card"):
        card.anchorClicked.emit(QUrl(address))
    assert opened == ["https://huggingface.co/"]
    assert card.toPlainText().startswith("A card"), "it has not gone anywhere"


def test_the_loaded_model_is_not_deleted(run: Callable[..., None], store: Store) -> None:
    async def scene(bench: _Bench) -> None:
        await bench.found()
        path = f"/c/models--{REPO.replace('/', '--')}/snapshots/abc"
        store.publish(Lifecycle(Phase.READY, path, 1))
        bench.desk.delete(REPO)
        assert "is loaded" in bench.notices[-1].message

    run(scene)


def test_a_download_is_paused_and_goes_on(run: Callable[..., None], hub: HubServer) -> None:
    async def scene(bench: _Bench) -> None:
        await bench.found()
        hub.bytes_per_s = 1_000_000
        bench.desk.download(REPO)
        await bench.until(lambda: bench.desk.downloads[REPO].done_bytes > 300_000)
        bench.desk.pause(REPO)
        await bench.until(lambda: bench.desk.downloads[REPO].state is DownloadState.PAUSED)
        hub.bytes_per_s = None
        bench.desk.download(REPO)
        await bench.until(lambda: bench.desk.downloads[REPO].state is DownloadState.DONE)

    run(scene)


def test_what_does_not_fit_is_said_and_can_be_left_out(run: Callable[..., None], store: Store) -> None:
    host = HostSample(1, 32 << 30, 20 << 30, None, None, (0.1,))
    store.publish(HardwareSample(host))

    async def scene(bench: _Bench) -> None:
        await bench.found()
        table = bench.dialog.table
        rows = {table.model_at(row).repo: row for row in range(table.rowCount())}
        assert table.index(rows["org/Small-1T"], HubColumn.FITS).data() == "no"
        assert table.index(rows[REPO], HubColumn.FITS).data() == "yes"
        assert table.index(rows["org/Gated"], HubColumn.FITS).data() == "—"
        bench.dialog.fitting.click()
        assert table.rowCount() == 2
        assert bench.dialog._left_out.text().endswith(" 1")

    run(scene)


def test_a_token_opens_a_gated_model_and_is_kept_in_the_keyring(
    run: Callable[..., None], secrets: _Memory, quiet: Quiet, qtbot: QtBot
) -> None:
    async def scene(bench: _Bench) -> None:
        await bench.found()
        bench.choose("org/Gated")
        await bench.until(lambda: bench.desk.details is not None)
        assert "gated" in bench.dialog.details._warning.text()
        bench.desk.download("org/Gated")
        await bench.until(lambda: bench.desk.downloads["org/Gated"].state is DownloadState.FAILED)
        assert "token" in bench.notices[-1].remedy
        dialog = HubTokenDialog(bench.desk.has_token, bench.dialog)
        dialog.given.connect(bench.desk.use_token)
        dialog.show()
        assert not dialog.keep.isEnabled()
        dialog.field.setText(" hf_right ")
        qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
        await bench.until(lambda: list(secrets.kept.values()) == ["hf_right"])
        bench.desk.download("org/Gated")
        await bench.until(lambda: bench.desk.downloads["org/Gated"].state is DownloadState.DONE)
        bench.desk.use_token("")
        await bench.until(lambda: not secrets.kept)

    run(scene)


def test_an_unreachable_hub_is_said_in_place_and_tried_again(run: Callable[..., None], hub: HubServer) -> None:
    async def scene(bench: _Bench) -> None:
        await bench.found()
        hub.status = 503
        bench.dialog.text.setText("small")
        await bench.until(lambda: "503" in bench.dialog._empty._text.text())
        hub.status = None
        bench.dialog._empty.button.click()
        await bench.found()
        bench.dialog.text.setText("nothing of the kind")
        await bench.until(lambda: bench.dialog._empty._title.text() == "Nothing found")

    run(scene)
