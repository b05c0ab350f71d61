"""How sure it is that resources are of one cluster, where nothing in them says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kcheck.model import INHERITED, Resource, Value


def resource_key(resource: Resource) -> tuple[str, str, str]:
    """What tells a resource from the others of its cluster, and from no copy of itself."""
    return resource.kind, resource.name, resource.path


def doubt(
    resource: Resource, evidence: Iterable[Value], inferred: Mapping[tuple[str, str, str], str]
) -> str:
    """The condition under which the resources of several files that a finding speaks of are of one
    cluster, where none of them says so; else "". ``inferred``: see ``Cluster.inferred``."""
    ends, paths = [resource], {resource.path}
    for value in evidence:
        ends.append(value.resource)
        paths.add(value.resource.path)
        if value.origin == INHERITED and value.setting is not None:
            # What a topic has of its brokers stands in their file.
            paths.add(value.setting.path)
    if len(paths) < 2:
        return ""
    for end in ends:
        path = inferred.get(resource_key(end)) if inferred else None
        if path is not None and path != end.path:
            return f"if {end.path} belongs to the cluster of {path}"
        if end.traits.profile and (condition := _elsewhere(end)):
            return condition
    return ""


def _elsewhere(client: Resource) -> str:
    """When a profile reaches the brokers that another file names: its own are often told at its start."""
    brokers = client.settings.get("bootstrap.servers")
    if brokers is None or brokers.path == client.path:
        return ""
    servers = brokers.text or "the brokers"
    return f"if profile {client.traits.profile} connects to {servers} as {brokers.path} does"
