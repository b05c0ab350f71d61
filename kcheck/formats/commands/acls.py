"""The users to whom ``kafka-acls --add`` gives rights, as far as its words are written."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.commands.tools import Command, asks, is_known
from kcheck.model import Resource, Right, Setting
from kcheck.syntax.shell_values import Word

_PRINCIPALS = {"--allow-principal": True, "--deny-principal": False}
_HOSTS = {True: "--allow-host", False: "--deny-host"}
#: What an option names, in the words of rights.
_RESOURCES = {
    "--topic": "topic",
    "--group": "group",
    "--transactional-id": "transactionalId",
    "--delegation-token": "delegationToken",
}
_OPERATIONS = {
    name.lower(): name
    for name in (
        *("All", "Read", "Write", "Create", "Delete", "Alter", "Describe", "ClusterAction"),
        *("DescribeConfigs", "AlterConfigs", "IdempotentWrite"),
    )
}
#: What --producer and --consumer stand for, by type of resource (AclCommand).
_PRODUCER = {"topic": ("Write", "Describe", "Create"), "transactionalId": ("Write", "Describe")}
_CONSUMER = {"topic": ("Read", "Describe"), "group": ("Read",)}


def users(commands: list[Command], path: str, place: Placed) -> list[Resource]:
    """The users, each with its rights; where a command gives rights that are unknown, what users have
    is not known whole."""
    found: dict[str, Resource] = {}
    whole = True
    for command in commands:
        if command.tool != "kafka-acls" or not (command.has("--add") or command.has("--remove")):
            continue
        whole = whole and command.has("--add") and all(map(is_known, command.words))
        if command.has("--add"):
            for principal, allows in _principals(command):
                _add(found, command, principal, allows, path, place)
    for user in found.values():
        user.traits.partial = not whole
    return [user for user in found.values() if user.traits.rights]


def _principals(command: Command) -> Iterator[tuple[Word, bool]]:
    for name, told in command.options():
        if name.text in _PRINCIPALS and told is not None and is_known(told) and ":" in told.text:
            yield told, _PRINCIPALS[name.text]


def _add(
    found: dict[str, Resource],
    command: Command,
    principal: Word,
    allows: bool,
    path: str,
    place: Placed,
) -> None:
    at = place(principal.start, principal.end)
    user = found.get(principal.text)
    if user is None:
        called = principal.text.partition(":")[2]
        user = found[principal.text] = Resource("user", called, path, at)
        user.traits.asks = asks(command, path, place)
        user.facts["user"] = Setting("user", principal.text, path, at)
    hosts = [one.text for one in command.values(_HOSTS[allows])] or ["*"]
    pattern = command.value("--resource-pattern-type")
    prefix = pattern is not None and pattern.text.lower() == "prefixed"
    for resource, name, operations in _operations(command):
        # A star inside of a name is told of the command.
        if not is_known(name) or ("*" in name.text and name.text != "*"):
            continue
        setting = Setting("acls", name.text, path, place(name.start, name.end))
        user.traits.rights += tuple(
            Right(setting, operation, resource, _named(name), prefix, host, allows)
            for operation in operations
            for host in hosts
        )


def _named(name: Word) -> str:
    return "kafka-cluster" if name.text == "--cluster" else name.text


def _operations(command: Command) -> Iterator[tuple[str, Word, tuple[str, ...]]]:
    """Type of resource, its name, and the operations of each resource of a command."""
    told = [one.text.lower() for one in command.values("--operation") if is_known(one)]
    given = tuple(_OPERATIONS[one] for one in told if one in _OPERATIONS)
    for name, value in command.options():
        resource = _RESOURCES.get(name.text)
        if resource is not None and value is not None:
            more = given
            if command.has("--producer"):
                more = (*more, *_PRODUCER.get(resource, ()))
            if command.has("--consumer"):
                more = (*more, *_CONSUMER.get(resource, ()))
            # Without any operation, all of them are allowed.
            plain = not (told or command.has("--producer", "--consumer"))
            yield resource, value, more or (("All",) if plain else ())
        elif name.text == "--cluster":
            yield "cluster", name, given or (() if told else ("All",))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed
