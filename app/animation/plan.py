"""Which part of a recording becomes an animation, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.domain.errors import ParameterInvalid

if TYPE_CHECKING:
    from pathlib import Path

SUFFIXES = (".gif", ".png", ".apng", ".webp")
FRAME_RATES = (5, 10, 15, 20, 25)
MOST_FRAMES = 6000
_MOST_WEBP_BYTES = 1 << 30  # its library wants every frame at once


@dataclass(frozen=True, slots=True)
class AnimationPlan:
    """`path` is the file, by its suffix GIF, APNG (.png, .apng) or WebP. `panel` is a key of the registry ("": the
    whole window). `begin_s` to `end_s` of the recording are shown `speed` times as fast as they were recorded.
    """

    path: Path
    panel: str = ""
    begin_s: float = 0.0
    end_s: float = 0.0
    fps: int = 10
    speed: float = 1.0

    @property
    def num_frames(self) -> int:
        """How many pictures that is."""
        return int(max(0.0, self.end_s - self.begin_s) / self.speed * self.fps + 1e-6) + 1

    @property
    def frame_ms(self) -> int:
        """How long each is shown."""
        return max(20, round(1000 / self.fps))

    def moments_ns(self, origin_ns: int) -> list[int]:
        """The recorded moment of each picture; `origin_ns` is the recording's first."""
        step = self.speed / self.fps
        return [origin_ns + int((self.begin_s + number * step) * 1e9) for number in range(self.num_frames)]

    def check(self, width: int, height: int) -> None:
        """Raise ParameterInvalid for what cannot be made at this size, with what to do about it."""
        if self.path.suffix.lower() not in SUFFIXES:
            raise ParameterInvalid(
                f"{self.path.name} is no animation: its name ends in none of {', '.join(SUFFIXES)}.",
                remedy="Name the file .gif, .png (APNG) or .webp.",
            )
        if self.end_s < self.begin_s or self.speed <= 0 or self.fps <= 0:
            raise ParameterInvalid(
                f"From {self.begin_s:g} s to {self.end_s:g} s there is nothing to show.",
                remedy="Choose an end after the beginning, and a speed and a frame rate over 0.",
            )
        if self.num_frames > MOST_FRAMES:
            raise ParameterInvalid(
                f"That would be {self.num_frames:,} pictures, and {MOST_FRAMES:,} are the most.",
                remedy="Choose a shorter stretch, a higher speed, or fewer pictures a second.",
            )
        needed = self.num_frames * width * height * 4
        if self.path.suffix.lower() == ".webp" and needed > _MOST_WEBP_BYTES:
            raise ParameterInvalid(
                f"A WebP of {self.num_frames:,} pictures, {width} x {height}, takes {needed / 2**30:.1f} GiB of RAM.",
                remedy="Choose .gif or .png, a shorter stretch, or a smaller window.",
            )
