"""Inputs of modules that are elsewhere, and of Terragrunt: topics, event hubs, brokers, workers."""

from __future__ import annotations

from textwrap import dedent

import pytest
from spans import under

from kcheck import formats
from kcheck.model import PASSED_OVER, Document, Resource


def read(files: dict[str, str], path: str) -> Document:
    held = {name: dedent(text).encode() for name, text in files.items()}
    return formats.read(path, held[path], held.get)


def told(resource: Resource) -> dict[str, str | None]:
    return {one.key: one.text for one in (*resource.settings.values(), *resource.facts.values())}


MSK = """\
module "msk" {
  source                 = "terraform-aws-modules/msk-kafka-cluster/aws"
  name                   = "core"
  kafka_version          = "3.7.x"
  number_of_broker_nodes = 3
  configuration_server_properties = { "min.insync.replicas" = 2 }
  topics = {
    orders = {
      partition_count    = 6
      replication_factor = 3
      configs            = jsonencode({ "retention.ms" = "1000" })
    }
    other = { team = "web" }
  }
  connect_worker_config_properties_file_content = <<-EOT
    key.converter=org.apache.kafka.connect.storage.StringConverter
  EOT
}
"""


def test_a_module_of_the_registry() -> None:
    found = {one.kind: one for one in read({"main.tf": MSK}, "main.tf").resources}
    assert told(found["topic"]) == {
        "retention.ms": "1000",
        "partitions": "6",
        "replication.factor": "3",
    }
    assert (found["topic"].name, found["topic"].at[:2]) == ("orders", (8, 5))
    assert told(found["broker"])["min.insync.replicas"] == "2"
    assert told(found["worker"]).keys() == {"key.converter"}
    assert found["worker"].settings["key.converter"].at == (16, 19, 16, 67)


def test_the_other_modules_inputs() -> None:
    text = """\
    module "kafka" {
      source          = "cloudposse/msk-apache-kafka-cluster/aws"
      kafka_version   = "3.6.0"
      broker_per_zone = 1
      properties      = { "auto.create.topics.enable" = "false" }
    }
    """
    (broker,) = read({"main.tf": text}, "main.tf").resources
    assert told(broker) == {"auto.create.topics.enable": "false", "kafka_version": "3.6.0"}


def test_event_hubs() -> None:
    text = """\
    module "hubs" {
      source    = "cloudnationhq/evh/azure"
      namespace = {
        name      = "core"
        eventhubs = { orders = { partition_count = 2, message_retention = 1 } }
      }
    }
    """
    (hub,) = read({"main.tf": text}, "main.tf").resources
    assert (hub.name, hub.traits.service) == ("orders", "event-hubs")
    assert told(hub) == {"partitions": "2", "message_retention": "1"}


def test_variables_are_read_where_they_are_used() -> None:
    files = {
        "terraform.tfvars": "topics = { orders = { partitions = 6 } }\n",
        "main.tf": """\
        resource "kafka_topic" "all" {
          for_each   = var.topics
          name       = each.key
          partitions = each.value.partitions
        }
        """,
    }
    given = read(files, "terraform.tfvars")
    assert (given.resources, given.reason) == ([], "variables, read where they are used")
    (topic,) = read(files, "main.tf").resources
    assert (topic.name, topic.facts["partitions"].path) == ("orders", "terraform.tfvars")
    assert topic.at == (1, 24, 1, 29)
    del files["main.tf"]
    assert [one.name for one in read(files, "terraform.tfvars").resources] == ["orders"]


GRUNT = """\
include "root" { path = find_in_parent_folders() }
terraform { source = "%s" }
inputs = {
  name                   = "core"
  number_of_broker_nodes = 3
  server_properties      = { "min.insync.replicas" = 2, "num.partitions" = dependency.x.y }
  topics                 = [{ name = "orders", partitions = 6 }]
}
"""


def test_terragrunt() -> None:
    document = read({"live/kafka/terragrunt.hcl": GRUNT % "git::x"}, "live/kafka/terragrunt.hcl")
    assert document.format == "terragrunt"
    broker, topic = document.resources
    assert told(broker) == {"min.insync.replicas": "2", "num.partitions": None, "replicas": "3"}
    assert (broker.name, broker.at[0]) == ("kafka", 3)
    assert (topic.name, told(topic)) == ("orders", {"partitions": "6"})


def test_terragrunt_calls_a_module_of_the_project() -> None:
    files = {
        "live/kafka/terragrunt.hcl": GRUNT % "../../modules//topics",
        "modules/topics/main.tf": """\
        resource "kafka_topic" "all" {
          for_each   = { for t in var.topics : t.name => t }
          name       = "${var.name}.${each.key}"
          partitions = each.value.partitions
        }
        """,
    }
    (topic,) = read(files, "live/kafka/terragrunt.hcl").resources
    assert (topic.name, told(topic), topic.at[0]) == ("core.orders", {"partitions": "6"}, 3)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("inputs = { a = 1 }\n", None),
        ("inputs = { partitions = 1 }\n", PASSED_OVER),
        ("inputs = local.kafka\n", PASSED_OVER),
    ],
)
def test_terragrunt_of_others(text: str, status: str | None) -> None:
    document = read({"terragrunt.hcl": text}, "terragrunt.hcl")
    assert (document.status if document.format else None) == status


def test_terragrunt_that_is_broken() -> None:
    document = read({"terragrunt.hcl": "inputs = {\n  partitions = \n"}, "terragrunt.hcl")
    assert [problem.code for problem in document.problems] == ["KC0001"]


@pytest.mark.parametrize(
    ("given", "found", "path"),
    [
        ("", "5", "variables.tf"),
        ('p = "num.partitions=7\\nnum.io.threads=2"\n', "7", "terraform.tfvars"),
        ("p = <<E\nnum.partitions=8\nE\n", "8", "terraform.tfvars"),
    ],
)
def test_a_text_of_properties_that_is_a_default(given: str, found: str, path: str) -> None:
    files = {
        "main.tf": 'resource "aws_msk_configuration" "a" {\n name = "a"\n server_properties = var.p\n}\n',
        "variables.tf": 'variable "p" {\n default = <<E\n# mine\nnum.partitions=5\nE\n}\n',
        "terraform.tfvars": given,
    }
    (broker,) = read({k: v for k, v in files.items() if v}, "main.tf").resources
    told = broker.settings["num.partitions"]
    assert (told.text, told.path) == (found, path)
    if not given:
        assert under(files[path], told.at) == "5"
