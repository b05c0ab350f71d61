"""helmfile: releases of charts with values that stand here or in files beside it.

Templates are not executed: a value that one makes is unknown, and what depends on a condition is
left out. What environments give goes into templates alone.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.helm import release as helm_release
from kcheck.formats.helm.release import MOST_SET, Release
from kcheck.formats.origins import Origins, within
from kcheck.formats.scalars import documents, known, nothing
from kcheck.model import SKIPPED, Document
from kcheck.syntax import go_rendering, trees, yaml


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    whole = True
    if b"{{" in data:
        text, whole = go_rendering.unscripted(data.decode("utf-8", "replace"))
        data = go_rendering.unanchored(text).encode()
        if yaml.documents(data)[1] is not None:
            document.status, document.reason = SKIPPED, "an unrendered template"
            return
    origins = Origins(document, data, lookup)
    found: list[Release] = []
    # Several documents are one file, read in parts.
    for node in documents(document, data):
        for item in yaml.items(yaml.child(node, "releases")):
            if known(yaml.child(item, "installed")) != "false":
                found.append(_release(document, item, origins))
    for release in found:
        release.open = release.open or not whole or origins.open
    helm_release.take(document, lookup, found, origins)
    nothing(document, "contains no known value for a broker, worker or topic")


def _release(document: Document, item: yaml.Node, origins: Origins) -> Release:
    chart = yaml.child(item, "chart")
    # helmwave has a mapping for it.
    named = yaml.child(chart, "name") if isinstance(chart, yaml.MappingNode) else chart
    made = Release(
        known(yaml.child(item, "name")),
        known(yaml.child(item, "namespace")),
        known(named),
        version=known(yaml.child(item, "version")),
    )
    folder = document.path.rpartition("/")[0]
    for layer in yaml.items(yaml.child(item, "values")):
        if isinstance(layer, yaml.MappingNode):
            made.lay(layer)
        else:
            made.lay_file(within(folder, known(layer)), origins)
    for part in yaml.items(yaml.child(item, "set"))[:MOST_SET]:
        name, value = yaml.child(part, "name"), yaml.child(part, "value")
        if name is not None and value is not None and known(name):
            made.lay(trees.planted(known(name), name, value))
    return made
