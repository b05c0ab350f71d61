"""Flux' HelmRelease and Argo CD's Application: a chart's values with its release and namespace.

Values that they take from files, ConfigMaps or parameters are not read: as in a file of values, what
is not said here is unknown.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.embedded import Inlay, placed
from kcheck.formats.helm_values import take_values
from kcheck.formats.scalars import documents, known, nothing
from kcheck.model import Document, Resource
from kcheck.syntax import yaml


class Release:
    """A chart that is installed: ``values`` are a mapping, or a text that holds one."""

    __slots__ = ("name", "namespace", "values")

    def __init__(self, name: str, namespace: str, values: yaml.Node) -> None:
        self.name = name
        self.namespace = namespace
        self.values = values


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    lines = data.decode("utf-8", "replace").split("\n")
    made: list[tuple[Release, list[Resource]]] = []
    for node in documents(document, data):
        for release in _releases(node):
            if isinstance(release.values, yaml.ScalarNode):
                found = _text(document, release, release.values, lines, lookup)
            else:
                found = take_values(document, data, lookup, release.values, release.name)
            made.append((release, found))
    several = len([1 for _, found in made if any(one.kind == "broker" for one in found)]) > 1
    for release, found in made:
        for resource in found:
            resource.traits.namespace = resource.traits.namespace or release.namespace
            if several and resource.kind in ("broker", "controller"):
                resource.cluster = release.name or None
    nothing(document, "contains no known value for a broker, worker or topic")


def _releases(node: yaml.Node) -> list[Release]:
    kind, spec = known(yaml.child(node, "kind")), yaml.child(node, "spec")
    meta = yaml.child(node, "metadata")
    own, space = known(yaml.child(meta, "name")), known(yaml.child(meta, "namespace"))
    if kind == "HelmRelease":
        values = yaml.child(spec, "values")
        target = yaml.child(spec, "targetNamespace")
        told = yaml.child(spec, "releaseName")
        name = known(told) if told is not None else own
        if told is None and target is not None:
            name = f"{known(target)}-{own}" if known(target) and own else ""
        space = known(target) if target is not None else space
        return [Release(name, space, values)] if values is not None else []
    if kind != "Application":
        return []
    space = known(yaml.child(spec, "destination", "namespace"))
    found: list[Release] = []
    sources = [yaml.child(spec, "source"), *yaml.items(yaml.child(spec, "sources"))]
    for source in sources:
        helm = yaml.child(source, "helm")
        told = yaml.child(helm, "releaseName")
        name = known(told) if told is not None else own
        # An object goes over a text.
        values = yaml.child(helm, "valuesObject") or yaml.child(helm, "values")
        if values is not None:
            found.append(Release(name, space, values))
    return found


def _text(
    document: Document, release: Release, node: yaml.ScalarNode, lines: list[str], lookup: Lookup
) -> list[Resource]:
    """The resources of values that stand in a text, at their places in the file around it."""
    inlay = Inlay(node, lines)
    data = inlay.text.encode()
    values, problem = yaml.documents(data)
    found: list[Resource] = []
    for one in values if problem is None else ():
        found += take_values(document, data, lookup, one, release.name)
    placed(found, inlay, document.path)
    return found
