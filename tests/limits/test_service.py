"""SERVICE limits: quotas of the service that runs a cluster, and of no other."""

from __future__ import annotations

import pytest
from clusters import cluster

from kcheck import services
from kcheck.limits import catalogue
from kcheck.limits.entry import OVER, SERVICE, Line
from kcheck.services import ManagedService

SERVERLESS = "boot-abc.c1.kafka-serverless.eu-west-1.amazonaws.com:9098"
PROVISIONED = "b-1.shop.abc.c1.kafka.eu-west-1.amazonaws.com:9098"
TOPICS = """
topics:
  - {name: orders, partitions: 2000, config: {cleanup.policy: delete, max.message.bytes: 1000000}}
  - {name: clicks, partitions: 600, produce_rate: 50MB/s, config: {cleanup.policy: delete}}
  - {name: latest, partitions: 12, config: {cleanup.policy: compact}}
"""


def quotas(text: str) -> dict[str, Line]:
    return {
        line.entry.id: line
        for line in catalogue.of(cluster(kcheck=text))
        if line.entry.kind == SERVICE
    }


def asking(*hosts: str) -> str:
    return f"cluster: {{name: shop, service: msk}}\nproducers: [{{name: shop, config: {{bootstrap.servers: '{','.join(hosts)}'}}}}]\n"


def test_quotas_of_the_service_that_the_clients_ask() -> None:
    found = quotas(asking(SERVERLESS) + TOPICS)
    assert {id: (line.used, line.limit, line.whose) for id, line in found.items()} == {
        "service-partitions": (2600, 2400, "orders"),
        "service-compacted-partitions": (12, 120, "latest"),
        "service-batch-bytes": (1_000_000, 8 * 2**20, "orders"),
        "service-produced": (50_000_000, 200_000_000, "clicks"),
    }
    over = found["service-partitions"]
    assert (over.state, over.source) == (OVER, "Amazon MSK Serverless")
    assert not over.estimate


def test_what_nothing_tells_is_unknown() -> None:
    found = quotas(asking(SERVERLESS))
    assert len(found) == 4
    assert all(line.used != line.used and line.whose == "" for line in found.values())


@pytest.mark.parametrize(
    "text",
    [
        "cluster: {name: shop}\n",
        asking(PROVISIONED),
        # Either kind may be meant.
        asking(SERVERLESS, PROVISIONED),
        "cluster: {service: msk}\n",
        "cluster: {service: aiven}\n",
    ],
)
def test_clusters_without_quotas(text: str) -> None:
    assert quotas(text + TOPICS) == {}


def test_a_service_with_quotas_is_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    row = ManagedService(services.AIVEN, "Some service", locked=True, quotas={"partitions": 4000})
    monkeypatch.setattr(services, "_ROWS", (row,))
    (line,) = quotas("cluster: {service: aiven}\n" + TOPICS).values()
    assert (line.entry.id, line.limit, line.used) == ("service-partitions", 4000, 2600)


PLANNED = """
resource "aws_msk_cluster" "shop" {
  cluster_name           = "shop"
  kafka_version          = "3.9.x"
  number_of_broker_nodes = 3
  broker_node_group_info { instance_type = "INSTANCE" }
}
resource "kafka_topic" "orders" {
  name               = "orders"
  partitions         = 200
  replication_factor = 3
}
"""


@pytest.mark.parametrize(
    ("instance", "expected"),
    [
        ("kafka.t3.small", (200, 300)),
        ("kafka.m7g.large", (200, 1000)),
        ("express.m7g.large", None),
        ("${var.size}", None),
    ],
)
def test_a_quota_of_the_machines(instance: str, expected: tuple[float, float] | None) -> None:
    made = cluster(main_tf=PLANNED.replace("INSTANCE", instance))
    found = [line for line in catalogue.of(made) if line.entry.id == "service-replicas"]
    assert [(line.used, line.limit) for line in found] == ([expected] if expected else [])
