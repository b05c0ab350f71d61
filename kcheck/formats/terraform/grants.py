"""What users may do where no ACL says so: permissions of Aiven's and Yandex', roles of Confluent Cloud's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.terraform.entries import framed, setting
from kcheck.formats.text import templated
from kcheck.model import Framed, Right, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.provisioned.resources import Block

#: The operations of a permission on a topic (aiven_kafka_acl, yandex_mdb_kafka_user).
_PERMISSIONS = {
    "admin": ("All",),
    "read": ("Read",),
    "write": ("Write",),
    "readwrite": ("Read", "Write"),
    "access_role_consumer": ("Read",),
    "access_role_producer": ("Write",),
    "access_role_admin": ("All",),
}
#: The operations of a role on what its pattern names, by the type of that; docs.confluent.io/cloud,
#: predefined RBAC roles. Transactional ids are only written with.
_ROLES: dict[str, dict[str, tuple[str, ...]]] = {
    "DeveloperRead": {"topic": ("Read",), "group": ("Read",)},
    "DeveloperWrite": {"topic": ("Write",), "transactionalId": ("Write",)},
    "DeveloperManage": {
        "topic": ("Create", "Delete", "Alter", "AlterConfigs"),
        "group": ("Delete",),
    },
    "ResourceOwner": dict.fromkeys(("topic", "group", "transactionalId"), ("All",)),
}
_TYPES = {"topic": "topic", "group": "group", "transactional-id": "transactionalId"}
_PATTERN = re.compile(r"/(topic|group|transactional-id)=([^/]+)$")


_LOOPED = re.compile(r"\b(?:each|count)\.")


class Grant:
    """A principal and what it is granted; ``open`` says that more may come with it, ``typed`` that
    the principal has to say its type."""

    __slots__ = ("name", "open", "principal", "rights", "untyped")

    def __init__(
        self,
        principal: Setting,
        rights: tuple[Right, ...],
        *,
        open: bool = False,
        typed: bool = False,
    ) -> None:
        frame = principal.frame if isinstance(principal, Framed) else principal.text or ""
        kind, colon, name = frame.partition(":")
        # What a loop puts in tells several apart, which nothing here does.
        self.name = "" if _LOOPED.search(frame) else name if colon else kind
        self.untyped = typed and not colon and principal.text is not None
        self.principal = principal
        self.rights = rights
        self.open = open


def of(block: Block) -> Iterator[Grant]:
    """What one resource grants."""
    kind, own = block.labels[0], block.attributes()
    if kind == "aiven_kafka_acl":
        if "username" in own and "*" not in own["username"].framed():
            yield _permitted(block, framed("username", own["username"]), "topic", "permission")
    elif kind == "yandex_mdb_kafka_user":
        for inner in block.blocks() if "name" in own else ():
            if inner.type == "permission":
                yield _permitted(inner, framed("name", own["name"]), "topic_name", "role")
    elif kind == "confluent_role_binding" and "principal" in own:
        rights = tuple(_of_role(block))
        yield Grant(framed("principal", own["principal"]), rights, open=True)


def _permitted(block: Block, user: Setting, topic: str, permission: str) -> Grant:
    own = block.attributes()
    told = [setting(name, own[name]) for name in (topic, permission) if name in own]
    if len(told) != 2:
        return Grant(user, (), open=True)
    name, word = told[0].text or "", (told[1].text or "").lower()
    prefix = name.endswith("*") and name != "*"
    bare = name.removesuffix("*") if prefix else name
    wild = bare != "*" and ("*" in bare or "?" in bare)
    operations = () if not bare or wild else _PERMISSIONS.get(word, ())
    rights = tuple(Right(told[0], one, "topic", bare, prefix) for one in operations)
    return Grant(user, rights, open=True)


def _of_role(block: Block) -> Iterator[Right]:
    own = block.attributes()
    role, pattern = own.get("role_name"), own.get("crn_pattern")
    if role is None or pattern is None:
        return
    found = _PATTERN.search(pattern.framed())
    if found is None or templated(found[2]):
        return
    name, at = found[2], framed("crn_pattern", pattern)
    prefix = name.endswith("*") and name != "*"
    kind = _TYPES[found[1]]
    for operation in _ROLES.get(setting("role_name", role).text or "", {}).get(kind, ()):
        yield Right(at, operation, kind, name.removesuffix("*") or "*", prefix)
