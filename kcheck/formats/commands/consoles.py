"""The producers and consumers of Kafka's console and performance tools, by the properties that a
command gives them.

The tools have defaults of their own and mostly a file with more properties, and they are run by hand
or to measure: what is not set is unknown, and the brokers beside the script tell nothing of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.commands.tools import Command, is_known
from kcheck.model import Resource, Setting
from kcheck.syntax.shell_values import Word

_CONSOLE = re.compile(r"kafka-(?:[a-z]+-)*console-(producer|consumer)")
_PERFORMANCE = {"kafka-producer-perf-test": "producer"}
#: The records of a tool that measures are as large as this option says, whatever it may send.
_LARGEST, _SIZE = "max.request.size", "--record-size"
#: Options that give one property each, or several up to the next option.
_ONE = {
    "producer": ("--producer-property", "--command-property"),
    "consumer": ("--consumer-property", "--command-property"),
}
_SEVERAL = ("--producer-props", "--command-property")
#: Options that are keys of their own.
_OPTIONS = {
    "producer": {"--compression-codec": "compression.type"},
    "consumer": {"--group": "group.id", "--isolation-level": "isolation.level"},
}


def clients(commands: list[Command], path: str, place: Placed) -> Iterator[Resource]:
    for command in commands:
        console = _CONSOLE.fullmatch(command.tool)
        kind = console[1] if console is not None else _PERFORMANCE.get(command.tool, "")
        given = list(_properties(command, kind, console is not None)) if kind else []
        if not given:
            continue
        at = place(command.at.start, command.at.end)
        client = Resource(kind, f"{command.tool} in {path}", path, at)
        client.traits.partial = client.traits.fragment = client.traits.apart = True
        for key, value in given:
            if is_known(key):
                sized = console is None and key.text == _LARGEST and command.has(_SIZE)
                text = value.text if is_known(value) and not sized else None
                where = place(value.start, value.end), place(key.start, key.end)
                client.settings[key.text] = Setting(key.text, text, path, *where)
        for name, told in command.options():
            own = _OPTIONS[kind].get(name.text)
            if own is not None and told is not None and console is not None:
                text = told.text if is_known(told) else None
                where = place(told.start, told.end), place(name.start, name.end)
                client.settings[own] = Setting(own, text, path, *where, name=name.text)
        if client.settings:
            yield client


def _properties(command: Command, kind: str, console: bool) -> Iterator[tuple[Word, Word]]:
    """Key and value of each property."""
    if console:
        yield from _pairs(command.values(*_ONE[kind]))
        return
    following = False
    for word in command.words:
        if word.text.startswith("--"):
            following = word.text in _SEVERAL
        elif following:
            yield from _pairs([word])


def _pairs(words: list[Word]) -> Iterator[tuple[Word, Word]]:
    for word in words:
        name, equals, _ = word.text.partition("=")
        if equals and name:
            yield word.part(0, len(name)), word.part(len(name) + 1)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed
