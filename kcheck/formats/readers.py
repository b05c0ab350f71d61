"""Which module reads a format that ``yaml_others`` or ``json_others`` has named.

They are loaded when the first file of a format comes.
"""

from __future__ import annotations

from importlib import import_module

from kcheck.formats import Lookup
from kcheck.model import PASSED_OVER, Document

READERS = {
    "agent-yaml": "agents.yaml",
    "akhq": "observers.files",
    "ansible": "ansible.reader",
    "ansible-tasks": "ansible.tasks",
    "asyncapi": "topics.asyncapi",
    "bpm": "host",
    "camel-yaml": "camel.reader",
    "cfk-cr": "confluent.reader",
    "client-maps": "clients.files",
    "client-other": "clients.json",
    "cloudformation-msk": "provisioned.cloudformation",
    "command-steps": "commands.steps",
    "conduktor": "topics.resources",
    "connector-json": "connect.connector_json",
    "crossplane": "kubernetes.crossplane",
    "ecs-json": "containers.ecs",
    "ecs-template": "containers.ecs_templates",
    "helm-release": "helm.release",
    "helmfile": "helm.helmfile",
    "helm-values": "helm.values",
    "jikkou": "topics.resources",
    "julie": "topics.julie",
    "k8s-plain": "kubernetes.reader",
    "kafka-client-cr": "agents.resources",
    "kafka-gitops": "topics.lists",
    "kafka-lag-exporter": "observers.files",
    "kafka-ui": "observers.files",
    "kafkactl": "kafkactl",
    "kminion": "observers.files",
    "koperator-cr": "koperator.reader",
    "kustomize": "kustomize.reader",
    "librdkafka": "clients.json",
    "micronaut-yaml": "micronaut",
    "mp-yaml": "microprofile.reader",
    "nais-topic": "topics.resources",
    "nifi-flow": "nifi",
    "ns4kafka": "topics.resources",
    "pulumi-yaml": "provisioned.pulumi",
    "puppet-hiera": "puppet",
    "redpanda-console": "observers.files",
    "redpanda-cr": "redpanda.operator",
    "spring-yaml": "spring.reader",
    "stackable-cr": "stackable",
    "terraform-confluent": "terraform.json",
    "terraform-kafka_topic": "terraform.json",
    "terraform-msk": "terraform.json",
    "terraform-vars": "topics.lists",
    "topicctl": "topics.topicctl",
    "topics-yaml": "topics.lists",
}


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    """Let the module of the document's format read it; what none reads is named all the same."""
    reader = READERS.get(document.format or "")
    if reader is not None:
        import_module(f"kcheck.formats.{reader}").read(document, data, lookup)
        return
    document.status = PASSED_OVER
    document.reason = "kcheck does not support this format yet"
