"""Which cluster a topic of Terraform is of: by its provider, and where that has its servers from."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.model import READ, Resource

TOPIC = """\
resource "kafka_topic" "orders" {
  name       = "orders"
  partitions = 6
  %s
}
"""
MSK = """\
resource "aws_msk_cluster" "core" {
  cluster_name = "core"
}
"""


def topic(path: str, files: dict[str, str]) -> Resource:
    held = {name: text.encode() for name, text in files.items()}
    found = formats.read(path, held[path], held.get).resources
    return next(one for one in found if one.kind == "topic")


def provider(servers: str, alias: str = "") -> str:
    named = f'alias = "{alias}"\n' if alias else ""
    return f'provider "kafka" {{\n{named}bootstrap_servers = {servers}\n}}\n'


DIRECT = 'split(",", aws_msk_cluster.core.bootstrap_brokers_tls)'


@pytest.mark.parametrize(
    ("servers", "others"),
    [
        (DIRECT, ""),
        ("local.servers", f"locals {{\n servers = {DIRECT}\n}}\n"),
        ("local.a", f"locals {{\n a = local.b\n b = {DIRECT}\n}}\n"),
        ("[aws_msk_serverless_cluster.core.bootstrap_brokers_sasl_iam]", ""),
        ("[aws_msk_cluster.core[0].bootstrap_brokers]", ""),
    ],
)
def test_servers_that_are_a_clusters(servers: str, others: str) -> None:
    found = topic("tf/topics.tf", {"tf/topics.tf": provider(servers) + others + TOPIC % ""})
    assert (found.cluster, found.traits.namespace) == ("core", "tf")
    assert [one.text for one in found.traits.asks] == [None]


def test_the_output_of_a_module() -> None:
    files = {
        "tf/main.tf": 'module "msk" {\n source = "./modules/msk"\n}\n',
        "tf/providers.tf": provider('split(",", module.msk.bootstrap_brokers)'),
        "tf/topics.tf": TOPIC % "",
        "tf/modules/msk/main.tf": MSK,
        "tf/modules/msk/outputs.tf": f'output "bootstrap_brokers" {{\n value = {DIRECT}\n}}\n',
    }
    found = topic("tf/topics.tf", files)
    assert (found.cluster, found.traits.namespace) == ("core", "tf/modules/msk")
    files["tf/main.tf"] = files["tf/main.tf"].replace("./modules/msk", "acme/msk/aws")
    found = topic("tf/topics.tf", files)
    assert (found.cluster, found.traits.namespace) == ("msk", "tf")
    files["tf/main.tf"] = files["tf/main.tf"].replace("acme/msk/aws", "../../../msk")
    assert topic("tf/topics.tf", files).cluster is None


CALL = """\
module "topics" {
  source  = "./modules/topics"
  brokers = %s
}
"""


def test_the_variable_of_a_module() -> None:
    files = {
        "tf/main.tf": MSK + CALL % DIRECT,
        "tf/modules/topics/main.tf": provider('split(",", var.brokers)') + TOPIC % "",
    }
    found = topic("tf/modules/topics/main.tf", files)
    assert (found.cluster, found.traits.namespace) == ("core", "tf")
    # Called for two clusters it is made twice, where it is called: nobody knows which one has which.
    files["tf/main.tf"] += CALL % DIRECT.replace("core", "other")
    assert topic("tf/main.tf", files).cluster is None
    held = {name: text.encode() for name, text in files.items()}
    module = formats.read("tf/modules/topics/main.tf", held["tf/modules/topics/main.tf"], held.get)
    assert (module.resources, module.status) == ([], READ)
    assert module.reason == "a module, read where it is called"


def test_circles_lead_nowhere() -> None:
    text = provider("local.a") + "locals {\n a = local.b\n b = local.a\n}\n" + TOPIC % ""
    assert topic("topics.tf", {"topics.tf": text}).cluster is None


def asked(files: dict[str, str]) -> list[str | None]:
    return [one.text for one in topic("tf/m/main.tf", files).traits.asks]


@pytest.mark.parametrize(
    ("own", "handed", "found"),
    [
        ("", "", ["main:9092"]),
        ("", "providers = { kafka = kafka.eu }", ["eu:9092"]),
        ("provider = kafka.west", "providers = { kafka.west = kafka.eu }", ["eu:9092"]),
        ("provider = kafka.west", "", []),
    ],
)
def test_providers_of_who_calls_the_module(own: str, handed: str, found: list[str]) -> None:
    files = {
        "tf/providers.tf": provider('["main:9092"]') + provider('["eu:9092"]', "eu"),
        "tf/main.tf": f'module "m" {{\n source = "./m"\n {handed}\n}}\n',
        "tf/m/main.tf": TOPIC % own,
    }
    assert asked(files) == found
