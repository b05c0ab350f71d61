"""Topics that scripts create with ``kafka-topics --create``, in shell files and in commands of containers.

Of a shell file, what Kafka's tools refuse of its commands is read as well.

A command is read whatever starts it (``docker exec``, a path, ``bash -c``). What a shell puts together
from more than the text tells is unknown: a topic whose name is, is left out, and so are the commands
that only print one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kcheck.formats import Lookup
from kcheck.formats.commands import acls as acl_commands
from kcheck.formats.commands import connect_requests, sent_connectors, tool_faults
from kcheck.formats.commands import consoles as console_clients
from kcheck.formats.commands import dynamic as dynamic_commands
from kcheck.formats.commands import kcat as kcat_commands
from kcheck.formats.commands import rpk as rpk_commands
from kcheck.formats.commands import storage as storage_commands
from kcheck.formats.commands import tools as tool_commands
from kcheck.formats.commands.entered import entered_by
from kcheck.formats.commands.tools import Command, asks, is_known
from kcheck.formats.text import templated
from kcheck.model import Document, Position, Resource, Setting
from kcheck.syntax.shell_command import Call
from kcheck.syntax.shell_values import Word
from kcheck.units import whole

FORMAT = "topic-commands"
_TOPICS = "kafka-topics"

_COUNTS = {"--partitions": "partitions", "--replication-factor": "replication.factor"}
_CONFIG, _NAME, _CREATE = "--config", "--topic", "--create"
_READ = (
    "kafka-",
    "zookeeper-",
    "rpk ",
    "curl",
    " run ",
    "helm ",
    "kcat ",
    "kafkacat ",
    ".properties",
)
#: What makes several names of one.
_SEVERAL = re.compile(r"[()*]")


def holds(text: str) -> bool:
    """Whether a text in a command may be one that kcheck reads."""
    return any(sign in text for sign in _READ)


def read(
    document: Document,
    calls: list[Call],
    place: Placed,
    lookup: Lookup,
    releases: tuple[str, ...] = (),
) -> None:
    """Add to a document what the commands of its script do with Kafka's tools.

    ``releases`` are those of charts that the script installs: what is asked of them is of no other cluster.
    """
    commands, path = tool_commands.of_calls(calls), document.path
    document.resources += of_script(calls, path, place, releases)
    document.problems.extend(tool_faults.faults(commands, path, place))
    document.problems.extend(connect_requests.faults(calls, path, place, lookup))
    document.problems.extend(storage_commands.faults(commands, path, place, lookup))


def of_script(
    calls: list[Call], path: str, place: Placed, releases: tuple[str, ...] = ()
) -> list[Resource]:
    """What commands make that run somewhere: a shell's ``kafka`` is whatever the container means by it
    in which the command runs."""
    made = resources(calls, path, place)
    for one in made:
        asked = [each.text or "" for each in one.traits.asks]
        hosts = [text.partition(":")[0] for text in asked]
        if any(f"{host}-".startswith(f"{name}-") for host in hosts for name in releases):
            one.traits.apart = True
        one.traits.asks = tuple(each for each in one.traits.asks if _everywhere(each.text or ""))
    return made


def _everywhere(servers: str) -> bool:
    """Whether all of the hosts are names that mean the same to everybody."""
    hosts = [one.strip().partition(":")[0] for one in servers.split(",")]
    return all(
        host.endswith("-bootstrap") or ("." in host and not host.startswith(("127.", "0.")))
        for host in hosts
    )


def resources(calls: list[Call], path: str, place: Placed) -> list[Resource]:
    """All that commands make in Kafka and in Connect, or change."""
    commands = tool_commands.of_calls(calls)
    kafkas = (topic(path, each, place) for each in commands)
    rpks = rpk_commands.topics(calls, path, place)
    made = _first([*(one for one in kafkas if one is not None), *rpks])
    made += dynamic_commands.resources(commands, made, path, place)
    made += rpk_commands.altered(calls, made, path, place)
    made += tool_faults.quotas(commands, path, place)
    made += acl_commands.users(commands, path, place)
    made += console_clients.clients(commands, path, place)
    made += kcat_commands.clients(calls, path, place)
    made += sent_connectors.connectors(calls, path, place)
    return made


def _first(topics: Iterable[Resource]) -> list[Resource]:
    """Of topics of one name the first: Kafka makes no second one, and leaves the first as it is."""
    found: dict[str, Resource] = {}
    unnamed: list[Resource] = []
    for one in topics:
        if templated(one.name):
            unnamed.append(one)
        else:
            found.setdefault(one.name, one)
    return [*found.values(), *unnamed]


def places(text: str) -> Placed:
    """The positions in a file of the stretches of its text."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def place(start: int, end: int) -> Position:
        line, last = line_of(starts, start), line_of(starts, max(end - 1, start))
        return line + 1, start - starts[line] + 1, last + 1, end - starts[last] + 1

    return place


def line_of(starts: list[int], offset: int) -> int:
    """The number of the line, from 0, in which an offset is."""
    low, high = 0, len(starts)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if starts[middle] <= offset else (low, middle)
    return low


def _creates(command: Command) -> bool:
    return command.tool == _TOPICS and command.has(_CREATE)


def topic(path: str, command: Command, place: Placed) -> Resource | None:
    """The topic that a command creates; None where it creates none, or its name is unknown."""
    named = command.values(_NAME)
    if not _creates(command) or len(named) != 1 or not named[0].text or not is_known(named[0]):
        return None
    name = named[0]
    if _SEVERAL.search(name.text):
        return None
    created = Resource("topic", name.text, path, place(name.start, name.end))
    created.traits.asks = asks(command, path, place)
    created.traits.conditional = command.conditional
    created.traits.entered = entered_by(command, path, place)
    for option, value in command.options():
        if value is None:
            continue
        if option.text in _COUNTS:
            key = _COUNTS[option.text]
            count = _setting(key, value, path, place, option.text)
            count.amount = whole(count.text) if count.text is not None else None
            created.facts[key] = count
        elif option.text == _CONFIG:
            key, equals, _ = value.text.partition("=")
            if equals and is_known(value.part(0, len(key))):
                told = value.part(len(key) + 1)
                created.settings[key] = _setting(key, told, path, place, key)
    return created


def _setting(key: str, value: Word, path: str, place: Placed, name: str) -> Setting:
    text = value.text if is_known(value) else None
    return Setting(key, text, path, place(value.start, value.end), name=name)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed
