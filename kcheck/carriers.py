"""Releases of platforms and wrappers, and the release of the client inside them.

A platform (Spring Boot, Quarkus, Micronaut) or a package around librdkafka has releases of its own;
``schemas/clients`` says which client each of them brings along.
"""

from __future__ import annotations

from functools import lru_cache

from kcheck import data
from kcheck.version import parse

#: What else a package is called.
_NAMES = {"confluent-kafka-javascript": "@confluentinc/kafka-javascript"}

#: A release's number from the first to the last one with that client.
_Span = tuple[tuple[int, ...], tuple[int, ...], str]


@lru_cache(maxsize=64)
def inside(carrier: str, release: str) -> str:
    """The version of the client in a release of a platform or a wrapper; "" where that is not sure.

    ``release`` may be a minor alone. A patch newer than the table brings what the newest one there
    does; between two that differ nobody knows.
    """
    carrier = _NAMES.get(carrier, carrier)
    number = parse(release)
    if number is None:
        return ""
    minor = [one for one in _spans(carrier) if one[0][:2] <= number[:2] <= one[1][:2]]
    found = {client for _, _, client in minor}
    if len(found) > 1 and len(number) > 2:
        own = [client for first, last, client in minor if first <= number[:3] <= last]
        newer = number[:3] > minor[-1][1]
        found = set(own[:1]) if own else {minor[-1][2]} if newer else set()
    if len(found) > 1:
        # The patch is not known, or two releases differ in theirs: their minor may be the same.
        found = {".".join(client.split(".")[:2]) for client in found}
    return found.pop() if len(found) == 1 else ""


@lru_cache(maxsize=8)
def _spans(carrier: str) -> tuple[_Span, ...]:
    """The rows of a carrier, the oldest first."""
    return tuple(
        (parse(first) or (), parse(last) or (), client)
        for table in ("clients/boms.tsv", "clients/wrappers.tsv")
        for name, first, last, client, *_ in data.rows(table)
        if name == carrier
    )
