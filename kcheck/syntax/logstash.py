"""Logstash's pipelines: ``input { kafka { topics => ["a"] } }`` → plugins with their settings.

Conditions are gone through, and filters passed over. What cannot be read ends the reading: the
plugins before it are there.
"""

from __future__ import annotations

import re

from kcheck.syntax.entry import Position

_TOKEN = re.compile(
    r"(?P<space>\s+|\#[^\n]*)|\"(?P<double>(?:\\.|[^\"\\])*)\"|'(?P<single>(?:\\.|[^'\\])*)'"
    r"|(?P<mark>=>|[{}\[\](),])|(?P<word>[^\s{}\[\](),\"'#=]+|=[^>])",
    re.DOTALL,
)
_DEEPEST = 50


class Text:
    """A word or a text and its place: inside of its quotes, if it has some."""

    __slots__ = ("at", "mark", "quoted", "text")

    def __init__(self, text: str, at: Position, mark: bool, quoted: bool) -> None:
        self.text = text
        self.at = at
        self.mark = mark
        self.quoted = quoted


class Option:
    """``name => value``: the texts of the value, in a list or alone; none where it is a mapping."""

    __slots__ = ("listed", "name", "values")

    def __init__(self, name: Text, values: list[Text], listed: bool) -> None:
        self.name = name
        self.values = values
        self.listed = listed


class Plugin:
    """``name { … }`` in a section: ``input``, ``filter`` or ``output``."""

    __slots__ = ("name", "options", "section")

    def __init__(self, section: str, name: Text) -> None:
        self.section = section
        self.name = name
        self.options: list[Option] = []


def plugins(text: str) -> list[Plugin]:
    """All plugins of a pipeline in their order."""
    reader = _Reader(text)
    try:
        reader.sections()
    except (IndexError, RecursionError):
        pass  # the text ends too early
    return reader.found


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.at = 0
        self.found: list[Plugin] = []

    def next(self) -> Text:
        self.at += 1
        return self.tokens[self.at - 1]

    def here(self, mark: str) -> bool:
        token = self.tokens[self.at]
        return token.mark and token.text == mark

    def sections(self) -> None:
        while self.at < len(self.tokens):
            name = self.next()
            if not name.mark and self.here("{"):
                self.next()
                self.body(name.text, 0)

    def body(self, section: str, depth: int) -> None:
        """Plugins and conditions up to the closing brace."""
        if depth > _DEEPEST:
            raise RecursionError
        while not self.here("}"):
            name = self.next()
            if name.text in ("if", "else") and not name.quoted:
                while not self.here("{"):
                    self.next()
                self.next()
                self.body(section, depth + 1)
            elif not name.mark and self.here("{"):
                self.next()
                self.plugin(section, name)
        self.next()

    def plugin(self, section: str, name: Text) -> None:
        plugin = Plugin(section, name)
        self.found.append(plugin)
        while not self.here("}"):
            option = self.next()
            if option.mark or not self.here("=>"):
                continue
            self.next()
            plugin.options.append(self.option(option))
        self.next()

    def option(self, name: Text) -> Option:
        if self.here("{"):
            self.skip()
            return Option(name, [], False)
        if not self.here("["):
            value = self.next()
            if self.here("{"):  # a codec with settings of its own
                self.skip()
            return Option(name, [value], False)
        self.next()
        values: list[Text] = []
        while not self.here("]"):
            token = self.next()
            if not token.mark:
                values.append(token)
        self.next()
        return Option(name, values, True)

    def skip(self) -> None:
        """Over a mapping and all that is in it."""
        depth = 0
        while True:
            token = self.next()
            if token.mark:
                depth += (token.text == "{") - (token.text == "}")
            if not depth:
                return


def _tokens(text: str) -> list[Text]:
    found: list[Text] = []
    at, line, start = 0, 1, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:  # a quote that is never closed
            break
        raw = match.group()
        group = match.lastgroup or ""
        first, column = line, at - start + 1
        breaks = raw.count("\n")
        if breaks:
            line += breaks
            start = at + raw.rindex("\n") + 1
        at = match.end()
        if group == "space":
            continue
        quoted = group in ("double", "single")
        place = (first, column + quoted, line, at - start + 1 - quoted)
        found.append(Text(match[group], place, group == "mark", quoted))
    return found
