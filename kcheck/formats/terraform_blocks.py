"""The blocks of a Terraform file → topics, connectors and brokers; see ``terraform``, which recognises it."""

from __future__ import annotations

import re

from kcheck.formats import Lookup, terraform_msk
from kcheck.formats.connectors import finish
from kcheck.formats.managed_hosts import of_aiven, of_event_hubs, of_msk, of_serverless
from kcheck.formats.scalars import take
from kcheck.formats.terraform_addresses import Providers, provider_of
from kcheck.formats.text import overgrown, templated, unrendered, written
from kcheck.model import (
    AIVEN,
    CONFLUENT_CLOUD,
    EVENT_HUBS,
    MSK,
    PASSED_OVER,
    SKIPPED,
    Derived,
    Document,
    Position,
    Problem,
    Resource,
    Setting,
)
from kcheck.syntax.hcl import MOST_EVALUATED, Block, Entry, File, Scalar, Scope, Value, for_of
from kcheck.syntax.properties import PropertiesError, parse
from kcheck.units import whole

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
}
_SERVICES = {
    "confluent_kafka_topic": CONFLUENT_CLOUD,
    "aiven_kafka_topic": AIVEN,
    "azurerm_eventhub": EVENT_HUBS,
}


_CONNECTOR_SERVICES = {"aiven_kafka_connector": AIVEN, "confluent_connector": CONFLUENT_CLOUD}
#: The attributes that hold a connector's name and its settings, by the type of resource.
_CONNECTORS = {
    "aiven_kafka_connector": ("connector_name", "config"),
    "kafka-connect_connector": ("name", "config"),
    "confluent_connector": ("name", "config_nonsensitive"),
}
#: The name of a topic's resource, as expressions ask for it.
_NAME_OF = re.compile(rf'"?(?:\$\{{)?({"|".join(_TOPICS)})\.([\w-]+)\.(name|topic_name)\}}?"?')
#: Clusters of which nobody sees the configuration: their service, and the attribute with their name.
_HOSTED = {
    "aiven_kafka": (AIVEN, "service_name"),
    "aws_msk_serverless_cluster": (MSK, "cluster_name"),
    "azurerm_eventhub_namespace": (EVENT_HUBS, "name"),
}
_LOCALS = "locals.tf"


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    folder = document.path.rpartition("/")[0]
    path = f"{folder}/{_LOCALS}".lstrip("/")

    def beside() -> tuple[str, bytes] | None:
        found = lookup(path) if path != document.path else None
        return (path, found) if found is not None else None

    file = File(data, document.path, beside)
    _Reader(document, file, lookup).read()
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
        self._providers = Providers(file, self.folder, lookup)

    def read(self) -> None:
        configurations: dict[str, Block] = {}
        clusters: list[Block] = []
        for block in self.file.blocks:
            kind = block.labels[0] if block.labels else ""
            if block.type == "module":
                self._module(block)
            elif block.type != "resource" or len(block.labels) < 2:
                continue
            elif kind in _TOPICS:
                self._topics(block)
            elif kind == "aws_msk_configuration":
                configurations[block.labels[1]] = block
            elif kind == "aws_msk_cluster":
                clusters.append(block)
            elif kind in _HOSTED:
                self._hosted(block)
            elif kind in _CONNECTORS:
                self._connector(block)
        self._configured(clusters, configurations)

    def _configured(self, clusters: list[Block], configurations: dict[str, Block]) -> None:
        """Clusters of MSK with their configurations, and those that no cluster here has."""
        used: set[str] = set()
        for cluster in clusters:
            name = _configuration(cluster)
            used.add(name)
            self._msk(cluster, configurations.get(name))
        for name, block in configurations.items():
            if name not in used:
                self._msk(None, block)

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
            self._settings(topic, attributes["config"].value)
        for inner in block.blocks():
            if inner.type == "config":  # Aiven: a block with snake_case
                for key, entry in inner.attributes().items():
                    self._set(topic, key.replace("_", "."), entry)

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
        for key, fact in _FACTS.items():
            if key in attributes:
                self._fact(topic, fact, attributes[key])
        self._config(topic, block, attributes)
        self.document.resources.append(topic)

    def _asked(self, topic: Resource, block: Block) -> None:
        """Let the topic have the bootstrap servers of the provider that makes it."""
        provider = self._providers.get(provider_of(block))
        if provider is None:
            return
        topic.traits.asks = (provider.setting,)
        if provider.cluster is not None:
            topic.cluster, topic.traits.namespace = provider.cluster

    def _fact(self, resource: Resource, name: str, entry: Entry) -> None:
        setting = self._setting(name, entry)
        setting.amount = whole(setting.text)
        resource.facts[name] = setting

    def _settings(self, resource: Resource, value: Value) -> None:
        if isinstance(value, list):
            for entry in value:
                self._set(resource, entry.key, entry)

    def _set(self, resource: Resource, key: str, entry: Entry) -> None:
        take(resource, self._setting(key, entry))

    def _setting(self, key: str, entry: Entry) -> Setting:
        value = entry.value
        path = self.document.path
        if isinstance(value, Scalar):
            at = self._key_at(value, entry)
            return written(key, value.text, value.path, value.at, at, entry.key)
        return Setting(key, None, path, entry.at, entry.key_at, entry.key)

    def _key_at(self, value: Scalar, entry: Entry) -> Position:
        """Where the key stands; the value itself, if that is in another file."""
        return entry.key_at if value.path == self.document.path else value.at

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
        self._settings(connector, config.value)
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

    # -- Amazon MSK -------------------------------------------------------------------------

    def _msk(self, cluster: Block | None, configuration: Block | None) -> None:
        block = cluster or configuration
        assert block is not None
        broker = self._broker(block)
        if configuration is not None:
            attributes = configuration.attributes()
            if "server_properties" in attributes:
                self._properties(broker, attributes["server_properties"])
            versions = attributes.get("kafka_versions")
            told = versions.value if versions is not None else None
            if isinstance(told, tuple) and len(told) == 1 and isinstance(told[0], Scalar):
                self._version(broker, told[0])
        if cluster is not None:
            broker.traits.addresses = terraform_msk.addresses(cluster, self.document.path)
            self._counted(broker, cluster.attributes())

    # -- brokers that a service has for itself ----------------------------------------------

    def _hosted(self, block: Block) -> None:
        """A cluster of which Terraform tells where it is, and little else."""
        kind = block.labels[0]
        if kind == "aiven_kafka":
            self._aiven(block)
            return
        service, attribute = _HOSTED[kind]
        broker = self._broker(block, service)
        broker.traits.partial = True
        entry = block.attributes().get(attribute)
        own = self._setting(attribute, entry) if entry is not None else None
        if service == MSK:
            broker.traits.addresses = of_serverless(own)
        else:
            broker.traits.addresses = of_event_hubs((own and own.text) or "", own)

    # -- Aiven ------------------------------------------------------------------------------

    def _aiven(self, block: Block) -> None:
        """A service of Aiven's: what it does not say is the service's own, which nobody sees here."""
        attributes = block.attributes()
        told = [attributes[key].value for key in ("service_name", "project") if key in attributes]
        names = [value.text if isinstance(value, Scalar) else "" for value in told]
        broker = self._broker(block, AIVEN)
        broker.traits.partial = True
        broker.traits.addresses = of_aiven(*(names if len(names) == 2 else ("", "")))
        for options in block.blocks():
            if options.type != "kafka_user_config":
                continue
            version = options.attributes().get("kafka_version")
            if version is not None and isinstance(version.value, Scalar):
                self._version(broker, version.value)
            for inner in options.blocks():
                for key, entry in inner.attributes().items() if inner.type == "kafka" else ():
                    self._set(broker, key.replace("_", "."), entry)

    def _broker(self, block: Block, service: str = MSK) -> Resource:
        broker = Resource("broker", block.labels[-1], self.document.path, block.at)
        broker.traits.service = service
        broker.cluster = block.labels[-1]
        broker.traits.namespace = self.folder
        self.document.extent.whole = True
        self.document.resources.append(broker)
        return broker

    def _counted(self, broker: Resource, attributes: dict[str, Entry]) -> None:
        version = attributes.get("kafka_version")
        if version is not None:
            broker.facts.pop("kafka_version", None)
            told = version.value
            if isinstance(told, Scalar):
                self._version(broker, told)
        count = attributes.get("number_of_broker_nodes")
        if count is not None:
            self._fact(broker, "replicas", count)
            if broker.facts["replicas"].text is None:
                del broker.facts["replicas"]

    def _version(self, broker: Resource, told: object) -> None:
        assert isinstance(told, Scalar)
        # 3.7.x and 3.9.x.kraft are how MSK calls its own builds.
        text = told.text.partition(".kraft")[0].partition(".tiered")[0].removesuffix(".x")
        if not templated(text):
            broker.facts["kafka_version"] = Setting(
                "kafka_version", text, self.document.path, told.at
            )

    def _module(self, block: Block) -> None:
        """The widespread modules hand the brokers' keys on as a map."""
        attributes = block.attributes()
        properties = attributes.get("configuration_server_properties")
        if properties is None:
            properties = attributes.get("server_properties")
            if properties is None or "number_of_broker_nodes" not in attributes:
                return
        broker = self._broker(block)
        name = attributes.get("cluster_name") or attributes.get("name")
        known = name.value if name is not None else None
        broker.traits.addresses = of_msk(known.text if isinstance(known, Scalar) else "")
        self._properties(broker, properties)
        self._counted(broker, attributes)

    def _properties(self, broker: Resource, entry: Entry) -> None:
        """The blob of a configuration: a heredoc, a map, or a text joined from a map."""
        heredoc = self.file.heredoc(entry.node)
        if heredoc is not None:
            self._heredoc(broker, *heredoc)
            return
        collection = for_of(entry.node)
        value = Scope(self.file).value(collection) if collection is not None else entry.value
        if isinstance(value, Scalar):
            for line in value.text.split("\n"):
                key, equals, text = line.partition("=")
                if equals and not line.lstrip().startswith("#"):
                    raw = None if templated(text) else text.strip()
                    take(broker, Setting(key.strip(), raw, self.document.path, value.at))
        else:
            self._settings(broker, value)

    def _heredoc(self, broker: Resource, lines: list[str], first: int, indent: int) -> None:
        try:
            entries = parse("\n".join(lines))
        except PropertiesError as error:
            entries = error.entries
        branches = any("%{" in line for line in lines)

        def place(at: Position) -> Position:
            return at[0] + first - 1, at[1] + indent, at[2] + first - 1, at[3] + indent

        for entry in entries:
            if templated(entry.key) or entry.key.startswith("%"):
                continue
            raw = None if branches or templated(entry.value) else entry.value
            take(
                broker,
                Setting(entry.key, raw, self.document.path, place(entry.at), place(entry.key_at)),
            )


def _configuration(cluster: Block) -> str:
    """The label of the configuration that an MSK cluster names."""
    for inner in cluster.blocks():
        if inner.type == "configuration_info":
            arn = inner.attributes().get("arn")
            found = (
                re.match(r"aws_msk_configuration\.(\w+)", arn.source) if arn is not None else None
            )
            if found is not None:
                return found.group(1)
    return ""


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
