"""KC20: quotas of managed services, against what is declared."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import Cluster
from kcheck.model import WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.wording import plain

#: The quotas that declared topics use up: how their number is called, and what the service says of it.
_COUNTED = {
    "service-partitions": ("partitions of topics that are not compacted", "allows"),
    "service-compacted-partitions": ("partitions of compacted topics", "allows"),
    "service-replicas": ("replicas on an average broker", "recommends at most"),
}


@rule("KC2075", "service-quota", WARNING)
def service_quota(cluster: Cluster) -> Iterator[Finding]:
    """The declared topics exceed a quota of the managed service.

    The quotas are those that ``kcheck limits`` prints: of the service, and of Amazon MSK's instance
    types, which it recommends and above which it may refuse updates.

    Bad: MSK Serverless
        --- kcheck.yaml
        cluster: {name: shop, service: msk}
        producers:
          - name: shop
            config: {bootstrap.servers: "boot-abc.c1.kafka-serverless.eu-west-1.amazonaws.com:9098"}
        topics: [{name: orders, partitions: 3000, config: {cleanup.policy: delete}}]
    Bad: an instance type
        --- main.tf
        resource "aws_msk_cluster" "shop" {
          cluster_name           = "shop"
          kafka_version          = "3.9.x"
          number_of_broker_nodes = 3
          broker_node_group_info { instance_type = "kafka.t3.small" }
        }
        resource "kafka_topic" "orders" {
          name               = "orders"
          partitions         = 400
          replication_factor = 3
        }
    Good: larger machines
        --- main.tf
        resource "aws_msk_cluster" "shop" {
          cluster_name           = "shop"
          kafka_version          = "3.9.x"
          number_of_broker_nodes = 3
          broker_node_group_info { instance_type = "kafka.m7g.large" }
        }
        resource "kafka_topic" "orders" {
          name               = "orders"
          partitions         = 400
          replication_factor = 3
        }
    Good: an instance type from elsewhere
        --- main.tf
        variable "size" {}
        resource "aws_msk_cluster" "shop" {
          cluster_name           = "shop"
          kafka_version          = "3.9.x"
          number_of_broker_nodes = 3
          broker_node_group_info { instance_type = var.size }
        }
        resource "kafka_topic" "orders" {
          name               = "orders"
          partitions         = 4000
          replication_factor = 3
        }
    """
    if not cluster.service or not cluster.topics:
        return
    from kcheck.limits import catalogue  # few clusters have a service

    for quota, (counted, says) in _COUNTED.items():
        line = catalogue.exceeded(cluster, quota)
        if line is None:
            continue
        at = _largest(cluster, line.whose)
        yield cluster.finding(
            f"the declared topics of {cluster} have {int(line.used):,} {counted}, but {line.source} "
            f"{says} {int(line.limit):,}; the largest is {line.whose} with {plain(at)}",
            at=at,
            breaks=line.entry.wall,
            fix=line.entry.move or "use fewer partitions, or ask the service for more",
        )


def _largest(cluster: Cluster, name: str) -> Value:
    """The partitions of the topic of that name."""
    topic = next(one for one in cluster.topics if one.name == name)
    return topic.partitions
