"""ACLs that tasks of Ansible make → the users that have them."""

from __future__ import annotations

from kcheck.formats.terraform.acls import OPERATIONS, TYPES, letters, untyped
from kcheck.model import Document, Resource, Right, Setting
from kcheck.syntax import yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Told(Protocol):
        def __call__(self, node: yaml.Node, *names: str) -> Setting | None: ...


def add_rights(document: Document, users: dict[str, Resource], node: yaml.Node, told: Told) -> None:
    """Add what an ACL allows to its user, who may have more from elsewhere.

    ``told`` gives the first of some parameters that a task has.
    """
    principal = told(node, "acl_principal")
    if principal is None or not principal.text:
        return
    kind, colon, name = principal.text.partition(":")
    user = users.get(principal.text)
    if user is None:
        user = users[principal.text] = Resource(
            "user", name if colon else kind, document.path, yaml.position(node)
        )
        user.facts["user"] = principal
        document.resources.append(user)
        if not colon:
            user.notes.append(untyped(principal))
    of, named = told(node, "acl_resource_type"), told(node, "name")
    resource = TYPES.get(letters(of.text)) if of is not None else "topic"
    if named is None or named.text is None or resource is None:
        return
    host, permission = _known(told(node, "acl_host")), _known(told(node, "acl_permission"))
    prefixed = letters(_known(told(node, "acl_pattern_type"))) == "prefixed"
    for word in _operations(node, told):
        operation = OPERATIONS.get(letters(word))
        if operation is not None:
            allows = letters(permission) in ("", "allow")
            right = Right(named, operation, resource, named.text, prefixed, host or "*", allows)
            user.traits.rights += (right,)


def _known(told: Setting | None) -> str:
    return (told.text or "") if told is not None else ""


def _operations(node: yaml.Node, told: Told) -> list[str]:
    several = [yaml.text(one) or "" for one in yaml.items(yaml.child(node, "acl_operations"))]
    return several or [_known(told(node, "acl_operation"))]
