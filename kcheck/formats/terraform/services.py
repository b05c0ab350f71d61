"""What resources of Amazon MSK and Confluent Cloud ask of each other, and the service refuses or ignores."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats import Lookup
from kcheck.formats.terraform import offers as terraform_offers
from kcheck.formats.terraform.references import References
from kcheck.formats.terraform.turns import switch
from kcheck.model import ERROR, WARNING, Problem, Setting
from kcheck.syntax.hcl import Block, Entry, File, Scalar

OFFER, UNUSED, PRINCIPAL, LOGIN = "KC0269", "KC0270", "KC0271", "KC0272"

#: Roles that are granted on topics, groups and transactional ids, which Basic clusters do not have.
_ROLES = ("DeveloperRead", "DeveloperWrite", "DeveloperManage", "ResourceOwner")
_ON_RESOURCE = re.compile(r"/(?:topic|group|transactional-id)=")
_OF_CLUSTER = re.compile(r"confluent_kafka_cluster\.([\w-]+)\.rbac_crn")
_DISPLAY_NAME = re.compile(
    r"User:\$\{\s*((?:data\.)?confluent_(?:service_account|user|identity_pool)\.[\w-]+(?:\[[^\]]*\])?)"
    r"\.(display_name|full_name|email)\s*\}"
)
#: An id of Confluent Cloud (sa-1a2b3c, u-1a2b3c, pool-1a2b), an old number, or all of them.
_ID = re.compile(r"[a-z]+-\w+|\d+|\*")
_PRINCIPALS = ("confluent_kafka_acl", "confluent_role_binding")
_SMALLEST, _EXPRESS = "kafka.t3.small", "express."
_MSK = re.compile(r"aws_msk_cluster\.([\w-]+)\.(?:arn|id)")
_ASSOCIATIONS = ("aws_msk_scram_secret_association", "aws_msk_single_scram_secret_association")

#: Key, entry, message, consequence, fix, severity, code.
_Told = tuple[str, Entry, str, str, str, str, str]


def faults(file: File, data: bytes, folder: str, lookup: Lookup) -> Iterator[Problem]:
    """What a service refuses or ignores of the resources of a file."""
    resources = [b for b in file.blocks if b.type == "resource" and len(b.labels) == 2]
    clusters = {b.labels[1]: b for b in resources if b.labels[0] == "aws_msk_cluster"}
    told: list[_Told] = []
    for block in resources:
        kind = block.labels[0]
        if kind == "aws_msk_cluster":
            told += _offered(block)
        elif kind == "aws_msk_configuration":
            told += _unused(block, clusters, data)
        elif kind in _ASSOCIATIONS:
            told += _login(block, clusters)
        if kind in _PRINCIPALS:
            told += _principal(block)
        if kind == "confluent_role_binding":
            told += _role(block, References(file, folder, lookup), folder)
    yield from terraform_offers.faults(resources, file, folder, lookup)
    for key, entry, message, consequence, fix, severity, code in told:
        setting = Setting(key, _text(entry), file.path, entry.at, entry.key_at)
        yield Problem(message, entry.at, code, severity, consequence, fix, setting=setting)


def _offered(cluster: Block) -> Iterator[_Told]:
    """What the instance type of an MSK cluster does not offer."""
    brokers = next((b for b in cluster.blocks() if b.type == "broker_node_group_info"), None)
    entry = brokers.attributes().get("instance_type") if brokers is not None else None
    instance, mode = _text(entry), cluster.attributes().get("storage_mode")
    if brokers is None or entry is None or instance is None:
        return
    label = cluster.labels[1]
    if mode is not None and _text(mode) == "TIERED" and instance == _SMALLEST:
        yield (
            "storage_mode",
            mode,
            f"MSK cluster {label} sets storage_mode=TIERED, which instance_type={instance} does not "
            "support",
            "the service rejects the cluster",
            "use a larger instance type, or storage_mode LOCAL",
            ERROR,
            OFFER,
        )
    if instance.startswith(_EXPRESS) and any(b.type == "storage_info" for b in brokers.blocks()):
        yield (
            "instance_type",
            entry,
            f"MSK cluster {label} sets storage_info, but instance_type={instance} is an Express "
            "broker, whose storage is not provisioned",
            "the service rejects the cluster",
            "remove storage_info",
            WARNING,
            OFFER,
        )


def _unused(block: Block, clusters: dict[str, Block], data: bytes) -> Iterator[_Told]:
    """A configuration that nothing in the file refers to, beside a cluster without one."""
    label, properties = block.labels[1], block.attributes().get("server_properties")
    reference = rf"aws_msk_configuration\.{re.escape(label)}\b".encode()
    if properties is None or re.search(reference, data):
        return
    for name, cluster in clusters.items():
        inner = [one.type for one in cluster.blocks()]
        if "configuration_info" in inner or "dynamic" in inner:
            continue
        yield (
            "server_properties",
            properties,
            f"MSK configuration {label} is not used: cluster {name} has no configuration_info",
            "the brokers run with the default configuration of Amazon MSK",
            f"add configuration_info with aws_msk_configuration.{label} to cluster {name}",
            WARNING,
            UNUSED,
        )
        return


def _login(association: Block, clusters: dict[str, Block]) -> Iterator[_Told]:
    """Credentials for SCRAM of a cluster that does not enable it."""
    entry = association.attributes().get("cluster_arn")
    found = _MSK.search(entry.source) if entry is not None else None
    cluster = clusters.get(found[1]) if found is not None else None
    if entry is None or cluster is None or _scram(cluster) is not False:
        return
    if switch(association) != switch(cluster):
        return
    yield (
        "cluster_arn",
        entry,
        f"{association.labels[1]} has credentials for SASL/SCRAM, which MSK cluster "
        f"{cluster.labels[1]} does not enable",
        "MSK rejects the association: the users cannot log in",
        "set client_authentication.sasl.scram to true on the cluster",
        ERROR,
        LOGIN,
    )


def _scram(cluster: Block) -> bool | None:
    """Whether a cluster enables SCRAM; None where that is unknown."""
    for login in cluster.blocks():
        if login.type == "dynamic":
            return None
        for sasl in login.blocks() if login.type == "client_authentication" else ():
            scram = sasl.attributes().get("scram") if sasl.type == "sasl" else None
            if sasl.type == "dynamic" or (scram is not None and _text(scram) != "false"):
                return True if scram is not None and _text(scram) == "true" else None
    return False


def _principal(block: Block) -> Iterator[_Told]:
    """A principal that is no id of Confluent Cloud."""
    entry = block.attributes().get("principal")
    if entry is None:
        return
    owner, text = f"{block.labels[0]} {block.labels[1]}", _text(entry)
    named = _DISPLAY_NAME.search(entry.source)
    if named is not None:
        problem = f"takes the {named[2]} of {named[1]}"
        fix = f"write User:${{{named[1]}.id}}"
    elif text is not None and text.startswith("User:") and not _ID.fullmatch(text[5:]):
        problem = f"names {text}"
        fix = "write User: and the id of the service account (sa-…)"
    else:
        return
    yield (
        "principal",
        entry,
        f"{owner} {problem}, but principals of Confluent Cloud are ids",
        "it applies to no principal, or the service rejects it: the requests are denied",
        fix,
        WARNING,
        PRINCIPAL,
    )


def _role(binding: Block, references: References, folder: str) -> Iterator[_Told]:
    """A role on a topic, group or transactional id of a Basic cluster."""
    own = binding.attributes()
    role, pattern = own.get("role_name"), own.get("crn_pattern")
    if role is None or pattern is None or _text(role) not in _ROLES or switch(binding):
        return
    found = _OF_CLUSTER.search(pattern.source)
    if found is None or not _ON_RESOURCE.search(pattern.source):
        return
    for file in references.files(folder, b"confluent_kafka_cluster"):
        for block in file.blocks:
            if block.labels != ["confluent_kafka_cluster", found[1]]:
                continue
            if any(inner.type == "basic" for inner in block.blocks()):
                yield (
                    "role_name",
                    role,
                    f"confluent_role_binding {binding.labels[1]} grants {_text(role)} on a resource of "
                    f"cluster {found[1]}, but Basic clusters have no roles on resources",
                    "the service rejects the role binding",
                    "use confluent_kafka_acl, or a Standard cluster",
                    WARNING,
                    OFFER,
                )
            return


def _text(entry: Entry | None) -> str | None:
    value = entry.value if entry is not None else None
    if isinstance(value, Scalar):
        return None if "${" in value.text or "%{" in value.text else value.text
    return None
