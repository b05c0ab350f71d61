"""Charts that Flux and Argo CD install: values, release and namespace."""

from __future__ import annotations

from textwrap import indent

import pytest
from spans import under

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.model import PASSED_OVER, READ, Address, Document
from kcheck.settings import Settings

VALUES = """\
controller: {replicaCount: 3}
listeners: {client: {protocol: PLAINTEXT}}
extraConfig: |
  min.insync.replicas=2
  default.replication.factor=3
"""
FLUX = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: events, namespace: shop}
spec:
  chart: {spec: {chart: kafka, version: 31.0.0}}
%s  values:
%s"""
ARGO = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: events, namespace: argocd}
spec:
  destination: {namespace: shop}
  source:
    chart: kafka
    helm:
%s"""


def flux(more: str = "", values: str = VALUES) -> str:
    return FLUX % (more, indent(values, "    "))


def argo(values: str = VALUES, text: bool = True, more: str = "") -> str:
    return ARGO % (
        more + f"      {'values: |' if text else 'valuesObject:'}\n" + indent(values, " " * 8)
    )


def read(text: str) -> Document:
    return formats.read("clusters/kafka.yaml", text.encode(), lambda _: None)


def hosts(addresses: tuple[Address, ...]) -> set[str]:
    return {address.host for address in addresses}


@pytest.mark.parametrize("text", [flux(), argo(), argo(text=False)])
def test_brokers_of_a_release(text: str) -> None:
    document = read(text)
    assert (document.format, document.status) == ("helm-release", READ)
    broker = document.resources[0]
    assert (broker.kind, broker.name, broker.traits.namespace) == ("broker", "events", "shop")
    assert "events-kafka" in hosts(broker.traits.addresses)
    least = broker.settings["min.insync.replicas"]
    assert (least.text, under(text, least.at), under(text, least.key_at)) == (
        "2",
        "2",
        "min.insync.replicas",
    )
    assert broker.facts["replicas"].text == "3"
    assert under(text, broker.facts["replicas"].at) == "3"


@pytest.mark.parametrize(
    ("text", "name", "namespace"),
    [
        (flux("  releaseName: shop-kafka\n"), "shop-kafka", "shop"),
        (flux("  releaseName: a\n  targetNamespace: b\n"), "a-kafka", "b"),
        (flux("  targetNamespace: b\n"), "b-events-kafka", "b"),
        (flux(values="fullnameOverride: k\n" + VALUES), "k", "shop"),
        (flux(values="nameOverride: bus\n" + VALUES), "events-bus", "shop"),
        (flux(values="kafka:\n" + indent(VALUES, "  ")), "events-kafka", "shop"),
        (argo(more="      releaseName: kafka\n"), "kafka", "shop"),
        (flux("  releaseName: ${NAME}\n"), "*", "shop"),
    ],
)
def test_names_of_a_release(text: str, name: str, namespace: str) -> None:
    broker = read(text).resources[0]
    assert name in hosts(broker.traits.addresses)
    assert broker.traits.namespace == namespace


def test_a_release_of_a_program() -> None:
    text = flux(
        values="replicaCount: 4\nconfig:\n  application.yml: |\n    spring.kafka:\n"
        "      bootstrap-servers: events-kafka:9092\n      consumer: {group-id: g}\n"
        "      producer: {acks: '1'}\n"
    )
    found = read(text).resources
    assert {one.kind for one in found} == {"consumer", "producer"}
    for one in found:
        assert (one.traits.namespace, one.traits.instances and one.traits.instances.text) == (
            "shop",
            "4",
        )
        assert under(text, one.settings["bootstrap.servers"].at) == "events-kafka:9092"


def test_settings_that_clients_share_are_placed_once() -> None:
    text = argo(
        "config:\n  application.yml: |\n    spring.kafka:\n"
        "      bootstrap-servers: events-kafka:9092\n      consumer: {group-id: g}\n"
        "      producer: {acks: '1'}\n"
    )
    for one in read(text).resources:
        assert under(text, one.settings["bootstrap.servers"].at) == "events-kafka:9092"


def test_a_client_finds_the_release_by_its_service() -> None:
    files = {
        "clusters/eu/kafka.yaml": flux(),
        "clusters/us/kafka.yaml": flux("  releaseName: other\n"),
        "apps/a/consumer.properties": "bootstrap.servers=events-kafka.shop.svc:9092\ngroup.id=a\n",
    }
    project = lint_project([(p, t.encode()) for p, t in files.items()], Settings())
    (cluster,) = [one for one in project.clusters if one.clients]
    assert [one.resource.path for one in cluster.brokers] == ["clusters/eu/kafka.yaml"]


def test_two_releases_in_a_file_are_two_clusters() -> None:
    text = f"{flux()}---\n{flux(f'  releaseName: other{chr(10)}')}"
    project = lint_project([("kafka.yaml", text.encode())], Settings())
    assert [cluster.name for cluster in project.clusters] == ["events", "other"]


def test_what_installs_nothing_of_kafkas() -> None:
    other = flux(values="image: {repository: nginx}\nkafka: {enabled: false}\n")
    assert read(other).status == PASSED_OVER
    assert read(flux(values="{}\n")).resources == []


def test_values_from_a_map_of_another_file_of_the_kustomization() -> None:
    values = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf, namespace: shop}\ndata:\n  values.yaml: |\n"
    files = {
        "clusters/kustomization.yaml": b"resources: [kafka.yaml, conf.yaml]\n",
        "clusters/conf.yaml": (values + indent(VALUES, "    ")).encode(),
    }
    text = flux(
        "  valuesFrom: [{kind: ConfigMap, name: conf}]\n", "controller: {replicaCount: 5}\n"
    )
    document = formats.read("clusters/kafka.yaml", text.encode(), files.get)
    (broker,) = document.resources
    setting = broker.settings["min.insync.replicas"]
    assert (setting.text, setting.path, setting.at[0]) == ("2", "clusters/conf.yaml", 9)
    assert broker.facts["replicas"].text == "5"
