"""The processes of ``docker run``: what the command lets a container have, and what it mounts."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kcheck.formats.containers import running
from kcheck.formats.containers.variables import Variable
from kcheck.model import Document, Position, Resource, Setting
from kcheck.model.processes import BIND, HEALTH, NAMED, OTHER, Mount, Probe, Process
from kcheck.syntax.shell_values import Word

#: Limits by their options, and the time to stop.
STOP, FILES, HEALTH_COMMAND = "--stop-timeout", "nofile=", "--health-cmd"
LIMITS = {"-m": "ram", "--memory": "ram", STOP: STOP, HEALTH_COMMAND: HEALTH_COMMAND}
MOUNTS = ("-v", "--volume", "--mount", "--volumes-from")
_NUMBER = re.compile(r"(\d{1,15})([bkmg]?)", re.IGNORECASE)
_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_TARGETS, _SOURCES = ("target", "destination", "dst"), ("source", "src")


def limit(
    document: Document, name: str, words: Mapping[str, Word], place: Placed
) -> Setting | None:
    """A limit as a setting with its amount in bytes, seconds or files; None where it is not known."""
    word = words.get(name)
    if word is None:
        return None
    text = word.text.removeprefix(FILES).partition(":")[0]
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    told = Setting(name, text, document.path, place(word.start, word.end))
    told.amount = int(found[1]) * _UNITS[found[2].lower()]
    return told


def mounts(document: Document, words: list[tuple[str, Word]], place: Placed) -> list[Mount] | None:
    """What a container mounts; None where a part of it may be anywhere."""
    found = []
    for option, word in words:
        if option == "--volumes-from":
            return None
        source, path = _mount(option, word)
        if not path.startswith("/"):
            return None
        told = Setting("volumes", word.text, document.path, place(word.start, word.end))
        kind = BIND if source.startswith((".", "/", "~", "$")) else NAMED if source else OTHER
        found.append(Mount(path, kind, source, told))
    return found


def _mount(option: str, word: Word) -> tuple[str, str]:
    """(source, path), either "" where it is not known."""
    if option == "--mount":
        told = dict(part.partition("=")[::2] for part in word.text.split(","))
        path = next((told[key] for key in _TARGETS if key in told), "")
        source = next((told[key] for key in _SOURCES if key in told), "")
        return (source, path) if word.known else ("", "")
    source, colon, rest = word.text.partition(":")
    if not colon:
        source, rest = "", source
    path = rest.partition(":")[0]
    # What the shell fills in is mostly the folder that is mounted.
    return ("$" if not word.known else source, "" if "$" in path else path)


def process(
    document: Document,
    name: str,
    image: str,
    at: Position,
    variables: Mapping[str, Variable],
    complete: bool,
    words: Mapping[str, Word],
    mounted: list[Mount] | None,
    place: Placed,
) -> Process | None:
    """The container as a process; None where nobody knows what its image starts."""
    kind = running.kind_of(image)
    if kind is None:
        return None
    made = running.process(kind, name, document.path, at, variables, complete)
    made.memory = limit(document, "ram", words, place)
    if made.memory is not None:
        made.memory.key = made.memory.name = "--memory"
    made.grace = limit(document, STOP, words, place)
    made.mounts = None if mounted is None else tuple(mounted)
    probe = words.get(HEALTH_COMMAND)
    if probe is not None and probe.known:
        told = Setting(HEALTH, probe.text, document.path, place(probe.start, probe.end))
        made.probes = (Probe(HEALTH, probe.text, told),)
    document.processes += (made,)
    return made


def facts(
    document: Document,
    made: Resource,
    words: Mapping[str, Word],
    mounted: list[Mount] | None,
    place: Placed,
) -> None:
    """What the command says of a broker's host: ``ram`` and ``nofile``, and its volumes."""
    for name in ("ram", "nofile"):
        told = limit(document, name, words, place)
        if told is not None:
            made.facts[name] = told
    if mounted:
        made.traits.volumes = tuple((one.source, one.path) for one in mounted)
        made.facts["volumes"] = mounted[0].setting


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed
