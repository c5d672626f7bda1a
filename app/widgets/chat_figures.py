"""The figures under an answer, each with its definition on hover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QWidget

from app.widgets.figures import UNKNOWN, count, duration, significant
from app.widgets.flow_layout import FlowLayout
from app.widgets.labels import role_label

if TYPE_CHECKING:
    from engine.chat.transcript import Figures

_KEYS = ("generated", "rate", "ttft", "prompt", "cached")


class AnswerFigures(QWidget):
    """One line (or two, where it is narrow): generated · tokens/s · TTFT · prompt · cached."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        flow = FlowLayout(self, spacing=8)
        self._labels: dict[str, QLabel] = {}
        for key in _KEYS:
            label = role_label("", "caption")
            label.setToolTip(self._definition(key))
            label.setProperty("figure", key)
            flow.addWidget(label)
            self._labels[key] = label

    def show_figures(self, figures: Figures) -> None:
        """Show what is known; what is not is "—"."""
        about = "≈" if figures.approximate else ""
        rate = None if figures.tokens_per_s is None else f"{about}{significant(figures.tokens_per_s)}"
        generated = None if figures.completion_tokens is None else f"{about}{count(figures.completion_tokens)}"
        texts = {
            "generated": self.tr("{} tok").format(generated or UNKNOWN),
            "rate": self.tr("{} tok/s").format(rate or UNKNOWN),
            "ttft": self.tr("TTFT {}").format(duration(figures.ttft_s)),
            "prompt": self.tr("prompt {}").format(count(figures.prompt_tokens)),
            "cached": self.tr("cached {}").format(count(figures.cached_tokens)),
        }
        for key, text in texts.items():
            if self._labels[key].text() != text:
                self._labels[key].setText(text)
        self.setAccessibleName(" · ".join(texts.values()))

    def _definition(self, key: str) -> str:
        return {
            "generated": self.tr(
                "Tokens that the model generated for this answer, as the engine counts them. A ≈ marks a count of the "
                "pieces received, for an answer that ended before the engine reported."
            ),
            "rate": self.tr(
                "Tokens per second after the first token: (generated − 1) / (last token − first token). The wait for "
                "the first token is TTFT and not part of this."
            ),
            "ttft": self.tr(
                "Time to first token: from the moment the message was sent until the first token arrived here. "
                "Queueing and reading the prompt are in it."
            ),
            "prompt": self.tr(
                "Tokens of the whole prompt: system prompt, all earlier messages of this version and the chat template."
            ),
            "cached": self.tr(
                "Prompt tokens that came from the prefix cache and were not computed again. Only whole blocks are "
                "reused, so a short prompt has none."
            ),
        }[key]
