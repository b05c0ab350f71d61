"""What ``kafka-configs --alter --add-config`` sets of topics, brokers, users and clients, and what
``kafka-topics --alter`` changes, as far as it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import catalogue
from kcheck.formats.commands.tools import Command, asks, entities, is_known
from kcheck.model import Resource, Setting
from kcheck.syntax.shell_values import Word
from kcheck.units import whole

#: A comma outside brackets: where ConfigCommand splits (parseConfigsToBeAdded).
_COMMA = re.compile(r",(?=[^\]]*(?:\[|$))")
_COUNTS = ("partitions", "replication.factor")
_BROKERS = "brokers"


def entries(added: Word) -> Iterator[tuple[Word, Word]]:
    """Key and value of each entry of ``--add-config``, without the brackets of lists."""
    # What is unknown separates nothing.
    told = "".join(one.text if one.known else "$" * len(one.text) for one in added.pieces)
    at = 0
    for text in _COMMA.split(told):
        begin, at = at, at + len(text) + 1
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            continue
        first = begin + len(name) - len(name.lstrip())
        key = added.part(first, first + len(name.strip()))
        start = begin + len(name) + 1 + len(value) - len(value.lstrip())
        end = start + len(value.strip())
        if value.strip()[:1] == "[" and value.strip()[-1:] == "]":
            start, end = start + 1, end - 1
        yield key, added.part(start, end)


def resources(
    commands: list[Command], made: list[Resource], path: str, place: Placed
) -> Iterator[Resource]:
    """Dynamic settings of topics and brokers; those of topics that the script itself has ``made``
    become theirs."""
    created = {one.name: one for one in made if one.kind == "topic"}
    for command in commands:
        if not command.has("--alter"):
            continue
        if command.tool == "kafka-topics":
            yield from _counted(command, created, path, place)
        elif command.tool == "kafka-configs":
            yield from _altered(command, created, path, place)


def _counted(
    command: Command, created: dict[str, Resource], path: str, place: Placed
) -> Iterator[Resource]:
    """The topic that gets more partitions."""
    name, number = command.value("--topic"), command.value("--partitions")
    if name is None or number is None or not is_known(name) or not is_known(number):
        return
    at = place(number.start, number.end)
    count = Setting("partitions", number.text, path, at, name="--partitions")
    count.amount = whole(number.text)
    topic = created.get(name.text)
    if topic is None:
        topic = created[name.text] = _topic(name, command, path, place)
        yield topic
    topic.facts["partitions"] = count


def _altered(
    command: Command, created: dict[str, Resource], path: str, place: Placed
) -> Iterator[Resource]:
    told = list(entities(command))
    added = [one for word in command.values("--add-config") for one in entries(word)]
    if len(told) != 1 or not added:
        return
    kind, name = told[0]
    if kind == "topics" and name is not None and name.text and is_known(name):
        topic = created.get(name.text)
        if topic is None:
            topic = created[name.text] = _topic(name, command, path, place)
            yield topic
        _set(topic, added, "topic", place)
    elif kind == _BROKERS and (name is None or is_known(name)):
        whose = f"broker {name.text}" if name is not None else _BROKERS
        at = name if name is not None else command.at
        made = Resource("config", whose, path, place(at.start, at.end), "broker")
        made.traits.asks = asks(command, path, place)
        _set(made, added, "broker", place)
        if made.settings:
            yield made


def _topic(name: Word, command: Command, path: str, place: Placed) -> Resource:
    made = changed(name, path, place)
    made.traits.asks = asks(command, path, place)
    return made


def changed(name: Word, path: str, place: Placed) -> Resource:
    """A topic of which only what a command changes is known."""
    made = Resource("topic", name.text, path, place(name.start, name.end))
    made.traits.partial = made.traits.change = True
    for fact in _COUNTS:
        made.facts[fact] = Setting(fact, None, path, made.at)
    return made


def _set(resource: Resource, added: list[tuple[Word, Word]], plane: str, place: Placed) -> None:
    """Set the entries whose keys Kafka has; what it refuses is told of the command."""
    known = catalogue.plane(plane)
    for key, value in added:
        if not is_known(key) or key.text not in known:
            continue
        text = value.text if is_known(value) else None
        at, key_at = place(value.start, value.end), place(key.start, key.end)
        resource.settings[key.text] = Setting(key.text, text, resource.path, at, key_at)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed
