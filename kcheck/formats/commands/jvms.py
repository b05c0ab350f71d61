"""The JVMs that a script starts beside each other: those of one shell have the variables that it
exports, and Kafka's tools that ``docker exec`` starts in a container have its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from kcheck.model import Document, Setting
from kcheck.model.processes import A_BROKER, Probe, Process
from kcheck.syntax.shell_command import Call, Export
from kcheck.syntax.shell_values import Word

#: The variables whose port each JVM opens that inherits them.
_NAMES = ("JMX_PORT", "KAFKA_JMX_OPTS", "KAFKA_OPTS")
SIGN = re.compile(rb"\bexport[ \t]+(?:JMX_PORT|KAFKA_JMX_OPTS|KAFKA_OPTS)=")
STARTS = b"-server-start"
_STARTER = re.compile(r"(?:\S*/)?(?:(?:zookeeper|kafka)-server-start|connect-[a-z]+)(?:\.sh)?")
_TOOL = re.compile(r"(?:\S*/)?(?:kafka|zookeeper|connect)-[a-z-]+(?<!-stop)(?:\.sh)?")
_SHELL, _CONTAINER = "the same shell", "the same container"


class Started:
    """What a script starts with variables of its own, and in which commands others inherit them."""

    __slots__ = ("at", "name", "variables")

    def __init__(self, name: str, at: Word, variables: Mapping[str, Setting]) -> None:
        self.name = name
        self.at = at
        self.variables = {key: variables[key] for key in _NAMES if key in variables}


def in_shell(
    document: Document, calls: list[Call], exported: Mapping[str, Export], text: str, place: Placed
) -> None:
    """Add what the first JVM that goes on running shares with those behind it.

    A variable that the script names again may have another value there, or none.
    """
    variables: dict[str, Setting] = {}
    for name in _NAMES:
        one = exported.get(name)
        if one is None or one.value is None or len(re.findall(rf"\b{name}\b", text)) > 1:
            continue
        at = place(one.value.start, one.value.end)
        known = one.value.text if one.value.known else None
        variables[name] = Setting(name, known, document.path, at, place(one.start, one.end))
    begin = max((exported[name].start for name in variables), default=0)
    behind = [call for call in calls if call.words and call.words[0].start > begin]
    running = [call for call in behind if _goes_on(call)]
    if variables and running:
        first = running[0]
        later = [call for call in behind[behind.index(first) + 1 :] if _command(call)]
        made = Started(document.path.rpartition("/")[2], first.words[0], variables)
        document.processes += tuple(_process(document, made, later, _SHELL, place))


def in_containers(
    document: Document, calls: list[Call], made: Iterable[Started], place: Placed
) -> None:
    """Add the containers in which later commands start tools."""
    for one in made:
        later = [call for call in calls if _entered(call) == one.name]
        document.processes += tuple(_process(document, one, later, _CONTAINER, place, A_BROKER))


def _process(
    document: Document,
    made: Started,
    later: list[Call],
    kind: str,
    place: Placed,
    program: str = "script",
) -> Iterator[Process]:
    if not later or not made.variables:
        return
    process = Process(program, made.name, document.path, place(made.at.start, made.at.end))
    process.variables = dict(made.variables)
    first, last = later[0].words[0], later[0].words[-1]
    command = " ".join(word.text for word in later[0].words)
    at = place(first.start, last.end)
    process.probes = (Probe(kind, command, Setting("command", command, document.path, at)),)
    yield process


def _command(call: Call) -> str:
    """The script of Kafka's that a command surely runs in this shell; "" for anything else."""
    words = call.words[1:2] if call.words[0].text == "nohup" else call.words[:1]
    found = words[0].text if words and not (call.prints or call.conditional) else ""
    return found if _TOOL.fullmatch(found) else ""


def _goes_on(call: Call) -> bool:
    """Whether a JVM runs on while the script goes on."""
    apart = call.words[0].text == "nohup" or any(word.text == "-daemon" for word in call.words)
    return apart and _STARTER.fullmatch(_command(call)) is not None


def _entered(call: Call) -> str:
    """The container in which ``docker exec`` starts one of Kafka's tools; "" for anything else."""
    words = [word.text for word in call.words]
    if call.prints or words[1:2] != ["exec"] or words[0] not in ("docker", "podman"):
        return ""
    if any(name in word for word in words for name in _NAMES):  # it has another value there
        return ""
    for number, word in enumerate(words[3:], 3):
        if _TOOL.fullmatch(word) and call.words[number - 1].known:
            return words[number - 1]
    return ""


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed
