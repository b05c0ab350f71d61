"""Mirrors: which cluster's topics go to which other one, under which names, as one file tells it.

A flow is noted on a resource of each of its ends: ``traits.flows_in`` where the records arrive,
``traits.flows_out`` where they come from.
"""

from __future__ import annotations

from collections.abc import Mapping

from kcheck import endpoints
from kcheck.model import Resource, Setting

SOURCE, TARGET = "source.cluster.alias", "target.cluster.alias"
_SERVERS = ("source.cluster.bootstrap.servers", "target.cluster.bootstrap.servers")


class Flow:
    """One direction of a mirror.

    ``source`` and ``target`` are the settings that give the two clusters their aliases, ``servers``
    the addresses of each (empty where they are not known). ``settings`` are the source connector's;
    ``largest`` is the max.request.size of whoever writes at the target, None for the default.
    ``off`` are the flows that its file switches off in so many words.
    """

    __slots__ = ("largest", "off", "servers", "settings", "source", "target")

    def __init__(
        self,
        source: Setting,
        target: Setting,
        servers: tuple[Setting | None, Setting | None],
        settings: Mapping[str, Setting],
        largest: Setting | None = None,
        off: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        self.source = source
        self.target = target
        self.servers = tuple(map(_addresses, servers))
        self.settings = settings
        self.off = off
        self.largest = largest or settings.get("producer.override.max.request.size")

    @property
    def ends(self) -> tuple[str, str]:
        """The aliases of its source and its target."""
        return self.source.text or "", self.target.text or ""

    def excludes(self, other: Flow) -> bool:
        """Whether one of them never runs beside the other: the file of one switches it off."""
        return other.ends in self.off or self.ends in other.off

    @property
    def place(self) -> tuple[str, int, int]:
        """Where the flow stands, to tell flows apart and to order them."""
        return (self.target.path, *self.source.at[:2])


def _addresses(setting: Setting | None) -> frozenset[tuple[str, str]]:
    if setting is None or not setting.text:
        return frozenset()
    return frozenset(endpoints.split(setting.text))


def leave(resource: Resource, side: str, flow: Flow) -> None:
    """Note a flow on a resource of one of its ends: ``in`` or ``out``."""
    traits = resource.traits
    if side == "in":
        traits.flows_in = (*traits.flows_in, flow)
    else:
        traits.flows_out = (*traits.flows_out, flow)


def of_connector(resource: Resource) -> None:
    """Note the flow that a source connector of MirrorMaker's tells of itself."""
    settings = resource.settings
    if SOURCE not in settings or TARGET not in settings:
        return
    flow = Flow(
        settings[SOURCE],
        settings[TARGET],
        (settings.get(_SERVERS[0]), settings.get(_SERVERS[1])),
        settings,
    )
    leave(resource, "in", flow)
    leave(resource, "out", flow)


def matches(patterns: str, name: str) -> bool:
    """Whether a name is taken by one of MirrorMaker's patterns, which commas part."""
    import re  # the formats come without it: few files hold a mirror

    for pattern in patterns.split(","):
        try:
            if re.fullmatch(pattern.strip(), name):
                return True
        except re.error:
            continue
    return False
