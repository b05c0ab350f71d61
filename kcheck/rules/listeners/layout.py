"""KC10: evidence of the cluster of a file that contradicts itself."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.layout import Layout
from kcheck.model import SET, WARNING, Finding, Fix, Resource, Value
from kcheck.rule import rule


@rule("KC1069", "cluster-evidence-conflict", WARNING)
def cluster_evidence_conflict(layout: Layout) -> Iterator[Finding]:
    """Bootstrap servers lead to another cluster than the label does, or to two clusters.

    A client connects to whichever entry of bootstrap.servers answers first. Entries of two clusters
    make it a client of either one by chance. Where a label or declaration names one cluster and
    the address is another's, the label decides what kcheck compares, and one of them is wrong.

    Bad: one list, two clusters
        --- kafka/a/server.properties
        broker.id=1
        zookeeper.connect=z1.a.example:2181
        advertised.listeners=PLAINTEXT://k1.a.example:9092
        --- kafka/b/server.properties
        broker.id=1
        zookeeper.connect=z1.b.example:2181
        advertised.listeners=PLAINTEXT://k1.b.example:9092
        --- app/producer.properties
        bootstrap.servers=k1.a.example:9092,k1.b.example:9092
    Bad: declared for one cluster, with the address of another
        --- kafka/b/server.properties
        broker.id=1
        zookeeper.connect=z1.b.example:2181
        advertised.listeners=PLAINTEXT://k1.b.example:9092
        --- a/kcheck.yaml
        cluster: {name: a, brokers: 3}
        producers: [{name: p, config: {bootstrap.servers: "k1.b.example:9092"}}]
    Good: two brokers of one cluster
        --- kafka/server-1.properties
        broker.id=1
        zookeeper.connect=z1.a.example:2181
        advertised.listeners=PLAINTEXT://k1.a.example:9092
        --- kafka/server-2.properties
        broker.id=2
        zookeeper.connect=z1.a.example:2181
        advertised.listeners=PLAINTEXT://k2.a.example:9092
        --- app/producer.properties
        bootstrap.servers=k1.a.example:9092,k2.a.example:9092
    """
    for conflict in layout.conflicts:
        setting = conflict.setting
        resource = Resource("file", setting.path, setting.path)
        mine, other = layout.name(conflict.group), layout.name(conflict.other)
        if conflict.within:
            message = f"{setting.key} reaches clusters {mine} and {other}"
            breaks = "the client uses the cluster of whichever address answers first"
            fix = "list the brokers of one cluster"
        else:
            message = (
                f"it is declared for cluster {mine}, but its {setting.key} is an address of "
                f"cluster {other}"
            )
            breaks = f"the client connects to {other}; kcheck compares it with {mine}"
            fix = f"set {setting.key} to an address of {mine}, or correct the cluster's name"
        value = Value(setting.key, resource, SET, setting.text, setting.text, True, setting)
        yield Finding(
            message,
            resource,
            (value,),
            setting.path,
            setting.at,
            breaks,
            Fix(fix),
            "",
            layout.cluster_name(conflict.group),
        )
