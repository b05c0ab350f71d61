"""XML of the Kafka world: flows and templates of NiFi 1, routes of Camel.

The readers of these programs' JSON and YAML read them, as trees of the shape that they have there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as Parts

from kcheck.formats import Lookup
from kcheck.formats.text import unrendered
from kcheck.model import FAILED, PASSED_OVER, SKIPPED, Document
from kcheck.syntax import xml
from kcheck.syntax.nodes import Mapping, Node, Scalar, Sequence
from kcheck.syntax.xml import Element

#: Parts of an element by the names that the readers have for them.
Held = Parts[str, Node | None]
NIFI, CAMEL = "nifi-xml", "camel-xml"
_PROCESSOR = re.compile(rb">[\w.]+\.(?:Consume|Publish)Kafka(?:Record)?(?:_\d+_\d+)?<")
_ENDPOINT = re.compile(rb"\buri\s*=\s*[\"']kafka:[^/\s]")
#: What holds processors, services and parameters in flows and in templates.
_PROCESSORS, _SERVICES = ("processor", "processors"), ("controllerService", "controllerServices")


def recognise(path: str, data: bytes) -> str | None:
    if b"afka" not in data:
        return None
    if _ENDPOINT.search(data) and (b"<route" in data or b"camelContext" in data):
        return CAMEL
    return NIFI if _PROCESSOR.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    top, problem = xml.document(data)
    if problem is not None and unrendered(data):
        document.status, document.reason = SKIPPED, "an unrendered template"
        return
    if problem is not None:
        document.problems.append(problem)
        document.status, document.reason = FAILED, problem.message
        return
    if document.format == CAMEL:
        from kcheck.formats.camel.reader import Routes

        Routes(document).walk(_routes(top), "", 0)
    else:
        from kcheck.formats.nifi import Flow

        Flow(document, _flow(top)).read()
    if not document.resources:
        document.status, document.reason = PASSED_OVER, "contains no Kafka client setting"


def _each(top: Element | None) -> list[Element]:
    """All elements, in their order."""
    found: list[Element] = []
    waiting = [top] if top is not None else []
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += reversed(one.children)
    return found


def _routes(top: Element | None) -> Node:
    """The steps that name endpoints, by their tags."""
    steps: list[Node] = []
    for one in _each(top):
        uri = one.attributes.get("uri")
        if uri is not None:
            steps.append(_mapping(one, {one.tag: uri}))
    return Sequence(steps, (1, 1, 1, 1))


def _flow(top: Element | None) -> Node:
    made: list[Node] = []
    for one in _each(top):
        kind = one.scalar("class") or one.scalar("type")
        if one.tag in _PROCESSORS + _SERVICES and kind is not None:
            held: dict[str, Node | None] = {
                "type": kind,
                "name": one.scalar("name"),
                "identifier": one.scalar("id"),
                "properties": _properties(one),
            }
            made.append(_mapping(one, held))
        elif one.tag == "parameterContext":
            told = [
                _mapping(p, {"name": p.scalar("name"), "value": p.scalar("value")})
                for p in one.children
                if p.tag == "parameter"
            ]
            made.append(
                _mapping(one, {"name": one.scalar("name"), "parameters": Sequence(told, one.at)})
            )
    return Sequence(made, (1, 1, 1, 1))


def _properties(one: Element) -> Node:
    """What a processor of a flow, or of a template, has of properties that are set."""
    found = Mapping(one.at)
    config = one.child("config") or one
    entries = config.child("properties")
    members = entries.children if entries is not None else one.children
    for member in members:
        key = member.scalar("key") if member.tag == "entry" else member.scalar("name")
        value = member.scalar("value")
        if member.tag in ("entry", "property") and key is not None and value is not None:
            found.pairs.append((key.value, key, value))
    return found


def _mapping(one: Element, held: Held) -> Node:
    made = Mapping(one.at)
    made.pairs += [
        (key, Scalar(key, one.at), node) for key, node in held.items() if node is not None
    ]
    return made
