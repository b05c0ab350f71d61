"""Topics that a service of a compose file creates by its command, and commands that Kafka's tools refuse."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats import tool_commands, tool_faults, topic_commands
from kcheck.formats.command_texts import Texts
from kcheck.formats.compose_file import File, Service
from kcheck.formats.tool_commands import Command
from kcheck.model import Problem, Resource
from kcheck.syntax import yaml
from kcheck.syntax.shell_calls import calls, listed
from kcheck.version import Version

_KEYS = ("entrypoint", "command")


class Told:
    """The commands of Kafka's tools that one file gives to a service."""

    def __init__(self, file: File, node: yaml.Node, version: Version | None = None) -> None:
        self.path = file.path
        texts = Texts(file.lines)
        self.place = texts.place
        if isinstance(node, yaml.SequenceNode):
            given = [texts.word(item, dollars=True) for item in yaml.items(node)]
            made = listed([word for word in given if word is not None], topic_commands.holds)
        else:
            text = texts.word(node, dollars=True)
            made = calls(text, topic_commands.holds, strict=True) if text is not None else []
        self.commands: list[Command] = tool_commands.of_calls(made, version)


def told(service: Service, version: Version | None = None) -> Iterator[Told]:
    for key in _KEYS:
        found = service.get(key)
        if found is not None:
            yield Told(found[0].file, found[1], version)


def topics(service: Service) -> Iterator[tuple[Resource, list[str]]]:
    """The topics that the service creates, each with the hosts that the command asks."""
    for one in told(service):
        for topic, command in topic_commands.topics(one.commands, one.path, one.place):
            yield topic, [address.partition(":")[0] for address in command.servers()]


def faults(service: Service, version: Version) -> Iterator[Problem]:
    """What the tools refuse in the commands of a service, whose image has that Kafka."""
    for one in told(service, version):
        yield from tool_faults.faults(one.commands, one.path, one.place)
