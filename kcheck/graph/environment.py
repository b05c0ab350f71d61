"""Whether a cluster is production's or there to develop with: by its brokers, and where its files lie."""

from __future__ import annotations

from kcheck.graph.trials import on_trial
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
    hosts = pools or nodes
    return not (hosts and all(map(on_trial, hosts)))


def for_trials(members: list[Resource]) -> bool:
    """Whether all of the resources, and one at least, are in files to learn from, or of an
    environment of developers alone."""
    return bool(members) and all(_for_trials(one.path) for one in members)


def _for_trials(path: str) -> bool:
    named = environments(path)
    return lesson(path) or (bool(named) and named <= _TRIALS)
