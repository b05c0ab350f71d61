"""Clients that name no topic, weighed against the topics that their cluster declares.

Such a client may use any of them, so that a rule speaks only where every one gives the same verdict,
and then once. A rule is not asked about every topic: topics that have all values alike that it looks
at have one verdict, and the first one without a verdict ends the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kcheck.graph.clients import STORAGE_TOPIC_KEYS, Worker
from kcheck.graph.topics import Topic
from kcheck.model import WARNING, Finding, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.graph.cluster import Cluster
    from kcheck.graph.edges import TopicEdge

_Check = Callable[["TopicEdge"], Iterable[Finding]]

#: Topics of Kafka's own, of Connect, Streams, MirrorMaker and of the tools around them.
_INTERNAL = ("_", "connect-", "mm2-")
_DERIVED = ("-changelog", "-repartition", ".internal")


class Asked(Topic):
    """A topic that remembers which of its values somebody asked for."""

    __slots__ = ("asked",)

    def __init__(self, topic: Topic) -> None:
        super().__init__(topic.resource, topic.cluster, topic.defaults)
        self.asked: set[str] = set()

    def __getitem__(self, key: str) -> Value:
        self.asked.add(key)
        # The bounds of time stamps that have their default follow another key.
        if key.startswith("message.timestamp."):
            self.asked.add("message.timestamp.difference.max.ms")
        return super().__getitem__(key)

    def fact(self, name: str) -> Value:
        self.asked.add(name)
        return super().fact(name)

    def sets(self, key: str) -> bool:
        self.asked.add(key)
        return super().sets(key)

    def sets_any(self, keys: frozenset[str]) -> bool:
        self.asked |= keys
        return super().sets_any(keys)

    @property
    def partitions(self) -> Value:
        self.asked.add("partitions")
        return super().partitions

    @property
    def replication_factor(self) -> Value:
        self.asked.add("replication.factor")
        return super().replication_factor


class Declared:
    """The topics that a cluster declares, internal ones aside, and which of them are alike."""

    def __init__(self, cluster: Cluster) -> None:
        kept = _kept(cluster)
        self.topics = [
            Asked(topic)
            for topic in cluster.topics
            if not topic.name.startswith(_INTERNAL)
            and not topic.name.endswith(_DERIVED)
            and topic.name not in kept
        ]
        self.count = len({topic.name for topic in self.topics})
        self._alike: dict[frozenset[str], list[Asked]] = {}

    def unlike(self, keys: frozenset[str]) -> list[Asked]:
        """The first topic of each kind, as far as these settings and facts tell them apart."""
        found = self._alike.get(keys)
        if found is None:
            names = sorted(keys)
            firsts: dict[tuple[object, ...], Asked] = {}
            for topic in self.topics:
                settings, facts = topic.resource.settings, topic.resource.facts
                told = [s.raw if s else None for name in names for s in (settings.get(name),)]
                told += [f.raw if f else None for name in names for f in (facts.get(name),)]
                firsts.setdefault((topic.defaults, *told), topic)
            found = self._alike[keys] = [*firsts.values()]
        return found

    def words(self, example: str = "") -> str:
        """What to call them all; ``example`` is the one with the values given."""
        if self.count == 1:
            return f"the one declared topic {self.topics[0].name}"
        among = f" (such as {example})" if example else ""
        return f"any of the {self.count:,} declared topics{among}"


def _kept(cluster: Cluster) -> set[str]:
    """The topics in which the cluster's Connect workers keep their state."""
    workers = [client for client in cluster.clients if isinstance(client, Worker)]
    return {str(worker[key].text) for worker in workers for key in STORAGE_TOPIC_KEYS}


class Unnamed:
    """A client whose topics nobody tells: ``edges`` to what topics get from the brokers' defaults.

    ``edge`` makes one to a topic that is declared.
    """

    __slots__ = ("_edge", "declared", "edges")

    def __init__(
        self, edges: Sequence[TopicEdge], declared: Declared, edge: Callable[[Topic], TopicEdge]
    ) -> None:
        self.edges: Sequence[TopicEdge] = edges
        self.declared = declared
        self._edge = edge

    def weigh(self, check: _Check) -> list[Finding]:
        """What a rule says of the declared topics, if it says so of each; else of the defaults."""
        said = self._of_all(check) if self.declared.topics else []
        return said or [finding for edge in self.edges for finding in check(edge)]

    def _of_all(self, check: _Check) -> list[Finding]:
        """The findings on the first topic, if the rule says as much of each; else none."""
        asked: frozenset[str] = frozenset()
        told: dict[int, list[Finding]] = {}
        while True:
            seen = asked
            topics = self.declared.unlike(asked)
            for topic in topics:
                if id(topic) in told:
                    continue
                topic.asked.clear()
                told[id(topic)] = said = list(check(self._edge(topic)))
                seen |= topic.asked
                if not said or _verdicts(said) != _verdicts(told[id(topics[0])]):
                    return []
            if seen == asked:
                break
            asked = seen
        first = self.declared.topics[0]
        plain = self.declared.words()
        alike = len({_values(findings) for findings in told.values()}) == 1
        words = plain if alike or self.declared.count == 1 else self.declared.words(first.name)
        found = told[id(first)]
        for finding in found:
            finding.message = finding.message.replace(plain, words)
            # Nobody is sure that the client uses no other topic.
            finding.ceiling = finding.ceiling or WARNING
            if finding.evidence[0].resource is first.resource and finding.fix is not None:
                # What one topic sets is not what all of them do.
                finding.fix.edits = ()
        return found


def _verdicts(findings: list[Finding]) -> tuple[tuple[object, ...], ...]:
    """What the findings say, whatever the values: their keys and how grave they are."""
    return tuple((f.severity, *[value.key for value in f.evidence]) for f in findings)


def _values(findings: list[Finding]) -> tuple[str | None, ...]:
    return tuple(value.text for finding in findings for value in finding.evidence)
