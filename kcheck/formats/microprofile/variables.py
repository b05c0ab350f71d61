"""Variables of Reactive Messaging's channels: ``MP_MESSAGING_INCOMING_ORDERS_AUTO_OFFSET_RESET``.

MicroProfile Config writes a property with underscores for all that is no letter or digit, so that the
name does not tell where the channel ends: there, where a key or an attribute begins, the longest one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kcheck import catalogue
from kcheck.formats.clients.application import Application
from kcheck.formats.containers.variables import Variable
from kcheck.formats.microprofile.sections import Reader
from kcheck.formats.pairs import Pair
from kcheck.model import Document, Resource

PREFIX = "MP_MESSAGING_"
_SIDES = {"INCOMING": "consumer", "OUTGOING": "producer"}
#: Attributes of the connector that say where a channel leads.
_ATTRIBUTES = ("connector", "topic", "topics")
#: What holds for all channels.
_SHARED = {"KAFKA_BOOTSTRAP_SERVERS": "kafka.bootstrap.servers"}

_forms: dict[str, dict[str, str]] = {}


def resources(path: str, name: str, variables: Iterable[Variable]) -> list[Resource]:
    """The clients of the channels that a container's variables configure; none without a channel."""
    told = list(variables)
    pairs = [pair for one in told if (pair := _pair(one)) is not None]
    if not pairs:
        return []
    shared = [_made(one, _SHARED[one.name]) for one in told if one.name in _SHARED]
    inner = Document(path)
    Reader(Application(inner, f"{path}#{name}"), [[*shared, *pairs]]).read()
    return [one for one in inner.resources if one.kind in _SIDES.values()]


def _pair(variable: Variable) -> Pair | None:
    """The variable as the property that it sets; None where it is no channel's."""
    side, _, rest = variable.name.removeprefix(PREFIX).partition("_")
    if not variable.name.startswith(PREFIX) or side not in _SIDES:
        return None
    words, known = rest.lower().split("_"), _known(_SIDES[side])
    for at in range(1, len(words)):
        key = known.get("_".join(words[at:]))
        if key is not None:
            return _made(variable, f"mp.messaging.{side.lower()}.{'-'.join(words[:at])}.{key}")
    return None


def _made(variable: Variable, name: str) -> Pair:
    raw = variable.known
    return Pair(name, raw, variable.path, variable.at, variable.key_at, variable.name)


def _known(side: str) -> dict[str, str]:
    """Kafka's keys and the attributes as variables spell them."""
    if side not in _forms:
        names = (*catalogue.plane(side).keys(), *_ATTRIBUTES)
        _forms[side] = {re.sub(r"[^a-z0-9]", "_", name): name for name in names}
    return _forms[side]
