"""Whether a cluster is production's or there to develop with: by its brokers, and where its files lie."""

from __future__ import annotations

from kcheck import endpoints
from kcheck.graph.trials import on_trial
from kcheck.grouping.names import loopback
from kcheck.grouping.place import environments, lesson
from kcheck.model import COMPOSE, Resource, Value

PRODUCTION, DEVELOPMENT, UNKNOWN_ENVIRONMENT = "production", "development", "unknown"
#: What a path says that is for production alone.
_PRODUCTIONS = frozenset({"prod"})
#: Environments that hold no records of value.
_TRIALS = frozenset({"dev", "local", "sandbox", "test"})


def inferred(nodes: list[Resource], count: Value) -> str:
    """The environment of a cluster with those nodes and that number of brokers, where nobody tells.

    Development only where one compose or custom-resource file is the whole cluster.
    """
    if count.known and count.value == 1 and nodes:
        paths = {r.path for r in nodes}
        if len(paths) == 1 and "replicas" in nodes[0].facts:
            return DEVELOPMENT
    return UNKNOWN_ENVIRONMENT


def may_be_production(nodes: list[Resource], pools: list[Resource]) -> bool:
    """Whether brokers neither are one machine's compose file, unless it is called production's, nor
    on trial."""
    composed = [r.path for r in nodes if r.traits.deployer == COMPOSE]
    mounting = {r.traits.composed for r in nodes}
    # Each machine of several may have a compose file of its own.
    composed += mounting - {""} if len(mounting) == 1 else ()
    if any(environments(path) != _PRODUCTIONS for path in composed):
        return False
    if one_machine(nodes):
        return False
    hosts = pools or nodes
    return not (hosts and all(map(on_trial, hosts)))


def one_machine(nodes: list[Resource]) -> bool:
    """Whether several brokers are processes of one machine: at one host, or at none that is told and on
    ports of their own, which brokers that have a machine each do not need.

    Brokers of Kubernetes and the like have a host in common that forwards to them.
    """
    brokers = [one for one in nodes if one.kind == "broker"]
    if len(brokers) < 2 or any(one.traits.deployer for one in brokers):
        return False
    told = [_listening(one) for one in brokers]
    hosts = {host for ends in told for host, _ in ends}
    ports = [frozenset(port for _, port in ends) for ends in told]
    alone = len(hosts) == 1 or all(map(loopback, hosts))
    return alone and all(ports) and len(set(ports)) == len(ports)


def _listening(broker: Resource) -> list[tuple[str, str]]:
    """The hosts and ports of a broker, as clients see them."""
    told = broker.settings.get("advertised.listeners") or broker.settings.get("listeners")
    return endpoints.split((told.text if told is not None else None) or "")


def for_trials(members: list[Resource]) -> bool:
    """Whether all of the resources, and one at least, are in files to learn from, or of an
    environment of developers alone."""
    return bool(members) and all(_for_trials(one.path) for one in members)


def _for_trials(path: str) -> bool:
    named = environments(path)
    return lesson(path) or (bool(named) and named <= _TRIALS)
