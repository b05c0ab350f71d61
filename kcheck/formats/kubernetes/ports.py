"""Ports of a broker in Kubernetes: what Services forward to, and what probes ask."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats import requirements
from kcheck.formats.kubernetes.beside import name_of, pod_of
from kcheck.formats.listener_ports import listeners_of, port_of
from kcheck.formats.scalars import known
from kcheck.formats.text import templated
from kcheck.model import WARNING, Document, Problem, Resource, Setting
from kcheck.syntax import yaml

TARGET, PROBE = "KC1098", "KC1099"

_PROBES = ("startupProbe", "readinessProbe", "livenessProbe")


def faults(
    node: Resource, workload: yaml.Node, container: yaml.Node, services: list[tuple[str, yaml.Node]]
) -> Iterator[Problem]:
    """Named target ports that no container has, and probes that speak HTTP to a Kafka listener."""
    pod = pod_of(workload)
    named = {
        known(yaml.child(port, "name")): port_of(known(yaml.child(port, "containerPort")))
        for group in ("containers", "initContainers")
        for one in yaml.items(yaml.child(pod, group))
        for port in yaml.items(yaml.child(one, "ports"))
    }
    for path, service in services:
        yield from _targets(node, container, named, path, service)
        if path == node.path:
            judged = Document(path)
            owner = f"Service {name_of(service)}"
            requirements.of_node(judged, "Service", owner, service, "Kubernetes")
            yield from judged.problems
    listeners = {one.port: one.name for one in listeners_of(node).all if one.port is not None}
    for probe in _PROBES:
        asked = yaml.child(container, probe, "httpGet")
        text = known(yaml.child(asked, "port"))
        port = port_of(text) or named.get(text)
        if asked is None or port not in listeners:
            continue
        at = yaml.position(yaml.child(asked, "port") or asked)
        yield Problem(
            f"{probe} of {node.name} sends an HTTP request to port {port}, which is the Kafka listener "
            f"{listeners[port]}",
            at,
            PROBE,
            WARNING,
            "the broker closes the connection: "
            + (
                "the pod never becomes ready"
                if probe == "readinessProbe"
                else "the pod is restarted"
            ),
            f"use a tcpSocket on port {port}",
            setting=Setting(f"{probe}.httpGet", text, node.path, at),
        )


def _targets(
    node: Resource,
    container: yaml.Node,
    named: dict[str, int | None],
    path: str,
    service: yaml.Node,
) -> Iterator[Problem]:
    # A headless Service has no ports of its own: its names lead to the pods.
    if known(yaml.child(service, "spec", "clusterIP")) == "None":
        return
    for port in yaml.items(yaml.child(service, "spec", "ports")):
        target = yaml.child(port, "targetPort")
        text = known(target)
        if target is None or not text or text.isdigit() or templated(text) or text in named:
            continue
        at = yaml.position(target)
        yield Problem(
            f"targetPort {text} of Service {name_of(service)} is the name of no port of {node.name}",
            at if path == node.path else yaml.position(yaml.child(container, "name") or container),
            TARGET,
            WARNING,
            "the Service has no endpoint at this port: clients cannot connect",
            f"name a port of the container {text}, or use its number",
            setting=Setting("targetPort", text, path, at),
        )
