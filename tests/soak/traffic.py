"""The load of a soak: HTTP clients as any user's program would be, each of which must get an end to every request."""

from __future__ import annotations

import http.client
import json
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

_SILENCE_S = 30.0


@dataclass(slots=True)
class Count:
    """What the clients have seen. `broken`: connections that ended without an answer, as a killed host leaves them."""

    answered: int = 0
    refused: int = 0
    broken: int = 0
    silent: int = 0
    first_refusal: str = ""


class Traffic:
    """`clients` threads that stream completions from one host until told to stop."""

    def __init__(self, url: str, token: str, model: str, clients: int) -> None:
        self.count = Count()
        self._url = urlsplit(url)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._model = model
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._ask_on, args=(each,), daemon=True) for each in range(clients)]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def stop(self, timeout_s: float) -> int:
        """End; returns how many clients still wait for an answer after `timeout_s`."""
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout_s)
        return sum(thread.is_alive() for thread in self._threads)

    def _ask_on(self, number: int) -> None:
        asked = 0
        while not self._stop.is_set():
            asked += 1
            prompt = f"Client {number}, question {asked}: " + "tell me more. " * (1 + number * 7 % 40)
            try:
                status, said = self._ask({"prompt": prompt, "max_tokens": 16 + number * 16, "ignore_eos": True})
            except TimeoutError:
                self.count.silent += 1
            except (OSError, http.client.HTTPException):
                self.count.broken += 1
            else:
                if status == 200:
                    self.count.answered += 1
                    continue
                self.count.refused += 1
                self.count.first_refusal = self.count.first_refusal or f"{status} {said[:200]!r}"
            self._stop.wait(0.1)

    def _ask(self, body: Mapping[str, object]) -> tuple[int, bytes]:
        """One streamed completion, read to its end: its HTTP status (503 where it ended with an error) and its end."""
        connection = http.client.HTTPConnection(self._url.hostname or "", self._url.port, timeout=_SILENCE_S)
        try:
            whole = json.dumps({"model": self._model, "stream": True, **body})
            connection.request("POST", "/v1/completions", whole, self._headers)
            response = connection.getresponse()
            answer = response.read()
        finally:
            connection.close()
        failed = response.status == 200 and b'data: {"error"' in answer
        return 503 if failed else response.status, answer[-200:]


def ask_once(url: str, token: str, model: str) -> str:
    """One short answer; raises OSError or ValueError where there is none."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_SILENCE_S)
    try:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        body = {"model": model, "prompt": "Once upon a time", "max_tokens": 4, "ignore_eos": True}
        connection.request("POST", "/v1/completions", json.dumps(body), headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
    finally:
        connection.close()
    if response.status != 200:
        raise ValueError(f"{response.status}: {answer}")
    return str(answer["choices"][0]["text"])
