"""One question in the chat pane, typed and sent; its answer and its figures as the pane shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.tour.robot import StepFailed
from app.widgets.chat_message import MessageCard
from engine.chat.transcript import Message, MessageState

if TYPE_CHECKING:
    from app.tour.scene import Scene

QUESTION = "What is the capital of France? Answer in one sentence."
_ANSWER_S = 120.0


async def begin_anew(scene: Scene) -> None:
    """A new chat, empty."""
    await scene.robot.click("chatNew")
    await scene.robot.until(lambda: not _answers(scene), 10, "the new chat is empty")


async def ask(scene: Scene, question: str = QUESTION) -> Message:
    """Type the question, click Send, wait for the whole answer. Raises StepFailed where there is none."""
    answered = len(_answers(scene))
    await scene.robot.type_text("chatInput", question)
    await scene.robot.click("chatSend")

    def has_answer() -> bool:
        answers = _answers(scene)
        return len(answers) > answered and answers[-1].state is not MessageState.STREAMING

    await scene.robot.until(has_answer, _ANSWER_S, "the chat's answer")
    answer = _answers(scene)[-1]
    if answer.state is not MessageState.COMPLETE:
        raise StepFailed(f"The answer ended as {answer.state}: {answer.error}")
    if not answer.content.strip() or not answer.figures.completion_tokens:
        raise StepFailed("The answer is empty.")
    if answer.figures.ttft_s is None or answer.figures.approximate:
        raise StepFailed(f"The answer's figures are not whole: {answer.figures}")
    return answer


def _answers(scene: Scene) -> list[Message]:
    cards = scene.window.findChildren(QWidget, "chatAnswer")
    return [card.message for card in cards if isinstance(card, MessageCard) and card.isVisible()]
