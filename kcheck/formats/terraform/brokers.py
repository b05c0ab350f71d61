"""The clusters of infrastructure as code: Amazon MSK's with their configurations, and those of services
that tell little of theirs."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from kcheck.formats import managed_hosts
from kcheck.formats.provisioned import table as provisioned
from kcheck.formats.provisioned.resources import cluster_of, fill, found
from kcheck.formats.terraform import msk as terraform_msk
from kcheck.formats.terraform.entries import fact, put_text, setting
from kcheck.formats.text import templated
from kcheck.model import (
    AIVEN,
    CONFLUENT_CLOUD,
    EVENT_HUBS,
    MSK,
    Address,
    Derived,
    Document,
    Resource,
    Setting,
)
from kcheck.syntax.hcl_values import Entry, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.provisioned.resources import Block

_MSK, _SERVERLESS = "aws_msk_cluster", "aws_msk_serverless_cluster"
#: Types that are Kafka's only if they say so.
_ENGINES = ("digitalocean_database_cluster", "ovh_cloud_project_database")
#: The types of clusters that Confluent Cloud has, each a block of its resource.
_TYPES = ("basic", "standard", "enterprise", "dedicated", "freight")
#: The inputs with which modules of registries make clusters of MSK: the properties, what tells how
#: many brokers there are (terraform-aws-modules/msk-kafka-cluster/aws and others that hand the
#: resource's attributes on, cloudposse/msk-apache-kafka-cluster/aws).
_INPUTS = (
    ("configuration_server_properties", ""),
    ("server_properties", "number_of_broker_nodes"),
    ("server_properties", "kafka_version"),
    ("properties", "broker_per_zone"),
)


#: By the type and the label, or by the label alone, as Pulumi does.
_REFERRED = re.compile(r"aws_msk_configuration\.([\w-]+)|^\$\{([\w-]+)\.arn\}")


class Brokers:
    """Turns the blocks of one file that stand for clusters into brokers of the document."""

    def __init__(self, document: Document, folder: str) -> None:
        self.document = document
        self.folder = folder

    def read(self, made: Sequence[tuple[Block, provisioned.Row]]) -> None:
        """Add the clusters of resources of a file."""
        configurations: dict[str, tuple[Block, provisioned.Row]] = {}
        clusters: list[Block] = []
        hosted: dict[str, Resource] = {}
        for block, row in made:
            if row.kind == provisioned.CONFIGURATION:
                configurations[block.labels[-1]] = block, row
            elif row.type == _MSK:
                clusters.append(block)
            elif row.kind == provisioned.BROKER:
                broker = self._hosted(block, row)
                if broker is not None:
                    hosted[block.labels[-1]] = broker
        self._of_msk(clusters, configurations)
        for block, row in made:
            if row.kind == provisioned.SETTINGS:
                self._settings(block, row, hosted)

    # -- Amazon MSK -------------------------------------------------------------------------

    def _of_msk(
        self, clusters: list[Block], configurations: dict[str, tuple[Block, provisioned.Row]]
    ) -> None:
        """Clusters of MSK with their configurations, and those that no cluster here has."""
        used: set[str] = set()
        for cluster in clusters:
            name = _configuration(cluster, configurations)
            used.add(name)
            self._msk(cluster, configurations.get(name))
        for name, configuration in configurations.items():
            if name not in used:
                self._msk(None, configuration)

    def _msk(
        self, cluster: Block | None, configuration: tuple[Block, provisioned.Row] | None
    ) -> None:
        block = cluster or (configuration[0] if configuration is not None else None)
        assert block is not None
        broker = self._broker(block)
        if configuration is not None:
            fill(broker, *configuration)
            versions = configuration[0].attributes().get("kafka_versions")
            told = versions.value if versions is not None else None
            if isinstance(told, tuple) and len(told) == 1 and isinstance(told[0], Scalar):
                _version(broker, told[0])
        if cluster is not None:
            broker.traits.addresses = terraform_msk.addresses(cluster, self.document.path)
            _counted(broker, cluster.attributes())
            _zones(broker, cluster)

    # -- brokers that a service has for itself ----------------------------------------------

    def _hosted(self, block: Block, row: provisioned.Row) -> Resource | None:
        """A cluster of a service: what it does not say is the service's own, which nobody sees here."""
        own = block.attributes()
        if row.type in _ENGINES:
            engine = own.get("engine")
            value = engine.value if engine is not None else None
            if not isinstance(value, Scalar) or value.text != "kafka":
                return None
        broker = self._broker(block, row.service)
        broker.traits.partial = True
        fill(broker, block, row)
        version = broker.facts.pop("kafka_version", None)
        if version is not None and version.text:
            told = Scalar(version.text, version.at, version.path)
            _version(broker, told)
        broker.traits.tier = _tier(block, row)
        broker.traits.addresses = _addresses(block, row)
        return broker

    def _settings(self, block: Block, row: provisioned.Row, hosted: dict[str, Resource]) -> None:
        """Settings of a cluster that stand apart from it."""
        label, _ = cluster_of(block, row)
        broker = hosted.get(label)
        if broker is None:
            broker = self._broker(block, row.service)
            broker.cluster = label or None
            broker.traits.partial = True
        fill(broker, block, row)

    def _broker(self, block: Block, service: str = MSK) -> Resource:
        broker = Resource("broker", block.labels[-1], self.document.path, block.at)
        broker.traits.service = service
        broker.cluster = block.labels[-1]
        broker.traits.namespace = self.folder
        self.document.extent.whole = True
        self.document.resources.append(broker)
        return broker

    def of_module(self, block: Block) -> None:
        """The widespread modules hand the brokers' keys on as a map."""
        self.of_inputs(block, block.attributes())

    def of_inputs(self, block: Block, own: dict[str, Entry]) -> None:
        """The cluster that a module of a registry makes of its inputs, if it makes one."""
        for name, counted in _INPUTS:
            properties = own.get(name)
            if properties is None or (counted and counted not in own):
                continue
            broker = self._broker(block)
            named = own.get("cluster_name") or own.get("name")
            known = named.value if named is not None else None
            broker.traits.addresses = managed_hosts.of_msk(
                known.text if isinstance(known, Scalar) else ""
            )
            put_text(broker, properties)
            _counted(broker, own)
            return


def _counted(broker: Resource, attributes: dict[str, Entry]) -> None:
    version = attributes.get("kafka_version")
    if version is not None:
        broker.facts.pop("kafka_version", None)
        told = version.value
        if isinstance(told, Scalar):
            _version(broker, told)
    count = attributes.get("number_of_broker_nodes")
    if count is not None:
        fact(broker, "replicas", count)
        if broker.facts["replicas"].text is None:
            del broker.facts["replicas"]


def _version(broker: Resource, told: Scalar) -> None:
    # 3.7.x and 3.9.x.kraft are how MSK calls its own builds.
    text = told.text.partition(".kraft")[0].partition(".tiered")[0].removesuffix(".x")
    if not templated(text):
        broker.facts["kafka_version"] = Setting("kafka_version", text, told.path, told.at)


def tiers_of(blocks: Iterable[Block]) -> dict[str, Setting]:
    """The tiers of the clusters among some blocks, by their labels."""
    rows = provisioned.rows()
    found: dict[str, Setting] = {}
    for block in blocks:
        row = rows.get(block.labels[0]) if len(block.labels) == 2 else None
        if row is not None and row.kind == provisioned.BROKER:
            tier = _tier(block, row)
            if tier is not None:
                found.setdefault(block.labels[1], tier)
    return found


def _tier(block: Block, row: provisioned.Row) -> Setting | None:
    """The tier that a cluster has of its service, as the service calls it."""
    if row.service == EVENT_HUBS:
        sku = block.attributes().get("sku")
        made = setting("sku", sku) if sku is not None else None
        return made if made is not None and made.text else None
    if row.service == CONFLUENT_CLOUD:
        for inner in block.blocks():
            if inner.type in _TYPES:
                return Setting("type", inner.type.capitalize(), _path(block), inner.at)
    return None


def _path(block: Block) -> str:
    return block.file.path


def _addresses(block: Block, row: provisioned.Row) -> tuple[Address, ...]:
    """Where the brokers of a service's cluster answer, as far as its names tell it."""
    entry = found(block, row.names[0])
    own = setting(entry.key, entry) if entry is not None else None
    name = (own and own.text) or ""
    if row.type == _SERVERLESS:
        return managed_hosts.of_serverless(own)
    if row.service == EVENT_HUBS:
        return managed_hosts.of_event_hubs(name, own)
    if row.service == AIVEN:
        project = found(block, ("project",))
        told = project.value if project is not None else None
        names = (name, told.text) if isinstance(told, Scalar) else ("", "")
        return managed_hosts.of_aiven(*names)
    return ()


def _zones(broker: Resource, cluster: Block) -> None:
    """The number of subnets, which are in different zones, where they are listed one by one, and the
    machines of the brokers."""
    for inner in cluster.blocks():
        attributes = inner.attributes()
        if (machine := attributes.get("instance_type")) is not None:
            fact(broker, "instance_type", machine)
        entry = attributes.get("client_subnets")
        listed = entry.value if entry is not None else None
        # An expression for several subnets may stand for one of a list.
        if entry is not None and isinstance(listed, tuple) and "*" not in entry.source:
            place = (broker.path, entry.at, entry.key_at, entry.key)
            made = Derived("zones", str(len(listed)), *place)
            made.amount = len(listed)
            if len(listed) > 1:
                broker.facts["zones"] = made


def _configuration(cluster: Block, known: Container[str]) -> str:
    """The label of the configuration that an MSK cluster names."""
    for inner in cluster.blocks():
        if inner.type == "configuration_info":
            arn = inner.attributes().get("arn")
            match = _REFERRED.search(arn.source) if arn is not None else None
            if match is not None and (match[1] or match[2] in known):
                return match[1] or match[2]
    return ""
