"""An answer's Markdown as pieces to show: runs of text as rich text, and code blocks apart. Cheap while it grows."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt

from app.widgets.chat_highlight import highlighted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

    from app.theme.tokens import Theme

_TEXT_UP_TO = 2500  # characters of source in one run of text: what is rendered again when a word is added
_SAFE_LINKS = ("http://", "https://", "mailto:")


@dataclass(frozen=True, slots=True)
class Segment:
    """One piece of an answer: code (with its language, "" where none was named) or text (Markdown source)."""

    is_code: bool
    source: str
    language: str = ""


class MarkdownSplitter:
    """Cuts a growing text into segments. Only what follows the last finished block is read again."""

    def __init__(self) -> None:
        self._parser = _parser()
        self._env: dict[str, Any] = {}
        self._text = ""
        self._done_chars = 0
        self._done: list[Segment] = []

    def split(self, text: str) -> list[Segment]:
        """All segments of `text`; the first ones are equal to those of the call before, if it only grew."""
        if not text.startswith(self._text):
            self._done, self._done_chars, self._env = [], 0, {}
        self._text = text
        rest = text[self._done_chars :]
        lines = rest.splitlines(keepends=True)
        blocks = self._blocks(rest, lines)
        for segment, end_line in blocks[:-1]:
            self._done.append(segment)
            self._done_chars += sum(len(line) for line in lines[:end_line])
            lines = lines[end_line:]
        tail = [segment for segment, _ in blocks[-1:]]
        return _joined([*self._done, *tail])

    def html(self, segment: Segment, theme: Theme) -> str:
        """A text segment as rich text for a QTextDocument."""
        env = {**self._env, "theme": theme}
        return str(self._parser.render(segment.source, env))

    def _blocks(self, rest: str, lines: Sequence[str]) -> list[tuple[Segment, int]]:
        """Top-level blocks of `rest`, each with how many lines lie between the end of the one before and its own."""
        tokens = [token for token in self._parser.parse(rest, self._env) if token.level == 0 and token.map]
        blocks: list[tuple[Segment, int]] = []
        start = 0
        for index, token in enumerate(tokens):
            assert token.map is not None
            following = tokens[index + 1].map if index + 1 < len(tokens) else None
            end = following[0] if following else len(lines)
            if token.type == "fence":
                language = token.info.split()[0] if token.info.split() else ""
                blocks.append((Segment(True, token.content.rstrip("\n"), language), end - start))
            elif token.type == "code_block":
                blocks.append((Segment(True, token.content.rstrip("\n")), end - start))
            else:
                blocks.append((Segment(False, "".join(lines[start:end])), end - start))
            start = end
        return blocks


def _joined(blocks: Sequence[Segment]) -> list[Segment]:
    """Neighbouring text blocks as one, up to a size that is quick to render."""
    joined: list[Segment] = []
    for block in blocks:
        last = joined[-1] if joined else None
        if last is not None and not last.is_code and not block.is_code and len(last.source) < _TEXT_UP_TO:
            joined[-1] = Segment(False, last.source + block.source)
        else:
            joined.append(block)
    return joined


def document_style(theme: Theme, mono_family: str) -> str:
    """The style sheet of a text segment's document."""
    return (
        f"a {{ color: {theme.accent}; text-decoration: underline; }}"
        f"code, pre {{ font-family: '{mono_family}'; background-color: {theme.raised}; }}"
        f"blockquote {{ color: {theme.text_muted}; margin: 0 0 8px 12px; }}"
        f"th {{ color: {theme.text_muted}; border-bottom: 1px solid {theme.text_faint}; }}"
        f"td {{ border-bottom: 1px solid {theme.line}; }}"
        "p { margin-top: 0; margin-bottom: 8px; }"
        "ul, ol { margin-top: 0; margin-bottom: 8px; margin-left: 4px; }"
        "li { margin-bottom: 2px; }"
        "h1 { font-size: large; margin-top: 6px; margin-bottom: 6px; }"
        "h2 { font-size: large; margin-top: 6px; margin-bottom: 6px; }"
        "h3, h4, h5, h6 { font-size: medium; margin-top: 6px; margin-bottom: 4px; }"
    )


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.validateLink = _link_is_safe  # type: ignore[method-assign]
    parser.add_render_rule("image", _image)
    parser.add_render_rule("table_open", _table)
    parser.add_render_rule("th_open", _cell)
    parser.add_render_rule("td_open", _cell)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _fence)
    return parser


def _link_is_safe(url: str) -> bool:
    return url.lower().startswith(_SAFE_LINKS)


def _image(_self: RendererHTML, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: dict[str, Any]) -> str:
    """Pictures are never fetched: an answer must not be able to make this machine call somewhere."""
    token = tokens[idx]
    name = html.escape(token.content or str(token.attrGet("src") or ""))
    return f'<a href="{html.escape(str(token.attrGet("src") or ""))}">{name}</a>'


def _table(
    _self: RendererHTML, _tokens: Sequence[Token], _idx: int, _options: OptionsDict, _env: dict[str, Any]
) -> str:
    return '<table border="0" cellspacing="0" cellpadding="5" style="border-collapse: collapse; margin-bottom: 8px;">'


def _cell(_self: RendererHTML, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: dict[str, Any]) -> str:
    """Alignment as an attribute: with a style of its own, Qt gives a cell nothing of the document's style."""
    token = tokens[idx]
    side = str(token.attrGet("style") or "").removeprefix("text-align:")
    return f'<{token.tag} align="{side}">' if side in ("left", "center", "right") else f'<{token.tag} align="left">'


def _fence(_self: RendererHTML, tokens: Sequence[Token], idx: int, _options: OptionsDict, env: dict[str, Any]) -> str:
    """Code inside a list or a quotation, which stays in the text."""
    token = tokens[idx]
    language = token.info.split()[0] if token.info.split() else ""
    return f"<pre>{highlighted(token.content.rstrip(chr(10)), language, env['theme'])}</pre>"
