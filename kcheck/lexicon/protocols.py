"""The versions of the brokers' protocol and of their metadata, and which releases know them."""

from __future__ import annotations

from kcheck import catalogue, data

#: The keys whose values are such versions.
KEYS = ("inter.broker.protocol.version", "log.message.format.version")

#: name → the oldest and the newest release that know it.
_known: dict[str, tuple[str, str]] = {}


def _releases(text: str) -> tuple[str, str]:
    """The first and the last release that know the version; empty where none does."""
    if not _known:
        for name, versions in data.rows("kafka/protocols.tsv"):
            since, dash, until = versions.partition("-")
            _known[name] = since, (until or catalogue.newest()) if dash else since
    # Kafka looks at the first parts alone: 3.9.1 is 3.9 to it.
    parts = text.split(".")
    return _known.get(".".join(parts[: 3 if text.startswith("0.") else 2]), ("", ""))


def first(text: str) -> str:
    """The oldest release of the catalogue that knows the version; empty where none does."""
    return _releases(text)[0]


def known(text: str, release: str) -> bool:
    """Whether a release takes the version."""
    order, (since, until) = catalogue.minors(), _releases(text)
    return bool(since) and order.index(since) <= order.index(release) <= order.index(until)
