"""KC02: Kafka versions outside the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.model import FACT, INFO, Finding, Value
from kcheck.rule import rule
from kcheck.version import parse


@rule("KC0205", "version-outside-catalogue", INFO, versions="older than 2.8, or newer than 4.4")
def version_outside_catalogue(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """The cluster runs a Kafka version that kcheck's catalogue does not cover.

    Types, defaults and bounds are then those of the nearest release in the catalogue. Rules that
    depend on a version still see the real one. Reported once per cluster.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "1.0", brokers: 3, config: {offsets.topic.replication.factor: 3}}
    Bad: a future release
        --- kcheck.yaml
        cluster: {kafka_version: "9.1", brokers: 3, config: {offsets.topic.replication.factor: 3}}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "2.8.2", brokers: 3, config: {offsets.topic.replication.factor: 3}}
    Good: the version is unknown
        --- kcheck.yaml
        cluster: {brokers: 3, config: {offsets.topic.replication.factor: 3}}
    """
    version = cluster.version
    older = version.below(catalogue.oldest())
    newer = (version.numbers or ())[:2] > (parse(catalogue.newest()) or ())
    if not (older or newer) or not cluster.brokers:
        return
    nearest = catalogue.oldest() if older else catalogue.newest()
    facts = (cluster.fact, *(broker.fact for broker in cluster.brokers))
    source = next((v for fact in facts if (v := fact("kafka_version")).written), None)
    if source is None:
        source = Value("kafka_version", cluster.resource, FACT, version.text, version.text, True)
    yield cluster.finding(
        f"{cluster} runs Kafka {version}, {'older' if older else 'newer'} than the "
        f"releases that kcheck covers ({catalogue.oldest()} to {catalogue.newest()})",
        at=source,
        breaks=f"kcheck uses the defaults and bounds of Kafka {nearest}, some of which differ",
        fix="upgrade to a supported release"
        if older
        else "use a kcheck release that covers this version",
    )
