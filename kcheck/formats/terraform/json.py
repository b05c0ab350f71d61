"""Terraform in JSON (``.tf.json``): the resources that ``provisioned`` lists, and clusters of MSK.

Generators write it, so that there is less to follow than in HCL: what holds ``${…}`` is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats import requirements
from kcheck.formats.embedded import split_lines
from kcheck.formats.provisioned import table as provisioned
from kcheck.formats.provisioned.facts import Blocks
from kcheck.formats.provisioned.resources import Resources, cluster_of, resource
from kcheck.formats.provisioned.tree_blocks import TreeBlock, Where
from kcheck.formats.scalars import nothing
from kcheck.formats.terraform import acls as terraform_acls
from kcheck.formats.terraform import offers
from kcheck.formats.terraform.brokers import Brokers, tiers_of
from kcheck.model import Document
from kcheck.syntax import json, yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup

_TYPES = re.compile(rb'"([a-z][\w-]+)"\s*:')


def format_of(data: bytes) -> str | None:
    """The format by the types of resources that a file names."""
    from kcheck.formats.terraform.reader import named  # with the names of all

    for found in _TYPES.finditer(data):
        name = named(found[1].decode())
        if name is not None:
            return name
    return None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    nodes, problem, refused = json.strictly(data)
    node = nodes[0] if nodes and problem is None else None
    document.problems += [one for one in (problem, refused) if one is not None]
    if problem is not None:
        return
    where = Where(document.path, split_lines(data))
    blocks = [
        TreeBlock("resource", [kind, yaml.text(label) or "?"], body, where, yaml.position(label))
        for kind, label, body in _resources(node)
        # ``count`` and ``for_each`` make any number of it.
        if all(yaml.child(body, word) is None for word in ("count", "for_each"))
    ]
    take(document, blocks, document.path.rpartition("/")[0])
    nothing(document, "contains no topic or broker")


def take(document: Document, blocks: list[TreeBlock], folder: str) -> None:
    """Add what the resources of a tree make."""
    rows = provisioned.rows()
    made = [(block, rows[block.labels[0]]) for block in blocks if block.labels[0] in rows]
    makes = Resources(document, folder)
    tiers = tiers_of(blocks)
    for block, row in made:
        judge(document, block)
        if row.kind not in provisioned.MADE:
            continue
        one = resource(makes, block, row)
        if one is not None:
            if row.kind == provisioned.TOPIC:
                one.traits.tier = tiers.get(one.cluster or "")
            document.resources.append(one)
    acls = [(block, block.at) for block, row in made if row.kind == provisioned.ACL]
    for user, acl in terraform_acls.users(acls, document.path, folder):
        user.cluster = cluster_of(acl, rows[acl.labels[0]])[0] or None
        document.resources.append(user)
    Brokers(document, folder).read(made)


def judge(document: Document, block: TreeBlock) -> None:
    """Report what a resource has that its service refuses."""
    document.problems += offers.of_cluster(block)
    kind = offers.KINDS.get(block.labels[0], block.labels[0])
    requirements.check(document, kind, ".".join(block.labels), Blocks(block))


def _resources(node: yaml.Node | None) -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
    """(type, label, body); each of the levels may be a list of objects, too."""
    for types in _each(yaml.child(node, "resource")):
        for kind, _, labels in yaml.pairs(types):
            for named_by in _each(labels):
                for _, label, bodies in yaml.pairs(named_by):
                    for body in _each(bodies):
                        yield kind, label, body


def _each(node: yaml.Node | None) -> list[yaml.Node]:
    if node is None:
        return []
    return yaml.items(node) or [node]
