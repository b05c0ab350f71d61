"""Bootstrap servers of clients, workers and mirrors whose brokers no file has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kcheck import endpoints
from kcheck.graph.layout import Layout
from kcheck.graph.references import INSIDE, entries, maybe_near, near, short
from kcheck.grouping import place
from kcheck.grouping.names import (
    Asked,
    asked,
    bootstrap_settings,
    in_kubernetes,
    loopback,
    service_names,
)
from kcheck.model import ALIAS, BROKER, CFK, SERVICE, STRIMZI, Finding, Network, Resource, Setting
from kcheck.rules.shared.reference_findings import finding

#: The Services that Strimzi creates for a Kafka resource, by their suffix.
_OF_KAFKA = re.compile(r"(.+?)-kafka-(?:bootstrap|brokers|[a-z0-9-]+-bootstrap)")

_DIGITS = re.compile(r"\d+")


class _Kafka:
    """The brokers of an operator's resource: its name, namespace, file and Services."""

    __slots__ = ("deployer", "hosts", "name", "path", "place")

    def __init__(self, node: Resource) -> None:
        self.name = node.name
        self.path = node.path
        self.deployer = node.traits.deployer
        self.place = (node.path, node.traits.namespace)
        self.hosts = [one.host for one in node.traits.addresses]


def unknown_brokers(layout: Layout) -> Iterator[Finding]:
    """Bootstrap servers in Kubernetes that are not Services of any Kafka resource."""
    there = [
        _Kafka(node)
        for group in layout.found.groups
        for node in group.nodes
        if node.kind == "broker" and any(one.reach == SERVICE for one in node.traits.addresses)
    ]
    if not there:
        return
    plain = {name for document in layout.found.documents for name in document.extent.hosts}
    for kafka in there:
        plain |= {
            f"{name}{host[len(kafka.name) :]}"
            for name in layout.renamed(kafka.name)
            for host in kafka.hosts
            if host.startswith(kafka.name)
        }
    # A user or topic of a cluster that no file has: its Kafka resource comes from elsewhere.
    labelled = {
        resource.cluster
        for document in layout.found.documents
        for resource in document.resources
        if resource.traits.deployer == STRIMZI and resource.kind in ("user", "topic")
    } - {one.name for one in there}
    told: set[tuple[object, ...]] = set()
    lost: dict[str, list[tuple[Resource, Setting, list[Asked], list[_Kafka]]]] = {}
    found: set[str] = set()
    for asker, setting, wanted in _asking_brokers(layout):
        if (setting.path, setting.at) in told:
            continue
        told.add((setting.path, setting.at))
        meant = [_without_service(one, asker, there, plain) for one in wanted]
        named = [_OF_KAFKA.fullmatch(one.host) for one in wanted]
        if all(meant) and not any(one is not None and one[1] in labelled for one in named):
            lost.setdefault(setting.path, []).append(
                (asker, setting, wanted, [one for kafkas in meant for one in kafkas])
            )
        else:
            found.add(setting.path)
    for path, members in lost.items():
        for asker, setting, wanted, kafkas in members:
            # A mirror with both clusters unknown connects clusters of other repositories.
            alone = len(members) > 1 and path not in found
            if _tied(asker, kafkas) or not (alone or place.collection(path)):
                yield _lost(setting, wanted, [kafka.hosts[0] for kafka in kafkas])


def _lost(setting: Setting, wanted: list[Asked], hosts: list[str]) -> Finding:
    """The finding for unknown bootstrap servers, with the Services that exist."""
    names = "is not a Service" if len(wanted) == 1 else "are not Services"
    hosts = list(dict.fromkeys(hosts))
    return finding(
        setting,
        f"{setting.key}={setting.text}: {', '.join(one.host for one in wanted)} {names} of a Kafka "
        f"resource in its namespace, which has {', '.join(hosts)}",
        None,
        breaks="the name does not resolve, and no broker is found (UnknownHostException)",
        fix=f"use {hosts[0]}, or deploy the missing Kafka resource",
    )


def _tied(asker: Resource, there: list[_Kafka]) -> bool:
    """Whether a client certainly runs beside the Kafka resources: by its namespace, or in one file."""
    space = asker.traits.namespace
    return any(one.path == asker.path or (space and space == one.place[1]) for one in there)


def _asking_brokers(layout: Layout) -> Iterator[tuple[Resource, Setting, list[Asked]]]:
    """The resources in Kubernetes that connect to brokers, each with the setting that tells and all of
    its addresses; none if templated.
    """
    for group in layout.found.groups:
        for resource in group.resources:
            if resource.traits.deployer not in INSIDE or resource.kind in ("broker", "controller"):
                continue
            by_setting: dict[int, list[Asked]] = {}
            for one in asked(resource):
                by_setting.setdefault(id(one.setting), []).append(one)
            for setting in bootstrap_settings(resource):
                found = by_setting.get(id(setting), [])
                if found and len(found) == len(endpoints.split(setting.text or "")):
                    yield resource, setting, found
    for asking in layout.references.all():
        reference = asking.reference
        if reference.role == BROKER and reference.asker.traits.deployer in INSIDE:
            made = [Asked(one.host, one.port, reference.setting) for one in entries(reference)]
            if made:
                yield reference.asker, reference.setting, made


def _without_service(
    one: Asked, asker: Resource, there: list[_Kafka], plain: set[str]
) -> list[_Kafka]:
    """The Kafka resources of the namespace if the name is not one of their Services.

    Empty if it is one of theirs or one of the ``plain`` ones of other files, or may be outside
    Kubernetes.
    """
    if "." in one.host and not in_kubernetes(one.host) and asker.traits.deployer != STRIMZI:
        return []
    for name, namespace in service_names(one.host):
        beside = [kafka for kafka in there if near(asker, kafka.place, namespace)]
        maybe = [kafka for kafka in there if maybe_near(asker, kafka.place, namespace)]
        if name.rpartition(".")[2] in plain:
            return []
        if any(name.rpartition(".")[2] in kafka.hosts for kafka in (*beside, *maybe)):
            return []
        made = _OF_KAFKA.fullmatch(name)
        if made is not None:
            mine = [kafka for kafka in beside if kafka.deployer == STRIMZI]
            if any(kafka.name == made[1] for kafka in (*mine, *maybe)):
                return []  # a listener of this resource: another rule
            return mine
        if asker.traits.deployer == CFK and in_kubernetes(one.host):
            return [kafka for kafka in beside if kafka.deployer == CFK]
    return []


def in_network(network: Network, role: str, hosts: list[str]) -> list[str]:
    """The containers of a role in a network if none of the hosts is in it; else empty."""
    there = sorted(
        {one.name for names in network.names.values() for one in names if one.role == role}
    )
    if not hosts or any(host in network.names or _may_be_outside(host) for host in hosts):
        return []
    return [] if any(numbered(host, there) for host in hosts) else there


def _mirrored(layout: Layout) -> tuple[dict[str, list[tuple[Setting, list[Asked]]]], set[int]]:
    """What the mirrors ask for each of their clusters, by file, and the ids of the settings for
    clusters of which no node is known.
    """
    mirrors: dict[str, list[tuple[Setting, list[Asked]]]] = {}
    lost: set[int] = set()
    for group in layout.found.groups:
        for resource in group.resources:
            if resource.traits.cluster_origin != ALIAS or resource.traits.deployer:
                continue
            setting = resource.settings.get("bootstrap.servers")
            found = list(asked(resource))
            if setting is not None and len(found) == len(endpoints.split(setting.text or "")):
                mirrors.setdefault(resource.path, []).append((setting, found))
                if not group.nodes:
                    lost.add(id(setting))
    return mirrors, lost


def mirrors_in_networks(layout: Layout) -> Iterator[Finding]:
    """Clusters of a mirror that are unknown in the network of its other clusters."""
    networks = layout.references.networks
    if not networks:
        return
    mirrors, lost = _mirrored(layout)
    elsewhere = {
        address.host
        for group in layout.found.groups
        for node in group.nodes
        for address in node.traits.addresses
    }
    for path, lists in mirrors.items():
        known = [network for where, network in networks.items() if not place.strangers(path, where)]
        reached = [one for one in known if any(_reaches(one, wanted) for _, wanted in lists)]
        if len(reached) != 1:
            continue
        (network,) = reached
        if network.shared:
            continue
        for setting, wanted in lists:
            hosts = [one.host for one in wanted]
            there = in_network(network, BROKER, hosts)
            # A broker of another file may be started in the same network.
            there = [] if elsewhere.intersection(hosts) else there
            if not there or id(setting) not in lost:
                continue
            brokers = "its broker is" if len(there) == 1 else "its brokers are"
            yield finding(
                setting,
                f"{setting.key}={setting.text}: the compose file of the mirror's other cluster has no "
                f"container {', '.join(hosts)}; {brokers} {', '.join(there)}",
                None,
                breaks="the name does not resolve: the mirror finds no broker of this cluster",
                fix="use the name of the broker's container, or attach the mirror to the networks of "
                "both clusters",
            )


def _reaches(network: Network, wanted: Iterable[Asked]) -> bool:
    """Whether one of the addresses is a broker's of the network."""
    return any(
        container.role == BROKER
        for one in wanted
        if not _may_be_outside(one.host)
        for container in network.names.get(one.host, ())
    )


def _may_be_outside(host: str) -> bool:
    """Whether a name may be that of a machine outside a network."""
    return loopback(host) or not short(host)


def numbered(host: str, names: list[str]) -> bool:
    """Whether a host differs from one of the names only in its number: it may be in another file."""
    bare = _DIGITS.sub("", host)
    return any(_DIGITS.search(name) and _DIGITS.sub("", name) == bare for name in names)
