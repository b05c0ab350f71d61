"""Terraform: topics and connectors of its providers, Amazon MSK, Aiven and Azure's Event Hubs.

What a variable, a data source or another module tells is unknown. A resource with ``for_each`` over
a map of the same file is as many topics as the map has entries; ``count = 0`` makes none.
"""

from __future__ import annotations

import re

from kcheck.formats.provisioned import table as provisioned
from kcheck.formats.text import holds
from kcheck.model import SKIPPED, Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup

#: Types by the beginnings of their names, and the formats that files with them are called.
_FAMILIES = (
    ("aws_msk", "terraform-msk"),
    ("confluent", "terraform-confluent"),
    ("azurerm_", "terraform-eventhubs"),
)
_OTHERS = "terraform-kafka_topic"
#: What a block of a file makes, and which maps of keys modules of registries take.
_RESOURCES = re.compile(rb"\bresource[ \t]+\"?([\w-]+)")
_MODULES = re.compile(rb"\bmodule[ \t]+\"")
_HANDED = re.compile(
    rb"configuration_server_properties|server_properties|broker_per_zone|partition|kafka|eventhub"
)
#: What holds an object of Kubernetes, or values of a chart.
_MANIFESTS = re.compile(
    rb"resource[ \t]+\"(kubectl_manifest|k8s_manifest|kubernetes_\w+|helm_release)\""
)
_OF_KAFKA = re.compile(
    rb"strimzi\.io/|platform\.confluent\.io/|chart[ \t]*=[ \t]*\"[\w./:-]*kafka|extraConfig|configurationOverrides"
    rb"|overrideConfiguration|image[ \t]*[=:][^\n]*kafka|SPRING_KAFKA|MP_MESSAGING_|KAFKA_"
)
#: What holds containers with variables.
_TASKS = re.compile(rb"resource[ \t]+\"(?:aws_ecs_task_definition|docker_container)\"")
_VARIABLES = re.compile(rb"\b(?:(?:SPRING_)?KAFKA|CONNECT|SCHEMA_REGISTRY|KSQL)_[A-Z]")
#: Texts for machines that write a file of properties.
_SCRIPTS = "terraform-scripts"
_WRITES = re.compile(rb"(?:>|\btee\b|\bsed\b)[^\n]*\.properties\b")
#: Of these services files are named that have other resources alone, which may ask for something.
_SERVED = ("confluent_", "aws_msk_", "kafka_user_scram_")
#: Types that others than Kafka have as well, and a word that is in every file where they are Kafka's.
_SHARED = {
    "aws_lambda_event_source_mapping": b"topics",
    "digitalocean_database_cluster": b"kafka",
    "ovh_cloud_project_database": b"kafka",
}
#: Without any of these words no file is one of ours.
_WORDS = (
    b"kafka",
    b"KAFKA_",
    b"msk",
    b"eventhub",
    b"redpanda",
    b"topic",
    b"event_streams",
    b"event_source",
)


def named(kind: str) -> str | None:
    """What a file with a resource of that type is called; None where it is not Kafka's."""
    if kind not in provisioned.rows() and not kind.startswith(_SERVED):
        return None
    return next((name for start, name in _FAMILIES if kind.startswith(start)), _OTHERS)


def recognise(path: str, data: bytes) -> str | None:
    if not holds(data, _WORDS):
        return None
    kinds = {kind.decode() for kind in _RESOURCES.findall(data)}
    found = {named(kind) for kind in kinds if _SHARED.get(kind, b"") in data}
    for _, name in _FAMILIES:
        if name in found:
            return name
    if _OTHERS in found:
        return _OTHERS
    if b"configuration_server_properties" in data:
        return "terraform-msk"
    if b"confluent_kafka_cluster" in data:
        return "terraform-confluent"
    if _MANIFESTS.search(data) and _OF_KAFKA.search(data):
        return "terraform-manifests"
    if _TASKS.search(data) and _VARIABLES.search(data):
        return "terraform-containers"
    if _MODULES.search(data) and _HANDED.search(data):
        return "terraform-modules"
    return _SCRIPTS if _WRITES.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    if _WRITES.search(data):
        from kcheck.formats.terraform import (
            scripts as terraform_scripts,  # few files have such texts
        )

        terraform_scripts.add(document, data, lookup)
        if document.format == _SCRIPTS:
            return
    try:
        from kcheck.formats.terraform.blocks import read as read_blocks  # with the parser
    except ImportError:  # a machine of a cluster that was given kcheck without what it depends on
        document.status, document.reason = SKIPPED, "requires the package tree-sitter-hcl"
        return
    read_blocks(document, data, lookup)
