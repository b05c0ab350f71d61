"""Files with logins for a JVM (JAAS) that the project has: whether the section is there that is read."""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.model import Resource

_LOGINS = re.compile(r"-Djava\.security\.auth\.login\.config=[\"']?([^\s\"'$]+)(?=[\s\"']|$)")
#: What every file with a login of Kafka's has in it, and what tells that a part is filled in.
_LOGIN, _FILLED = b"LoginModule", (b"{{", b"<%")


def in_options(text: str) -> str:
    """The path of the file that options of a JVM name; "" where they name none."""
    found = _LOGINS.findall(text)
    return found[-1] if found else ""


def section_of(resource: Resource) -> str:
    """The section of such a file that a program reads."""
    return "KafkaServer" if resource.kind in ("broker", "controller") else "KafkaClient"


def judge(resource: Resource, paths: list[str], lookup: Lookup) -> None:
    """Say of a resource with such a file, which may be any of ``paths``, that its section lacks there."""
    held = [(path, data) for path in paths if (data := lookup(path)) is not None]
    section = section_of(resource).encode()
    for _, data in held:
        if section in data or _LOGIN not in data or any(sign in data for sign in _FILLED):
            return
    if held:
        resource.traits.jaas_file, resource.traits.jaas_lacks = False, held[0][0]
