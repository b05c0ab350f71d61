"""The blocks of a Terraform file → topics and connectors; ``terraform_brokers`` has the clusters.

``terraform`` recognises such files.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup, terraform_acls, unknown_fields
from kcheck.formats.connectors import finish
from kcheck.formats.terraform_addresses import Providers, provider_of
from kcheck.formats.terraform_brokers import HOSTED, Brokers
from kcheck.formats.terraform_entries import fact, put, put_all, setting
from kcheck.formats.text import overgrown, templated, unrendered
from kcheck.lexicon import fields
from kcheck.model import (
    AIVEN,
    CONFLUENT_CLOUD,
    EVENT_HUBS,
    PASSED_OVER,
    SKIPPED,
    Derived,
    Document,
    Problem,
    Resource,
    Setting,
)
from kcheck.syntax.hcl import MOST_EVALUATED, Block, Entry, File, Scalar, Scope

#: The attribute that holds the topic's name, by the type of resource.
_TOPICS = {
    "kafka_topic": "name",
    "confluent_kafka_topic": "topic_name",
    "aiven_kafka_topic": "topic_name",
    "azurerm_eventhub": "name",
}
_FACTS = {
    "partitions": "partitions",
    "partitions_count": "partitions",
    "partition_count": "partitions",
    "replication_factor": "replication.factor",
    "replication": "replication.factor",
    # Of event hubs, in days.
    "message_retention": "message_retention",
}
#: And in hours, inside of a block.
_HOURS = "retention_time_in_hours"
_SERVICES = {
    "confluent_kafka_topic": CONFLUENT_CLOUD,
    "aiven_kafka_topic": AIVEN,
    "azurerm_eventhub": EVENT_HUBS,
}


#: The facts of a quota by the types of entities.
_ENTITIES = {"client-id": "client_id", "user": "user", "ip": "ip"}
_CONNECTOR_SERVICES = {"aiven_kafka_connector": AIVEN, "confluent_connector": CONFLUENT_CLOUD}
#: The attributes that hold a connector's name and its settings, by the type of resource.
_CONNECTORS = {
    "aiven_kafka_connector": ("connector_name", "config"),
    "kafka-connect_connector": ("name", "config"),
    "confluent_connector": ("name", "config_nonsensitive"),
}
#: The name of a topic's resource, as expressions ask for it.
_NAME_OF = re.compile(rf'"?(?:\$\{{)?({"|".join(_TOPICS)})\.([\w-]+)\.(name|topic_name)\}}?"?')
#: The services whose resources ask something of each other.
_SERVED = ("aws_msk", "confluent_")
#: Resources that hold an object of Kubernetes, or values of a chart.
_RUN = ("aws_ecs_task_definition", "docker_container")
_HOLDERS = ("kubectl_manifest", "kubernetes_", "k8s_manifest", "helm_release")
_LOCALS = "locals.tf"
#: What every block may have.
_META = frozenset(
    ("count", "for_each", "depends_on", "provider", "lifecycle", "provisioner", "connection")
    + ("dynamic", "timeouts")
)


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    folder = document.path.rpartition("/")[0]
    path = f"{folder}/{_LOCALS}".lstrip("/")

    def beside() -> tuple[str, bytes] | None:
        found = lookup(path) if path != document.path else None
        return (path, found) if found is not None else None

    file = File(data, document.path, beside)
    _Reader(document, file, lookup).read(data)
    if file.overgrown:
        document.problems.append(overgrown(f"{MOST_EVALUATED:,} steps"))
    faulty(document, file, data)
    if not document.resources and not document.problems:
        document.status = SKIPPED if file.faulty else PASSED_OVER
        document.reason = (
            "not readable as HCL" if file.faulty else "contains no topic, connector or broker"
        )


def faulty(document: Document, file: File, data: bytes) -> None:
    """Report the first syntax error, which Terraform refuses, unless a template makes the file."""
    if file.faulty and not unrendered(data):
        found = file.fault()
        if found is not None:
            message, at = found
            document.problems.append(Problem(f"not valid HCL: {message}", at))


class _Reader:
    """Turns the blocks of one file into resources."""

    def __init__(self, document: Document, file: File, lookup: Lookup) -> None:
        self.document = document
        self.file = file
        #: One root of Terraform's: labels mean something in it only.
        self.folder = document.path.rpartition("/")[0]
        self._lookup = lookup
        self._brokers = Brokers(document, file, self.folder)
        self._providers = Providers(file, self.folder, lookup)

    def read(self, data: bytes) -> None:
        configurations: dict[str, Block] = {}
        clusters: list[Block] = []
        for block in self.file.blocks:
            kind = block.labels[0] if block.labels else ""
            self._arguments(block)
            if block.type == "module":
                self._brokers.of_module(block)
            elif block.type != "resource" or len(block.labels) < 2:
                continue
            elif kind in _TOPICS:
                self._topics(block)
            elif kind == "aws_msk_configuration":
                configurations[block.labels[1]] = block
            elif kind == "aws_msk_cluster":
                clusters.append(block)
            elif kind in HOSTED:
                self._brokers.of_service(block)
            elif kind in _CONNECTORS:
                self._connector(block)
            elif kind == "kafka_quota":
                self._quota(block)
        self._users()
        self._brokers.of_msk(clusters, configurations)
        self._asking(data)
        self._held(data)
        self._containers(data)

    def _held(self, data: bytes) -> None:
        """What resources of Kubernetes' and Helm's providers hold."""
        kinds = {block.labels[0] for block in self.file.blocks if block.labels}
        if not any(kind.startswith(_HOLDERS) for kind in kinds):
            return
        from kcheck.formats import terraform_manifests  # few files have them

        terraform_manifests.Reader(self.document, self.file, data, self._lookup).read()

    def _containers(self, data: bytes) -> None:
        """What tasks of ECS and containers of Docker's provider run."""
        if not any(block.labels[:1] and block.labels[0] in _RUN for block in self.file.blocks):
            return
        from kcheck.formats import terraform_containers  # few files have them

        terraform_containers.read(self.document, self.file, data, self._lookup)

    def _asking(self, data: bytes) -> None:
        """Report what resources of a service ask of each other, and do not get."""
        kinds = [label for block in self.file.blocks for label in block.labels[:1]]
        problems, path = self.document.problems, self.document.path
        if any(kind.startswith("aws_msk") for kind in kinds):
            from kcheck.formats import terraform_msk_access  # few files have such clusters

            problems.extend(terraform_msk_access.faults(self.file.blocks, path))
        if any(kind.startswith(_SERVED) for kind in kinds):
            from kcheck.formats import terraform_services  # only resources of these services

            problems.extend(terraform_services.faults(self.file, data, self.folder, self._lookup))

    def _arguments(self, block: Block) -> None:
        """Report the arguments that a resource or a provider of Kafka's does not have."""
        if block.type not in ("resource", "provider") or not block.labels:
            return
        kind = block.labels[0]
        holder = kind if block.type == "resource" else f"provider {kind}"
        entries = [*block.attributes().values()]
        worded = [
            (entry.key, entry.value.text, entry.value.at)
            for entry in entries
            if isinstance(entry.value, Scalar) and entry.value.path == self.document.path
        ]
        given = [(entry.key, entry.key_at) for entry in entries]
        given += [(inner.type, inner.at) for inner in block.blocks()]
        given = [one for one in given if one[0] not in _META]
        owner = ".".join(block.labels[:2]) if block.type == "resource" else holder
        if fields.of(fields.TERRAFORM, holder) is not None:
            unknown_fields.of_names(
                self.document, fields.TERRAFORM, holder, owner, "argument", given
            )
        unknown_fields.words_of_names(self.document, fields.TERRAFORM, holder, owner, worded)

    def _users(self) -> None:
        kinds = terraform_acls.ATTRIBUTES.keys()
        acls = [
            b
            for b in self.file.blocks
            if b.type == "resource" and b.labels[:1] and b.labels[0] in kinds
        ]
        for user, block in terraform_acls.users(acls, self.document.path, self.folder):
            user.cluster = _cluster(block) or None
            if block.labels[0] == "kafka_acl":
                self._asked(user, block)
            self.document.resources.append(user)

    # -- topics -----------------------------------------------------------------------------

    def _topics(self, block: Block) -> None:
        own = block.attributes()
        count = own.get("count")
        if count is not None and isinstance(count.value, Scalar) and count.value.text == "0":
            return
        loop = own.get("for_each")
        each = loop.value if loop is not None else None
        if isinstance(each, list):
            for entry in each:
                key = Scalar(entry.key, entry.key_at, self.document.path)
                self._topic(block, block.attributes(Scope(self.file, (key, entry.value))))
        elif isinstance(each, tuple):
            for member in each:
                if isinstance(member, Scalar):
                    self._topic(block, block.attributes(Scope(self.file, (member, member))))
        else:
            self._topic(block, own)
            if count is not None and not (isinstance(count.value, Scalar) and count.value.text):
                self.document.resources[-1].traits.conditional = True

    def _config(self, topic: Resource, block: Block, attributes: dict[str, Entry]) -> None:
        if "config" in attributes:
            put_all(topic, attributes["config"].value)
        for inner in block.blocks():
            if inner.type == "config":  # Aiven: a block with snake_case
                for key, entry in inner.attributes().items():
                    put(topic, key.replace("_", "."), entry)
            elif inner.type == "retention_description" and _HOURS in inner.attributes():
                fact(topic, _HOURS, inner.attributes()[_HOURS])

    def _tier(self, label: str | None) -> Setting | None:
        """The tier of the namespace with that label, if this file has it."""
        for block in self.file.blocks:
            if block.labels == ["azurerm_eventhub_namespace", label]:
                sku = block.attributes().get("sku")
                made = setting("sku", sku, self.document.path) if sku is not None else None
                return made if made is not None and made.text else None
        return None

    def _topic(self, block: Block, attributes: dict[str, Entry]) -> None:
        kind = block.labels[0]
        name = attributes.get(_TOPICS[kind])
        value = name.value if name is not None else None
        topic = Resource("topic", "?", self.document.path, block.at)
        if isinstance(value, Scalar):
            topic.name, topic.at = value.text, value.at
        elif name is not None:
            # As it is written, in the form that stands for any name.
            topic.name, topic.at = "${" + name.source + "}", name.at
        if kind in _SERVICES:
            topic.traits.service = _SERVICES[kind]
        topic.cluster = _cluster(block) or None
        topic.traits.namespace = self.folder
        if kind == "kafka_topic":
            self._asked(topic, block)
        for key, known in _FACTS.items():
            if key in attributes:
                fact(topic, known, attributes[key])
        self._config(topic, block, attributes)
        if kind == "azurerm_eventhub":
            topic.traits.tier = self._tier(topic.cluster)
        self.document.resources.append(topic)

    def _quota(self, block: Block) -> None:
        """The limits of a user, client id or address."""
        own = block.attributes()
        kind, name, config = (own.get(key) for key in ("entity_type", "entity_name", "config"))
        value = kind.value if kind is not None else None
        entity = _ENTITIES.get(value.text, "") if isinstance(value, Scalar) else ""
        if not entity or config is None:
            return
        quota = Resource("quota", block.labels[1], self.document.path, block.at)
        if name is not None:
            fact(quota, entity, name)
        else:
            quota.facts[entity] = Setting(entity, None, self.document.path, block.at)
        quota.traits.namespace = self.folder
        put_all(quota, config.value)
        self.document.resources.append(quota)

    def _asked(self, topic: Resource, block: Block) -> None:
        """Let the topic have the bootstrap servers of the provider that makes it."""
        provider = self._providers.get(provider_of(block))
        if provider is None:
            return
        topic.traits.asks = (provider.setting,)
        if provider.cluster is not None:
            topic.cluster, topic.traits.namespace = provider.cluster

    def _connector(self, block: Block) -> None:
        """A connector of a Connect cluster's, unless something tells whether it is there at all."""
        kind, attributes = block.labels[0], block.attributes()
        if attributes.keys() & {"count", "for_each"}:
            return
        named, config = (attributes.get(key) for key in _CONNECTORS[kind])
        value = named.value if named is not None else None
        connector = Resource("connector", block.labels[1], self.document.path, block.at)
        if isinstance(value, Scalar) and not templated(value.text):
            connector.name, connector.at = value.text, value.at
        if config is None or not isinstance(config.value, list):
            return
        put_all(connector, config.value)
        for entry in config.value:
            topic = self._topic_of(entry)
            if topic is not None:
                place = (self.document.path, entry.at, entry.key_at, entry.key)
                connector.settings[entry.key] = Derived(entry.key, topic, *place)
        own = connector.settings.get("name")
        if named is None and own is not None and own.text:
            connector.name, connector.at = own.text, own.at
        # What is secret stands in a map of its own, whose names nobody repeats.
        connector.traits.partial = "config_sensitive" in attributes or kind == "confluent_connector"
        if kind in _CONNECTOR_SERVICES:
            connector.traits.service = _CONNECTOR_SERVICES[kind]
        connector.cluster = _cluster(block) or None
        connector.traits.namespace = self.folder
        if "connector.class" in connector.settings:
            finish(connector)
            self.document.resources.append(connector)

    def _topic_of(self, entry: Entry) -> str | None:
        """The name of the topic whose resource of this file an expression asks for."""
        found = _NAME_OF.fullmatch(entry.source)
        for block in self.file.blocks if found is not None else ():
            if found is not None and block.labels == [found[1], found[2]]:
                name = block.attributes().get(found[3])
                told = name.value if name is not None else None
                if isinstance(told, Scalar) and not templated(told.text):
                    return told.text
        return None


#: The attributes by which topics name the resource of their cluster, and the types of such resources.
_CLUSTERS = ("service_name", "namespace_name", "namespace_id")
_CLUSTER = re.compile(r"(?:aiven_kafka|azurerm_eventhub_namespace)\.([\w-]+)(?:\[[^\]]*\])?\.")


def _cluster(block: Block) -> str:
    """Which cluster of a service's a topic is of: the label of its resource, or its id."""
    attributes = block.attributes()
    for key in _CLUSTERS:
        found = _CLUSTER.match(attributes[key].source) if key in attributes else None
        if found is not None:
            return found.group(1)
    for inner in block.blocks():
        if inner.type == "kafka_cluster":
            entry = inner.attributes().get("id")
            if entry is None:
                continue
            found = re.match(r"(?:data\.)?confluent_kafka_cluster\.([\w-]+)", entry.source)
            if found is not None:
                return found.group(1)
            value = entry.value
            return value.text if isinstance(value, Scalar) else ""
    return ""
