"""ACLs in Terraform (``kafka_acl``, ``confluent_kafka_acl`` …) → the users that have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcheck.formats.terraform import grants as terraform_grants
from kcheck.formats.terraform.entries import framed, setting
from kcheck.formats.terraform.grants import Grant
from kcheck.model import ERROR, Note, Position, Resource, Right, Setting
from kcheck.syntax.hcl_values import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.provisioned.resources import Block

#: By the type of resource: the attributes with resource type, name, pattern, principal, host,
#: operation and permission, by the sources that ``schemas/services/resources.tsv`` names.
ATTRIBUTES = {
    "kafka_acl": (
        "resource_type",
        "resource_name",
        "resource_pattern_type_filter",
        "acl_principal",
        "acl_host",
        "acl_operation",
        "acl_permission_type",
    ),
    "confluent_kafka_acl": (
        "resource_type",
        "resource_name",
        "pattern_type",
        "principal",
        "host",
        "operation",
        "permission",
    ),
    **dict.fromkeys(
        ("aiven_kafka_native_acl", "instaclustr_kafka_acl_v2", "instaclustr_kafka_acl_v3"),
        ("resource_type", "resource_name", "pattern_type", "principal", "host", "operation")
        + ("permission_type",),
    ),
    "redpanda_acl": (
        "resource_type",
        "resource_name",
        "resource_pattern_type",
        "principal",
        "host",
        "operation",
        "permission_type",
    ),
}
#: Types of resources and operations as Kafka's tools call them, by their letters alone.
TYPES = {
    "topic": "topic",
    "group": "group",
    "cluster": "cluster",
    "transactionalid": "transactionalId",
    "delegationtoken": "delegationToken",
}
OPERATIONS = {
    name.lower(): name
    for name in (
        *("All", "Read", "Write", "Create", "Delete", "Alter", "Describe", "ClusterAction"),
        *("DescribeConfigs", "AlterConfigs", "IdempotentWrite"),
    )
}


#: Types whose ACLs are blocks of their own.
_WITHIN = {"instaclustr_kafka_acl_v2": "acl", "instaclustr_kafka_acl_v3": "acl"}


def users(
    acls: Sequence[tuple[Block, Position]], path: str, folder: str
) -> list[tuple[Resource, Block]]:
    """The users of the ACLs of a file, each with its rights and its first block; other files may
    have more of them. With each block comes where the file has it, or the module that makes it."""
    found: dict[str, tuple[Resource, Block]] = {}
    for block, at in acls:
        for grant in _grants(block):
            if not grant.name:
                continue
            if grant.name not in found:
                made = Resource("user", grant.name, path, at)
                made.traits.namespace = folder
                made.facts["user"] = grant.principal
                found[grant.name] = made, block
            user = found[grant.name][0]
            # What a service adds by itself to a role is not told.
            user.traits.partial = user.traits.partial or grant.open
            user.traits.rights += grant.rights
            if grant.untyped:
                user.notes.append(untyped(grant.principal))
    return list(found.values())


def _grants(block: Block) -> Iterator[Grant]:
    kind = block.labels[0]
    if kind not in ATTRIBUTES:
        yield from terraform_grants.of(block)
        return
    inner = _WITHIN.get(kind)
    for holder in [block] if inner is None else [b for b in block.blocks() if b.type == inner]:
        own = holder.attributes()
        principal = own.get(ATTRIBUTES[kind][3])
        if principal is None:
            continue
        right = _right([_setting(own.get(name)) for name in ATTRIBUTES[kind]])
        made = framed(principal.key, principal)
        yield Grant(made, () if right is None else (right,), typed=True)


def _setting(entry: Entry | None) -> Setting | None:
    """An attribute whose value is known."""
    made = setting(entry.key, entry) if entry is not None else None
    return None if made is None or made.text is None else made


def _right(told: list[Setting | None]) -> Right | None:
    kind, name, pattern, _, host, operation, permission = told
    if kind is None or name is None or operation is None:
        return None
    resource = TYPES.get(letters(kind.text))
    action = OPERATIONS.get(letters(operation.text))
    if resource is None or action is None:
        return None
    return Right(
        name,
        action,
        resource,
        name.text or "",
        pattern is not None and letters(pattern.text) == "prefixed",
        (host.text if host is not None else "") or "*",
        permission is None or letters(permission.text) == "allow",
    )


def letters(text: str | None) -> str:
    return (text or "").lower().replace("_", "")


def untyped(principal: Setting) -> Note:
    return Note(
        "KC0473",
        principal,
        f"{principal.key}={principal.text} is not a principal: it has no type",
        "the ACL is rejected: a string in format principalType:principalName is expected",
        f"write User:{principal.text}",
        ERROR,
    )
