"""Terraform: topics and connectors of its providers, Amazon MSK, Aiven and Azure's Event Hubs.

What a variable, a data source or another module tells is unknown. A resource with ``for_each`` over
a map of the same file is as many topics as the map has entries; ``count = 0`` makes none.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.model import SKIPPED, Document

_OURS = (
    (
        re.compile(
            rb"\"?aws_msk_(configuration|(serverless_)?cluster|(single_)?scram_secret_association)"
            rb"\"?[ \t]+\"|configuration_server_properties"
        ),
        "terraform-msk",
    ),
    (
        re.compile(rb"\"confluent_kafka_(?:topic|acl)\"|\"confluentcloud_kafka_topic\""),
        "terraform-confluent",
    ),
    (
        re.compile(
            rb"\"kafka_topic\"|\"kafka_acl\"|\"kafka_quota\"|\"aiven_kafka(_topic|_connector|_acl)?\"|\"kafka-connect_connector\""
        ),
        "terraform-kafka_topic",
    ),
)
#: What holds an object of Kubernetes, or values of a chart.
_MANIFESTS = re.compile(
    rb"resource[ \t]+\"(kubectl_manifest|k8s_manifest|kubernetes_\w+|helm_release)\""
)
_OF_KAFKA = re.compile(
    rb"strimzi\.io/|platform\.confluent\.io/|chart[ \t]*=[ \t]*\"[\w./:-]*kafka|extraConfig|configurationOverrides"
    rb"|overrideConfiguration|image[ \t]*[=:][^\n]*kafka|SPRING_KAFKA|KAFKA_"
)
#: What holds containers with variables.
_TASKS = re.compile(rb"resource[ \t]+\"(?:aws_ecs_task_definition|docker_container)\"")
_VARIABLES = re.compile(rb"\b(?:KAFKA|CONNECT|SCHEMA_REGISTRY|KSQL)_[A-Z]")
_EVENT_HUBS = re.compile(rb"resource[ \t]+\"azurerm_eventhub(_namespace)?\"")
#: Texts for machines that write a file of properties.
_SCRIPTS = "terraform-scripts"
_WRITES = re.compile(rb"(?:>|\btee\b|\bsed\b)[^\n]*\.properties\b")
_CONFLUENT = re.compile(rb"resource[ \t]+\"confluent_|confluent_kafka_cluster")


def recognise(path: str, data: bytes) -> str | None:
    if b"kafka" not in data and b"msk" not in data:
        return "terraform-eventhubs" if _EVENT_HUBS.search(data) else None
    for pattern, name in _OURS:
        if pattern.search(data):
            return name
    if _CONFLUENT.search(data):
        return "terraform-confluent"
    if _EVENT_HUBS.search(data):
        return "terraform-eventhubs"
    if _MANIFESTS.search(data) and _OF_KAFKA.search(data):
        return "terraform-manifests"
    if _TASKS.search(data) and _VARIABLES.search(data):
        return "terraform-containers"
    return _SCRIPTS if _WRITES.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    if _WRITES.search(data):
        from kcheck.formats import terraform_scripts  # few files have such texts

        terraform_scripts.add(document, data, lookup)
        if document.format == _SCRIPTS:
            return
    try:
        from kcheck.formats.terraform_blocks import read as read_blocks  # with the parser
    except ImportError:  # a machine of a cluster that was given kcheck without what it depends on
        document.status, document.reason = SKIPPED, "requires the package tree-sitter-hcl"
        return
    read_blocks(document, data, lookup)
