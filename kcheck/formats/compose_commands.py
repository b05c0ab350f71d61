"""Topics that a service of a compose file creates by its command, and commands that Kafka's tools refuse."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats import tool_commands, topic_commands
from kcheck.formats.compose_environment import within
from kcheck.formats.compose_file import File, Service
from kcheck.model import Position, Problem, Resource
from kcheck.syntax import yaml
from kcheck.version import Version

_KEYS = ("entrypoint", "command")
_TOOL = "kafka-topics"


def topics(service: Service) -> Iterator[tuple[Resource, list[str]]]:
    """The topics that the service creates, each with the hosts that the command asks."""
    for key in _KEYS:
        found = service.get(key)
        if found is None:
            continue
        text = _Text(found[0].file, found[1])
        if _TOOL not in text.whole:
            continue
        for words in topic_commands.commands(text.whole):
            topic = topic_commands.topic(text.file.path, words, text.place)
            if topic is not None:
                servers = topic_commands.servers(words)
                yield topic, [address.partition(":")[0] for address in servers]


def faults(service: Service, version: Version) -> Iterator[Problem]:
    """What the tools refuse in the commands of a service, whose image has that Kafka."""
    for key in _KEYS:
        found = service.get(key)
        if found is not None:
            text = _Text(found[0].file, found[1])
            yield from tool_commands.faults(text.whole, text.file.path, text.place, version)


class _Text:
    """A command as one text: a scalar, or the words of a list."""

    def __init__(self, file: File, node: yaml.Node) -> None:
        self.file = file
        self._parts: list[tuple[int, str, yaml.Node]] = []
        self.whole = ""
        for part in [node, *yaml.items(node)]:
            text = yaml.text(part)
            if text is not None:
                self._parts.append((len(self.whole), text, part))
                self.whole += f"{text} "

    def place(self, start: int, end: int) -> Position:
        """Where a word stands; the whole scalar where that is vague."""
        begin, text, node = next(part for part in reversed(self._parts) if part[0] <= start)
        start, end = start - begin, end - begin
        first = node.start_mark.line
        literal = isinstance(node, yaml.ScalarNode) and node.style == "|"
        if not literal or first == node.end_mark.line:
            return within(self.file, node, start, end)
        line = first + 1 + text.count("\n", 0, start)
        if line < len(self.file.lines):
            row = text.rfind("\n", 0, start) + 1
            indent = self.file.lines[line].find(text[row:].partition("\n")[0])
            if indent >= 0:
                column = indent + start - row + 1
                return line + 1, column, line + 1, column + end - start
        return yaml.position(node)
