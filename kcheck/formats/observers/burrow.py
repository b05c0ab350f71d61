"""Burrow's TOML: the clusters whose consumers it watches, and the profiles by which it connects."""

from __future__ import annotations

import re

from kcheck.formats import Lookup, requirements
from kcheck.formats.agents.conf import placed, text_of
from kcheck.formats.fact_trees import Fact, Facts, Tree
from kcheck.formats.observers import clients as observers
from kcheck.formats.observers.clients import BURROW, Option
from kcheck.formats.scalars import nothing
from kcheck.formats.text import unrendered
from kcheck.model import SKIPPED, Document, Problem
from kcheck.syntax import toml

FORMAT = "burrow"
_CLUSTER = re.compile(rb"^[ \t]*\[[ \t]*cluster[ \t]*\.", re.MULTILINE)
#: Modules that ask brokers; others of these sections ask ZooKeeper.
_KAFKA = "kafka"
_SECTIONS = ("cluster", "consumer")


def recognise(path: str, data: bytes) -> str | None:
    return FORMAT if b"class-name" in data and _CLUSTER.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    try:
        file = _File(toml.load(text), text)
    except toml.TomlError as error:
        if unrendered(data):
            document.status, document.reason = SKIPPED, "an unrendered template"
        else:
            document.problems.append(Problem(str(error), (error.line, 1, error.line, 1)))
        return
    for section in _SECTIONS:
        for name in file.names(section):
            if file.value(section, name, "class-name") == _KAFKA:
                _client(document, file, section, name)
            tree = _Table(file, section, name)
            requirements.check(document, f"burrow {section}", f"{section}.{name}", tree, "Burrow")
    for name in file.names("client-profile"):
        tree = _Table(file, "client-profile", name)
        owner = f"client-profile.{name}"
        requirements.check(document, "burrow client-profile", owner, tree, "Burrow")
    nothing(document, "contains no cluster that the program watches")


def _client(document: Document, file: _File, section: str, name: str) -> None:
    options = [*file.options((section, name), ("servers",))]
    profile = file.value(section, name, "client-profile")
    complete = True
    if profile:
        own = ("client-profile", profile)
        options += file.options(own, ("client-id",))
        for switch in ("tls", "sasl"):
            for option in file.options(own, (switch,)):
                options.append(Option(switch, "true", option.name_at, option.at, switch))
        sasl = file.value(*own, "sasl")
        options += file.options(("sasl", sasl), ("mechanism",)) if sasl else ()
        complete = profile in file.names("client-profile")
    line = toml.line_of(file.lines, (section, name))
    at = (line, 1, line, len(file.rows[line - 1]) + 1)
    observers.client(document, BURROW, f"{section}.{name}", options, at, complete)


class _Table(Tree):
    """A table with its keys; a path that begins with a slash has the names of the tables of a section."""

    __slots__ = ("_file", "_place")

    def __init__(self, file: _File, section: str, name: str) -> None:
        line = toml.line_of(file.lines, (section, name))
        super().__init__((line, 1, line, len(file.rows[line - 1]) + 1))
        self._file = file
        self._place = (section, name)

    def facts(self, path: str) -> Facts:
        if path.startswith("/"):
            names = self._file.names(path[1:])
            return [Fact(path, path, one, self.place, self.place) for one in names]
        return [
            Fact(one.name, one.name, one.text, one.at, one.name_at)
            for one in self._file.options(self._place, (path,))
        ]


class _File:
    """A parsed file with the places of its keys."""

    def __init__(self, loaded: dict[str, object], text: str) -> None:
        self._loaded = loaded
        self.lines = toml.lines(text)
        self.rows = text.split("\n")

    def names(self, section: str) -> list[str]:
        """The tables below a section."""
        held = self._loaded.get(section)
        return [*held] if isinstance(held, dict) else []

    def _table(self, section: str, name: str) -> dict[str, object]:
        held = self._loaded.get(section)
        found = held.get(name) if isinstance(held, dict) else None
        return found if isinstance(found, dict) else {}

    def value(self, section: str, name: str, key: str) -> str:
        """The text of a key; "" where there is none."""
        found = self._table(section, name).get(key)
        return found if isinstance(found, str) else ""

    def options(self, place: tuple[str, str], keys: tuple[str, ...]) -> list[Option]:
        """The options of these names in a table."""
        found: list[Option] = []
        table = self._table(*place)
        for key in keys:
            if key in table:
                line = toml.line_of(self.lines, (*place, key))
                name_at, at = placed(self.rows[line - 1], line)
                found.append(Option(key, text_of(table[key]), name_at, at))
        return found
