"""The environment variables of a container, as far as its file tells what it gets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from kcheck.formats.text import templated
from kcheck.model import Derived, Framed, Position, Setting

#: Filled in by the wurstmeister image with what a command prints.
_COMMAND = "_{"


#: What a shell in a container sets by itself: ``export KAFKA_BROKER_ID=${HOSTNAME##*-}``.
_ASSIGNED = re.compile(r"(?:^|[\s;&|(])(?:export\s+)?([A-Z_][A-Z0-9_]*)=")


def assigned(command: str) -> set[str]:
    """The variables that a command sets before it starts a program."""
    return set(_ASSIGNED.findall(command)) if "=" in command else set()


class Variable:
    """One variable as the container gets it; ``raw`` is None where nobody here can know it.

    ``frame`` is what stands around the placeholders then. ``made``: the platform makes it, so that it does not stand at its place.
    ``replaced`` is one of the same name further up in the same list.
    """

    __slots__ = ("at", "frame", "key_at", "made", "name", "path", "raw", "replaced")

    def __init__(
        self,
        name: str,
        raw: str | None,
        path: str,
        at: Position,
        key_at: Position | None = None,
        made: bool = False,
        frame: str | None = None,
    ) -> None:
        self.frame = raw if frame is None else frame
        self.made = made
        self.name = name
        self.raw = raw
        self.path = path
        self.at = at
        self.key_at = key_at or at
        self.replaced: Variable | None = None

    def setting(self, key: str, raw: str | None) -> Setting:
        """The variable as a setting of that key, with the text that Kafka gets."""
        if raw is None and self.frame is not None and self.known is None:
            return Framed(key, self.frame, self.path, self.at, self.key_at, self.name)
        kind = Derived if self.made or raw not in (None, self.raw) else Setting
        return kind(key, raw, self.path, self.at, self.key_at, self.name)

    @property
    def known(self) -> str | None:
        """The text where it is known and no placeholder."""
        raw = self.raw
        return None if raw is None or templated(raw) or _COMMAND in raw else raw


def assign(variables: dict[str, Variable], command: str, path: str, at: Position) -> None:
    """Make variables unknown that a command sets before the program starts, stated or not."""
    names = assigned(command)
    forget(variables, names)
    for name in sorted(names.difference(variables)):
        variables[name] = Variable(name, None, path, at, made=True)


def forget(variables: Mapping[str, Variable], names: Iterable[str]) -> None:
    """Make variables unknown that something else sets before the program starts."""
    for name in names:
        if name in variables:
            variables[name].raw = variables[name].frame = None
