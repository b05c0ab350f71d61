"""Connectors whose settings a command of a script sends as JSON, at their places in the script.

The text may be a word of the command, its here-document, the file that the script wrote before, or the
value of a variable. What the shell fills in is unknown, as in any other template.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.connect import connector_json
from kcheck.formats.embedded import Inlay, placed
from kcheck.model import Document, Position, Resource
from kcheck.syntax import json, yaml
from kcheck.syntax.shell_command import Call
from kcheck.syntax.shell_values import Word

SIGN = "connector.class"
_URL = re.compile(r"/connectors/([^/?\s$]+)/config/?(?:\?|$)")
_ASKED = re.compile(r"/connectors/?$|/connectors/[^/?\s]+/config/?$")
_LONGEST = 200_000


def connectors(calls: list[Call], path: str, place: Placed) -> Iterator[Resource]:
    """The connectors, each text's once."""
    seen: set[int] = set()
    written = {
        one.output.text: one.input
        for one in calls
        if one.output is not None and one.input is not None and one.output.known
    }
    # Those first whose worker is asked: what a tool does with a text, only its name tells.
    for asked in (True, False):
        for call in calls:
            if any(_ASKED.search(word.text) for word in call.words) is not asked:
                continue
            for text in _texts(call, written):
                if text.start not in seen:
                    seen.add(text.start)
                    yield from _read(text, _name(call), path, place, not asked)


def _texts(call: Call, written: dict[str, Word]) -> Iterator[Word]:
    """What a command sends, as far as it may be a connector's."""
    if call.prints and call.output is None:
        return
    given = [call.input] if call.input is not None else []
    given += (written[word.text[1:]] for word in call.words if word.text[1:] in written)
    for word in (*call.words[1:], *given):
        if SIGN in word.text and len(word.text) <= _LONGEST:
            at = word.text.find("{")
            before = word.text[: max(at, 0)].strip()
            # ``--data={…}``
            if at >= 0 and (not before or (before.startswith("-") and " " not in before)):
                yield word.part(at) if at else word


def _name(call: Call) -> Word | None:
    """The connector's name as the command tells it."""
    for number, word in enumerate(call.words):
        found = _URL.search(word.text)
        if found is not None:
            return word.part(*found.span(1))
        if word.text == "--connector" and number + 1 < len(call.words):
            return call.words[number + 1]
    return None


def _read(
    text: Word, named: Word | None, path: str, place: Placed, apart: bool
) -> Iterator[Resource]:
    nodes, problem, _ = json.strictly(text.text.encode(), json.MOST)
    if problem is not None:
        return
    inner = Document(path)
    for node in nodes:
        connector_json.search(inner, node)
    placed(inner.resources, Inset(text, place), path)
    for made in inner.resources:
        made.traits.apart = apart
        bare = any(SIGN in (key for key, _, _ in yaml.pairs(node)) for node in nodes)
        if bare and named is not None and named.known and "name" not in made.settings:
            made.name, made.at = named.text, place(named.start, named.end)
        yield made


class Inset(Inlay):
    """A text that a shell puts together: its positions as those of the file."""

    __slots__ = ("_place", "_starts", "_word")

    def __init__(self, word: Word, place: Placed) -> None:
        self._word = word
        self._place = place
        self._starts = [0, *(found.end() for found in re.finditer("\n", word.text))]

    def place(self, at: Position) -> Position:
        start = self._offset(at[0], at[1])
        told = self._word.part(start, max(self._offset(at[2], at[3]), start))
        return self._place(told.start, told.end)

    def _offset(self, line: int, column: int) -> int:
        last = len(self._starts)
        return self._starts[min(line, last) - 1] + column - 1


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed
