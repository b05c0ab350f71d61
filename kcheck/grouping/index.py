"""The address graph: from a name and a port to the clusters whose nodes answer there."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.grouping.compose import project_of
from kcheck.grouping.group import Group, contained
from kcheck.grouping.names import (
    Asked,
    answers,
    generic,
    loopback,
    outside,
    qualified,
    service_names,
    vague,
)
from kcheck.model import ANYWHERE, MACHINE, NETWORK, PATTERN, SERVICE, Address, Resource

#: How sure a name is: it means one machine everywhere, or where its namespace is given; it means
#: one machine in this repository, as nothing else there has the name; it means some machine.
SURE, LIKELY, GENERIC = 3, 2, 1


#: More clusters than this whose Services are called alike are no platform's, but examples.
_ALIKE = 3


class Answer:
    """A node of a cluster that answers at an address."""

    __slots__ = ("address", "group", "namespace", "node")

    def __init__(self, group: Group, node: Resource, address: Address, namespace: str) -> None:
        self.group = group
        self.node = node
        self.address = address
        self.namespace = namespace


class Match:
    """A cluster that an entry of a bootstrap list leads to.

    ``answer`` shows where it answers; ``port`` tells whether the port is right as well, or no
    port is known there, ``guessed`` whether words of a path alone chose it among several clusters.
    """

    __slots__ = ("answer", "asked", "certainty", "guessed", "port")

    def __init__(self, asked: Asked, answer: Answer, certainty: int, port: bool) -> None:
        self.asked = asked
        self.answer = answer
        self.certainty = certainty
        self.port = port
        self.guessed = False

    @property
    def group(self) -> Group:
        return self.answer.group


class Asker:
    """What of a client decides which machine a short name means to it.

    ``network`` is the compose file in which it runs, "" outside of containers, and ``project`` are
    others of the same networks.
    """

    __slots__ = ("namespace", "network", "path", "project")

    def __init__(
        self, path: str, namespace: str, network: str, project: tuple[str, ...] = ()
    ) -> None:
        self.path = path
        self.namespace = namespace
        self.network = network
        self.project = project


class Index:
    """All addresses of the clusters of a project, by host. Addresses are computed once per node."""

    def __init__(self) -> None:
        self._by_host: dict[str, list[Answer]] = {}
        self._patterns: list[Answer] = []
        self._complete: dict[int, bool] = {}
        self._found: dict[tuple[object, ...], list[Match]] = {}

    def add(self, group: Group) -> None:
        complete = any(not node.traits.pool for node in group.nodes)
        for node in group.nodes:
            known = answers(node, contained(node))
            # A node pool answers under the names of its Kafka, which has the listeners.
            if not node.traits.pool:
                complete = complete and bool(known) and not vague(node)
            for address in known:
                answer = Answer(group, node, address, group.namespace)
                if address.reach == PATTERN:
                    if address.host != "*":
                        self._patterns.append(answer)
                else:
                    self._by_host.setdefault(address.host, []).append(answer)
        self._complete[id(group)] = complete

    def shared(self, address: Address) -> bool:
        """Whether a Service that everybody may call so is one of many clusters' of the project:
        these are examples, and kafka.source in one of them is not that of another."""
        if address.reach != SERVICE or not generic(address.host):
            return False
        return len({id(answer.group) for answer in self._by_host.get(address.host, ())}) > _ALIKE

    def complete(self, group: Group) -> bool:
        """Whether the names under which a cluster answers are all told, so that others are not its."""
        return self._complete.get(id(group), False)

    def find(self, asked: Asked, asker: Asker) -> list[Match]:
        """The clusters that answer there, each once; those with the right port where some have."""
        place = (asked.host, asked.port, asker.namespace, asker.network, asker.project)
        found = self._found.get(place)
        if found is None:
            found = self._found[place] = self._find(asked, asker)
        return [Match(asked, match.answer, match.certainty, match.port) for match in found]

    def _find(self, asked: Asked, asker: Asker) -> list[Match]:
        matches = list(self._candidates(asked, asker))
        best: dict[int, Match] = {}
        for match in matches:
            old = best.get(id(match.group))
            if old is None or (match.port, match.certainty) > (old.port, old.certainty):
                best[id(match.group)] = match
        found = list(best.values())
        right = [match for match in found if match.port]
        return right or found

    def _on_machine(self, asked: Asked, asker: Asker) -> Iterable[Match]:
        if loopback(asked.host) and asker.network:
            return  # the container of the client itself
        for answer in self._by_host.get("localhost", ()):
            if answer.address.reach == MACHINE and answer.address.port == asked.port:
                yield Match(asked, answer, GENERIC, True)

    def _candidates(self, asked: Asked, asker: Asker) -> Iterable[Match]:
        host = asked.host
        if loopback(host) or outside(host):
            yield from self._on_machine(asked, asker)
            return
        for name, namespace in service_names(host):
            for answer in self._by_host.get(name, ()):
                if answer.address.reach == SERVICE:
                    yield from _service(asked, asker, answer, namespace)
        for answer in self._by_host.get(host, ()):
            reach = answer.address.reach
            if reach == ANYWHERE:
                yield _match(asked, answer, _certainty(host))
            elif reach == NETWORK and _reaches(asker, answer):
                own = asker.network == project_of(answer.node.path)
                yield _match(asked, answer, SURE if own else _certainty(host))
        for answer in self._patterns:
            if fits(host, answer.address.host):
                yield _match(asked, answer, SURE)


def _service(asked: Asked, asker: Asker, answer: Answer, namespace: str) -> Iterable[Match]:
    if namespace:
        if answer.namespace in ("", namespace):
            yield _match(asked, answer, SURE if answer.namespace else LIKELY)
    elif asker.namespace:
        if answer.namespace in ("", asker.namespace):
            yield _match(asked, answer, SURE if answer.namespace else LIKELY)
    elif not asker.network:
        yield _match(asked, answer, _certainty(asked.host))


def _reaches(asker: Asker, answer: Answer) -> bool:
    """Whether a name of a compose network can mean its service to who asks.

    Containers of another file are in that network only if the files lie side by side, which
    compose takes for one project.
    """
    if not asker.network:
        return not asker.namespace
    if answer.node.path in asker.project:
        return True
    return asker.network.rpartition("/")[0] == answer.node.path.rpartition("/")[0]


def _match(asked: Asked, answer: Answer, certainty: int) -> Match:
    port = answer.address.port
    return Match(asked, answer, certainty, port is None or asked.port in (None, port))


def _certainty(host: str) -> int:
    return SURE if qualified(host) else GENERIC if generic(host) else LIKELY


def fits(host: str, pattern: str) -> bool:
    """Whether a host is one of a pattern's, in which ``*`` stands for any text."""
    head, *middle, tail = pattern.split("*")
    if len(host) < len(head) + len(tail) or not host.startswith(head) or not host.endswith(tail):
        return False
    rest = host[len(head) : len(host) - len(tail)]
    for part in middle:
        _, found, rest = rest.partition(part)
        if not found and part:
            return False
    return True
