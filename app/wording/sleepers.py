"""What the engine says about engines that wait."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

SLEEPERS: tuple[object, ...] = (
    QT_TRANSLATE_NOOP("Engine", "{name} was ended as asked."),
    QT_TRANSLATE_NOOP("Engine", "{name} was ended: it is loaded anew."),
    QT_TRANSLATE_NOOP("Engine", "{name} was ended: its memory was needed."),
    QT_TRANSLATE_NOOP("Engine", "{name} was ended: at most {limit} may wait, and it was used least."),
    QT_TRANSLATE_NOOP("Engine", "{most} at once"),
    QT_TRANSLATE_NOOP("Engine", "{size} GiB together"),
    QT_TRANSLATE_NOOP("Engine", "{name} could not be put to sleep: {reason}"),
    QT_TRANSLATE_NOOP("Engine", "{name} did not wake: {reason}"),
    QT_TRANSLATE_NOOP("Engine", "{name} died while it waited: {reason}"),
    QT_TRANSLATE_NOOP("Engine", "It did not fall asleep within {seconds} s."),
    QT_TRANSLATE_NOOP("Engine", "It did not wake within {seconds} s."),
    QT_TRANSLATE_NOOP("Engine", "It woke, and did not answer within {seconds} s."),
    QT_TRANSLATE_NOOP("Engine", "It woke, and could not answer: {reason}"),
    QT_TRANSLATE_NOOP("Engine", "It says that it is still asleep."),
    QT_TRANSLATE_NOOP("Engine", "It was loaded without sleep mode."),
    QT_TRANSLATE_NOOP("Engine", "{name} does not wait."),
    QT_TRANSLATE_NOOP("Engine", "{name} is gone."),
    QT_TRANSLATE_NOOP("Engine", "Load it."),
    QT_TRANSLATE_NOOP("Engine", "This engine was loaded without sleep mode."),
    QT_TRANSLATE_NOOP("Engine", "Load it with enable_sleep_mode on."),
    QT_TRANSLATE_NOOP("Engine", "End the models that wait"),
    QT_TRANSLATE_NOOP("Engine", "Models that wait hold {size}."),
    QT_TRANSLATE_NOOP("Engine", "End them to have it back."),
    QT_TRANSLATE_NOOP(
        "Engine",
        "Since its sleep this engine answers the same prompt otherwise than before. Load it anew if its answers look "
        "wrong.",
    ),
)
