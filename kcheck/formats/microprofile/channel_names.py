"""Names below a channel, or below ``kafka.``, that neither SmallRye's connector nor a client has."""

from __future__ import annotations

from kcheck import catalogue
from kcheck.lexicon import fields, suggest

_DIRECTIONS = {"consumer": "incoming", "producer": "outgoing"}
_PLANES = {
    "": ("consumer", "producer", "admin"),
    "streams": ("streams", "consumer", "producer", "admin"),
}
#: Sections that other frameworks have for a client's keys: a channel hands on what stands in it as it is.
_HABITS = ("properties", "configuration", "config", "consumer", "producer", "kafka")
#: Behind these stand settings of a client of the connector's own.
_OWN_CLIENTS = ("dead-letter-queue.", "delayed-retry-topic.")


def meant(side: str, key: str) -> str:
    """The attribute or key that a name can only stand for; "" where it is one, or nobody knows.

    ``side`` is ``consumer`` or ``producer``, ``streams`` for what stands below ``kafka-streams.``, ""
    for what all clients share. Kafka's keys in other
    letters are left to the rule on keys: here they are told where dashes stand for dots.
    """
    planes = _PLANES.get(side) or (side, "admin")
    prefix = next((one for one in _OWN_CLIENTS if key.startswith(one)), "")
    clients = ("producer", "consumer") if prefix else planes
    bare = key.removeprefix(prefix)
    if any(bare in catalogue.plane(plane) for plane in clients):
        return ""
    names = fields.of(fields.SMALLRYE, _DIRECTIONS.get(side, ""))
    if names is not None:
        if key in names.known:
            return ""
        attributes = tuple(name for name in names.known if name not in catalogue.plane(side))
        found = fields.meant(fields.SMALLRYE, _DIRECTIONS[side], key)
        if found in attributes and len(key) > _SHORT:
            return found
    first, _, rest = bare.partition(".")
    of_channel = side in _DIRECTIONS and first in _HABITS
    if of_channel and any(rest in catalogue.plane(plane) for plane in clients):
        return f"{prefix}{rest}"
    if "-" not in bare:
        return ""
    dotted = bare.replace("-", ".")
    right = next((dotted for plane in clients if dotted in catalogue.plane(plane)), "")
    return f"{prefix}{right}" if right else ""


def is_kafkas(connector: str, right: str) -> bool:
    """Whether a connector's name can only be a slip of Kafka's."""
    bare = connector.lower().replace("_", "-")
    short = right.partition("-")[2]
    return bare in (short, f"{right}-connector") or suggest.distance(bare, right, 2) <= 2


#: So short words have others nearby.
_SHORT = 5
