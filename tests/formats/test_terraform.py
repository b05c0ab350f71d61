"""Reading Terraform: topics of several providers, Amazon MSK."""

from __future__ import annotations

import sys
from textwrap import dedent

import pytest
from spans import under

from kcheck import formats
from kcheck.engine import Project, lint_project
from kcheck.model import FAILED, PASSED_OVER, READ, SKIPPED, Document, Resource
from kcheck.settings import Settings

TOPIC = """\
locals {
  week = 7 * 24 * 60 * 60 * 1000
  loop = local.loop
}

resource "kafka_topic" "orders" {
  config = {
    "cleanup.policy" = "compact,delete" # both
    "retention.ms"   = local.week
    "segment.ms"     = tostring(3600000)
    "flush.ms"       = var.flush
    "index.interval.bytes" : "4096",
    "preallocate"    = true
    "compression.type" = "${var.codec}"
    "segment.jitter.ms" = local.loop
    min.insync.replicas = -1
  }
  name               = "ørders" /* æ */
  partitions         = 12
  replication_factor = "3"
}

resource "kafka_topic" "none" {
  count = 0
  name  = "none"
}
"""
EACH = """\
locals {
  topics = {
    "orders" = { partitions = 3, config = { "retention.ms" = "1000" } }
    audit    = { partitions = 1 }
  }
}
resource "kafka_topic" "all" {
  for_each           = local.topics
  name               = each.key
  partitions         = each.value.partitions
  replication_factor = lookup(each.value, "rf", 3)
  config             = merge({ "cleanup.policy" = "delete" }, lookup(each.value, "config", {}))
}
resource "kafka_topic" "named" {
  for_each = toset(["a", "b"])
  name     = each.value
}
resource "kafka_topic" "unknown" {
  for_each = var.topics
  name     = "${each.key}.v1"
}
"""
MSK = """\
resource "aws_msk_configuration" "this" {
  kafka_versions    = ["3.6.0"]
  server_properties = <<-PROPERTIES
    # defaults
    auto.create.topics.enable = false
      min.insync.replicas=${var.azs - 1}

    num.partitions=6
  PROPERTIES
}
resource "aws_msk_cluster" "core" {
  kafka_version          = "3.7.x.kraft"
  number_of_broker_nodes = 3
  configuration_info {
    arn      = aws_msk_configuration.this.arn
    revision = aws_msk_configuration.this.latest_revision
  }
}
"""


def read(text: str, path: str = "a.tf") -> Document:
    return formats.read(path, dedent(text).encode(), lambda _: None)


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


def facts(resource: Resource) -> dict[str, str | None]:
    return {key: fact.text for key, fact in resource.facts.items()}


def lint(files: dict[str, str]) -> Project:
    sources = {path: dedent(text).encode() for path, text in files.items()}
    project = lint_project(sources.items(), Settings(), sources.get)
    assert project.failures == []
    return project


def test_a_topic_and_what_its_expressions_come_to() -> None:
    document = read(TOPIC)
    assert (document.format, document.status) == ("terraform-kafka_topic", READ)
    (topic,) = document.resources
    assert topic.name == "ørders"
    assert texts(topic) == {
        "cleanup.policy": "compact,delete",
        "retention.ms": "604800000",
        "segment.ms": "3600000",
        "flush.ms": None,
        "index.interval.bytes": "4096",
        "preallocate": "true",
        "compression.type": None,
        "segment.jitter.ms": None,
        "min.insync.replicas": "-1",
    }
    assert facts(topic) == {"partitions": "12", "replication.factor": "3"}
    assert (topic.facts["partitions"].amount, topic.facts["replication.factor"].amount) == (12, 3)
    # A position is inside of the quotes: what replaces the text keeps them.
    assert under(TOPIC, topic.settings["cleanup.policy"].at) == "compact,delete"
    assert under(TOPIC, topic.settings["cleanup.policy"].key_at) == "cleanup.policy"
    assert under(TOPIC, topic.settings["retention.ms"].at) == "7 * 24 * 60 * 60 * 1000"
    assert under(TOPIC, topic.settings["flush.ms"].at) == "var.flush"
    assert under(TOPIC, topic.settings["min.insync.replicas"].key_at) == "min.insync.replicas"
    assert under(TOPIC, topic.facts["replication.factor"].at) == "3"
    # Columns are characters, not bytes.
    assert under(TOPIC, topic.at) == "ørders"


def test_locals_of_the_folder_are_in_a_file_beside() -> None:
    files = {
        "k/locals.tf": "locals {\n  day = 24 * 3600 * 1000\n  own = local.day\n  x = local.y\n}\n",
        "k/topics.tf": 'locals {\n  y = "2"\n}\nresource "kafka_topic" "a" {\n  name = "a"\n'
        '  config = { "retention.ms" = local.own, "segment.ms" = local.x, "flush.ms" = local.z }\n}\n',
    }
    (topic,) = [r for c in lint(files).clusters for r in c.resources]
    assert texts(topic) == {"retention.ms": "86400000", "segment.ms": None, "flush.ms": None}
    setting = topic.settings["retention.ms"]
    assert setting.path == "k/locals.tf"
    assert under(files["k/locals.tf"], setting.at) == "24 * 3600 * 1000"


def test_for_each_makes_a_topic_of_each_entry() -> None:
    orders, audit, a, b, unknown = read(EACH).resources
    assert (orders.name, facts(orders)) == (
        "orders",
        {"partitions": "3", "replication.factor": "3"},
    )
    assert texts(orders) == {"cleanup.policy": "delete", "retention.ms": "1000"}
    assert under(EACH, orders.settings["retention.ms"].at) == "1000"
    assert (audit.name, texts(audit)) == ("audit", {"cleanup.policy": "delete"})
    assert (a.name, b.name) == ("a", "b")
    # Nobody knows how many there are and what they are called: no finding on a name.
    assert unknown.name == '${"${each.key}.v1"}'
    assert lint({"a.tf": EACH}).findings == []


def test_confluents_topics_name_their_cluster() -> None:
    text = """\
    resource "confluent_kafka_topic" "a" {
      kafka_cluster { id = confluent_kafka_cluster.core.id }
      topic_name       = "a"
      partitions_count = 4
      config           = { "retention.ms" = "-1" }
    }
    resource "confluent_kafka_topic" "b" {
      kafka_cluster { id = "lkc-1234" }
      topic_name = "b"
    }
    resource "confluent_kafka_topic" "c" {
      kafka_cluster { id = var.cluster }
      topic_name = "c"
    }
    """
    document = read(text)
    assert document.format == "terraform-confluent"
    assert [(r.name, r.cluster) for r in document.resources] == [
        ("a", "core"),
        ("b", "lkc-1234"),
        ("c", None),
    ]
    project = lint({"a.tf": text})
    assert {c.service for c in project.clusters} == {"confluent-cloud"}


def test_aivens_topics_have_a_block_with_underscores() -> None:
    (topic,) = read(
        'resource "aiven_kafka_topic" "a" {\n  topic_name = "a"\n  replication = 2\n'
        '  config {\n    min_insync_replicas = 2\n    cleanup_policy = "compact"\n  }\n}\n'
    ).resources
    assert texts(topic) == {"min.insync.replicas": "2", "cleanup.policy": "compact"}
    assert topic.facts["replication.factor"].amount == 2


def test_msk_reads_the_blob_of_the_configuration_that_the_cluster_names() -> None:
    document = read(MSK)
    assert document.format == "terraform-msk"
    (broker,) = document.resources
    assert (broker.kind, broker.name, broker.traits.service) == ("broker", "core", "msk")
    assert facts(broker) == {"kafka_version": "3.7", "replicas": "3"}
    assert texts(broker) == {
        "auto.create.topics.enable": "false",
        "min.insync.replicas": None,
        "num.partitions": "6",
    }
    for setting in broker.settings.values():
        assert under(MSK, setting.key_at) == setting.key
    assert under(MSK, broker.settings["num.partitions"].at) == "6"
    assert under(MSK, broker.settings["min.insync.replicas"].at) == "${var.azs - 1}"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("<<EOF\nnum.partitions = 6\nEOF", "6"),
        ('join("\\n", [for k, v in local.p : "${k}=${v}"])', "7"),
        ('"num.partitions=8\\nmin.insync.replicas=2"', "8"),
        ('templatefile("a.tpl", {})', None),
        ("<<EOF\n%{ if var.x }\nnum.partitions=1\n%{ endif }\nEOF", "?"),
    ],
)
def test_the_ways_to_write_the_blob(expression: str, expected: str | None) -> None:
    (broker,) = read(
        'locals {\n  p = { "num.partitions" = 7 }\n}\n'
        f'resource "aws_msk_configuration" "a" {{\n  server_properties = {expression}\n}}\n'
    ).resources
    if expected == "?":  # who knows whether that branch is taken
        assert texts(broker) == {"num.partitions": None}
    else:
        assert texts(broker).get("num.partitions") == expected


def test_who_writes_the_configuration_of_msk_is_told_of_it() -> None:
    """The remedy is a broker setting, which on other services nobody but they can make."""
    text = MSK.replace("# defaults", "unclean.leader.election.enable=true\n    log.roll.ms=0")
    project = lint(
        {
            "msk.tf": text,
            "topics.tf": 'resource "kafka_topic" "a" {\n  name = "a"\n  replication_factor = 5\n}\n',
        }
    )
    (cluster,) = project.clusters
    assert (cluster.service, cluster.version.text) == ("msk", "3.7")
    # Amazon's defaults are not Kafka's.
    assert cluster.brokers[0]["default.replication.factor"].known is False
    found = {(f.code, f.path, f.at[0]) for f in project.findings}
    assert ("KC0306", "msk.tf", 4) in found
    assert ("KC0719", "msk.tf", 5) in found
    assert ("KC0304", "topics.tf", 3) in found


def test_modules_hand_on_a_map() -> None:
    (broker,) = read(
        'module "msk" {\n  source = "x/msk-kafka-cluster/aws"\n  number_of_broker_nodes = 3\n'
        '  configuration_server_properties = { "num.partitions" = 6 }\n}\n'
    ).resources
    assert (broker.name, texts(broker)) == ("msk", {"num.partitions": "6"})
    assert facts(broker)["replicas"] == "3"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('resource "aws_s3_bucket" "kafka" {}\n', None),
        ('output "x" { value = confluent_kafka_cluster.a.id }\n', PASSED_OVER),
    ],
)
def test_other_files_are_passed_over(text: str, status: str | None) -> None:
    document = read(text)
    assert (document.status if document.format else None) == status
    assert document.problems == []


def test_what_terraform_refuses_is_no_clean_file() -> None:
    document = read('resource "kafka_topic" {\n')
    assert (document.status, document.resources) == (FAILED, [])
    (problem,) = document.problems
    assert problem.code == "KC0001" and problem.message == "not valid HCL: } is missing"


def test_a_machine_without_the_parser_reads_everything_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "kcheck.formats.terraform.blocks", None)
    document = read(TOPIC)
    assert (document.status, document.resources) == (SKIPPED, [])
    assert document.reason.startswith("requires the package tree-sitter-hcl: ")


@pytest.mark.parametrize(
    "place",
    [
        '"retention.ms" = "1" # WORD',
        '# WORD\n    "retention.ms" = "1"',
        '# WORD\n// x\n "retention.ms" = "1"',
    ],
)
def test_comments_ignore_findings_beside_and_below(place: str) -> None:
    text = f'resource "kafka_topic" "a" {{\n  name = "a"\n  config = {{\n    {place}\n  }}\n}}\n'
    told = {f.code for f in lint({"a.tf": text}).findings}
    assert told
    comment = f"kcheck: ignore[{', '.join(sorted(told))}] it is a test"
    project = lint({"a.tf": text.replace("WORD", comment)})
    assert [f.code for f in project.findings] == []
    assert project.ignored == len(told)
