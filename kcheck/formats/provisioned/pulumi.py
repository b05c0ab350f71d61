"""Pulumi in YAML: its resources with the types of Terraform's providers, whose names are in camelCase."""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.embedded import split_lines
from kcheck.formats.provisioned import table as provisioned
from kcheck.formats.provisioned.tree_blocks import TreeBlock, Where, snake
from kcheck.formats.scalars import documents, nothing
from kcheck.formats.terraform.json import take
from kcheck.model import Document
from kcheck.syntax import yaml

#: ``aws:msk/cluster:Cluster`` and ``kafka:index/topic:Topic``, in the long forms and the short ones.
_TYPE = re.compile(r"([\w-]+):(?:([\w-]+)(?:/[\w-]+)?:)?(\w+)")


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    where = Where(document.path, split_lines(data), snake)
    for node in documents(document, data):
        # A file of a program has its resources at the top, one of a project below its name.
        blocks = [
            block
            for name, label, body in yaml.pairs(yaml.child(node, "resources"))
            if (block := _block(name, label, body, where)) is not None
        ]
        rows = provisioned.rows()
        where.clusters.update(
            one.labels[1] for one in blocks if rows[one.labels[0]].kind == provisioned.BROKER
        )
        take(document, blocks, document.path.rpartition("/")[0])
    nothing(document, "contains no topic, connector or broker")


def _block(name: str, label: yaml.Node, body: yaml.Node, where: Where) -> TreeBlock | None:
    """A resource under the name of Terraform's type; None for one that is not Kafka's."""
    row = provisioned.of_pulumi().get(row_name(yaml.text(yaml.child(body, "type")) or ""))
    properties = yaml.child(body, "properties")
    if row is None or properties is None:
        return None
    return TreeBlock("resource", [row.type, name], properties, where, yaml.position(label))


def row_name(kind: str) -> str:
    """A type of Pulumi as the table has it: the package, the module where it has one, the type."""
    found = _TYPE.fullmatch(kind)
    if found is None:
        return ""
    package, module, name = found.groups()
    return f"{package}:{name}" if module in (None, "index") else f"{package}:{module}:{name}"
