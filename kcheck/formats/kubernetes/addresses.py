"""Where the containers of plain Kubernetes answer: the Services that select their pods.

A Service gives its pods one name with the ports that it lists. A headless one is the name of the
pods themselves, at whatever port they listen, and so is what stands before it: the pod.
"""

from __future__ import annotations

from collections.abc import Callable

from kcheck.formats import Lookup
from kcheck.formats.containers.neighbours import Ports
from kcheck.formats.listener_ports import listeners_of, port_of
from kcheck.formats.scalars import known
from kcheck.model import ANYWHERE, PATTERN, SERVICE, Address, Resource, Setting
from kcheck.syntax import yaml

#: Where people keep the Services of what is in a folder.
_BESIDE = (
    *("service", "services", "svc", "kafka-service", "kafka-svc"),
    *("headless", "headless-service", "service-headless", "kafka-headless"),
)
_ENDINGS = ("yaml", "yml")
_DNS = "external-dns.alpha.kubernetes.io/hostname"
_OUTSIDE = ("LoadBalancer", "NodePort")

#: The name of the listener at a port of the container; None where none is there.
_Listening = Callable[[int | None], "str | None"]


class Services:
    """The Services of a file, and of the usual files beside it where its own do not do."""

    def __init__(self, path: str, nodes: list[yaml.Node], lookup: Lookup) -> None:
        self._path = path
        self._lookup = lookup
        self._own = [(path, node) for node in nodes if _kind(node) == "Service"]
        self._others: list[tuple[str, yaml.Node]] | None = None

    def of_node(self, node: Resource, workload: yaml.Node, container: yaml.Node) -> None:
        """Put the addresses of a broker or controller among its traits."""
        listeners = listeners_of(node)
        # Where the broker does not listen another container of its pod may, a proxy in most cases.
        several = len(_containers(workload)) > 1

        def listening(port: int | None) -> str | None:
            found = listeners.at(port) if port is not None else None
            if found is not None:
                return found.name
            return "" if several or not listeners.all else None

        own: list[int | None] = [*(one.port for one in listeners.all), *([None] if several else ())]
        found = self._addresses(workload, container, own or [None], listening)
        node.traits.addresses = (*found, *self._unseen(node, workload, found))

    def of_program(
        self, own: Ports, workload: yaml.Node, container: yaml.Node
    ) -> tuple[Address, ...]:
        """The addresses of a program that listens at these ports, each with its scheme.

        A Service that leads to others of the pod as well has ports of which nobody knows what
        answers there.
        """

        def listening(port: int | None) -> str | None:
            return "" if None in own or port is None else own.get(port)

        found = self._addresses(workload, container, [*own], listening)
        told = [
            Address(one.host, one.port, one.reach, "", one.setting, one.listener) for one in found
        ]
        for _, service in self._selecting(workload):
            items = yaml.items(yaml.child(service, "spec", "ports"))
            targets = [
                _target(one, port_of(known(yaml.child(one, "port"))), container) for one in items
            ]
            if any(target is None or listening(target) is None for target in targets):
                told.append(Address(_name(service), None, SERVICE))
        return tuple(told)

    def _unseen(
        self, node: Resource, workload: yaml.Node, found: list[Address]
    ) -> tuple[Address, ...]:
        """What else may lead there: Services of files that nobody here knows."""
        selected = bool(self._selecting(workload))
        told = node.settings.get("advertised.listeners")
        return (
            () if selected or (told is not None and told.text) else (Address("*", None, PATTERN),)
        )

    def _addresses(
        self,
        workload: yaml.Node,
        container: yaml.Node,
        own: list[int | None],
        listening: _Listening,
    ) -> list[Address]:
        found: list[Address] = []
        headless = known(yaml.child(workload, "spec", "serviceName"))
        selecting = self._selecting(workload)
        for path, service in selecting:
            name = _name(service)
            if known(yaml.child(service, "spec", "clusterIP")) == "None":
                headless = headless or name
                found += (Address(name, port, SERVICE, listening(port) or "") for port in own)
                continue
            found += _of_service(path, service, container, listening)
        if headless and not any(one.host == headless for one in found):
            found += (Address(headless, port, SERVICE, listening(port) or "") for port in own)
        return found

    def selecting(self, workload: yaml.Node) -> list[tuple[str, yaml.Node]]:
        """The Services that select the pods of a workload, each with the path of its file."""
        return self._selecting(workload)

    def _selecting(self, workload: yaml.Node) -> list[tuple[str, yaml.Node]]:
        """The Services that select the pods of a workload."""
        own = [one for one in self._own if _selects(one[1], workload)]
        if own:
            return own
        if self._others is None:
            self._others = list(self._beside())
        return [one for one in self._others if _selects(one[1], workload)]

    def _beside(self) -> list[tuple[str, yaml.Node]]:
        folder = self._path.rpartition("/")[0]
        found: list[tuple[str, yaml.Node]] = []
        for name in _BESIDE:
            for ending in _ENDINGS:
                path = f"{folder}/{name}.{ending}".lstrip("/")
                data = self._lookup(path) if path != self._path else None
                if data is not None and b"Service" in data:
                    nodes = yaml.documents(data)[0]
                    found += ((path, node) for node in nodes if _kind(node) == "Service")
        return found


def _of_service(
    path: str, service: yaml.Node, container: yaml.Node, listening: _Listening
) -> list[Address]:
    """The addresses of a Service by each of its ports that leads to what is asked."""
    found: list[Address] = []
    spec = yaml.child(service, "spec")
    outside = list(_outside(path, service))
    kind = known(yaml.child(spec, "type"))
    for item in yaml.items(yaml.child(spec, "ports")):
        port = port_of(known(yaml.child(item, "port")))
        listener = listening(_target(item, port, container))
        if listener is None or port is None:
            continue
        found.append(Address(_name(service), port, SERVICE, listener))
        found += (Address(s.text or "", port, ANYWHERE, listener, s) for s in outside)
    if kind in _OUTSIDE and (kind == "NodePort" or not outside):
        found.append(Address("*", None, PATTERN))
    return found


def _containers(workload: yaml.Node) -> list[yaml.Node]:
    """The containers that run in a pod of a workload, those that start before the others included."""
    spec = yaml.child(workload, "spec")
    pod = yaml.child(spec, "template", "spec") or spec
    first = yaml.items(yaml.child(pod, "initContainers"))
    kept = [one for one in first if known(yaml.child(one, "restartPolicy")) == "Always"]
    return [*yaml.items(yaml.child(pod, "containers")), *kept]


def _target(item: yaml.Node, port: int | None, container: yaml.Node) -> int | None:
    """The port of the container that a port of a Service leads to."""
    told = yaml.child(item, "targetPort")
    if told is None:
        return port
    number = port_of(known(told))
    if number is not None:
        return number
    for one in yaml.items(yaml.child(container, "ports")):
        if known(yaml.child(one, "name")) == known(told):
            return port_of(known(yaml.child(one, "containerPort")))
    return None


def _outside(path: str, service: yaml.Node) -> list[Setting]:
    """The names and addresses by which a Service is reached from outside, as far as it tells them."""
    spec = yaml.child(service, "spec")
    nodes = [yaml.child(spec, "loadBalancerIP"), *yaml.items(yaml.child(spec, "externalIPs"))]
    nodes.append(yaml.child(service, "metadata", "annotations", _DNS))
    return [
        Setting("Service", host.strip(), path, yaml.position(node))
        for node in nodes
        if node is not None
        for host in known(node).split(",")
        if host.strip()
    ]


def _selects(service: yaml.Node, workload: yaml.Node) -> bool:
    wanted = {
        key: known(value) for key, _, value in yaml.pairs(yaml.child(service, "spec", "selector"))
    }
    pod = yaml.child(workload, "spec", "template") or workload
    labels = {
        key: known(value) for key, _, value in yaml.pairs(yaml.child(pod, "metadata", "labels"))
    }
    spaces = [known(yaml.child(one, "metadata", "namespace")) for one in (service, workload)]
    return (
        bool(wanted)
        and bool(_name(service))
        and (spaces[0] == spaces[1] or not all(spaces))
        and all(value and labels.get(key) == value for key, value in wanted.items())
    )


def _kind(node: yaml.Node) -> str:
    return known(yaml.child(node, "kind"))


def _name(node: yaml.Node) -> str:
    return known(yaml.child(node, "metadata", "name"))
