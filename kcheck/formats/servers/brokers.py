"""How Schema Registry and ksqlDB reach brokers, and what of it they refuse or pass over."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import endpoints
from kcheck.formats.clients.application import Layer
from kcheck.formats.pairs import Pair
from kcheck.formats.text import templated
from kcheck.model import ERROR, INFO, WARNING, Note, Setting

STORE = "kafkastore."
_NO_EFFECT = "they have no effect"
_PROTOCOL, ZOOKEEPER = "security.protocol", "connection.url"

REPLICAS = "ksql.internal.topic.replicas"


def few_replicas(told: Pair | None, brokers: Setting) -> Iterator[Note]:
    """A note where ksqlDB makes its own topics with fewer copies than a service takes."""
    if told is not None and (known_text(told) is None or told.text == "3"):
        return
    yield Note(
        "KC1520",
        brokers if told is None else told.setting(REPLICAS, told.text),
        f"ksqlDB has {REPLICAS}={told.text if told else '1 (default)'}, but Confluent Cloud accepts "
        "only replication factor 3",
        "the command topic cannot be created, so the server does not start (PolicyViolationException)",
        f"set {REPLICAS}=3",
        others=() if told is None else (brokers,),
    )


def by_zookeeper(url: Pair) -> Note:
    """A note where Schema Registry looks for brokers in ZooKeeper, which it does no longer."""
    return Note(
        "KC1026",
        url.setting(url.name, url.text),
        f"Schema Registry sets {url.name} without {STORE}bootstrap.servers, but from version 7.0 on "
        "it does not look up brokers in ZooKeeper",
        "Schema Registry fails to start: no supported Kafka endpoints are configured",
        f"list the brokers in {STORE}bootstrap.servers",
        ERROR,
    )


def unspoken(layer: Layer) -> Iterator[Note]:
    """A note where Schema Registry leaves out endpoints for the protocol that stands before them."""
    servers, told = layer.get("bootstrap.servers"), layer.get(_PROTOCOL)
    protocol = told.text if told is not None else "PLAINTEXT"  # its own default
    if servers is None or not servers.text or protocol is None:
        return
    listed = [one.strip() for one in servers.text.split(",") if one.strip()]
    left = [one for one in listed if "://" not in one or one.startswith(f"{protocol}://")]
    out = [one for one in listed if one not in left]
    if not out:
        return
    scheme = out[0].partition("://")[0]
    # Listeners for others, of brokers that stay in the list.
    there = {host for host, _ in endpoints.split(",".join(left))} | {"localhost", "127.0.0.1"}
    lost = not left or not there.issuperset(host for host, _ in endpoints.split(",".join(out)))
    said = f"{STORE}{_PROTOCOL} is {protocol}" + ("" if told is not None else " (default)")
    yield Note(
        "KC1026",
        servers,
        f"Schema Registry ignores {', '.join(out)}: {said}",
        ("Schema Registry bootstraps from the remaining brokers only" if lost else _NO_EFFECT)
        if left
        else "Schema Registry fails to start: no supported Kafka endpoints are configured",
        f"list {protocol} endpoints only"
        if left
        else f"set {STORE}{_PROTOCOL}={scheme}, or use {protocol}:// in the endpoints",
        ERROR if not left else WARNING if lost else INFO,
        others=(told,) if told is not None else (),
    )


def known_text(pair: Pair) -> str | None:
    """The text of a pair; None where it is not known."""
    return None if pair.text is None or templated(pair.text) else pair.text
