"""Resources in Terraform that ask of a cluster what its type or tier does not offer."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats import Lookup
from kcheck.formats.provisioned.resources import found, referred
from kcheck.formats.terraform.brokers import tiers_of
from kcheck.formats.terraform.entries import setting
from kcheck.formats.terraform.references import References
from kcheck.formats.terraform.turns import switch
from kcheck.model import ERROR, WARNING, Problem, Setting
from kcheck.syntax.hcl import Block, Entry, File
from kcheck.units import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.provisioned.resources import Block as AnyBlock

OFFER = "KC0269"

_ID = ("kafka_cluster", "id")
#: By the type of resource: where it names the cluster, the types of clusters that do not have it, and
#: what that is (docs.confluent.io/cloud, Kafka cluster types; of the settings, the provider's
#: documentation of confluent_kafka_cluster_config).
_OFFERED = {
    "confluent_kafka_client_quota": (_ID, ("Basic", "Standard"), "client quotas"),
    "confluent_kafka_cluster_config": (_ID, ("Basic", "Standard"), "cluster settings"),
    "confluent_ksql_cluster": (_ID, ("Enterprise",), "ksqlDB"),
    "confluent_cluster_link": (
        ("destination_kafka_cluster", "id"),
        ("Basic", "Standard"),
        "cluster links to them",
    ),
}
_CLUSTER, _NAMESPACE = "confluent_kafka_cluster", "azurerm_eventhub_namespace"
#: The units of a type of Confluent's clusters, which are two at least in several zones.
_UNITS = (("dedicated", "cku"), ("enterprise", "max_ecku"), ("standard", "max_ecku"))
_SEVERAL = ("MULTI_ZONE", "HIGH")


def faults(blocks: list[Block], file: File, folder: str, lookup: Lookup) -> Iterator[Problem]:
    """What resources of a file ask in vain."""
    for block in blocks:
        kind = block.labels[0]
        if kind in _OFFERED:
            yield from _asked(block, file, folder, lookup)
        else:
            yield from of_cluster(block)


#: What resources are called in CloudFormation.
KINDS = {
    "AWS::MSK::Cluster": "aws_msk_cluster",
    "AWS::KafkaConnect::Connector": "aws_mskconnect_connector",
    "AWS::Lambda::EventSourceMapping": "aws_lambda_event_source_mapping",
}


def of_cluster(block: AnyBlock) -> Iterator[Problem]:
    """What a cluster has that its service refuses; of Terraform, CloudFormation or Pulumi."""
    kind = KINDS.get(block.labels[0], block.labels[0])
    if kind == _CLUSTER:
        yield from _units(block)
    elif kind == _NAMESPACE:
        yield from _inflated(block)
    elif kind == "aws_msk_cluster":
        yield from _volume(block)
        yield from _unencrypted(block)
    elif kind == "google_managed_kafka_cluster":
        yield from _memory(block)


def _asked(block: Block, file: File, folder: str, lookup: Lookup) -> Iterator[Problem]:
    path, lacking, what = _OFFERED[block.labels[0]]
    entry = found(block, path)
    origin = entry.origin() if entry is not None else None
    label = referred(origin.source) if origin is not None else ""
    if entry is None or origin is None or not label or origin.source.startswith("data."):
        return
    if switch(block):
        return
    where = folder if origin is entry else origin.path.rpartition("/")[0]
    tier = _tier(label, file, where, lookup)
    if tier is not None and tier.text in lacking:
        yield _problem(
            entry,
            f"{'.'.join(block.labels)} is for cluster {label}, but {tier.text} clusters do not have {what}",
            "the service rejects the resource",
            f"use a cluster of a type that has {what}, or remove the resource",
            WARNING,
        )


def _tier(label: str, file: File, folder: str, lookup: Lookup) -> Setting | None:
    for one in References(file, folder, lookup).files(folder, _CLUSTER.encode()):
        tier = tiers_of(one.blocks).get(label)
        if tier is not None:
            return tier
    return None


def _units(block: AnyBlock) -> Iterator[Problem]:
    """Fewer units than a cluster in several zones has."""
    zones = found(block, ("availability",))
    told = setting("availability", zones) if zones is not None else None
    for kind, name in _UNITS if told is not None and told.text in _SEVERAL else ():
        entry = found(block, (kind, name))
        units = whole(setting(name, entry).text) if entry is not None else None
        if entry is not None and told is not None and units is not None and units < 2:
            yield _problem(
                entry,
                f"{'.'.join(block.labels)} has {name}={int(units)}, but availability={told.text} requires "
                "at least 2",
                "the service rejects the cluster",
                f"set {name} to 2 or more, or use one zone",
                ERROR,
            )


def _inflated(block: AnyBlock) -> Iterator[Problem]:
    """Auto-inflate of a namespace that is not of the Standard tier."""
    entry, sku = found(block, ("auto_inflate_enabled",)), found(block, ("sku",))
    if entry is None or sku is None or setting("x", entry).text != "true":
        return
    tier = setting("sku", sku)
    if tier.text in ("Basic", "Premium"):
        yield _problem(
            entry,
            f"{'.'.join(block.labels)} sets auto_inflate_enabled=true, but namespaces of the {tier.text} tier "
            "are not scaled automatically",
            "the service rejects the namespace",
            "remove auto_inflate_enabled, or use the Standard tier",
            WARNING,
        )


#: GiB of a broker's volume (Amazon MSK's quotas).
_LARGEST = 16384
_VOLUME = ("broker_node_group_info", "storage_info", "ebs_storage_info", "volume_size")


def _volume(block: AnyBlock) -> Iterator[Problem]:
    """A volume above what a broker of MSK may have."""
    entry = found(block, _VOLUME)
    size = whole(setting("volume_size", entry).text) if entry is not None else None
    if entry is not None and size is not None and not 1 <= size <= _LARGEST:
        yield _problem(
            entry,
            f"{'.'.join(block.labels)} has volume_size={int(size)}, but a broker of Amazon MSK has between "
            f"1 and {_LARGEST} GiB",
            "the service rejects the cluster",
            f"set volume_size to {_LARGEST} or less, and use more brokers or tiered storage",
            ERROR,
        )


_SPOKEN = ("encryption_info", "encryption_in_transit", "client_broker")
_LOGINS = ("client_authentication", "sasl")


def _unencrypted(block: AnyBlock) -> Iterator[Problem]:
    """Logins by SASL where clients of MSK speak in plain text alone."""
    entry = found(block, _SPOKEN)
    if entry is None or setting("client_broker", entry).text != "PLAINTEXT":
        return
    for word in ("iam", "scram"):
        path = (*_LOGINS, word)
        login = found(block, (*path, "enabled")) or found(block, path)
        if login is not None and setting(word, login).text == "true":
            yield _problem(
                entry,
                f"{'.'.join(block.labels)} has client_broker=PLAINTEXT, but logins by {word.upper()}, which "
                "require TLS",
                "the service rejects the cluster",
                "set client_broker to TLS, or to TLS_PLAINTEXT with unauthenticated access",
                ERROR,
            )
            return


#: Of a cluster of Google's: bytes for each processor at least and at most, and bytes of all at least
#: (Managed Service for Apache Kafka, CapacityConfig).
_EACH, _ALL = (1 << 30, 8 << 30), 3 << 30


def _memory(block: AnyBlock) -> Iterator[Problem]:
    """Memory that a cluster of Google's may not have for its processors."""
    entry = found(block, ("capacity_config", "memory_bytes"))
    cores = found(block, ("capacity_config", "vcpu_count"))
    size = whole(setting("memory_bytes", entry).text) if entry is not None else None
    number = whole(setting("vcpu_count", cores).text) if cores is not None else None
    if entry is None or size is None or number is None:
        return
    least, most = max(_ALL, int(number) * _EACH[0]), max(_ALL, int(number) * _EACH[1])
    if not least <= size <= most:
        yield _problem(
            entry,
            f"{'.'.join(block.labels)} has memory_bytes={int(size)}, but a cluster with vcpu_count="
            f"{int(number)} has between {least} and {most}",
            "the service rejects the cluster",
            f"set memory_bytes to {least if size < least else most}",
            ERROR,
        )


def _problem(
    entry: Entry,
    message: str,
    consequence: str,
    fix: str,
    severity: str,
) -> Problem:
    told = setting(entry.key, entry)
    return Problem(message, told.at, OFFER, severity, consequence, fix, setting=told)
