"""Configuration files of brokers, workers and clients that the commands of a shell write.

A file that is written whole is what it says; of one to which lines are added, or in which ``sed`` sets
some, the rest is unknown. What the shell fills in is unknown as in any other template.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kcheck.formats import Lookup
from kcheck.formats.commands.written_files import Line, Written, files
from kcheck.formats.properties.signs import BROKER, CLIENT, CONNECT, STREAMS
from kcheck.formats.scalars import derived
from kcheck.formats.text import templated, written
from kcheck.model import START, Document, Position, Resource, Setting
from kcheck.syntax.shell_calls import calls
from kcheck.syntax.shell_command import Call
from kcheck.syntax.shell_values import Word

FORMAT = "script-files"

#: What a text has that may write such a file.
SIGN = b".properties"
_OURS = re.compile(r"\.properties$")
_READ = (BROKER, CLIENT, CONNECT, STREAMS)
NODES = ("broker", "controller")
_SET = re.compile(r"\s*([\w.-]+)\s*[=:]")
_LONGEST = 500_000


def nowhere(_path: str) -> None:
    """The look-up of a text that has no files beside it."""


def holds(text: str) -> bool:
    """Whether a text in a command may write one."""
    return ".properties" in text


def add(
    document: Document, texts: list[list[Call]], place: Placed, lookup: Lookup = nowhere
) -> bool:
    """Add the files that commands write, of each text by itself; whether there are any.

    ``texts`` are what one machine runs each.
    """
    before = len(document.resources)
    seen: set[tuple[str, str | None]] = set()
    for file in (one for made in texts for one in files(made, _OURS)):
        resource = _resource(document, file, place, lookup)
        if resource is None or not resource.settings:
            continue
        key = (resource.kind, identity(resource))
        if resource.kind in NODES and key in seen:
            # The same node once more, as another branch or another host has it.
            continue
        seen.add(key)
        document.resources.append(resource)
    return len(document.resources) > before


def of_texts(document: Document, texts: Iterable[Word], place: Placed, lookup: Lookup) -> bool:
    """The same of texts whose variables may be set elsewhere."""
    own = [calls(one, holds, {}) for one in texts if holds(one.text)]
    return add(document, own, place, lookup)


def identity(resource: Resource) -> str | None:
    """The id of a node; None where its file does not tell it."""
    told = resource.settings.get("node.id") or resource.settings.get("broker.id")
    return told.text if told is not None else None


def _resource(document: Document, file: Written, place: Placed, lookup: Lookup) -> Resource | None:
    """The resource that a file stands for; None for a file of something else."""
    rows = _rows(file)
    text = "\n".join(row for row, _ in rows)
    if len(text) > _LONGEST:
        return None
    data = text.encode()
    name = file.name if "$" not in file.name else "written.properties"
    from kcheck.formats.properties import (
        reader as properties,  # loaded with the first script that writes one
    )
    from kcheck.formats.properties.kinds import FILES

    inner = Document(f"{document.path.rpartition('/')[0]}/{name}".lstrip("/"))
    inner.format = properties.recognise(inner.path, data)
    if inner.format in _READ:
        properties.read(inner, data, lookup)
    elif not file.whole and name in FILES:
        _part(inner, name, rows)
    if not inner.resources:
        return None
    resource = inner.resources[0]
    _move(resource, document, inner.path, [line for _, line in rows], place)
    resource.at = place(file.at.start, file.at.end)
    traits = resource.traits
    traits.partial = not file.whole or any(line.conditional for line in file.lines)
    traits.conditional = file.conditional
    traits.fragment = not file.whole
    # Which node a file is for that does not say who it is, its host decides.
    known = file.whole and identity(resource) is not None
    traits.apart = not known or file.conditional
    return resource


def _rows(file: Written) -> list[tuple[str, Line]]:
    """The lines of the file, those that ``sed`` sets in the place of what they replace."""
    rows: list[tuple[str, Line] | None] = []
    places: dict[str, list[int]] = {}
    for line in file.lines:
        edit = line.edit
        text = line.word.text.rstrip("\r")
        if edit is not None:
            value = edit.value.text if edit.value is not None else "${?}"
            text = f"{edit.key}={value}"
            for replaced in places.pop(edit.key, ()):
                rows[replaced] = None
        found = _SET.match(text)
        if found is not None:
            places.setdefault(found[1], []).append(len(rows))
        rows.append((text, line))
    return [row for row in rows if row is not None]


def _part(inner: Document, name: str, rows: list[tuple[str, Line]]) -> None:
    """A few lines of a file that Kafka's own scripts know by its name."""
    from kcheck.formats.properties.kinds import FILES
    from kcheck.syntax.properties import PropertiesError, parse

    kind, plane = FILES[name]
    try:
        entries = parse("\n".join(text for text, _ in rows))
    except PropertiesError:
        return
    part = Resource(kind, inner.path, inner.path, START, plane)
    for one in entries:
        if not templated(one.key):
            part.settings[one.key] = written(one.key, one.value, inner.path, one.at, one.key_at)
    inner.resources.append(part)


def _move(
    resource: Resource, document: Document, inner: str, lines: list[Line], place: Placed
) -> None:
    """Put the resource and its settings where the script has them."""
    if resource.name == inner:
        resource.name = document.path
    resource.path = document.path
    for setting in {id(one): one for one in resource.placed}.values():
        if setting.path == inner:
            setting.path = document.path
            doubtful = lines[min(setting.at[0], len(lines)) - 1].conditional
            setting.key_at, _ = _placed(setting.key_at, lines, place)
            setting.at, exact = _placed(setting.at, lines, place)
            if doubtful and type(setting) is Setting:
                setting.text = setting.raw = None
            elif not exact and resource.settings.get(setting.key) is setting:
                resource.settings[setting.key] = derived(setting, setting.text)


def _placed(at: Position, lines: list[Line], place: Placed) -> tuple[Position, bool]:
    """A position in the file as one in the script, and whether the same text stands there."""
    first, last = lines[min(at[0], len(lines)) - 1], lines[min(at[2], len(lines)) - 1]
    if first.edit is not None:
        word = first.edit.value
        if word is None or not word.text or at[1] <= len(first.edit.key):
            word = first.edit.line
        return place(word.start, word.end), False
    if first is not last:
        begin, end = first.word.part(at[1] - 1), last.word.part(0, at[3] - 1)
        return place(begin.start, max(end.end, begin.start)), False
    there = first.word.part(at[1] - 1, at[3] - 1)
    pieces = [one for one in there.pieces if one.text]
    if len(pieces) == 1:
        # Where a variable is filled in, its value stands where that is set.
        return place(pieces[0].start, pieces[0].end), pieces[0].exact
    last_one = pieces[-1].end if pieces else there.end
    return place(there.start, max(last_one, there.start)), False


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed
