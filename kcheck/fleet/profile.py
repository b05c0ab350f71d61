"""What the brokers of one cluster agree on, and which of them stray from the others.

Made in the task that linted the cluster, where all its brokers are at hand: nothing has to be
shuffled to put them together again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from kcheck import catalogue, secrets
from kcheck.fleet.effective import Held, text_of
from kcheck.graph.cluster import Cluster
from kcheck.graph.resolve import STAND_INS
from kcheck.model import Resource
from kcheck.report.shown import named
from kcheck.settings import ClusterSettings

#: Keys that say which node this is, where it runs and what its listeners are called: they differ
#: by their nature, and one of them often takes away the meaning of another's default.
_OWN = (
    "advertised.host.name",
    "advertised.listeners",
    "advertised.port",
    "broker.id",
    "broker.rack",
    "control.plane.listener.name",
    "controller.listener.names",
    "controller.quorum.bootstrap.servers",
    "controller.quorum.voters",
    "host.name",
    "inter.broker.listener.name",
    "listener.security.protocol.map",
    "listeners",
    "log.dir",
    "log.dirs",
    "metadata.log.dir",
    "node.id",
    "process.roles",
    "security.inter.broker.protocol",
    "zookeeper.connect",
)
#: The same value in a coarser unit; the key in milliseconds stands for them.
_COARSE = (name for chain in STAND_INS.values() for name, factor in chain if factor != 1)
_LEFT_OUT = frozenset((*_OWN, *_COARSE))

_MINOR = re.compile(r"\d+\.\d+")

CLUSTER = "cluster"

#: The columns of ``schemas.PROFILE`` and of ``schemas.STRAY`` behind those of the owner.
Row = tuple[object, ...]
#: One broker's own value of a key, ready to be compared.
_Said = dict[str, list[Held]]


def profile(
    cluster: Cluster, held: Iterable[Held], environment: str | None, owner: str | None
) -> Row | None:
    """The cluster as its peers see it; None if it has no broker.

    ``environment`` and ``owner`` are what the inventory says of it, ``held`` are the values of its
    nodes. A key whose value the brokers do not share, or that nobody knows, is there with nothing to
    compare: the cluster then has no say in it.
    """
    if not cluster.brokers:
        return None
    values = []
    for key, said in _comparable(held).items():
        first = said[0]
        alike: set[str | None] = {one.compared if one.known else None for one in said}
        if len(said) < len(cluster.brokers):
            # The others have the default of their version.
            alike.add(None if cluster.managed else default_of(cluster.version.text, key))
        clear = len(alike) == 1 and None not in alike
        values.append(
            (
                key,
                first.compared if clear else None,
                first.text if clear else None,
                first.path if clear else None,
                first.line if clear else None,
            )
        )
    version = cluster.version.text
    detected = None if cluster.environment == "unknown" else cluster.environment
    minor = _MINOR.match(version or "")
    groups = {
        "environment": environment or detected,
        "version": minor and minor[0],
        "owner": owner,
    }
    return (
        named(cluster.name),
        version,
        catalogue.clamp(cluster.version),
        not cluster.managed,
        [(dimension, group) for dimension, group in groups.items() if group],
        values,
    )


class Said:
    """How often each value of a key is set per group, counted over the clusters of one task.

    The rows to compare are then those of tasks and groups, not those of clusters.
    """

    def __init__(self) -> None:
        self._counts: dict[Row, int] = {}
        self._values: dict[Row, str] = {}

    def add(self, profile: Row) -> None:
        """Count a cluster; ``profile`` is its row as ``profile`` gives it, its owner in front."""
        release, own, groups, values = profile[-4:]
        assert isinstance(groups, list) and isinstance(values, list)
        for group in groups:
            for key, compared, value, *_ in values:
                told = (*group, release, own, key, compared)
                self._counts[told] = self._counts.get(told, 0) + 1
                if value is not None:
                    # Spellings of one value: the first in order, so that runs agree.
                    self._values[told] = min(value, self._values.get(told, value))

    def rows(self) -> Iterator[Row]:
        """The columns of ``schemas.SAID``."""
        for told, count in self._counts.items():
            yield (*told, count, self._values.get(told))


def strays(cluster: Cluster, held: Iterable[Held]) -> Iterator[Row]:
    """Brokers that differ from the majority of their cluster, or from each other where none is.

    A broker that leaves a key alone has the default of its version.
    """
    size = len(cluster.brokers)
    if size < 2:
        return
    for key, said in _comparable(held).items():
        if not all(one.known for one in said):
            continue
        counts: dict[str, int] = {}
        for one in said:
            counts[one.compared] = counts.get(one.compared, 0) + 1
        texts = {one.compared: one.text for one in said}
        silent = size - len(said)
        if silent:
            default = default_of(cluster.version.text, key)
            if default is None or cluster.managed:
                continue
            counts[default] = counts.get(default, 0) + silent
            texts.setdefault(default, default)
        if len(counts) < 2:
            continue
        norm = max(counts, key=lambda value: (counts[value], value))
        clear = counts[norm] * 2 > size
        for one in said:
            if clear and one.compared == norm:
                continue
            yield (
                named(cluster.name),
                CLUSTER,
                None,
                None,
                texts[norm] if clear else None,
                counts[norm] if clear else 0,
                size,
                counts[norm] / size if clear else None,
                None,
                one.resource,
                "set",
                key,
                one.text,
                one.path,
                one.line,
            )


@lru_cache(maxsize=65536)
def default_of(version: str | None, key: str) -> str | None:
    """The brokers' default of a key in a version as text, where it is known."""
    if version is None or secrets.is_secret(key):
        return None
    value = _plain(version).brokers[0][key]
    return text_of(value) if value.known else None


@lru_cache(maxsize=64)
def _plain(version: str) -> Cluster:
    """A cluster of one broker that sets nothing."""
    return Cluster(".", [Resource("broker", "0", ".")], ClusterSettings(version))


def _comparable(held: Iterable[Held]) -> _Said:
    said: _Said = {}
    for one in held:
        own = one.key in _LEFT_OUT or one.key.startswith("listener.name.")
        if one.kind == "broker" and not own:
            said.setdefault(one.key, []).append(one)
    return said
