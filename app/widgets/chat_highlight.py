"""Source code in the theme's colours, by Pygments."""

from __future__ import annotations

import html
from functools import lru_cache
from typing import TYPE_CHECKING

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Error, Generic, Keyword, Name, Number, Operator, Punctuation, String, Token
from pygments.util import ClassNotFound

from app.theme.stylesheet import mixed

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

    from app.theme.tokens import Theme

_LONGEST = 60_000  # characters; a longer block is shown plain, which nobody reads for its colours


def highlighted(source: str, language: str, theme: Theme) -> str:
    """`source` as HTML with line breaks kept (for a <pre>), coloured where the language is known."""
    lexer = _lexer(language)
    if lexer is None or len(source) > _LONGEST:
        return html.escape(source)
    pieces = []
    for kind, text in lexer.get_tokens(source):
        colour = _colour(kind, theme)
        escaped = html.escape(text)
        pieces.append(escaped if colour is None else f'<span style="color:{colour}">{escaped}</span>')
    return "".join(pieces).rstrip("\n")


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False) if language else None
    except ClassNotFound:
        return None


@lru_cache(maxsize=512)
def _colour(kind: _TokenType, theme: Theme) -> str | None:
    """The colour of a kind of token; the closest ancestor that has one counts."""
    calm = mixed(theme.text, theme.accent, 0.45)
    colours: dict[_TokenType, str] = {
        Comment: theme.text_faint,
        Keyword: theme.accent,
        Operator.Word: theme.accent,
        Name.Tag: theme.accent,
        Name.Builtin: calm,
        Name.Function: calm,
        Name.Class: calm,
        Name.Decorator: theme.warning,
        Name.Attribute: calm,
        String: theme.good,
        Number: theme.warning,
        Keyword.Constant: theme.warning,
        Generic.Deleted: theme.error,
        Generic.Inserted: theme.good,
        Generic.Heading: theme.accent,
        Error: theme.text,
        Operator: theme.text_muted,
        Punctuation: theme.text_muted,
    }
    step: _TokenType | None = kind
    while step is not None and step is not Token:
        if step in colours:
            return colours[step]
        step = step.parent
    return None
