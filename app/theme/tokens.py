"""The two themes as data: every colour that the window draws, named for what it means."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours as "#rrggbb". Text of every kind has a contrast of at least 4.5:1 on every ground that it can stand on.

    `line` parts what belongs to one another and is decoration; `control` is the edge of a field, 3:1 on every ground.
    `memory_*` are the five hues of every VRAM bar and history; `request_*` is the cycle for per-request colours;
    `series` the cycle for charts (Okabe and Ito's, adjusted to the background).
    """

    name: str
    is_dark: bool
    window: str
    surface: str
    raised: str
    line: str
    control: str
    text: str
    text_muted: str
    text_faint: str
    accent: str
    accent_text: str
    accent_soft: str
    good: str
    warning: str
    error: str
    edited: str
    selection: str
    block_free: str
    block_cached: str
    block_used: str
    block_shared: str
    block_null: str
    block_elsewhere: str
    memory_weights: str
    memory_kv_cache: str
    memory_rest: str
    memory_others: str
    memory_free: str
    prefill: str
    decode: str
    series: tuple[str, ...]


DARK = Theme(
    name="dark", is_dark=True,
    window="#14171c", surface="#1a1e25", raised="#232933", line="#2e3540", control="#6d7886",
    text="#e6eaf0", text_muted="#adb7c3", text_faint="#95a2b1",
    accent="#62acff", accent_text="#0b1220", accent_soft="#1d314d",
    good="#4cc38a", warning="#e8a33d", error="#ff8279", edited="#382d11", selection="#213859",
    block_free="#20262f", block_cached="#355070", block_used="#56b4e9", block_shared="#ffd166", block_null="#0d0f13",
    block_elsewhere="#45403c",
    memory_weights="#0f9d7a", memory_kv_cache="#56b4e9", memory_rest="#cc79a7", memory_others="#7d8794",
    memory_free="#20262f", prefill="#e69f00", decode="#56b4e9",
    series=("#56b4e9", "#e69f00", "#2fbf8f", "#cc79a7", "#f0e442", "#d55e00", "#8fa8ff"),
)

LIGHT = Theme(
    name="light", is_dark=False,
    window="#f3f5f8", surface="#ffffff", raised="#eef1f5", line="#d5dbe3", control="#7d8794",
    text="#1b212a", text_muted="#4b5766", text_faint="#566270",
    accent="#0b5fc0", accent_text="#ffffff", accent_soft="#dbe9fb",
    good="#0f6b3f", warning="#855400", error="#b8261d", edited="#fdf0c8", selection="#d6e6fb",
    block_free="#e8ecf1", block_cached="#b3cbe4", block_used="#2f7fc1", block_shared="#a3500a", block_null="#c3cad3",
    block_elsewhere="#d9cdbf",
    memory_weights="#0a7d61", memory_kv_cache="#2f7fc1", memory_rest="#a84f80", memory_others="#8b95a1",
    memory_free="#e8ecf1", prefill="#b36f00", decode="#2f7fc1",
    series=("#0072b2", "#b36f00", "#0a7d61", "#a84f80", "#7a6f00", "#c24e00", "#4a5fd0"),
)
