"""Topics that scripts create with ``kafka-topics --create``, in shell files and in commands of containers.

Of a shell file, what Kafka's tools refuse of its commands is read as well.

A command is read up to its end, over continued lines, whatever starts it (``docker exec``, a path,
``bash -c``). What a shell puts together is unknown: a topic whose name is, is left out, and so are
the commands that only print one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats import Lookup, connect_requests, storage_commands, tool_commands
from kcheck.model import PASSED_OVER, START, Document, Position, Resource, Setting
from kcheck.units import whole

FORMAT = "topic-commands"
_STORAGE = "kafka-storage"

_TOOL = re.compile(r"(?<![\w.-])kafka-topics(?:\.sh)?(?![\w.-])")
#: The words of a command with their offsets; quotes belong to none of them.
_WORD = re.compile(r"""[^\s"'\\]+""")
#: What ends a command, but for a continued line.
_END = re.compile(r"(?<!\\)\n|;|&&|\|")
_COUNTS = {"--partitions": "partitions", "--replication-factor": "replication.factor"}
_CONFIG, _NAME, _CREATE = "--config", "--topic", "--create"
_SERVERS = ("--bootstrap-server", "--zookeeper")
_PRINTS = re.compile(r"(?:^|[\s;&|(])(?:echo|printf|grep|cat)\s")
#: What only a shell can fill in.
_FILLED = re.compile(r"[$`{}<>()*]")


def recognise(path: str, data: bytes) -> str | None:
    asks = all(sign in data for sign in connect_requests.SIGNS)
    if b"kafka-" not in data and not asks:
        return None
    text = data.decode("utf-8", "replace")
    if asks and connect_requests.recognise(text):
        return FORMAT
    if b"kafka-topics" in data and _CREATE.encode() in data and any(True for _ in commands(text)):
        return FORMAT
    if b"kafka-storage" in data and any(
        one.tool == _STORAGE for one in tool_commands.commands(text)
    ):
        return FORMAT
    if any(True for _ in tool_commands.quotas(text, path, _anywhere)):
        return FORMAT
    return FORMAT if any(True for _ in tool_commands.faults(text, path, _anywhere)) else None


def _anywhere(start: int, end: int) -> Position:
    return START


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    text = data.decode("utf-8", "replace")
    starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def place(start: int, end: int) -> Position:
        line = line_of(starts, start)
        return line + 1, start - starts[line] + 1, line + 1, end - starts[line] + 1

    for words in commands(text):
        made = topic(document.path, words, place)
        if made is not None:
            document.resources.append(made)
    document.resources.extend(tool_commands.quotas(text, document.path, place))
    document.problems.extend(tool_commands.faults(text, document.path, place))
    document.problems.extend(connect_requests.faults(text, document.path, place, lookup))
    document.problems.extend(storage_commands.faults(text, document.path, place, lookup))
    if not (document.resources or document.problems or document.services):
        document.status, document.reason = PASSED_OVER, "contains no command that kcheck checks"


def line_of(starts: list[int], offset: int) -> int:
    """The number of the line, from 0, in which an offset is."""
    low, high = 0, len(starts)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if starts[middle] <= offset else (low, middle)
    return low


def printed(before: str) -> bool:
    """Whether what stands before a command only prints it."""
    return _PRINTS.search(before) is not None


class Word:
    """A word of a command, and where in the text it starts."""

    __slots__ = ("start", "text")

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = start


def commands(text: str) -> Iterator[list[Word]]:
    """The words behind the tool's name of each command that creates a topic."""
    start = 0
    for end in [*(found.start() for found in _END.finditer(text)), len(text)]:
        command, begin = text[start:end], start
        start = end
        tool = _TOOL.search(command)
        if tool is None or _CREATE not in command:
            continue
        before = command[: tool.start()]
        if before.lstrip("\n;&| \t").startswith("#") or printed(before):
            continue
        yield [
            Word(found[0], begin + found.start()) for found in _WORD.finditer(command, tool.end())
        ]


def servers(words: list[Word]) -> list[str]:
    """The addresses that the command asks, as far as they are written."""
    return [
        address
        for name, value in _options(words)
        if name.text in _SERVERS and value is not None
        for address in value.text.split(",")
    ]


def _options(words: list[Word]) -> Iterator[tuple[Word, Word | None]]:
    """The options of a command with their values, ``--name value`` and ``--name=value``."""
    for number, word in enumerate(words):
        if not word.text.startswith("--"):
            continue
        name, equals, value = word.text.partition("=")
        following = words[number + 1] if number + 1 < len(words) else None
        if equals:
            yield Word(name, word.start), Word(value, word.start + len(name) + 1)
        elif following is not None and not following.text.startswith("--"):
            yield word, following
        else:
            yield word, None


def topic(path: str, words: list[Word], place: Placed) -> Resource | None:
    """The topic that a command creates; None where a shell makes its name."""
    options = list(_options(words))
    named = [value for name, value in options if name.text == _NAME]
    if len(named) != 1 or named[0] is None or _FILLED.search(named[0].text):
        return None
    name = named[0]
    created = Resource("topic", name.text, path, place(name.start, name.start + len(name.text)))
    for option, value in options:
        if value is None:
            continue
        at = place(value.start, value.start + len(value.text))
        known = None if _FILLED.search(value.text) else value.text
        if option.text in _COUNTS:
            key = _COUNTS[option.text]
            count = Setting(key, known, path, at, name=option.text)
            count.amount = whole(known) if known is not None else None
            created.facts[key] = count
        elif option.text == _CONFIG:
            key, equals, text = value.text.partition("=")
            if not equals or _FILLED.search(key):
                continue
            begin = value.start + len(key) + 1
            at = place(begin, begin + len(text))
            known = None if _FILLED.search(text) else text
            created.settings[key] = Setting(key, known, path, at, name=key)
    return created


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Placed = Callable[[int, int], Position]
