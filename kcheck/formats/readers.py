"""Which module reads a format that ``yaml_others`` or ``json_others`` has named.

They are loaded when the first file of a format comes.
"""

from __future__ import annotations

from importlib import import_module

from kcheck.formats import Lookup
from kcheck.model import PASSED_OVER, Document

READERS = {
    "agent-yaml": "agents_yaml",
    "akhq": "observer_files",
    "ansible": "ansible",
    "ansible-tasks": "ansible_tasks",
    "asyncapi": "asyncapi",
    "bpm": "host",
    "camel-yaml": "camel",
    "cfk-cr": "confluent_operator",
    "client-maps": "client_files",
    "client-other": "client_json",
    "cloudformation-msk": "cloudformation",
    "command-steps": "command_steps",
    "conduktor": "topic_resources",
    "connector-json": "connector_json",
    "crossplane": "crossplane",
    "ecs-json": "ecs",
    "ecs-template": "ecs_templates",
    "helm-release": "helm_release",
    "helmfile": "helmfile",
    "helm-values": "helm_values",
    "jikkou": "topic_resources",
    "julie": "julie",
    "k8s-plain": "kubernetes",
    "kafka-gitops": "topic_lists",
    "kafka-lag-exporter": "observer_files",
    "kafka-ui": "observer_files",
    "kafkactl": "kafkactl",
    "kminion": "observer_files",
    "koperator-cr": "koperator",
    "kustomize": "kustomize",
    "librdkafka": "client_json",
    "micronaut-yaml": "micronaut",
    "mp-yaml": "microprofile",
    "nais-topic": "topic_resources",
    "nifi-flow": "nifi",
    "ns4kafka": "topic_resources",
    "pulumi-yaml": "pulumi",
    "puppet-hiera": "puppet",
    "redpanda-console": "observer_files",
    "redpanda-cr": "redpanda_operator",
    "spring-yaml": "spring",
    "terraform-confluent": "terraform_json",
    "terraform-kafka_topic": "terraform_json",
    "terraform-msk": "terraform_json",
    "terraform-vars": "topic_lists",
    "topicctl": "topicctl",
    "topics-yaml": "topic_lists",
}


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    """Let the module of the document's format read it; what none reads is named all the same."""
    reader = READERS.get(document.format or "")
    if reader is not None:
        import_module(f"kcheck.formats.{reader}").read(document, data, lookup)
        return
    document.status = PASSED_OVER
    document.reason = "kcheck does not support this format yet"
