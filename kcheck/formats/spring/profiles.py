"""Which documents of Spring Boot's files hold together: one world for each set of active profiles.

Spring reads ``application.yml`` with all its documents, then the files of the active profiles in
their order, each over those before it: the included ones first, then a profile, then the members of
its group. A document with a condition holds where its expression does. (StandardConfigDataLocation-
Resolver, Profiles and ProfilesParser; asked of Boot 3.4, see the tests.)
"""

from __future__ import annotations

import re

from kcheck.formats.spring.sections import Section, of_file, with_imports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup

_TOKEN = re.compile(r"[()&|!]|[^()&|!\s]+(?:[ \t]+[^()&|!\s]+)*")
_GROUP = "spring.profiles.group."
_INCLUDE = "spring.profiles.include"
_OPERATORS = frozenset("()&|!")
#: In this order: the last wins.
_ENDINGS = (".yaml", ".yml", ".properties")
#: Profiles of one file that are told apart, and groups within groups.
MOST = 200
_NESTED = 10


class _Expression:
    """One expression of profiles, as a test of the active ones; it raises ValueError where it is none."""

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text)[::-1]
        self._active: frozenset[str] = frozenset()

    def holds(self, active: frozenset[str]) -> bool:
        self._active = active
        found = self._any()
        if self._tokens:
            raise ValueError
        return found

    def _any(self) -> bool:
        found = self._all()
        while self._tokens and self._tokens[-1] == "|":
            self._tokens.pop()
            found = self._all() or found
        return found

    def _all(self) -> bool:
        found = self._one()
        while self._tokens and self._tokens[-1] == "&":
            self._tokens.pop()
            found = self._one() and found
        return found

    def _one(self) -> bool:
        token = self._tokens.pop() if self._tokens else ")"
        if token == "!":
            return not self._one()
        if token == "(":
            found = self._any()
            if not self._tokens or self._tokens.pop() != ")":
                raise ValueError
            return found
        if token in ")&|":
            raise ValueError
        return token in self._active


def holds(condition: str, active: frozenset[str]) -> bool:
    """Whether one of a condition's expressions holds; what is none is the name of a profile."""
    for told in map(str.strip, condition.split(",")):
        if told in active:
            return True
        if _OPERATORS.isdisjoint(told):
            continue
        try:
            if _Expression(told).holds(active):
                return True
        except ValueError:
            continue
    return False


def names(condition: str) -> list[str]:
    """The profiles that a condition speaks of."""
    if "${" in condition or "@" in condition:
        return [condition]
    return [token for token in _TOKEN.findall(condition.replace(",", "|")) if token not in "()&|!"]


def _wanted(condition: str) -> list[str]:
    """The profiles that a condition speaks of, but for those behind a ``!``."""
    return names(re.sub(r"![ \t]*[^()&|!,\s]+", "", condition))


class World:
    """The documents that hold together under one set of profiles, in their order; the last wins.

    ``label`` names the profiles, "" for none.
    """

    __slots__ = ("label", "layers")

    def __init__(self, label: str, layers: list[Section]) -> None:
        self.label = label
        self.layers = layers

    @property
    def told(self) -> list[Section]:
        """Those that speak of Kafka."""
        return [one for one in self.layers if one.speaks]


class Family:
    """The files of one application in one folder: the main ones, and those of profiles.

    ``stem`` is the path up to the profile (``app/application``), "" of a file with no others. The ``sections`` of the file at
    ``path``, which is the profile's of that name ("" for a main one), are known.
    """

    def __init__(
        self, stem: str, profile: str, path: str, sections: list[Section], lookup: Lookup
    ) -> None:
        self._stem = stem
        self._profile = profile
        self._path = path
        self._own = sections
        self._lookup = lookup
        self._files: dict[str, list[Section]] = {}
        self._groups: dict[str, list[str]] = {}
        self._included: list[str] = []
        #: Profiles of a file with very many that are not told apart.
        self.left: list[str] = []
        for section in self._of(""):
            for pair in section.pairs if not section.conditions else ():
                name = pair.form
                listed = [one.strip() for one in (pair.text or "").split(",") if one.strip()]
                if name == _INCLUDE:
                    self._included += listed
                elif name.startswith(_GROUP):
                    self._groups[pair.name.rpartition(".")[2]] = listed

    def worlds(self) -> list[World]:
        """The worlds in which a document of the file holds that speaks of Kafka, each once."""
        told = [s for s in self._of(self._profile) if s.home == self._path and s.speaks]
        made: dict[tuple[int, ...], World] = {}
        for label, active in self._candidates(told):
            world = World(label, self._layers(active))
            key = tuple(map(id, world.told))
            if not any(id(section) in key for section in told):
                continue
            old = made.setdefault(key, world)
            if old is not world and old.label and label not in self._groups:
                old.label = f"{old.label},{label}"
        return sorted(made.values(), key=lambda one: one.label)

    def _candidates(self, told: list[Section]) -> list[tuple[str, list[str]]]:
        """(label, active profiles) of each world that the file may have a part in."""
        found: dict[str, list[str]] = {"": []}
        spoken = [name for s in told for c in s.conditions for name in names(c)]
        for name in [*([self._profile] if self._profile else []), *spoken]:
            found.setdefault(name, self._expanded(name))
            for leader in self._groups:
                if name in self._expanded(leader):
                    found.setdefault(leader, self._expanded(leader))
        sets = [frozenset(active) | {*self._included} for active in found.values()]
        for s in told:
            if len(s.conditions) == 1 and "&" not in s.conditions[0]:
                continue  # one of its profiles is enough
            if s.conditions and not any(all(holds(c, a) for c in s.conditions) for a in sets):
                both = list(dict.fromkeys(n for c in s.conditions for n in _wanted(c)))
                found.setdefault(" & ".join(both), both)
        self.left = list(found)[MOST:]
        return list(found.items())[:MOST]

    def _expanded(self, name: str, depth: int = 0) -> list[str]:
        """A profile, then the members of its group with those of theirs."""
        found = [name]
        for member in self._groups.get(name, ()) if depth < _NESTED else ():
            found += [one for one in self._expanded(member, depth + 1) if one not in found]
        return found

    def _layers(self, active: list[str]) -> list[Section]:
        """What holds while the profiles are active."""
        order = list(dict.fromkeys([*self._included, *active]))
        every = frozenset(order)
        sections = [*self._of(""), *(one for name in order for one in self._of(name))]
        return [one for one in sections if all(holds(c, every) for c in one.conditions)]

    def _of(self, profile: str) -> list[Section]:
        """The documents of a profile's files ("" for the main ones), with what they import."""
        if profile in self._files:
            return self._files[profile]
        found: list[Section] = []
        own = profile == self._profile
        for path in self._paths(profile):
            if path == self._path:
                found += with_imports(path, self._own, self._lookup)
            elif (data := self._lookup(path)) is not None:
                found += with_imports(path, of_file(path, data)[0], self._lookup)
        if own and self._path not in self._paths(profile):
            found += with_imports(self._path, self._own, self._lookup)
        for section in found if profile else ():
            section.conditions = (profile, *section.conditions)
        self._files[profile] = found
        return found

    def _paths(self, profile: str) -> list[str]:
        if not self._stem or "/" in profile or "$" in profile:
            return []
        stem = f"{self._stem}-{profile}" if profile else self._stem
        return [stem + ending for ending in _ENDINGS]
