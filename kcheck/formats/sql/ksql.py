"""Statements of ksqlDB: the connectors that they create, and what its server refuses (tables without a
primary key, joins of sources whose numbers of partitions differ, settings that it does not have).

Each statement ends at a semicolon outside of quotes. Comments become blanks, so that places stay. What
a template fills in is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import musts
from kcheck.formats import Lookup
from kcheck.formats.folders import names_in
from kcheck.formats.scalars import nothing
from kcheck.formats.sql import ksql_connectors, ksql_settings
from kcheck.formats.sql.flink import placed
from kcheck.model import ERROR, WARNING, Document, Problem, Setting

FORMAT, CODE = "ksql", "KC1540"

_SIGN = re.compile(rb"CREATE\s+(?:OR\s+REPLACE\s+)?(?:SOURCE\s+)?(?:STREAM|TABLE)\b", re.IGNORECASE)
_TOPIC = re.compile(rb"KAFKA_TOPIC|EMIT\s+CHANGES|VALUE_FORMAT", re.IGNORECASE)
_COMMENT = re.compile(r"'(?:[^']|'')*'|(--[^\n]*|/\*.*?\*/)", re.DOTALL)
_STATEMENT = re.compile(r"(?:'(?:[^']|'')*'|[^;'])+")
_CREATE = re.compile(
    r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:SOURCE\s+)?(STREAM|TABLE)\s+(?:IF\s+NOT\s+EXISTS\s+)?`?(\w+)`?",
    re.IGNORECASE,
)
_WITH = re.compile(r"\bWITH\s*\(", re.IGNORECASE)
_PROPERTY = re.compile(r"(\w+)\s*=\s*('(?:[^']|'')*'|[\w.+-]+)")
_SELECT = re.compile(r"\bAS\s+SELECT\b", re.IGNORECASE)
_SOURCE = re.compile(r"\b(FROM|JOIN)\s+`?(\w+)`?", re.IGNORECASE)
#: What follows a source: an alias, and the next word.
_BEHIND = re.compile(r"\s+(?:AS\s+)?(?:(?!ON\b|WITHIN\b)`?\w+`?\s+)?(ON|WITHIN)\b", re.IGNORECASE)
_PRIMARY = re.compile(r"\bPRIMARY\s+KEY\b", re.IGNORECASE)
#: Formats whose keys the server takes from Schema Registry where no column is declared.
_INFERRED = ("AVRO", "PROTOBUF", "JSON_SR")
#: Where people say which server runs the statements; those before 0.10 had keys of another form.
_BESIDE = ("docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml")
_BEFORE = re.compile(
    rb"cp-ksql-server|cp-ksqldb-server:5\.|ksqldb-server:0\.[0-9]\.|ksql-cli:5\.|cp-ksql-cli"
)
#: So many folders up, and in each so many, such files are searched for.
_HIGHEST, _MOST = 4, 50


class Source:
    """A stream or table: its kind, and how many partitions its statement gives its topic."""

    __slots__ = ("kind", "name", "partitions")

    def __init__(self, kind: str, name: str, partitions: str) -> None:
        self.kind = kind
        self.name = name
        self.partitions = partitions


class Property:
    """An entry of ``WITH (…)``; ``start`` and ``end`` are the place of its key in the file."""

    __slots__ = ("end", "name", "start", "text")

    def __init__(self, name: str, text: str, start: int, end: int) -> None:
        self.name = name
        self.text = text
        self.start = start
        self.end = end


def recognise(path: str, data: bytes) -> str | None:
    made = _SIGN.search(data) and _TOPIC.search(data)
    return FORMAT if made or ksql_connectors.SIGN.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    text = _COMMENT.sub(_blank, data.decode("utf-8", "replace"))
    starts = [0, *(found.end() for found in re.finditer(r"\n", text))]
    sources: dict[str, Source] = {}
    early: bool | None = None
    for piece in _STATEMENT.finditer(text):
        made = _CREATE.match(piece[0])
        if made is None and ksql_connectors.read(document, piece, starts):
            continue
        if made is None:
            _tell(document, starts, [*_unset(piece)])
            continue
        given = {one.name: one for one in _properties(piece[0], piece.start())}
        kind, name = made[1].upper(), made[2]
        spoken = f"{kind.lower()} {name}"
        wrong = [*_keyless(kind, name, piece, made, given), *_demanded(spoken, given)]
        if wrong and early is None:
            early = _early(document.path, lookup)
        if not early:
            _tell(document, starts, wrong)
        _tell(document, starts, [*_joined(name, piece, sources), *_unbounded(name, piece, sources)])
        count = given.get("PARTITIONS")
        sources[name.upper()] = Source(kind, name, count.text if count is not None else "")
    nothing(document, "contains no connector and no statement that ksqlDB refuses")


def _tell(document: Document, starts: list[int], wrong: list[_Told]) -> None:
    for key, value, start, end, message, fix, severity in wrong:
        at = placed(starts, start, end)
        document.problems.append(
            Problem(
                message,
                at,
                CODE,
                severity,
                "ksqlDB rejects the statement; a server that runs the file headless exits",
                fix,
                setting=Setting(key, value, document.path, at),
            )
        )


def _unset(piece: re.Match[str]) -> Iterator[_Told]:
    """A SET of a name that no property of the server has."""
    given = ksql_settings.SET.match(piece[0])
    told = ksql_settings.wrong(given[1]) if given is not None else None
    if given is not None and told is not None:
        start, end = piece.start() + given.start(1), piece.start() + given.end(1)
        yield given[1], given[2], start, end, *told


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0]) if found[1] else found[0]


def _properties(statement: str, offset: int) -> Iterator[Property]:
    opened = _WITH.search(statement)
    if opened is None:
        return
    closed = re.compile(r"(?:'(?:[^']|'')*'|[^')])*").match(statement, opened.end())
    end = closed.end() if closed is not None else opened.end()
    for found in _PROPERTY.finditer(statement, opened.end(), end):
        start = offset + found.start(1)
        yield Property(found[1].upper(), found[2].strip("'"), start, start + len(found[1]))


def _keyless(
    kind: str, name: str, piece: re.Match[str], made: re.Match[str], given: dict[str, Property]
) -> Iterator[_Told]:
    """A table without a PRIMARY KEY among its columns, and the KEY of ksqlDB before 0.10."""
    statement = piece[0]
    key = given.get("KEY")
    columns = statement[made.end() :].lstrip().startswith("(")
    spoken = f"{kind.lower()} {name}"
    if key is not None:
        right = "PRIMARY KEY" if kind == "TABLE" else "KEY"
        yield (
            "KEY",
            key.text,
            key.start,
            key.end,
            f"{spoken} has the property KEY, which ksqlDB 0.10 removed",
            f"remove KEY and declare its column as {right}",
            WARNING,
        )
    elif kind == "TABLE" and columns and _SELECT.search(statement) is None:
        formats = {given[one].text.upper() for one in ("FORMAT", "KEY_FORMAT") if one in given}
        if not given or _PRIMARY.search(statement) or formats & {*_INFERRED}:
            return
        start = piece.start() + made.start(2)
        yield (
            "PRIMARY KEY",
            None,
            start,
            start + len(name),
            f"{spoken} has no PRIMARY KEY, which tables require from ksqlDB 0.10 on",
            "declare the key's column with PRIMARY KEY",
            WARNING,
        )


def _demanded(spoken: str, given: dict[str, Property]) -> Iterator[_Told]:
    """Properties that demand or exclude others, or have a word that there is not."""
    for must, lacking in musts.broken("ksql.with", given):
        one = lacking[0]
        at = given[one.key] if one.key in given else given[must.when[0].key]
        if one.key not in given:
            message, fix = f"has {at.name} without {one.key}", f"add {one.key}"
        elif one.negated:
            cause = must.when[0].key
            message, fix = f"has both {cause} and {one.key}", f"remove {one.key} or {cause}"
        elif not at.text.replace("_", "").isalnum():
            continue
        else:
            words = ", ".join(one.values)
            message, fix = (
                f"has {one.key}={at.text}, which is none of {words}",
                f"use one of {words}",
            )
        yield at.name, at.text, at.start, at.end, f"{spoken} {message}", fix, ERROR


def _unbounded(name: str, piece: re.Match[str], sources: dict[str, Source]) -> Iterator[_Told]:
    """A join of a stream with a stream that says nothing of the time between their records."""
    selected = _SELECT.search(piece[0])
    left = ""
    for found in _SOURCE.finditer(
        piece[0], selected.end() if selected is not None else len(piece[0])
    ):
        source = sources.get(found[2].upper())
        if source is None:
            return
        behind = _BEHIND.match(piece[0], found.end())
        if left == source.kind == "STREAM" and behind is not None and behind[1].upper() == "ON":
            start = piece.start() + found.start(2)
            yield (
                "WITHIN",
                None,
                start,
                start + len(found[2]),
                f"{name} joins the stream {source.name} without WITHIN, which joins of two streams require",
                f"write WITHIN and a duration behind {source.name}",
                ERROR,
            )
        left = left or source.kind


def _joined(name: str, piece: re.Match[str], sources: dict[str, Source]) -> Iterator[_Told]:
    """A join of a stream with something that has another number of partitions."""
    selected = _SELECT.search(piece[0])
    if selected is None:
        return
    seen: list[Source] = []
    for found in _SOURCE.finditer(piece[0], selected.end()):
        source = sources.get(found[2].upper())
        if source is None:
            return
        first = next((one for one in seen if one.partitions != source.partitions), None)
        known = source.partitions.isdecimal() and all(one.partitions.isdecimal() for one in seen)
        if first is not None and known and "STREAM" in (first.kind, source.kind):
            start = piece.start() + found.start(2)
            yield (
                "PARTITIONS",
                source.partitions,
                start,
                start + len(found[2]),
                f"{name} joins {first.name} of {first.partitions} partitions with {source.name} of "
                f"{source.partitions}, but sources of a join must have equally many",
                f"give {source.name} {first.partitions} partitions, or repartition one of them",
                ERROR,
            )
            return
        seen.append(source)


def _early(path: str, lookup: Lookup) -> bool:
    """Whether a compose file nearby starts a server before 0.10."""
    folder = path.rpartition("/")[0]
    while True:
        for name in _BESIDE:
            data = lookup(f"{folder}/{name}".lstrip("/"))
            if data is not None:
                return _BEFORE.search(data) is not None
        if not folder:
            return _mounted_early(path, lookup)
        folder = folder.rpartition("/")[0]


def _mounted_early(path: str, lookup: Lookup) -> bool:
    """Whether all compose files of folders around that mount the file's own start such a server."""
    folders = path.split("/")[:-1]
    mounted = "/".join(folders[-2:]).encode()
    found: list[bool] = []
    for depth in range(len(folders) - 1, -1, -1) if len(folders) > 1 else ():
        above = "".join(f"{one}/" for one in folders[:depth])
        for one in _inside(above, lookup):
            for inner in (one, *_inside(one, lookup)):
                for name in _BESIDE:
                    data = lookup(inner + name) or b""
                    if mounted in data:
                        found.append(_BEFORE.search(data) is not None)
        if found or len(folders) - depth == _HIGHEST:
            break
    return bool(found) and all(found)


def _inside(folder: str, lookup: Lookup) -> list[str]:
    """The folders in a folder, as far as their names tell."""
    names = names_in(folder, lookup) or ()
    return [f"{folder}{name}/" for name in names[:_MOST] if name and "." not in name]


TYPE_CHECKING = False
if TYPE_CHECKING:
    #: Key, value, place, and message, fix and severity.
    _Told = tuple[str, str | None, int, int, str, str, str]
