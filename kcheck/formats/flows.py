"""Mirrors: which cluster's topics go to which other one, under which names, as one file tells it.

A flow is noted on a resource of each of its ends: ``traits.flows_in`` where the records arrive,
``traits.flows_out`` where they come from.
"""

from __future__ import annotations

from collections.abc import Mapping

from kcheck import endpoints
from kcheck.model import Flow, Resource, Setting

SOURCE, TARGET = "source.cluster.alias", "target.cluster.alias"
_SERVERS = ("source.cluster.bootstrap.servers", "target.cluster.bootstrap.servers")


def flow(
    source: Setting,
    target: Setting,
    servers: tuple[Setting | None, Setting | None],
    settings: Mapping[str, Setting],
    largest: Setting | None = None,
    off: frozenset[tuple[str, str]] = frozenset(),
    halted: bool = False,
) -> Flow:
    """The flow between two aliases; ``servers`` are the bootstrap servers of its ends, ``largest``
    is the max.request.size of whoever writes, where it is not the source connector's override,
    ``off`` the flows that the file switches off, ``halted`` that its connector may be stopped."""
    addresses = _addresses(servers[0]), _addresses(servers[1])
    largest = largest or settings.get("producer.override.max.request.size")
    return Flow(source, target, addresses, settings, largest, off, halted)


def _addresses(setting: Setting | None) -> frozenset[tuple[str, str]]:
    if setting is None or not setting.text:
        return frozenset()
    return frozenset(endpoints.split(setting.text))


def leave(resource: Resource, side: str, found: Flow) -> None:
    """Note a flow on a resource of one of its ends: ``in`` or ``out``."""
    traits = resource.traits
    if side == "in":
        traits.flows_in = (*traits.flows_in, found)
    else:
        traits.flows_out = (*traits.flows_out, found)


def of_connector(resource: Resource) -> None:
    """Note the flow that a source connector of MirrorMaker's tells of itself."""
    settings = resource.settings
    if SOURCE not in settings or TARGET not in settings:
        return
    found = flow(
        settings[SOURCE],
        settings[TARGET],
        (settings.get(_SERVERS[0]), settings.get(_SERVERS[1])),
        settings,
        halted=resource.traits.halted,
    )
    leave(resource, "in", found)
    leave(resource, "out", found)


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
