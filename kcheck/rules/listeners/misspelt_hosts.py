"""KC10: hosts in a compose file that are typos of service names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import endpoints
from kcheck.graph.clients import Worker
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import WARNING, Finding
from kcheck.rule import rule

KEYS = (
    "zookeeper.connect",
    "controller.quorum.voters",
    "controller.quorum.bootstrap.servers",
    "bootstrap.servers",
)


_DIGITS = re.compile(r"[0-9]")


_IDS = re.compile(r"[0-9]+@")


_ALIKE = 0.8


#: With more names than this, one is always similar.
_MOST_NAMES = 300


def _hosts(text: str) -> list[str]:
    """The hosts of an entry list, without the ids before an @."""
    return [host for host, _ in endpoints.split(_IDS.sub("", text))]


def meant(host: str, names: tuple[str, ...]) -> str:
    """The service that a host is a typo of; "" if the host may be another machine.

    A name that differs only in its number is another member of the same kind, possibly in another
    file.
    """
    if host in names or "." in host or len(names) > _MOST_NAMES:
        return ""
    from difflib import get_close_matches

    close = next(iter(get_close_matches(host, names, cutoff=_ALIKE)), "")
    same = _DIGITS.sub("", close) == _DIGITS.sub("", host)
    return "" if same else close


@rule("KC1068", "host-misspelt", WARNING, on=KEYS, invariants=("bootstrap-overlap",))
def host_misspelt(node: Broker | Controller | Worker) -> Iterator[Finding]:
    """A host in a compose file looks like a typo of a service name.

    Containers resolve each other by service name, hostname, container_name and aliases. Reported only
    if a name in the same file differs by a letter or two.

    Bad:
        --- docker-compose.yml
        services:
          zookeeper:
            image: confluentinc/cp-zookeeper:7.5.0
            environment: {ZOOKEEPER_CLIENT_PORT: 2181}
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookepeer:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Good:
        --- docker-compose.yml
        services:
          zookeeper:
            image: confluentinc/cp-zookeeper:7.5.0
            environment: {ZOOKEEPER_CLIENT_PORT: 2181}
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181/kafka
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Good: another member of the ensemble
        --- docker-compose.yml
        services:
          zookeeper1:
            image: confluentinc/cp-zookeeper:7.5.0
            environment: {ZOOKEEPER_CLIENT_PORT: 2181}
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper1:2181,zookeeper2:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    """
    names = node.resource.traits.neighbours
    for key in KEYS:
        value = node[key]
        for host in _hosts(value.text or "") if value.explicit else ():
            near = meant(host, names)
            if near:
                yield node.finding(
                    f"{node}: host {host} in {key} is not a service; did you mean {near}?",
                    at=value,
                    breaks=f"the name does not resolve: {node} cannot connect to {host}",
                    fix=f"replace {host} with {near}",
                )
                return
