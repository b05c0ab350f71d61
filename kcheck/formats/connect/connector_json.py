"""Connectors as JSON: what one sends to a Connect worker, alone, in a list or inside of other things.

``{"name": …, "config": {…}}`` as POST takes it, the bare configuration as PUT takes it, either of
them further in, and several of them one after the other.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.connect.connectors import finish, referred
from kcheck.formats.scalars import setting
from kcheck.formats.text import templated, unrendered
from kcheck.model import PASSED_OVER, SKIPPED, Document, Resource, Setting
from kcheck.syntax import json, yaml

#: A variable that something fills in before Connect sees it, whose providers are asked with a colon.
_VARIABLE = re.compile(r"\$\{\w+\}")
#: Instead of a class, in forms that list a connector's keys with their types.
_TYPES = ("STRING", "CLASS", "")


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        document.status, document.reason = (
            PASSED_OVER,
            "a JSON fragment, or a command that contains JSON",
        )
        return
    nodes, problem, refused = json.strictly(data, json.MOST)
    if problem is not None:
        if unrendered(data) or b"${" in data:
            document.status, document.reason = SKIPPED, "an unrendered template"
        else:
            document.problems.append(problem)
        return
    for node in nodes:
        search(document, node)
    if document.resources and refused is not None and not unrendered(data):
        document.problems.append(refused)
    if not document.resources:
        document.status, document.reason = PASSED_OVER, "a template without a connector class"


def search(
    document: Document, node: yaml.Node, name: yaml.Node | None = None, state: str | None = None
) -> None:
    """All connectors at or below a node; ``name`` and ``state`` are what stands beside a ``config``."""
    if isinstance(node, yaml.SequenceNode):
        for item in yaml.items(node):
            search(document, item)
        return
    members = yaml.pairs(node)
    own = next((value for key, _, value in members if key == "name"), None) or name
    found = next((value for key, _, value in members if key == "connector.class"), None)
    if found is not None:
        if yaml.text(found) not in _TYPES:
            connector(document, node, own, state)
        return
    first = next((yaml.text(value) for key, _, value in members if key == "initial_state"), None)
    for key, _, value in members:
        beside = key in ("config", "info")
        search(document, value, own if beside else None, first if beside else None)


def connector(
    document: Document, node: yaml.Node, name: yaml.Node | None, state: str | None = None
) -> Resource:
    """The connector that a mapping of its settings makes; ``name`` is the node with its name,
    ``state`` the one that it is created in."""
    named = yaml.text(name) or ""
    at = yaml.position(name if name is not None and named else node)
    known = named and not templated(named)
    resource = Resource("connector", named if known else document.path, document.path, at)
    resource.traits.halted = (state or "RUNNING").upper() != "RUNNING"
    pairs = yaml.pairs(node)
    doubled: list[Setting] = []
    for key, key_node, value in pairs:
        made = setting(key, key_node, value, document.path)
        referred(resource, made, yaml.text(value))
        if key in resource.settings:
            resource.earlier.append((resource.settings[key], made))
        resource.settings[key] = made
        if "$$" in (made.text or ""):
            doubled.append(made)
    if doubled and any(_VARIABLE.search(yaml.text(value) or "") for _, _, value in pairs):
        for one in doubled:  # what fills in the names may make one dollar of two
            one.raw = one.text = None
    finish(resource)
    document.resources.append(resource)
    return resource
