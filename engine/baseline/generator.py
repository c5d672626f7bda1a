"""`model.generate`, one token at a time to whoever waits for it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, StoppingCriteria, StoppingCriteriaList
from transformers.generation.streamers import BaseStreamer

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable


class Generator:
    """A checkpoint as transformers loads it: in its own number format, on the GPU where there is one."""

    def __init__(self, checkpoint: str) -> None:
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        if self.device == "cpu":
            torch.set_num_threads(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1)
        self.tokenizer: Any = AutoTokenizer.from_pretrained(checkpoint, local_files_only=True)
        model: Any = AutoModelForCausalLM.from_pretrained(checkpoint, dtype="auto", local_files_only=True)
        self._model = model.to(self.device).eval()

    @property
    def weights_bytes(self) -> int:
        """What parameters and buffers take; shared ones once."""
        return int(self._model.get_memory_footprint())

    @property
    def gpu_bytes(self) -> int | None:
        """What torch has reserved on the GPU; None without one."""
        return int(torch.cuda.memory_reserved()) if self.device == "cuda" else None

    def prompt_of(self, body: dict[str, Any]) -> list[int]:
        """The token ids of a request of either route. Raises KeyError, TypeError, ValueError."""
        if "messages" in body:
            text = self.tokenizer.apply_chat_template(body["messages"], add_generation_prompt=True, tokenize=False)
            return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])
        prompt = body["prompt"]
        if isinstance(prompt, list):
            return [int(token) for token in prompt]
        return list(self.tokenizer(prompt)["input_ids"])

    def generate(
        self, prompt: list[int], body: dict[str, Any], on_text: Callable[[str], None], stop: threading.Event
    ) -> tuple[int, str]:
        """Generate to the end; `on_text` is told of each token from this thread. Returns their number and the reason.

        `stop` ends it after the present token.
        """
        limit = int(body.get("max_tokens") or body.get("max_completion_tokens") or 16)
        temperature = body.get("temperature")
        sampled = temperature is None or float(temperature) > 0
        options: dict[str, Any] = {"do_sample": sampled}
        if sampled and temperature is not None:
            options["temperature"] = float(temperature)
        if body.get("ignore_eos"):
            options["min_new_tokens"] = limit
        streamer = _Pieces(self.tokenizer, on_text)
        ids = torch.tensor([prompt], device=self.device)
        with torch.inference_mode():
            self._model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=limit,
                streamer=streamer,
                stopping_criteria=StoppingCriteriaList([_Stopped(stop)]),
                pad_token_id=self.tokenizer.pad_token_id or self.tokenizer.eos_token_id,
                **options,
            )
        return streamer.count, "length" if streamer.count >= limit else "stop"


class _Pieces(BaseStreamer):  # type: ignore[misc]
    """Tells each token's text as it is generated; the first call brings the prompt back and is passed over."""

    def __init__(self, tokenizer: Any, on_text: Callable[[str], None]) -> None:
        self._tokenizer = tokenizer
        self._on_text = on_text
        self._tokens: list[int] = []
        self._told = 0
        self._prompt_seen = False
        self.count = 0

    def put(self, value: Any) -> None:
        """One more token."""
        if not self._prompt_seen:
            self._prompt_seen = True
            return
        self._tokens += value.flatten().tolist()
        self.count = len(self._tokens)
        text = self._tokenizer.decode(self._tokens, skip_special_tokens=True)
        whole = text.removesuffix("\ufffd")  # half a letter is told with its other half
        self._on_text(whole[self._told :])
        self._told = len(whole)

    def end(self) -> None:
        """Nothing is held back."""


class _Stopped(StoppingCriteria):  # type: ignore[misc]
    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop

    def __call__(self, input_ids: Any, scores: Any, **_more: Any) -> Any:  # noqa: ARG002 - transformers' own names
        return torch.full((input_ids.shape[0],), self._stop.is_set(), dtype=torch.bool, device=input_ids.device)
