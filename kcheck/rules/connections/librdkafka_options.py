"""KC08: combinations of connection options that librdkafka rejects."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Client
from kcheck.model import ERROR, Finding
from kcheck.rule import rule
from kcheck.rules.shared.librdkafka import REFUSED
from kcheck.wording import in_ms


@rule(
    "KC0831",
    "rdk-reconnect-backoff",
    ERROR,
    on=("reconnect.backoff.ms", "reconnect.backoff.max.ms"),
    versions="librdkafka",
)
def rdk_reconnect_backoff(client: Client) -> Iterator[Finding]:
    """reconnect.backoff.ms exceeds reconnect.backoff.max.ms in a librdkafka client.

    librdkafka rejects the combination, also where one of the two is at its default (100 ms, 10 s).

    Bad:
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {reconnect.backoff.ms: 20000}}
    Good:
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {reconnect.backoff.ms: 10000}}
    Good: Java raises the maximum
        --- kcheck.yaml
        producers: [{name: agent, config: {reconnect.backoff.ms: 20000}}]
    """
    first, most = client["reconnect.backoff.ms"], client["reconnect.backoff.max.ms"]
    if client.library.checks_as_librdkafka and first.number > most.number:
        at, *because = written_first(first, most)
        yield client.finding(
            f"{client}: {in_ms(first)} exceeds {in_ms(most)}",
            at=at,
            because=because,
            breaks=REFUSED,
            fix=f"set {most.key} to at least {int(first.number)}",
        )
