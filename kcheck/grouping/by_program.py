"""Clusters by program: whose Schema Registry, Connect or ksqlDB a file asks that names no brokers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcheck import endpoints
from kcheck.grouping import place
from kcheck.grouping.evidence import ADDRESS, Join
from kcheck.grouping.group import Group
from kcheck.grouping.names import normal, qualified, service_names
from kcheck.grouping.pieces import Piece
from kcheck.grouping.references import references
from kcheck.model import SERVICE, SPOKEN, Address, Service, Setting


class Programs:
    """The programs beside the brokers of each cluster, by the names under which they answer."""

    def __init__(self, groups: Iterable[Group]) -> None:
        self._by_host: dict[str, list[tuple[Group, Service, Address]]] = {}
        for group in groups:
            for document in group.documents:
                for service in document.services:
                    for address in service.addresses:
                        found = self._by_host.setdefault(address.host, [])
                        found.append((group, service, address))

    def home(self, piece: Piece) -> tuple[Group, Join] | None:
        """The one cluster whose programs the piece asks; None where that is open."""
        found: dict[int, tuple[Group, Setting, str]] = {}
        for setting, host in _asked(piece):
            for group, service in self._at(host, piece):
                called = f"{SPOKEN.get(service.kind, service.kind)} {service.name}"
                found.setdefault(id(group), (group, setting, f"{host} is {called}"))
        if len(found) != 1:
            return None
        ((group, setting, text),) = found.values()
        return group, piece.join(ADDRESS, f"{setting.key}: {text} of that cluster", setting)

    def _at(self, host: str, piece: Piece) -> Iterator[tuple[Group, Service]]:
        """Who answers at a host, as far as nothing contradicts."""
        for group, service in self._named(host, piece):
            if qualified(host) or (
                group.admits_place(piece.path) and not place.strangers(piece.path, group.path)
            ):
                yield group, service

    def _named(self, host: str, piece: Piece) -> Iterator[tuple[Group, Service]]:
        if qualified(host):
            for group, service, address in self._by_host.get(host, ()):
                if address.reach != SERVICE:
                    yield group, service
            return
        for name, namespace in service_names(host):
            # A short name is that of a Service where the client runs.
            wanted = namespace or piece.namespace
            for group, service, address in self._by_host.get(name, ()):
                if address.reach == SERVICE and wanted and service.namespace == wanted:
                    yield group, service


def _asked(piece: Piece) -> Iterator[tuple[Setting, str]]:
    """The hosts that a piece asks for what is no broker's business."""
    mine = {(resource.kind, resource.name, resource.at) for resource in piece.resources}
    for reference in references(piece.document):
        asker = reference.asker
        if (asker.kind, asker.name, asker.at) in mine:
            for entry in reference.text.split(","):
                rest = entry.strip().rpartition("://")[2].partition("/")[0]
                for host, _ in endpoints.split(rest):
                    yield reference.setting, normal(host)
