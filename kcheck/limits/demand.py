"""What the declared topics and clients ask of an average broker of their cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcheck.formats.text import templated
from kcheck.graph.cluster import Cluster
from kcheck.graph.running import counted
from kcheck.graph.topics import Topic
from kcheck.limits import derivations
from kcheck.model import NAN, Value


class TopicDemand:
    """One topic: its figures for all its replicas together, NaN where they are not known.

    An unknown replication factor counts as 1, so that sums are the least that can be;
    ``factor_known`` says whether that happened.
    """

    __slots__ = ("_kept", "consumed", "copies", "factor_known", "partitions", "rate", "topic")

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        self.partitions = topic.partitions.number
        factor = topic.replication_factor.number
        self.factor_known = factor >= 1
        self.copies = factor if factor >= 1 else 1
        #: Bytes per second that producers write to the whole topic.
        self.rate = topic.fact("produce_rate").number
        self.consumed = topic.fact("consume_rate").number
        self._kept: float | None = None

    @property
    def replicas(self) -> float:
        return self.partitions * self.copies

    @property
    def kept(self) -> float:
        """Bytes that one replica keeps; infinite where nothing is deleted."""
        if self._kept is None:
            self._kept = self._retained()
        return self._kept

    @property
    def segment_bytes(self) -> float:
        return self.topic["segment.bytes"].number

    @property
    def segments(self) -> float:
        """Segments of one replica, at least: 1 where nothing tells more."""
        kept = self.kept
        # Whatever is kept for ever is more than can be counted.
        size = kept if kept < float("inf") else NAN
        ages = (NAN, NAN)
        if self.rate > 0 and kept == kept:
            # How long it takes to write what is kept: retention by size may come first.
            ages = (size * self.partitions / self.rate * 1000, self.topic["segment.ms"].number)
        return derivations.segments(size, self.segment_bytes, *ages)

    @property
    def kept_for_ever(self) -> bool:
        return self.kept == float("inf")

    def evidence(self) -> tuple[Value, ...]:
        """The values that the number of segments hangs on, under the names that set them."""
        topic = self.topic
        found = [topic.partitions]
        if self.segments <= 1:
            return tuple(found)
        size = topic.fact("partition_size")
        if size.known:
            return (*found, topic["segment.bytes"], size)
        keys = ["segment.bytes", self._key("retention.bytes")]
        if self.kept != topic[keys[1]].number:
            found.append(topic.fact("produce_rate"))
            keys[1] = self._key("retention.ms")
        for key in keys:
            value = topic[key]
            if not value.explicit and topic.defaults is not None:
                value = topic.defaults[key]
            found.append(value)
        return tuple(found)

    def _key(self, key: str) -> str:
        """The key that bounds what lies on the brokers' own disks: that of a tiered topic is local."""
        if self.topic.tiered:
            local = self.topic[f"local.{key}"]
            if local.number != -2:  # Kafka's "as the other key says"
                return f"local.{key}"
        return key

    @property
    def at_most(self) -> bool:
        """Whether what it keeps is the most that retention by size allows, its rate being unknown."""
        told = self.topic.fact("partition_size").known
        return self.kept < float("inf") and not told and not self.rate >= 0

    @property
    def compacted(self) -> bool:
        """Whether what it keeps hangs on its keys, not on retention."""
        policy = self.topic["cleanup.policy"].value
        return isinstance(policy, list) and "compact" in policy and "delete" not in policy

    def _retained(self) -> float:
        told = self.topic.fact("partition_size").number
        if told >= 0:
            return told
        policy = self.topic["cleanup.policy"].value
        # Where nobody knows the policy, whoever limits the retention means it to delete.
        if isinstance(policy, list) and "delete" not in policy:
            return NAN if policy else float("inf")
        written = self.rate / self.partitions if self.partitions >= 1 else NAN
        age = self.topic[self._key("retention.ms")].number
        return derivations.retained(written, age, self.topic[self._key("retention.bytes")].number)


class Demand:
    """Topics with known partitions, and clients, spread evenly over the brokers."""

    def __init__(self, cluster: Cluster, topics: Iterable[Topic]) -> None:
        self.cluster = cluster
        self.brokers = cluster.broker_count
        self.topics: list[TopicDemand] = []
        #: Topics that are declared without a count of partitions.
        self.uncounted: list[Topic] = []
        for topic in topics:
            if topic.partitions.number >= 1:
                self.topics.append(TopicDemand(topic))
            else:
                self.uncounted.append(topic)

    def per_broker(self, total: float) -> float:
        """The share of an average broker; NaN where nobody says how many there are."""
        return total / self.brokers.number if self.brokers.number >= 1 else NAN

    @property
    def partitions(self) -> float:
        return sum(one.partitions for one in self.topics)

    @property
    def replicas(self) -> float:
        return sum(one.replicas for one in self.topics)

    @property
    def segments(self) -> float:
        return sum(one.replicas * one.segments for one in self.topics)

    @property
    def heaviest(self) -> list[TopicDemand]:
        """The topics with the most segments first."""
        return sorted(self.topics, key=lambda one: -one.replicas * one.segments)

    @property
    def rated(self) -> list[TopicDemand]:
        """The topics that say how much is written to them."""
        return [one for one in self.topics if one.rate >= 0]

    @property
    def unrated(self) -> list[TopicDemand]:
        return [one for one in self.topics if not one.rate >= 0]

    @property
    def produced(self) -> float:
        """Bytes per second that producers write to the declared topics; NaN where none says it."""
        return sum(one.rate for one in self.rated) if self.rated else NAN

    @property
    def stored(self) -> float:
        """Bytes per second that brokers write, all replicas together."""
        return sum(one.rate * one.copies for one in self.rated) if self.rated else NAN

    def consumed(self, fan_out: float) -> float:
        """Bytes per second that readers fetch; ``fan_out`` times what is written by default."""
        if not self.rated:
            return NAN
        return sum(one.consumed if one.consumed >= 0 else one.rate * fan_out for one in self.rated)

    def instances(self, *kinds: str) -> list[Value]:
        """How many of each client run, where that is told; of those kinds, or of any."""
        clients = (c for c in self.cluster.clients if not kinds or c.resource.kind in kinds)
        return [one.said[0].but(one.number) for one in counted(clients)]

    def largest_factor(self) -> float:
        known = [one.copies for one in self.topics if one.factor_known]
        return max(known, default=NAN)


def declared(cluster: Cluster) -> Iterator[Topic]:
    """The topics of a cluster whose names are known, each resource once."""
    last = None
    for topic in cluster.topics:
        # Views of one topic by different brokers follow each other.
        if topic.resource is last:
            continue
        last = topic.resource
        given = last.facts.get("name")
        if (given is None or given.text is not None) and not templated(topic.name):
            yield topic


def host(cluster: Cluster, name: str) -> list[Value]:
    """The fact of each broker that has one of its own, else that of the whole cluster; each
    different value once, the smallest first."""
    own = [node.fact(name) for node in cluster.brokers if name in node.resource.facts]
    found: dict[object, Value] = {}
    for value in own or [cluster.fact(name)]:
        if value.known:
            found.setdefault(value.value, value)
    return sorted(found.values(), key=lambda value: value.number)


def first_host(cluster: Cluster, name: str) -> Value:
    """The fact of the weakest broker; unknown where nobody tells it."""
    return next(iter(host(cluster, name)), cluster.fact(name))
