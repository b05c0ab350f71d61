"""Files of programs that hold maps of client keys, in YAML, JSON, TOML and HOCON.

``client_maps`` finds the maps. Text of Kafka's inside of a value is read as what it is: properties
in a block scalar, an object of JSON in a string.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup, requirements
from kcheck.formats.clients.map_signs import FORMAT, may_hold, names_keys
from kcheck.formats.properties.signs import ANCIENT
from kcheck.formats.text import unrendered
from kcheck.model import PASSED_OVER, READ, SKIPPED, START, Document, Problem
from kcheck.syntax import yaml

#: Of files with these names and endings it is known that they are HOCON.
_HOCON = (".hocon", "application.conf", "reference.conf")
#: In files with these endings it has braces.
_BRACED = (".conf", ".config", ".hocon")
#: An object of HOCON's that begins: properties have braces in ``${NAME}`` alone.
_OBJECT = re.compile(rb"^[ \t]*(?:[\w.\"-]+[ \t=:]*)?(?:\$\{[^{}\n]*\}[ \t]*)?\{", re.MULTILINE)
#: Paths that frameworks read, by the format of the file around the maps.
PASSED = {
    "spring-yaml": ("spring.", "mp.", "quarkus.", "micronaut."),
    "mp-yaml": ("mp.", "quarkus.", "kafka.", "kafka-streams.", "%", "spring."),
    "micronaut-yaml": ("micronaut.", "kafka."),
    "helm-values": (),
    "helm-release": (),
    "agent-yaml": (),
}

_last: tuple[bytes, str, list[yaml.Node]] = (b"", "", [])


def recognise(path: str, data: bytes) -> str | None:
    """The format's name where the file has such a map, or would have if it were not broken."""
    global _last
    if not may_hold(path, data) or not _may_be(path, data):
        return None
    nodes, problem = _parsed(path, data)
    if problem is not None:
        return FORMAT if _is_told(path, data) else None
    _last = (data, path, nodes)
    trial = Document(path)
    _take(trial, data, nodes)
    return FORMAT if trial.resources else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    if _last[0] is data and _last[1] == document.path:
        nodes, problem = _last[2], None
    else:
        nodes, problem = _parsed(document.path, data)
    if problem is not None:
        document.problems.append(problem)
        return
    _take(document, data, nodes)
    if not document.resources:
        document.status = SKIPPED if unrendered(data) else PASSED_OVER
        document.reason = (
            "an unrendered template" if unrendered(data) else "contains no map of client keys"
        )


def sweep(document: Document, data: bytes) -> None:
    """Take the maps that the reader of the document's own format has left."""
    nodes, problem = yaml.documents(data)
    if problem is not None or document.problems:
        return
    before = len(document.resources)
    _take(document, data, nodes, PASSED.get(document.format or "", ()))
    if document.resources[before:] and document.status == PASSED_OVER:
        document.status, document.reason = READ, ""


def take_properties(document: Document, data: bytes) -> None:
    """Take the maps that the prefixes of a properties file make, which nobody else reads."""
    if may_hold(document.path, data):
        nodes, problem = _parsed("a.properties", data)
        if problem is None:
            _take(document, data, nodes)


def _take(
    document: Document, data: bytes, nodes: list[yaml.Node], passed: tuple[str, ...] = ()
) -> None:
    from kcheck.formats.clients import maps as client_maps  # knows all keys

    supervises = b'"ioConfig"' in data
    for node in nodes:
        if supervises:
            requirements.of_node(document, "druid", "the supervisor", node, "Druid")
        made = client_maps.take(document, node, passed=passed)
        profile = _profile(node)
        for resource in made:
            resource.traits.profile = profile
        if names_keys(data):
            from kcheck.formats.clients import texts as client_texts

            client_texts.take(document, data, node, passed)


def _profile(node: yaml.Node) -> str:
    """The profile of Spring's for which a document of the file holds."""
    for path in (
        ("spring", "config", "activate", "on-profile"),
        ("spring.config.activate.on-profile",),
        ("spring", "profiles"),
        ("spring.profiles",),
    ):
        text = yaml.text(yaml.child(node, *path))
        if text:
            return text
    return ""


def _may_be(path: str, data: bytes) -> bool:
    """Whether a file of that name may be in one of the four syntaxes."""
    if path.endswith(_BRACED[:2]):
        return b"=>" not in data and bool(_OBJECT.search(data))
    return True


def _is_told(path: str, data: bytes) -> bool:
    """Whether a file that cannot be parsed is one of these all the same, and no template."""
    if unrendered(data) or (b"$" in data and path.endswith(".toml")):
        return False
    return path.endswith(".toml") or path.rpartition("/")[2].endswith(_HOCON)


def _parsed(path: str, data: bytes) -> tuple[list[yaml.Node], Problem | None]:
    ending = path[path.rfind(".") :]
    if ending in (".yaml", ".yml"):
        return yaml.documents(data)
    if ending == ".json":
        from kcheck.syntax import json

        node, problem = json.document(data)
    elif ending == ".toml":
        from kcheck.syntax import toml_nodes

        node, problem = toml_nodes.document(data)
    elif ending not in _BRACED:
        return _entries(data), None
    else:
        from kcheck.syntax import hocon

        node, problem = hocon.document(data)
    return ([node] if node is not None else []), problem


def _entries(data: bytes) -> list[yaml.Node]:
    """The entries of a properties file as one map; nothing of what is in another syntax."""
    from kcheck.syntax.nodes import Mapping, Scalar
    from kcheck.syntax.properties import PropertiesError, decode, parse

    try:
        entries = parse(decode(data)[0])
    except PropertiesError:
        return []
    keys = {entry.key for entry in entries}
    if keys & ANCIENT or any(key.startswith(("[", "}", "{")) for key in keys):
        return []
    made = Mapping(START)
    for entry in entries:
        key, value = Scalar(entry.key, entry.key_at), Scalar(entry.value, entry.at, '"')
        made.pairs.append((entry.key, key, value))
    return [made]
