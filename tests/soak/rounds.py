"""One round: a load, a kill at a random moment, and whether everything is as it should be afterwards."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.engine.host.hosting import command_of, tidies_up
from tests.shared_memory import OwnSegments
from tests.soak.handle import WindowFailed, WindowHandle
from tests.soak.leftovers import Leftovers
from tests.soak.machine import Identity, chat_faults, family, identity, resident, setting_faults, wait_until
from tests.soak.report import Result
from tests.soak.traffic import Traffic, ask_once

if TYPE_CHECKING:
    from collections.abc import Mapping

TARGETS = ("window", "host", "EngineCore", "Worker")
MOMENTS = ("loading", "serving")
TOLD_S = 1.0
_GONE_S = 5.0  # of a process that is killed while it holds gigabytes; the death itself is told earlier
_LOAD_S = 240.0
_BROKEN = ("crashed", "failed", "offline")


class Soak:
    """Rounds one after another over the same chats and settings. `worker` is the process that computes; `alone`: no
    other engine comes or goes on this machine, so that all shared memory that is new is this soak's."""

    def __init__(
        self,
        home: Path,
        temporary: Path,
        checkpoint: Path,
        parameters: Mapping[str, object],
        clients: int,
        targets: tuple[str, ...],
        *,
        worker: str = "Worker",
        alone: bool = True,
        busy_machine: bool = False,
        moment: str | None = None,
    ) -> None:
        self._home = home
        self._checkpoint = str(checkpoint)
        self._parameters = parameters
        self._clients = clients
        self._targets = targets
        self._moment = moment
        self._window: WindowHandle | None = None
        self._saved: dict[str, str] = {}
        self._setting = 0
        self._load_s = 8.0
        home.mkdir(parents=True, exist_ok=True)
        self._told_s = 4 * TOLD_S if busy_machine else TOLD_S
        self._worker = worker
        own = None if alone else OwnSegments(lambda: None if self._window is None else self._window.process.pid)
        self._leftovers = Leftovers(home, temporary, own)
        if busy_machine:
            threading.Thread(target=self._weigh, daemon=True).start()

    def round(self, number: int, seed: int) -> Result:
        """Carry one out; never raises for what it finds."""
        chance = random.Random(f"{seed}-{number}")
        target = chance.choice(self._targets)
        by_chance = "loading" if chance.random() < 0.3 else "serving"
        moment = self._moment or by_chance
        result, began = Result(number, seed, target, moment), time.monotonic()
        try:
            window = self._ready_window(loaded=moment == "serving")
            result.ready_s = time.monotonic() - began
            self._act(window, result, chance)
        except (WindowFailed, OSError, ValueError, KeyError) as error:
            result.faults.append(f"{type(error).__name__}: {error}")
            self.give_up()
        result.round_s = time.monotonic() - began
        return result

    def close(self) -> list[str]:
        """End the last window as a user would; what is left then."""
        window, self._window = self._window, None
        if window is None:
            return []
        everything = window.everything()
        faults = [] if window.close() == 0 else ["the window did not end by itself"]
        if wait_until(lambda: not any(each.alive for each in everything), _GONE_S) is None:
            faults.append(f"left running: {[each.pid for each in everything if each.alive]}")
        self._await_no_files((), faults)
        return faults

    def _ready_window(self, *, loaded: bool) -> WindowHandle:
        window = self._window
        if window is None or not window.alive:
            window = self._window = WindowHandle(self._home, self._parameters)
        if loaded and window.lifecycle.get("phase") != "ready":
            self._load(window)
        return window

    def _load(self, window: WindowHandle) -> None:
        mark, began = window.mark(), time.monotonic()
        window.tell("load", checkpoint=self._checkpoint)
        event = window.wait_for(_ends_load, _LOAD_S, "the end of a load", mark)
        if event.get("phase") != "ready":
            raise WindowFailed(f"the load ended as {event}")
        self._load_s = time.monotonic() - began

    def _weigh(self) -> None:
        """On a machine that others keep busy, a load that makes way for everybody would take minutes."""
        while True:
            time.sleep(0.3)
            window = self._window
            if window is not None and window.host_pid:
                with contextlib.suppress(OSError):
                    Path(f"/proc/{window.host_pid}/autogroup").write_text("0")

    def _act(self, window: WindowHandle, result: Result, chance: random.Random) -> None:
        traffic, begun = None, window.mark()
        if result.moment == "serving":
            url, token = window.address()
            traffic = Traffic(url, token, os.path.basename(self._checkpoint), self._clients)  # noqa: PTH119
            result.clients = traffic.count
            traffic.start()
            window.tell("work")
            result.delay_s = chance.uniform(0.3, 4.0)
        else:
            window.tell("load", checkpoint=self._checkpoint)
            result.delay_s = chance.uniform(0.0, self._load_s)
        time.sleep(result.delay_s)
        victim = self._find(window, result.target, begun)
        before = window.everything()
        doomed = self._doomed(window, result.target, victim, before)
        on_gpu = self._leftovers.gpu_pids(doomed)
        self._leftovers.look()
        mark, killed = window.mark(), time.monotonic()
        os.kill(victim.pid, signal.SIGKILL)
        self._await_told(window, result, doomed, mark, killed)
        self._await_gone(result, doomed, killed)
        if traffic is not None:
            self._end_traffic(window, traffic, result)
        self._await_gpu(result, on_gpu)
        self._look_at_files(window, result)
        self._look_at_next_load(result)

    def _find(self, window: WindowHandle, target: str, begun: int) -> Identity:
        """The process to kill; during a load it may take a while to be there. `begun`: what the window said since then
        is of this load."""
        found: Identity | None = None

        def there() -> bool:
            nonlocal found
            pid = window.process.pid if target == "window" else window.host_pid if target == "host" else None
            if pid is None:
                wanted = self._worker if target == "Worker" else target
                pid = next((pid for name, pid in _named(window.host_pid) if name.startswith(wanted)), None)
            found = identity(pid) if pid is not None else None
            return found is not None or window.has_said(_ends_badly, begun)

        wait_until(there, 120.0)
        if found is None:
            raise WindowFailed(f"there is no {target} to kill: {window.lifecycle}; {window.error or 'no error'}")
        return found

    @staticmethod
    def _doomed(
        window: WindowHandle, target: str, victim: Identity, before: tuple[Identity, ...]
    ) -> tuple[Identity, ...]:
        """What must be gone afterwards: the window takes all with it, the host its engine, an engine itself."""
        if target == "window":
            return before
        host = window.host_pid
        engine = tuple(each for each in family(host) if not tidies_up(each.pid)) if host else ()
        return (victim, *engine)

    def _await_told(
        self, window: WindowHandle, result: Result, doomed: tuple[Identity, ...], mark: int, killed: float
    ) -> None:
        if result.target == "window":
            host = window.host_pid
            known = [each for each in doomed if each.pid == host]
            result.told_s = wait_until(lambda: not any(each.alive for each in known), 10.0, 0.002)
        else:
            event = window.wait_phase(*_BROKEN, timeout_s=30.0, after=mark)
            result.told_s = event["at_s"] - killed
            result.failure = event["failure"]
        if result.told_s is None or result.told_s > self._told_s:
            result.faults.append(f"told after {result.told_s} s")

    def _await_gone(self, result: Result, doomed: tuple[Identity, ...], killed: float) -> None:
        if wait_until(lambda: not any(each.alive for each in doomed), _GONE_S + 10.0) is None:
            left = [f"{each.pid} {command_of(each.pid)[:60]}" for each in doomed if each.alive]
            result.faults.append(f"still running: {left}")
        result.gone_s = time.monotonic() - killed
        if result.gone_s > _GONE_S:
            result.faults.append(f"gone after {result.gone_s:.1f} s")

    @staticmethod
    def _end_traffic(window: WindowHandle, traffic: Traffic, result: Result) -> None:
        if window.alive:
            window.tell("rest")
        hanging = traffic.stop(10.0)
        if hanging or traffic.count.silent:
            result.faults.append(f"{hanging + traffic.count.silent} clients never got an end of their answer")

    def _look_at_files(self, window: WindowHandle, result: Result) -> None:
        if result.target == "window":
            window.reap()
            self._await_no_files((), result.faults)
        self._saved |= window.saved
        self._setting = max(self._setting, window.setting)
        result.saved = len(window.saved)
        result.faults += chat_faults(self._home / "data" / "chats.sqlite", self._saved)
        result.faults += setting_faults(self._home / "config" / "window.ini", self._setting)

    def _look_at_next_load(self, result: Result) -> None:
        """An engine that was serving comes back by itself; everything else by a click on Load."""
        window = self._window
        assert window is not None
        began = time.monotonic()
        window = self._ready_window(loaded=False)
        phase = window.lifecycle["phase"]
        if phase not in ("ready", "loading"):
            # The host needs a moment to say that it restarts the engine by itself.
            wait_until(lambda: window.lifecycle["phase"] in ("ready", "loading"), 3.0)
        if window.lifecycle["phase"] == "loading":
            window.wait_phase("ready", *_BROKEN, timeout_s=_LOAD_S, after=window.mark() - 1)
        if window.lifecycle["phase"] != "ready":
            self._load(window)
        result.load_s = time.monotonic() - began
        url, token = window.address()
        ask_once(url, token, os.path.basename(self._checkpoint))  # noqa: PTH119
        result.window_bytes, result.host_bytes = resident(window.process.pid), resident(window.host_pid)
        self._await_no_files(window.everything(), result.faults)

    def _await_no_files(self, alive: tuple[Identity, ...], faults: list[str]) -> None:
        """Python's resource tracker and the dying processes themselves remove some a moment later. What others make
        in this moment is not seen twice."""
        left = set(self._leftovers.files(alive))

        def none() -> bool:
            left.intersection_update(self._leftovers.files(alive))
            return not left

        if left and wait_until(none, 5.0, 0.1) is None:
            faults.append(f"left behind: {sorted(left)}")

    def _await_gpu(self, result: Result, pids: frozenset[int]) -> None:
        """By process: others use the same GPUs, and an engine that died alone is being restarted by now."""
        wait_until(lambda: not self._leftovers.gpu_left(pids), 5.0, 0.1)
        result.gpu_left_bytes = self._leftovers.gpu_left(pids)
        if result.gpu_left_bytes:
            result.faults.append(f"{result.gpu_left_bytes} bytes of GPU memory were not given back")

    def give_up(self) -> None:
        """Kill the window, and see that nothing stays of what it had started."""
        window, self._window = self._window, None
        if window is not None:
            self._saved |= window.saved
            everything = window.everything()
            window.process.kill()
            window.reap()
            if wait_until(lambda: not any(each.alive for each in everything), _GONE_S) is None:
                for each in everything:
                    if each.alive and not tidies_up(each.pid):
                        os.kill(each.pid, signal.SIGKILL)


def _ends_load(event: dict[str, Any]) -> bool:
    return event.get("phase") in ("ready", *_BROKEN) or event.get("level") == "error"


def _ends_badly(event: dict[str, Any]) -> bool:
    return event.get("phase") in _BROKEN or event.get("level") == "error"


def _named(host: int | None) -> list[tuple[str, int]]:
    """The host's engine processes by the name that vLLM gives them."""
    if host is None:
        return []
    found = ((command_of(each.pid).removeprefix("VLLM::"), each.pid) for each in family(host))
    return [(name, pid) for name, pid in found]
