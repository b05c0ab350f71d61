"""The brokers of a Terraform file: Amazon MSK's, and those of services that tell little of theirs."""

from __future__ import annotations

import re

from kcheck.formats import managed_hosts, terraform_msk
from kcheck.formats.scalars import take
from kcheck.formats.terraform_entries import fact, put, put_all, setting
from kcheck.formats.text import templated
from kcheck.model import AIVEN, EVENT_HUBS, MSK, Derived, Document, Position, Resource, Setting
from kcheck.syntax.hcl import Block, Entry, File, Scalar, Scope, for_of
from kcheck.syntax.properties import PropertiesError, parse

#: Clusters of which nobody sees the configuration: their service, and the attribute with their name.
HOSTED = {
    "aiven_kafka": (AIVEN, "service_name"),
    "aws_msk_serverless_cluster": (MSK, "cluster_name"),
    "azurerm_eventhub_namespace": (EVENT_HUBS, "name"),
}


class Brokers:
    """Turns the blocks of one file that stand for clusters into brokers of the document."""

    def __init__(self, document: Document, file: File, folder: str) -> None:
        self.document = document
        self.file = file
        self.folder = folder

    def of_msk(self, clusters: list[Block], configurations: dict[str, Block]) -> None:
        """Clusters of MSK with their configurations, and those that no cluster here has."""
        used: set[str] = set()
        for cluster in clusters:
            name = _configuration(cluster)
            used.add(name)
            self._msk(cluster, configurations.get(name))
        for name, block in configurations.items():
            if name not in used:
                self._msk(None, block)

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
            _zones(broker, cluster)

    # -- brokers that a service has for itself ----------------------------------------------

    def of_service(self, block: Block) -> None:
        """A cluster of which Terraform tells where it is, and little else."""
        kind = block.labels[0]
        if kind == "aiven_kafka":
            self._aiven(block)
            return
        service, attribute = HOSTED[kind]
        broker = self._broker(block, service)
        broker.traits.partial = True
        entry = block.attributes().get(attribute)
        own = setting(attribute, entry, broker.path) if entry is not None else None
        if service == MSK:
            broker.traits.addresses = managed_hosts.of_serverless(own)
        else:
            broker.traits.addresses = managed_hosts.of_event_hubs((own and own.text) or "", own)

    # -- Aiven ------------------------------------------------------------------------------

    def _aiven(self, block: Block) -> None:
        """A service of Aiven's: what it does not say is the service's own, which nobody sees here."""
        attributes = block.attributes()
        told = [attributes[key].value for key in ("service_name", "project") if key in attributes]
        names = [value.text if isinstance(value, Scalar) else "" for value in told]
        broker = self._broker(block, AIVEN)
        broker.traits.partial = True
        broker.traits.addresses = managed_hosts.of_aiven(*(names if len(names) == 2 else ("", "")))
        for options in block.blocks():
            if options.type != "kafka_user_config":
                continue
            version = options.attributes().get("kafka_version")
            if version is not None and isinstance(version.value, Scalar):
                self._version(broker, version.value)
            for inner in options.blocks():
                for key, entry in inner.attributes().items() if inner.type == "kafka" else ():
                    put(broker, key.replace("_", "."), entry)

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
            fact(broker, "replicas", count)
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

    def of_module(self, block: Block) -> None:
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
        broker.traits.addresses = managed_hosts.of_msk(
            known.text if isinstance(known, Scalar) else ""
        )
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
            put_all(broker, value)

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


def _zones(broker: Resource, cluster: Block) -> None:
    """The number of subnets, which are in different zones, where they are listed one by one."""
    for inner in cluster.blocks():
        entry = inner.attributes().get("client_subnets")
        listed = entry.value if entry is not None else None
        # An expression for several subnets may stand for one of a list.
        if entry is not None and isinstance(listed, tuple) and "*" not in entry.source:
            place = (broker.path, entry.at, entry.key_at, entry.key)
            made = Derived("zones", str(len(listed)), *place)
            made.amount = len(listed)
            if len(listed) > 1:
                broker.facts["zones"] = made


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
