"""Confluent for Kubernetes: role bindings, as far as they give rights on Kafka's own resources.

A ``ConfluentRolebinding`` gives one principal one role on some patterns of names. The other bindings of
the principal are resources of their own, so nothing is missing where one has no right.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.scalars import known, setting
from kcheck.model import CFK, Document, Resource, Right, Setting
from kcheck.syntax import yaml

#: What the roles for single resources allow (docs.confluent.io: RBAC role permissions).
_ROLES = {
    "DeveloperRead": ("Read",),
    "DeveloperWrite": ("Write",),
    "DeveloperManage": ("Create", "Delete", "AlterConfigs", "DescribeConfigs"),
    "ResourceOwner": ("All",),
}
_TYPES = {"Topic": "topic", "Group": "group", "TransactionalID": "transactionalId"}


def read(document: Document, node: yaml.Node, spec: yaml.Node | None) -> None:
    """Add the user of one role binding."""
    principal = yaml.child(spec, "principal", "name")
    if principal is None or not known(principal):
        return
    meta = yaml.child(node, "metadata")
    user = Resource("user", known(principal), document.path, yaml.position(principal))
    user.traits.deployer, user.traits.partial = CFK, True
    user.traits.namespace = known(yaml.child(meta, "namespace"))
    user.facts["user"] = Setting("user", user.name, document.path, user.at)
    role = yaml.child(spec, "role")
    if role is not None:
        user.facts["role"] = setting("role", role, role, document.path)
    user.traits.rights = tuple(_rights(user, spec, known(role)))
    document.resources.append(user)


def _rights(user: Resource, spec: yaml.Node | None, role: str) -> Iterator[Right]:
    for pattern in yaml.items(yaml.child(spec, "resourcePatterns")):
        name, kind = yaml.child(pattern, "name"), known(yaml.child(pattern, "resourceType"))
        if name is None or not known(name) or kind not in _TYPES:
            continue
        told = setting("resourcePatterns", name, name, user.path)
        prefix = known(yaml.child(pattern, "patternType")).upper() == "PREFIXED"
        for operation in _ROLES.get(role, ()):
            yield Right(told, operation, _TYPES[kind], known(name), prefix)
