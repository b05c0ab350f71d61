"""Values of Helm charts: Bitnami's, Confluent's, charts around Strimzi, and those of programs.

Values lie over what the chart itself says, at the top of the file or below the name of a dependency.
Of Confluent's chart that is known; of the others what the file does not set is unknown.
"""

from __future__ import annotations

from kcheck import images
from kcheck.formats import Lookup
from kcheck.formats.containers.container import Image
from kcheck.formats.helm import addresses as helm_addresses
from kcheck.formats.helm import misplaced as helm_misplaced
from kcheck.formats.helm import numbers as helm_numbers
from kcheck.formats.helm import programs as helm_programs
from kcheck.formats.helm.bitnami import Bitnami, is_bitnami
from kcheck.formats.helm.charts import Values, brokers_own, hosted, start
from kcheck.formats.redpanda import values as redpanda_values
from kcheck.formats.scalars import (
    documents,
    fact,
    fill,
    known,
    nothing,
    setting,
    take,
)
from kcheck.model import HELM, Document, Resource, Setting
from kcheck.syntax import yaml

_DEPTH = 4
_FACTORS = {
    "partitions": "partitions",
    "replicas": "replication.factor",
    "replicationFactor": "replication.factor",
}
#: The images of Confluent's chart, which tell what variables mean.
_CONFLUENT = {
    "broker": "confluentinc/cp-enterprise-kafka",
    "worker": "confluentinc/cp-kafka-connect",
}
_REPORTER = "io.confluent.metrics.reporter.ConfluentMetricsReporter"
#: Charts of ksqlDB beside the brokers'.
_KSQL = ("cp-ksql-server", "cp-ksqldb-server", "ksqldb", "ksql-server")
_TOPIC_LISTS = ("topics", "kafkaTopics", "extraTopics")


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    for node in documents(document, data):
        take_values(document, data, lookup, node)
        document.problems.extend(helm_misplaced.beside_the_alias(document, node, lookup))
        document.problems.extend(helm_misplaced.outside_the_parts(document, node, lookup))
    nothing(document, "contains no known value for a broker, worker or topic")


def take_values(
    document: Document,
    data: bytes,
    lookup: Lookup,
    node: yaml.Node,
    release: str = "",
    bitnami: str | None = "",
    confluent: bool = False,
) -> list[Resource]:
    """What the values of a chart say, which are a node of the document; ``release`` is the name
    under which the chart is installed, ``bitnami`` the version where it is Bitnami's, each "" where
    nobody tells; None where it is another chart; ``confluent`` whether it is Confluent's."""
    before = len(document.resources)
    reader = _Reader(document, data, lookup, release)
    reader.confluent = confluent
    if release:  # whose chart is told, and no file beside
        reader.versions = {} if bitnami is None else {"": bitnami}
    reader.walk(node, "", _DEPTH)
    if (ksql := _ksql(node, document.path)) is not None:
        for resource in document.resources[before:]:
            if resource.kind == "broker":
                resource.traits.transactional = ksql
    helm_programs.read(document, node, reader.lines, reader.below, release)
    return document.resources[before:]


def _ksql(node: yaml.Node, path: str) -> Setting | None:
    """What enables ksqlDB beside the brokers of an umbrella chart."""
    for name, _, values in yaml.pairs(node):
        if name in _KSQL and isinstance(values, yaml.MappingNode):
            for key, key_node, value in yaml.pairs(values):
                if key == "enabled" and known(value) == "true":
                    return Setting(f"{name}.enabled", "true", path, yaml.position(key_node))
    return None


class _Reader(Values):
    confluent = False

    def walk(self, node: yaml.Node, name: str, depth: int) -> None:
        """Look for what a chart is told, in the mapping itself and in those of its dependencies."""
        parts = {key: value for key, _, value in yaml.pairs(node)}
        # Other files of values may say more of a broker that has nothing but its number.
        numbered = name == "cp-kafka" and "brokers" in parts and self.confluent
        if numbered or "configurationOverrides" in parts or _of_variables(parts.get("customEnv")):
            self._confluent(node, name, parts)
        elif is_bitnami(name, parts) or (depth >= _DEPTH - bool(name) and self.of_bitnami(name)):
            Bitnami(self).read(node, name, parts)
        elif _strimzi(name, parts):
            self._strimzi(node, parts)
        elif redpanda_values.is_redpanda(name, parts):
            called = name or self.release or "redpanda"
            made = redpanda_values.brokers(self.document, called, start(node), HELM)
            redpanda_values.fill(made, node, self.release if not name else "")
            redpanda_values.names(self.document, node)
        else:
            for key, value in parts.items() if depth else ():
                if isinstance(value, yaml.MappingNode):
                    self.walk(value, key, depth - 1)
            self._topics(parts)
            return
        self._topics(parts)
        self._topics({k: v for k, _, v in yaml.pairs(parts.get("provisioning"))})

    # -- Confluent --------------------------------------------------------------------------

    def _confluent(self, node: yaml.Node, name: str, parts: dict[str, yaml.Node]) -> None:
        told = parts.get("image")
        image = known(told) or known(yaml.child(told, "repository"))
        kind = _confluent_kind(name, image, parts)
        if not kind:
            return
        resource = self.made(kind, name, node)
        if kind == "worker":
            resource.plane = "connect-distributed"
            resource.traits.partial = True
        elif self.layered or ("configurationOverrides" not in parts and not self.confluent):
            resource.traits.partial = True
        else:
            self._chart(resource, node)
        if "configurationOverrides" in parts:
            fill(resource, parts["configurationOverrides"])
            helm_numbers.note(resource, parts["configurationOverrides"])
        self._variables(resource, parts.get("customEnv"))
        for key, key_node, value in yaml.pairs(node):
            if key == "brokers":
                fact(resource, "replicas", key_node, value)
            elif key == "imageTag":
                self._version(resource, image or f"confluentinc/{name or 'cp-kafka'}", value)
        if kind == "broker":
            self.placed(
                resource, node, helm_addresses.of_confluent(node, self.release, name or "cp-kafka")
            )
        hosted(resource, node)

    def _variables(self, resource: Resource, node: yaml.Node | None) -> None:
        """Variables of the container, which go over what the overrides make."""
        family = images.family_of(_CONFLUENT[resource.kind])
        helm_numbers.note(resource, node)
        for name, name_node, value in yaml.pairs(node):
            key = family.key(name) if family is not None else None
            if family is None or key is None or family.meanings(name):
                continue
            if resource.kind == "worker" or brokers_own(key) or key.startswith("confluent."):
                take(resource, setting(key, name_node, value, resource.path, name))

    def _chart(self, resource: Resource, node: yaml.Node) -> None:
        """What the chart's own values say of a broker unless this file does."""
        key, at = "offsets.topic.replication.factor", start(node)
        resource.image[key] = Setting(key, "3", resource.path, at, name="cp-helm-charts")
        # Its template starts the reporter, and points it at the brokers of the release.
        key = "metric.reporters"
        resource.image[key] = Setting(key, _REPORTER, resource.path, at, name="cp-helm-charts")
        resource.facts["replicas"] = Setting("replicas", "3", resource.path, at)

    def _version(self, resource: Resource, repository: str, node: yaml.Node) -> None:
        at = yaml.position(node)
        version = Image(f"{repository}:{known(node)}", at).version if known(node) else ""
        if version:
            name = "client.version" if resource.kind == "worker" else "kafka_version"
            resource.facts[name] = Setting(name, version, resource.path, at)

    # -- Strimzi ----------------------------------------------------------------------------

    def _strimzi(self, node: yaml.Node, parts: dict[str, yaml.Node]) -> None:
        """``kafka.config`` and its neighbours, as a chart hands them to a Kafka resource."""
        resource = self.made("broker", "kafka", node)
        resource.traits.partial = True
        for key, key_node, value in yaml.pairs(node):
            if key == "config":
                fill(resource, value)
            elif key == "version":
                fact(resource, "kafka_version", key_node, value)
            elif key == "replicas":
                fact(resource, "replicas", key_node, value)
        hosted(resource, node)

    # -- topics -----------------------------------------------------------------------------

    def _topics(self, parts: dict[str, yaml.Node]) -> None:
        for key in _TOPIC_LISTS:
            for item in yaml.items(parts.get(key)):
                name = yaml.child(item, "name")
                told = {part for part, _, _ in yaml.pairs(item)}
                if name is None or not told & {"partitions", "config", "replicationFactor"}:
                    continue
                topic = Resource(
                    "topic", yaml.text(name) or "?", self.document.path, yaml.position(name)
                )
                topic.traits.deployer = HELM
                for part, part_node, value in yaml.pairs(item):
                    if part in _FACTORS:
                        fact(topic, _FACTORS[part], part_node, value)
                    elif part == "config":
                        fill(topic, value, nested=True)
                self.document.resources.append(topic)


def _confluent_kind(name: str, image: str, parts: dict[str, yaml.Node]) -> str:
    """What one of Confluent's charts runs; "" for Schema Registry, the REST Proxy, ksqlDB …"""
    if name == "cp-kafka" or "cp-kafka" in image.split("/")[-1:] or "cp-server" in image:
        return "broker"
    if name == "cp-kafka-connect" or image.endswith("connect"):
        return "worker"
    alone = not name and not image
    own = "brokers" in parts or _of_variables(parts.get("customEnv"))
    return "broker" if alone and own else ""


def _of_variables(node: yaml.Node | None) -> bool:
    """Whether variables of a chart are those of a broker of Confluent's image."""
    family = images.family_of(_CONFLUENT["broker"])
    keys = [family.key(name) for name, _, _ in yaml.pairs(node)] if family is not None else []
    return any(key is not None and brokers_own(key) for key in keys)


def _strimzi(name: str, parts: dict[str, yaml.Node]) -> bool:
    if name != "kafka":
        return False
    return any("." in key and brokers_own(key) for key, _, _ in yaml.pairs(parts.get("config")))
