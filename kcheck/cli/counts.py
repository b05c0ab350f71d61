"""How many partitions a project's topics have: of its own, and of Kafka's internal ones."""

from __future__ import annotations

from kcheck import catalogue, engine
from kcheck.cli.options import Options
from kcheck.cli.project import complain, opened
from kcheck.cli.run import Stop
from kcheck.graph.cluster import Cluster
from kcheck.model import DEFAULT, Value

OFFSETS, TRANSACTIONS = "__consumer_offsets", "__transaction_state"
#: The broker key that says how many partitions an internal topic is created with.
_KEYS = {
    OFFSETS: "offsets.topic.num.partitions",
    TRANSACTIONS: "transaction.state.log.num.partitions",
}


class Project:
    """The configuration that ``--in`` names, read when it is first asked; none without it."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._clusters: list[Cluster] | None = None

    def internal(self, topic: str) -> tuple[int, str]:
        """(partitions, who says so) of an internal topic. Raises Stop where brokers disagree."""
        key = _KEYS[topic]
        if not self._options.project:
            return _default(key)
        cluster = self._cluster()
        there = [t.partitions for t in cluster.topics if t.name == topic and t.partitions.known]
        if there:
            return int(there[0].number), _origin(there[0])
        values = cluster.across(key)
        if not values:
            return _default(key)
        counts = {value.text: value for value in values if value.known}
        if len(counts) != 1:
            said = ", ".join(f"{_origin(value)}: {text}" for text, value in counts.items())
            raise Stop(f"{key} has no single value in {cluster} ({said or 'unknown'})")
        value = next(iter(counts.values()))
        return int(value.number), _origin(value)

    def topic(self, name: str) -> int:
        """How many partitions the project's topic has. Raises Stop where it does not say."""
        if not self._options.project:
            raise Stop("--topic requires --in PATH, the project that declares it")
        topics = [topic for topic in self._cluster().topics if topic.name == name]
        if not topics:
            from kcheck.selection import nearest

            near = nearest(name, [topic.name for topic in self._cluster().topics])
            raise Stop(f"topic {name} not found" + (f"; did you mean {near}?" if near else ""))
        if not topics[0].partitions.known:
            raise Stop(f"no file states the partition count of topic {name}: use --partitions")
        return int(topics[0].partitions.number)

    def _cluster(self) -> Cluster:
        if self._clusters is None:
            self._options.paths = (self._options.project,)
            settings, inputs = opened(self._options)
            project = engine.read_project(inputs, settings, inputs.lookup, inputs.named)
            complain(self._options, inputs, project)
            self._clusters = project.clusters
        wanted = self._options.cluster
        found = [c for c in self._clusters if wanted in ("", c.name)]
        if len(found) == 1:
            return found[0]
        names = ", ".join(sorted(cluster.name for cluster in self._clusters))
        if not names:
            raise Stop(f"no Kafka configuration found in {self._options.project}")
        raise Stop(
            f"cluster {wanted} not found; there are {names}"
            if wanted
            else f"{self._options.project} contains several clusters; choose one with --cluster: {names}"
        )


def _default(key: str) -> tuple[int, str]:
    """What holds where no file is read; it has been the same in every version."""
    (count,) = {row.default_text for row in catalogue.plane("broker").history(key)}
    return int(count or 0), f"default of {key}"


def _origin(value: Value) -> str:
    """Who says a value, in a word or two."""
    if value.origin == DEFAULT:
        return f"default of {value.key}"
    setting = value.setting
    return f"{setting.path}:{setting.at[0]}" if setting else value.resource.path
