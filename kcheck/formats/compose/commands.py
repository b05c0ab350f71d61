"""What the command of a compose service does with Kafka's tools, and what these refuse of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.commands import script_files, tool_faults
from kcheck.formats.commands import tools as tool_commands
from kcheck.formats.commands import topics as topic_commands
from kcheck.formats.commands.texts import Texts
from kcheck.formats.compose.environment import Environment
from kcheck.formats.compose.file import File, Service
from kcheck.model import COMPOSE, Document, Problem, Resource
from kcheck.syntax import yaml
from kcheck.syntax.shell_calls import calls, listed
from kcheck.syntax.shell_command import Call
from kcheck.syntax.shell_values import Piece, Word
from kcheck.version import Version

_KEYS = ("entrypoint", "command")
#: What a file has that holds such commands.
SIGNS = re.compile(
    r"kafka-(?:topics|configs|acls)|connector\.class|rpk (?:-X \S+ ){0,5}topic (?:create|alter-config)"
)


class Told:
    """The commands that one file gives to a service."""

    def __init__(self, service: Service, file: File, node: yaml.Node) -> None:
        self.path = file.path
        texts = Texts(file.lines)
        self.place = texts.place
        self.calls: list[Call] = []
        if isinstance(node, yaml.SequenceNode):
            words = [texts.word(item, dollars=True) for item in yaml.items(node)]
            given = [word for word in words if word is not None]
            self.calls = listed(given, topic_commands.holds, _given(service))
        else:
            text = texts.word(node, dollars=True)
            if text is not None:
                self.calls = calls(text, topic_commands.holds, _given(service))


def _given(service: Service) -> dict[str, Word]:
    """The variables of the service, as values that have no place in the command."""
    told = Environment(service).variables
    return {
        name: Word([Piece(variable.known, -1, -1, False)], -1, -1)
        for name, variable in told.items()
        if variable.known is not None
    }


def _told(service: Service) -> Iterator[Told]:
    for key in _KEYS:
        found = service.get(key)
        if found is not None:
            yield Told(service, found[0].file, found[1])


def resources(service: Service) -> Iterator[tuple[Resource, list[str]]]:
    """What the service makes or changes in brokers and workers, each with the hosts that it asks."""
    for one in _told(service):
        for made in topic_commands.resources(one.calls, one.path, one.place):
            asked = made.traits.asks[0].text if made.traits.asks else None
            made.traits.asks = ()
            yield made, [address.partition(":")[0] for address in (asked or "").split(",")]


def write(service: Service, document: Document) -> None:
    """Add to a document the files that the commands of a service write.

    One with the id of the service's own node, which its variables configure, is for the format of its
    storage, and no second node.
    """
    own = {
        script_files.identity(one)
        for one in document.resources
        if one.name == service.name and one.kind in script_files.NODES
    }
    for one in _told(service):
        before = len(document.resources)
        if not script_files.add(document, [one.calls], one.place):
            continue
        started = any(
            "kafka-server-start" in word.text for call in one.calls for word in call.words
        )
        for made in document.resources[before:]:
            made.traits.deployer = COMPOSE
            if (
                not started
                and made.kind in script_files.NODES
                and script_files.identity(made) in own
            ):
                document.resources.remove(made)


def faults(service: Service, version: Version) -> Iterator[Problem]:
    """What the tools refuse in the commands of a service, whose image has that Kafka."""
    for one in _told(service):
        commands = tool_commands.of_calls(one.calls, version)
        yield from tool_faults.faults(commands, one.path, one.place)
