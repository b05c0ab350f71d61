"""What of Kubernetes keeps the nodes of a quorum apart: names of pods that are not ready, closed ports."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats import Lookup
from kcheck.formats.listener_ports import listeners_of, port_of
from kcheck.formats.scalars import known
from kcheck.model import WARNING, Problem, Resource, Setting
from kcheck.syntax import yaml
from kcheck.units import whole

NAMES, PORTS = "KC1095", "KC1094"

_QUORUM = ("controller.quorum.voters", "controller.quorum.bootstrap.servers")
_TOOL = re.compile(r"\bkafka-(?:broker-api-versions|topics|metadata-quorum|configs|cluster)\b")
_POLICIES = ("networkpolicy", "network-policy", "networkpolicies", "network-policies", "netpol")
_ENDINGS = ("yaml", "yml")

_Placed = tuple[str, yaml.Node]


def faults(
    node: Resource,
    workload: yaml.Node,
    container: yaml.Node,
    services: list[_Placed],
    policies: list[_Placed],
) -> Iterator[Problem]:
    """What keeps a node of a quorum from the others; ``services`` are those that select its pods."""
    voters = next((node.settings[key] for key in _QUORUM if key in node.settings), None)
    replicas = whole(known(yaml.child(workload, "spec", "replicas")))
    if voters is None or not voters.text or replicas is None or replicas < 2:
        return
    if _waits(node, container):
        yield from _names(node, voters, container, services)
        yield from _order(node, workload, container)
    yield from _ports(node, workload, container, policies)


def _waits(node: Resource, container: yaml.Node) -> bool:
    """Whether a voter is ready only when there is a leader: a tool of Kafka's gets an answer."""
    roles = node.settings.get("process.roles")
    probe = yaml.child(container, "readinessProbe", "exec", "command")
    words = " ".join(known(word) for word in yaml.items(probe))
    return roles is not None and "controller" in (roles.text or "") and bool(_TOOL.search(words))


def _order(node: Resource, workload: yaml.Node, container: yaml.Node) -> Iterator[Problem]:
    """Pods that are created one after the other, each when the one before is ready."""
    policy = yaml.child(workload, "spec", "podManagementPolicy")
    if known(yaml.child(workload, "kind")) != "StatefulSet":
        return
    if policy is not None and known(policy) != "OrderedReady":
        return
    at = yaml.position(yaml.child(container, "readinessProbe") or container)
    yield Problem(
        f"{node.name} creates its pods one after the other (podManagementPolicy "
        f"{'is' if policy is not None else 'defaults to'} OrderedReady), but the first becomes ready "
        "only when a majority of the voters runs",
        at,
        NAMES,
        WARNING,
        "at the first start the second pod is never created: no leader is elected",
        "set podManagementPolicy: Parallel",
        setting=Setting("podManagementPolicy", known(policy) or None, node.path, at),
    )


def _names(
    node: Resource, voters: Setting, container: yaml.Node, services: list[_Placed]
) -> Iterator[Problem]:
    for path, service in services:
        spec = yaml.child(service, "spec")
        name = known(yaml.child(service, "metadata", "name"))
        if known(yaml.child(spec, "clusterIP")) != "None" or not name:
            continue
        if re.search(rf"\.{re.escape(name)}[.:]", voters.text or "") is None:
            continue
        if yaml.child(spec, "publishNotReadyAddresses") is not None:
            continue
        at = yaml.position(yaml.child(service, "metadata", "name") or service)
        lacking = Setting("publishNotReadyAddresses", None, path, at)
        yield Problem(
            f"Service {name} has no publishNotReadyAddresses: true, but {voters.key} of {node.name} "
            "has names of its pods, which become ready only when the quorum has a leader",
            yaml.position(yaml.child(container, "readinessProbe") or container),
            NAMES,
            WARNING,
            "at a start of all pods the voters cannot resolve each other: no leader is elected, and no "
            "pod becomes ready",
            f"set publishNotReadyAddresses: true in Service {name}",
            setting=lacking,
        )
        return


def _ports(
    node: Resource, workload: yaml.Node, container: yaml.Node, policies: list[_Placed]
) -> Iterator[Problem]:
    told = [one for one in policies if _selects(one[1], workload)]
    names = node.settings.get("controller.listener.names")
    between = node.settings.get("inter.broker.listener.name")
    if not told or names is None or not names.text:
        return
    wanted = [*names.text.split(","), (between.text or "") if between is not None else ""]
    for listener in listeners_of(node).all:
        if listener.name not in wanted or listener.port is None:
            continue
        if any(_opens(policy, listener.port, container) is not False for _, policy in told):
            continue
        path, policy = told[0]
        name = known(yaml.child(policy, "metadata", "name"))
        at = yaml.position(yaml.child(policy, "spec", "ingress") or policy)
        closed = Setting("ingress", None, path, at)
        yield Problem(
            f"NetworkPolicy {name} opens no port {listener.port}, at which listener {listener.name} of "
            f"{node.name} accepts the other nodes",
            yaml.position(yaml.child(container, "name") or container),
            PORTS,
            WARNING,
            "the nodes cannot connect to each other: "
            + (
                "the quorum elects no leader"
                if listener.name in names.text.split(",")
                else "followers do not replicate"
            ),
            f"add an ingress rule for port {listener.port} from the pods of {node.name}",
            setting=closed,
        )
        return


def _selects(policy: yaml.Node, workload: yaml.Node) -> bool:
    """Whether a policy restricts what comes into the pods of a workload."""
    spec = yaml.child(policy, "spec")
    kinds = [known(one) for one in yaml.items(yaml.child(spec, "policyTypes"))]
    selector = yaml.child(spec, "podSelector")
    if (kinds and "Ingress" not in kinds) or selector is None:
        return False
    if yaml.child(selector, "matchExpressions") is not None:
        return False
    labels = {
        key: known(value)
        for key, _, value in yaml.pairs(
            yaml.child(workload, "spec", "template", "metadata", "labels")
        )
    }
    wanted = {
        key: known(value) for key, _, value in yaml.pairs(yaml.child(selector, "matchLabels"))
    }
    return all(labels.get(key) == value and value for key, value in wanted.items())


def _opens(policy: yaml.Node, port: int, container: yaml.Node) -> bool | None:
    """Whether a policy lets something come in at a port; None where that is unknown."""
    for rule in yaml.items(yaml.child(policy, "spec", "ingress")):
        items = yaml.items(yaml.child(rule, "ports"))
        if not items:
            return True
        for item in items:
            if known(yaml.child(item, "protocol")) not in ("", "TCP"):
                continue
            if yaml.child(item, "port") is None:
                return True
            text = known(yaml.child(item, "port"))
            first = port_of(text) or _named(text, container)
            if first is None:
                return None
            last = port_of(known(yaml.child(item, "endPort"))) or first
            if first <= port <= last:
                return True
    return False


def _named(name: str, container: yaml.Node) -> int | None:
    for one in yaml.items(yaml.child(container, "ports")):
        if name and known(yaml.child(one, "name")) == name:
            return port_of(known(yaml.child(one, "containerPort")))
    return None


def policies_beside(path: str, lookup: Lookup) -> Iterator[_Placed]:
    """The policies in the usual files beside one."""
    folder, _, file = path.rpartition("/")
    stem, _, own = file.rpartition(".")
    first = re.split(r"[-_.]", stem)[0]
    for word in _POLICIES:
        for name in (word, f"{first}-{word}"):
            for ending in _ENDINGS:
                other = f"{folder}/{name}.{ending}".lstrip("/")
                data = lookup(other) if other != path and ending == own else None
                if data is not None and b"NetworkPolicy" in data and b"{{" not in data:
                    for node in yaml.documents(data)[0]:
                        if known(yaml.child(node, "kind")) == "NetworkPolicy":
                            yield other, node
