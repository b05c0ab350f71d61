"""Versions that files tell of other files: which of them count for a group."""

from __future__ import annotations

from kcheck.grouping.group import Group
from kcheck.model import ANSIBLE, KAFKA, OPERATOR, PLUGINS, STRIMZI, Document, Release, Resource

#: What has a version of Kafka's own.
_OWNERS = ("broker", "controller", "worker")


def attach(documents: list[Document], groups: list[Group]) -> None:
    """Let each group know the versions that are told of its resources."""
    told = [release for document in documents for release in document.extent.releases]
    for group in groups if told else ():
        found = {id(one): one for node in group.resources for one in of(node, told)}
        group.releases = tuple(found.values())


def of(resource: Resource, releases: list[Release]) -> list[Release]:
    """At most one version of Kafka, of its operator and of each plug-in; none where files disagree."""
    found: list[Release] = []
    if resource.kind in _OWNERS:
        found += _agreed([one for one in releases if _fits(one, resource, KAFKA)], resource)
    if resource.traits.deployer == STRIMZI:
        found += _agreed([one for one in releases if _fits(one, resource, OPERATOR)], resource)
    if resource.kind == "connector":
        for plugin in PLUGINS:
            found += _agreed([one for one in releases if _fits(one, resource, plugin)], resource)
    return found


def _fits(release: Release, resource: Resource, product: str) -> bool:
    if release.product != product:
        return False
    place = release.path
    # What Ansible copies as it is lies in a folder beside its variables.
    copied = release.deployer == ANSIBLE and resource.path.startswith(f"{place}/files/".lstrip("/"))
    if release.deployer and release.deployer != resource.traits.deployer and not copied:
        return False
    return not place or resource.path == place or resource.path.startswith(f"{place}/")


def _agreed(releases: list[Release], resource: Resource) -> list[Release]:
    """The first of those that come nearest to a resource, if they say the same, and say it at all."""
    if not releases:
        return []
    most = max(_nearness(one, resource) for one in releases)
    best = [one for one in releases if _nearness(one, resource) == most]
    said = {one.told.text for one in best}
    return best[:1] if len(said) == 1 and None not in said else []


def _nearness(release: Release, resource: Resource) -> tuple[int, int, int]:
    """By weight, by how narrow its folder is, and by how many folders the files have in common."""
    shared = 0
    for one, other in zip(release.told.path.split("/"), resource.path.split("/"), strict=False):
        if one != other:
            break
        shared += 1
    return release.weight, len(release.path), shared
