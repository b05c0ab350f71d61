"""A document reduced to what grouping asks of it, small enough to travel between processes.

Resources that grouping cannot tell apart, such as the topics of one file, are one in the outline.
``assign.gathered`` makes of outlines the very groups that it makes of what they stand for.
"""

from __future__ import annotations

from kcheck.grouping.nodes import NODES
from kcheck.model import Document, Resource, Setting

#: What grouping looks at, in nodes and declarations and in everything else.
SETTINGS = (
    "node.id",
    "broker.id",
    "controller.quorum.voters",
    "controller.quorum.bootstrap.servers",
    "zookeeper.connect",
    "advertised.listeners",
    "listeners",
    "bootstrap.servers",
)
FACTS = ("environment",)
VALUES = ("namespace", "pool", "names", "asks elsewhere", "labelled")
OF_OTHERS = ("bootstrap.servers",)

#: (kind, name, path, cluster, managed, settings, image, facts, values), the last four as pairs.
_Pairs = tuple[tuple[str, object], ...]
_Traits = tuple[str, str, str, str | None, str | None, _Pairs, _Pairs, _Pairs, _Pairs]

#: (path, joins, resources) of a document.
Outline = tuple[str, tuple[tuple[str, str], ...], tuple[_Traits, ...]]


def outline(document: Document) -> tuple[Outline, list[int]]:
    """The outline of a document, and for each of its resources the number of that in the outline.

    To be made before the document is grouped.
    """
    found: dict[_Traits | int, int] = {}
    numbers: list[int] = []
    traits: list[_Traits] = []
    for at, resource in enumerate(document.resources):
        single = resource.kind in NODES or resource.kind == "cluster"
        seen = _node(resource) if single else _other(resource)
        number = found.setdefault(at if single else seen, len(traits))
        if number == len(traits):
            traits.append(seen)
        numbers.append(number)
    return (document.path, tuple(document.joins), tuple(traits)), numbers


def restored(outline: Outline) -> Document:
    """A document that grouping takes for the one that the outline was made of."""
    path, joins, resources = outline
    document = Document(path)
    document.joins = list(joins)
    for kind, name, of, cluster, managed, settings, image, facts, values in resources:
        resource = Resource(kind, name, of)
        resource.cluster, resource.managed = cluster, managed
        for into, pairs in (
            (resource.settings, settings),
            (resource.image, image),
            (resource.facts, facts),
        ):
            for key, text in pairs:
                into[key] = _setting(key, text, of)
        resource.values.update((key, list(v) if type(v) is tuple else v) for key, v in values)
        document.resources.append(resource)
    return document


def _setting(key: str, text: object, path: str) -> Setting:
    setting = Setting(key, None, path, (1, 1, 1, 1))
    setting.text = text if text is None else str(text)
    return setting


def _node(resource: Resource) -> _Traits:
    return (
        resource.kind,
        resource.name,
        resource.path,
        resource.cluster,
        resource.managed,
        _texts(resource.settings, SETTINGS),
        _texts(resource.image, SETTINGS),
        _texts(resource.facts, FACTS),
        _values(resource),
    )


def _other(resource: Resource) -> _Traits:
    return (
        resource.kind if resource.kind == "host" else "",
        "",
        resource.path,
        resource.cluster,
        resource.managed,
        _texts(resource.settings, OF_OTHERS),
        (),
        (),
        _values(resource) if resource.values else (),
    )


def _texts(settings: dict[str, Setting], keys: tuple[str, ...]) -> _Pairs:
    if not settings:
        return ()
    return tuple((key, settings[key].text) for key in keys if key in settings)


def _values(resource: Resource) -> _Pairs:
    values = resource.values
    return tuple(
        (key, tuple(v) if isinstance(v := values[key], list) else v)
        for key in VALUES
        if key in values
    )
