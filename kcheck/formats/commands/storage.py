"""``kafka-storage format`` in scripts, against the properties file that it formats a node for."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats import Lookup
from kcheck.formats.commands.tool_faults import CODE
from kcheck.formats.commands.tools import Command
from kcheck.model import ERROR, WARNING, Problem, Setting
from kcheck.syntax.properties import PropertiesError, decode, parse

_VOTERS, _BOOTSTRAP = "controller.quorum.voters", "controller.quorum.bootstrap.servers"
_BETWEEN = ("sasl.mechanism.inter.broker.protocol", "sasl.mechanism.controller.protocol")
_PROTOCOL, _MAP = "security.inter.broker.protocol", "listener.security.protocol.map"
_INITIAL = ("--standalone", "-s", "--initial-controllers", "-I")
_NONE = ("--no-initial-controllers", "-N")
_SCRAM = ("--add-scram", "-S")


def faults(commands: list[Command], path: str, place: Placed, lookup: Lookup) -> Iterator[Problem]:
    """What is wrong with the commands of a script that format a node of the project."""
    for command in commands:
        if command.tool != "kafka-storage" or not any(w.text == "format" for w in command.words):
            continue
        config = command.value("--config", "-c")
        if config is None or not config.known or _open(command):
            continue
        values = _values(path, config.text, lookup)
        at = place(command.at.start, command.at.end)
        for key, message, fix, severity, breaks in _judged(command, values) if values else ():
            told = Setting(key, values.get(key), path, at, name=key)
            yield Problem(
                f"kafka-storage format {message}", at, CODE, severity, breaks, fix, setting=told
            )


def _open(command: Command) -> bool:
    """Whether a shell may add options."""
    values = [value for _, value in command.options() if value is not None]
    own = {word.start for word in values}
    return any(word.text.startswith("$") and word.start not in own for word in command.words)


def _values(path: str, config: str, lookup: Lookup) -> dict[str, str]:
    """The properties of the file of that name beside the script, or in the usual folders."""
    folder, name = path.rpartition("/")[0], config.rpartition("/")[2]
    parent = folder.rpartition("/")[0]
    for place in dict.fromkeys((folder, f"{folder}/config", parent, f"{parent}/config")):
        data = lookup(f"{place}/{name}".lstrip("/")) if name.endswith(".properties") else None
        if data is not None:
            try:
                entries = parse(decode(data)[0])
            except PropertiesError as error:
                entries = error.entries
            return {entry.key: entry.value for entry in entries}
    return {}


def _judged(command: Command, values: dict[str, str]) -> Iterator[tuple[str, str, str, str, str]]:
    if "controller" not in values.get("process.roles", ""):
        return
    voters, initial = values.get(_VOTERS, "").strip(), command.has(*_INITIAL)
    if not voters and values.get(_BOOTSTRAP) and not initial and not command.has(*_NONE):
        yield (
            _VOTERS,
            "requires --standalone, --initial-controllers or --no-initial-controllers for a controller "
            f"without {_VOTERS}",
            "add --standalone for the first controller, --no-initial-controllers for those that join",
            ERROR,
            "the command exits with an error: the directory is not formatted, and Kafka fails to start",
        )
    elif voters and initial:
        yield (
            _VOTERS,
            f"writes the voters of a dynamic quorum, but {_VOTERS} is set",
            f"remove {_VOTERS} and set {_BOOTSTRAP}, or format without --standalone and "
            "--initial-controllers",
            WARNING,
            "newer versions refuse it; older ones have two sets of voters, which can elect two leaders",
        )
    scram = (key for key in _BETWEEN if values.get(key, "").startswith("SCRAM-"))
    mechanism = next((key for key in scram if _logs_in(key, values)), "")
    if mechanism and not command.has(*_SCRAM):
        yield (
            mechanism,
            f"adds no credentials, but {mechanism}={values[mechanism]}",
            "add --add-scram for the user of the brokers",
            WARNING,
            "at the first start no user exists: the nodes cannot authenticate to each other",
        )


def _logs_in(mechanism: str, values: dict[str, str]) -> bool:
    """Whether the listener that a mechanism is for has a login at all."""
    if mechanism == _BETWEEN[0]:
        name = values.get("inter.broker.listener.name") or values.get(_PROTOCOL, "PLAINTEXT")
    else:
        name = values.get("controller.listener.names", "").partition(",")[0]
    pairs = (pair.partition(":") for pair in values.get(_MAP, "").upper().split(","))
    protocols = {one.strip(): protocol.strip() for one, _, protocol in pairs}
    name = name.strip().upper()
    return protocols.get(name, name).startswith("SASL_")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed
