"""A document reduced to what grouping asks of it, small enough to travel between processes.

Resources that grouping cannot tell apart, such as the topics of one file, are one in the outline.
``assign.gathered`` makes of outlines the very groups that it makes of what they stand for.
"""

from __future__ import annotations

from kcheck.grouping.names import BOOTSTRAP
from kcheck.grouping.nodes import NODES
from kcheck.grouping.references import references
from kcheck.model import (
    START,
    Document,
    Kustomization,
    Position,
    Reference,
    Resource,
    Service,
    Setting,
)

#: What grouping looks at in nodes and declarations.
SETTINGS = (
    "node.id",
    "broker.id",
    "controller.quorum.voters",
    "process.roles",
    "controller.quorum.bootstrap.servers",
    "zookeeper.connect",
    "advertised.listeners",
    "listeners",
)
FACTS = ("environment",)
TRAITS = (
    *("addresses", "apart", "asks", "asks_elsewhere", "cluster_origin", "deployer"),
    *("disruptions", "labelled"),
    *(
        "holder",
        "links",
        "namespace",
        "network",
        "pool",
        "profile",
        "region",
        "rendered",
        "runs_on",
        "service",
    ),
)
#: Kinds of what is no node that grouping tells apart.
_KINDS = ("host", "worker", "connector", "topic")

#: (kind, name, path, place, cluster, settings, image, facts, traits), the last four
#: as pairs.
_Pairs = tuple[tuple[str, object], ...]
_Traits = tuple[str, str, str, Position, str | None, _Pairs, _Pairs, _Pairs, _Pairs]

#: (path, extent, resources, what it builds, what runs beside brokers, what is asked) of a document.
Outline = tuple[
    str,
    _Pairs,
    tuple[_Traits, ...],
    Kustomization | None,
    tuple[Service, ...],
    tuple[Reference, ...],
]


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
    extent = (*vars(document.extent).items(),)
    told = (document.services, references(document))
    return (document.path, extent, tuple(traits), document.kustomize, *told), numbers


def restored(outline: Outline) -> Document:
    """A document that grouping takes for the one that the outline was made of."""
    path, extent, resources, kustomize, services, references = outline
    document = Document(path)
    document.services, document.references = services, references
    document.kustomize = kustomize
    vars(document.extent).update(extent)
    for kind, name, of, at, cluster, settings, image, facts, traits in resources:
        resource = Resource(kind, name, of, at)
        resource.cluster = cluster
        for into, pairs in (
            (resource.settings, settings),
            (resource.image, image),
            (resource.facts, facts),
        ):
            for key, told in pairs:
                into[key] = told  # type: ignore[assignment]
        vars(resource.traits).update(traits)
        document.resources.append(resource)
    return document


def _node(resource: Resource) -> _Traits:
    return (
        resource.kind,
        resource.name,
        resource.path,
        resource.at,
        resource.cluster,
        _kept(resource.settings, SETTINGS),
        _kept(resource.image, SETTINGS),
        _kept(resource.facts, FACTS),
        _traits(resource),
    )


def _other(resource: Resource) -> _Traits:
    return (
        resource.kind if resource.kind in _KINDS else "",
        resource.name if resource.kind == "worker" else "",
        resource.path,
        resource.at if resource.kind != "topic" else START,
        resource.cluster,
        _kept(resource.settings, BOOTSTRAP),
        _kept(resource.image, BOOTSTRAP),
        (),
        _traits(resource),
    )


def _kept(settings: dict[str, Setting], keys: tuple[str, ...]) -> _Pairs:
    """The settings of these keys, bare: findings on how files met show where they stand."""
    if not settings:
        return ()
    return tuple((key, settings[key]) for key in keys if key in settings)


def _traits(resource: Resource) -> _Pairs:
    told = vars(resource.traits)
    return tuple((name, told[name]) for name in TRAITS if name in told) if told else ()
