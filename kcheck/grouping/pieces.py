"""The parts of a document that belong to one cluster each: by the name they give, or whom they ask."""

from __future__ import annotations

from kcheck import endpoints
from kcheck.grouping.compose import project_of
from kcheck.grouping.evidence import Join, Unjoined
from kcheck.grouping.group import Group, contained, namespace_of, service
from kcheck.grouping.names import (
    Asked,
    asked,
    bootstrap_settings,
    in_kubernetes,
    qualified,
    service_names,
)
from kcheck.grouping.nodes import NODES
from kcheck.model import Document, Resource, Setting


class Piece:
    """Resources of one document that can only be of one cluster.

    ``name`` is the cluster that they name, "" if none; ``origin`` says where that name comes from
    if not from a label (see ``Traits.cluster_origin``). ``follows`` is the piece of the workers
    that run it, where those join no cluster either.
    """

    __slots__ = (
        "_asked",
        "_service",
        "apart",
        "connectors",
        "document",
        "elsewhere",
        "follows",
        "name",
        "namespace",
        "network",
        "origin",
        "path",
        "remote",
        "resources",
        "unjoined",
    )

    def __init__(
        self, document: Document, name: str, resources: list[Resource], overlay: str = ""
    ) -> None:
        first = resources[0]
        self.document = document
        #: What tells its place: its own, or that of the overlay that builds it.
        self.path = overlay or document.path
        self.name = name
        self.resources = resources
        self.namespace = namespace_of(first)
        self.origin = first.traits.cluster_origin
        self.follows: Piece | None = None
        self.elsewhere = first.traits.asks_elsewhere
        #: Whether it asks another cluster than that of its place: only addresses tell which one.
        self.remote = first.traits.links or first.traits.apart
        #: Whether nobody can tell its cluster, and nobody need.
        self.apart = first.traits.apart
        #: The compose project in whose network it runs, "" outside of containers.
        self.network = project_of(document.path) if contained(first) else ""
        self._asked: list[Asked] | None = None
        self._service: str | None = None
        self.connectors = first.kind == "connector" and all(
            r.kind == "connector" for r in resources
        )
        self.unjoined: Unjoined | None = None

    @property
    def asked(self) -> list[Asked]:
        """The addresses that its resources ask; looked up for what no label places."""
        if self._asked is None:
            self._asked = _distinct(self.resources)
        return self._asked

    def ask(self, asked: list[Asked], network: str) -> None:
        """Let the piece ask somebody else, in the network of a compose project."""
        self._asked, self.network = asked, network

    @property
    def service(self) -> str:
        """The managed service that it is of, "" where none shows."""
        if self._service is None:
            self._service = managed(self.resources[0])
        return self._service

    @property
    def namespaces(self) -> set[str]:
        """The namespaces of Kubernetes that its addresses name; empty where one names none."""
        found: set[str] = set()
        for one in self.asked:
            if not in_kubernetes(one.host):
                return set()
            found.update(namespace for _, namespace in service_names(one.host) if namespace)
        return found

    @property
    def places(self) -> list[str]:
        """The addresses asked that mean the same to everybody who asks them."""
        return [one.text for one in self.asked if qualified(one.host)]

    def join(self, kind: str, text: str, setting: Setting | None = None) -> Join:
        return Join(kind, text, self.document, self.resources, setting)

    def left(self, reason: str, text: str, candidates: list[Group]) -> Unjoined:
        told = bootstrap_settings(self.resources[0])
        return Unjoined(
            reason, text, self.document, self.resources, candidates, told[0] if told else None
        )


def pieces(document: Document, resources: list[Resource], overlay: str = "") -> list[Piece]:
    """The parts of a document by the cluster that they name; without one, by whom they ask.

    What asks nobody stands last: it follows the rest of its document.
    """
    if len(resources) == 1:
        return [Piece(document, resources[0].cluster or "", resources, overlay)]
    one_cluster = len({r.cluster for r in document.resources if r.kind in NODES}) == 1
    found: dict[tuple[object, ...], list[Resource]] = {}
    for resource in resources:
        name = resource.cluster or ""
        key: tuple[object, ...] = (name, namespace_of(resource))
        if not name:
            whom = _whom(resource, one_cluster)
            key = (*key, service(resource), whom, resource.traits.apart)
        found.setdefault(key, []).append(resource)
    made = [
        Piece(document, members[0].cluster or "", members, overlay) for members in found.values()
    ]
    made.sort(key=lambda piece: not (piece.name or piece.asked))
    return made


def _whom(resource: Resource, one_cluster: bool) -> tuple[str, ...]:
    """Whom a resource asks, as a key.

    Containers count as one where their file holds ``one_cluster``, and no other.
    """
    if contained(resource) and not resource.traits.asks_elsewhere and one_cluster:
        return ()
    written = [setting.text or "?" for setting in bootstrap_settings(resource)]
    known = sorted(one.text for one in asked(resource))
    return tuple(known or written)


def _distinct(resources: list[Resource]) -> list[Asked]:
    """The addresses that resources ask, each once, in the order in which they stand."""
    found: dict[tuple[str, int | None], Asked] = {}
    for resource in resources:
        for one in asked(resource):
            found.setdefault((one.host, one.port), one)
    return list(found.values())


def managed(resource: Resource) -> str:
    """The managed service that declares a resource, or that its bootstrap hosts belong to."""
    own = service(resource)
    if own:
        return own
    for setting in bootstrap_settings(resource):
        found = endpoints.service_of(setting)
        if found:
            return found
    return ""
