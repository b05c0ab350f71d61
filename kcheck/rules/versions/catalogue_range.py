"""KC02: versions that kcheck has no facts of."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.model import FACT, INFO, Finding, Value
from kcheck.rule import rule
from kcheck.version import parse


@rule("KC0205", "version-outside-catalogue", INFO, versions="older than 2.8, or newer than 4.4")
def version_outside_catalogue(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """The cluster's Kafka version is older or newer than the releases that kcheck knows.

    Types, defaults and bounds are then those of the nearest release that it knows. Rules that hang
    on a version still see the real one. Said once per cluster.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "1.0", brokers: 3, config: {offsets.topic.replication.factor: 3}}
    Bad: a release that is yet to come
        --- kcheck.yaml
        cluster: {kafka_version: "9.1", brokers: 3, config: {offsets.topic.replication.factor: 3}}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "2.8.2", brokers: 3, config: {offsets.topic.replication.factor: 3}}
    Good: unknown is not old
        --- kcheck.yaml
        cluster: {brokers: 3, config: {offsets.topic.replication.factor: 3}}
    """
    version = cluster.version
    older = version.below(catalogue.oldest())
    newer = (version.numbers or ())[:2] > (parse(catalogue.newest()) or ())
    if not (older or newer) or not cluster.brokers:
        return
    nearest = catalogue.oldest() if older else catalogue.newest()
    told_by = (cluster.fact, *(broker.fact for broker in cluster.brokers))
    told = next((v for fact in told_by if (v := fact("kafka_version")).written), None)
    if told is None:
        told = Value("kafka_version", cluster.resource, FACT, version.text, version.text, True)
    yield cluster.finding(
        f"{cluster} runs Kafka {version}, {'older' if older else 'newer'} than the "
        f"releases that kcheck knows ({catalogue.oldest()} to {catalogue.newest()})",
        at=told,
        breaks=f"its defaults and bounds are taken for those of Kafka {nearest}, and some differ",
        fix="upgrade to a supported release" if older else "use a kcheck that knows the release",
    )
