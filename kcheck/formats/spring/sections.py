"""The documents of Spring Boot's files: their pairs, and the conditions under which they hold.

A file holds one document or several, parted by ``---``, or by ``#---`` in properties. What a
document imports (``spring.config.import``) holds where it does, and goes over it.
"""

from __future__ import annotations

import posixpath
import re

from kcheck.formats.clients import own_maps
from kcheck.formats.pairs import (
    Pair,
    TooMany,
    elements,
    in_yaml,
    of_entries,
    of_yaml,
    relaxed,
)
from kcheck.formats.spring import names as spring_names
from kcheck.model import Problem
from kcheck.syntax import yaml
from kcheck.syntax.entry import lines_of
from kcheck.syntax.properties import PropertiesError, decode, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kcheck.formats import Lookup

#: What tells for which profiles a document is meant, in the relaxed form; the second is Boot 2.3's.
_CONDITIONS = ("spring.config.activate.onprofile", "spring.profiles")
_IMPORT = "spring.config.import"
#: What Maven fills in before Spring reads the file; as it stands, no YAML value begins like that.
_FILTERED = re.compile(
    rb"(?m)((?::|^[ \t]*-)[ \t]+)(@[\w.-]+@[^\s\"#,{}\[\]]*)(?=[ \t]*(?:#.*)?\r?$)"
)
_OURS = ("spring.kafka.", "spring.cloud.stream.", "camel.component.kafka.")
#: Whose names begin like that.
_FRAMEWORKS = frozenset(
    (
        *("spring", "camel", "quarkus", "mp", "micronaut", "management", "logging", "server"),
        *("debezium", "akka", "pekko", "resilience4j", "eureka", "feign", "testcontainers"),
    )
)
_FILES = (".yml", ".yaml", ".properties")
#: Files that import each other are followed so far.
_DEEPEST = 5


def form(name: str) -> str:
    """A name in the form in which Spring compares it."""
    return ".".join(map(relaxed, elements(name)))


def of_kafka(pair: Pair) -> bool:
    """Whether the pair is one that this format is about."""
    return pair.name.startswith("kafka.properties.") or pair.form.startswith(_OURS)


def is_own(pair: Pair) -> bool:
    """Whether the pair has a key of Kafka's under a name of the application's own."""
    return not taken(pair.words) and own_maps.mentions(pair)


def taken(names: list[str]) -> bool:
    """Whether a framework reads a name, given by its parts in the relaxed form. What stands below a
    name of the application's own in Boot's tree (``spring.kafka.west.group-id``) Boot does not read.
    """
    if names[:2] == ["spring", "kafka"]:
        return len(names) < 4 or names[2] in spring_names.heads()
    return names[0] in _FRAMEWORKS or names[:2] == ["kafka", "properties"]


class Section:
    """One document of a file: its pairs, and the conditions (of profiles) that it holds under.

    ``home`` is the path of the file that it belongs to, which may import the one that it stands in.
    ``imports`` are the places that it imports; those of them that are not read are in ``unread``.
    """

    __slots__ = ("conditions", "home", "imports", "pairs", "speaks", "unread")

    def __init__(self, path: str, pairs: list[Pair]) -> None:
        self.home = path
        self.pairs = pairs
        self.conditions: tuple[str, ...] = ()
        self.imports: list[str] = []
        self.unread: list[str] = []
        #: Whether it has a setting of Kafka's.
        self.speaks = False
        for pair in pairs:
            name = pair.form
            if name in _CONDITIONS:
                self.conditions = (pair.text or "",)
            elif name == _IMPORT:
                self.imports = [one.strip() for one in (pair.text or "").split(",") if one.strip()]
            self.speaks = self.speaks or of_kafka(pair) or is_own(pair)


def of_file(path: str, data: bytes) -> tuple[list[Section], Problem | None]:
    """The documents of a file, in either syntax, and what is wrong with it."""
    if not in_yaml(path):
        return _of_properties(path, data)
    if b"@" in data:
        data = _FILTERED.sub(rb'\1"\2"', data)
    nodes, problem = yaml.documents(data)
    try:
        return [Section(path, of_yaml(node, path)) for node in nodes], problem
    except TooMany:
        return [], Problem("it has too many settings")


def _of_properties(path: str, data: bytes) -> tuple[list[Section], Problem | None]:
    """The documents of a ``.properties`` file, which lines of ``#---`` part."""
    text, _ = decode(data)
    try:
        entries, problem = parse(text), None
    except PropertiesError as error:
        at = (error.line, error.column, error.line, error.column + 1)
        entries, problem = error.entries, Problem(error.message, at)
    breaks = [n for n, line in enumerate(lines_of(text), 1) if line.rstrip() in ("#---", "!---")]
    sections: list[Section] = []
    for start, end in zip([0, *breaks], [*breaks, len(text) + 2], strict=True):
        mine = [entry for entry in entries if start < entry.key_at[0] < end]
        if mine:
            sections.append(Section(path, of_entries(mine, path)))
    return sections, problem


def with_imports(
    path: str, sections: list[Section], lookup: Lookup, depth: int = 0
) -> Iterator[Section]:
    """The documents, each with what it imports behind it: that goes over it (ConfigDataImporter)."""
    for section in sections:
        yield section
        for told in section.imports:
            found = _imported(path, told, lookup) if depth < _DEEPEST else None
            if found is None:
                section.unread.append(told)
                continue
            inner = of_file(*found)[0]
            for one in with_imports(found[0], inner, lookup, depth + 1):
                one.conditions = (*section.conditions, *one.conditions)
                one.home = section.home
                yield one


def _imported(path: str, told: str, lookup: Lookup) -> tuple[str, bytes] | None:
    """(path, data) of the file that a location names, as far as it lies in the project.

    Resources of the class path are beside the files that import them; a path of ``file:`` hangs on
    the working directory, which may be the project's.
    """
    told = told.removeprefix("optional:")
    kind, colon, rest = told.partition(":")
    if colon and kind not in ("classpath", "file"):
        return None
    name = (rest if colon else told).removeprefix("/") if kind != "file" else rest
    if not name.endswith(_FILES) or "${" in name or name.startswith("/"):
        return None
    folders = [path.rpartition("/")[0], *([""] if kind == "file" else [])]
    for folder in folders:
        other = posixpath.normpath(posixpath.join(folder, name))
        data = None if other.startswith("..") or other == path else lookup(other)
        if data is not None:
            return other, data
    return None


def importer(path: str, lookup: Lookup) -> str:
    """The path of the application's file beside this one that is read and imports it; "" where none
    does."""
    folder, slash, name = path.rpartition("/")
    for ending in _FILES:
        other = f"{folder}{slash}application{ending}"
        data = lookup(other) if other != path else None
        if data is None or name.encode() not in data or b"import" not in data:
            continue
        sections = of_file(other, data)[0]
        if not any(section.speaks for section in sections):
            continue  # nobody reads it as Kafka's, nor what it imports
        places = [place for section in sections for place in section.imports]
        found = [_imported(other, place, lookup) for place in places]
        if any(one is not None and one[0] == path for one in found):
            return other
    return ""
