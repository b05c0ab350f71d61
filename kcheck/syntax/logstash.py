"""Logstash's pipelines: the plugins of ``input`` and ``output`` with their settings and places.

A plugin is a name and a block of ``name => value``; it may stand behind conditions. Of values only
texts, numbers, bare words and lists of them are of interest; hashes and codecs are read over.
"""

from __future__ import annotations

import re

#: (line, column, end line, end column), from 1, ends exclusive.
Place = tuple[int, int, int, int]

_TOKEN = re.compile(
    r"""(?P<skip>\s+|\#[^\n]*)
      | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
      | (?P<match>(?:=~|!~)\s*(?:/(?:\\.|[^/\\\n])*/)?)
      | (?P<mark>=>|[{}\[\](),])
      | (?P<word>[^\s{}\[\](),"'\#=]+|=+)""",
    re.VERBOSE | re.DOTALL,
)
_SECTIONS = ("input", "filter", "output")


class Option:
    """One setting of a plugin. ``text`` is None for what is no plain value or list of them.

    ``at`` is where the value stands, without its quotes; ``plain`` tells one value from a list.
    """

    __slots__ = ("at", "name", "name_at", "plain", "text")

    def __init__(self, name: str, name_at: Place, text: str | None, at: Place, plain: bool) -> None:
        self.name = name
        self.name_at = name_at
        self.text = text
        self.at = at
        self.plain = plain


class Plugin:
    """A plugin's block in a section (``input``, ``filter``, ``output``)."""

    __slots__ = ("at", "name", "options", "section")

    def __init__(self, section: str, name: str, at: Place) -> None:
        self.section = section
        self.name = name
        self.at = at
        self.options: list[Option] = []


class _Token:
    __slots__ = ("at", "kind", "text")

    def __init__(self, kind: str, text: str, at: Place) -> None:
        self.kind = kind
        self.text = text
        self.at = at


def plugins(text: str, name: str) -> list[Plugin]:
    """The plugins of that name in a pipeline; none where the text is no pipeline."""
    tokens = _tokens(text)
    found: list[Plugin] = []
    section, depth, at = "", 0, 0
    while at < len(tokens):
        token = tokens[at]
        opens = at + 1 < len(tokens) and tokens[at + 1].text == "{" and token.kind == "word"
        if depth == 0 and opens:
            if token.text not in _SECTIONS:
                return []
            section, depth, at = token.text, 1, at + 2
            continue
        if opens and token.text == name and depth:
            plugin = Plugin(section, name, token.at)
            at = _block(tokens, at + 2, plugin)
            found.append(plugin)
            continue
        if token.kind == "mark":
            depth += (token.text == "{") - (token.text == "}")
        at += 1
    return found


def fault(text: str) -> tuple[str, Place] | None:
    """(what is wrong, where) of a pipeline with a brace or quote that has no counterpart."""
    tokens = _tokens(text)
    last = tokens[-1].at if tokens else (1, 1, 1, 1)
    open_: list[_Token] = []
    for token in tokens:
        if token.kind != "mark" or token.text not in "{}":
            continue
        if token.text == "{":
            open_.append(token)
        elif open_:
            open_.pop()
        else:
            return "this } closes nothing", token.at
    rest = _rest(text, last)
    quote = rest.lstrip()[:1]
    if quote in ('"', "'"):
        line = last[2] + rest[: rest.index(quote)].count("\n")
        return f"the quote {quote} is not closed", (line, 1, line, 1)
    return ("this { is not closed", open_[-1].at) if open_ else None


def _rest(text: str, last: Place) -> str:
    """What follows the last token."""
    lines = text.split("\n")[last[2] - 1 :]
    return "\n".join([lines[0][last[3] - 1 :], *lines[1:]])


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    line, start, at = 1, 0, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:  # a quote that is never closed
            break
        kind, word = match.lastgroup or "", match.group()
        column = at - start + 1
        lines = word.count("\n")
        if lines:
            after = at + word.rindex("\n") + 1
            end = (line + lines, match.end() - after + 1)
        else:
            after, end = start, (line, column + len(word))
        if kind != "skip":
            found.append(_Token(kind, word, (line, column, *end)))
        line, start, at = line + lines, after, match.end()
    return found


def _block(tokens: list[_Token], at: int, plugin: Plugin) -> int:
    """Read a plugin's settings; the number of the token behind its block."""
    while at < len(tokens) and tokens[at].text != "}":
        name = tokens[at]
        if at + 2 >= len(tokens) or tokens[at + 1].text != "=>":
            at += 1
            continue
        value = tokens[at + 2]
        after, text, place, plain = at + 3, None, value.at, True
        if value.text == "[":
            after, text = _list(tokens, at + 3)
            plain = False
        elif value.text == "{" or (after < len(tokens) and tokens[after].text == "{"):
            after = _over(tokens, at + 2)
        elif value.kind in ("text", "word"):
            text, place = _plain(value)
        plugin.options.append(Option(_plain(name)[0], name.at, text, place, plain))
        at = after
    return at + 1


def _plain(token: _Token) -> tuple[str, Place]:
    """A value's text and its place, both without quotes."""
    line, column, end_line, end_column = token.at
    if token.kind != "text":
        return token.text, token.at
    return token.text[1:-1], (line, column + 1, end_line, end_column - 1)


def _list(tokens: list[_Token], at: int) -> tuple[int, str | None]:
    """A list of plain values, joined by commas, and the number of the token behind it."""
    parts: list[str] | None = []
    while at < len(tokens) and tokens[at].text != "]":
        token = tokens[at]
        if token.kind in ("text", "word") and parts is not None:
            parts.append(_plain(token)[0])
        elif token.text != ",":
            parts = None
        at += 1
    return at + 1, None if parts is None else ",".join(parts)


def _over(tokens: list[_Token], at: int) -> int:
    """The number of the token behind the block that begins there, or right after."""
    depth = 0
    while at < len(tokens):
        depth += (tokens[at].text == "{") - (tokens[at].text == "}")
        at += 1
        if depth == 0 and tokens[at - 1].text == "}":
            break
    return at
