"""KC00: files whose cluster is unknown, so they are not compared with brokers and topics."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.layout import Layout
from kcheck.grouping.evidence import AMBIGUOUS, DENIED, UNNAMED, UNREAD, Unjoined
from kcheck.model import FACT, INFO, SET, Document, Finding, Fix, Resource, Value
from kcheck.rule import rule
from kcheck.wording import count

#: The number of files named in one finding; the report's list of unassigned files has all.
_MOST = 8


#: The number of resources of a file, and of reasons, named in one finding.
_NAMED = 3


#: The predicate for all files of a reason, after their number.
_REASONS = {
    UNREAD: "name clusters that no file describes",
    AMBIGUOUS: "match several clusters",
    DENIED: "match none of the clusters that were read",
    UNNAMED: "do not name the cluster that they use",
}


@rule("KC0009", "cluster-unknown", INFO)
def cluster_unknown(layout: Layout) -> Iterator[Finding]:
    """Files, or parts of them, cannot be assigned to a cluster, so cross-file rules skip them.

    kcheck assigns a client or topic to a cluster by kcheck.toml, by labels and references, by the
    bootstrap address, and by the only or nearest cluster that matches. Where none of these decides,
    the file is checked on its own. Assign it in kcheck.toml to have it compared with its brokers.

    Bad: a label that no Kafka resource has
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: orders, namespace: kafka}
        spec: {kafka: {version: 4.1.0, config: {min.insync.replicas: 2}}}
        --- topics/telemetry.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaTopic
        metadata: {name: telemetry, namespace: kafka, labels: {strimzi.io/cluster: warehouse}}
        spec: {partitions: 6, replicas: 3}
    Bad: an address that no broker advertises
        --- kafka/server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1.shop.example:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        advertised.listeners=PLAINTEXT://k1.shop.example:9092
        --- services/feed/producer.properties
        bootstrap.servers=kafka.partner.example:9092
        acks=all
    Bad: part of a file
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: orders, namespace: kafka}
        spec: {kafka: {version: 4.1.0, config: {min.insync.replicas: 2}}}
        ---
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaTopic
        metadata: {name: telemetry, namespace: kafka, labels: {strimzi.io/cluster: warehouse}}
        spec: {partitions: 6, replicas: 3}
    Good: the broker's address
        --- kafka/server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1.shop.example:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        advertised.listeners=PLAINTEXT://k1.shop.example:9092
        --- services/feed/producer.properties
        bootstrap.servers=k1.shop.example:9092
        acks=all
    Good: no brokers are read at all
        --- services/feed/producer.properties
        bootstrap.servers=kafka.partner.example:9092
        acks=all
    """
    by_reason: dict[str, list[Unjoined]] = {}
    for one in layout.unjoined:
        by_reason.setdefault(one.reason, []).append(one)
    for reason, members in by_reason.items():
        yield _unknown(layout, reason, members)


class _Left:
    """The resources of one file that belong to no cluster, and the reasons."""

    def __init__(self, document: Document) -> None:
        self.path = document.path
        self.of = len(document.resources)
        self.texts: dict[str, None] = {}
        self._found: dict[int, Resource] = {}

    def add(self, one: Unjoined) -> None:
        self._found.update((id(resource), resource) for resource in one.resources)
        self.texts[one.text] = None

    @property
    def resources(self) -> list[Resource]:
        return [*self._found.values()]

    @property
    def part(self) -> str:
        """``2 of 5 resources``; "" where it is the whole file."""
        left = len(self.resources)
        return f"{left:,} of {count(self.of, 'resource')}" if left < self.of else ""

    @property
    def names(self) -> str:
        called = [
            one.kind if one.name == self.path else f"{one.kind} {one.name}"
            for one in self.resources
        ]
        return ", ".join(called[:_NAMED]) + _more(called, _NAMED)


def _more(names: list[str], most: int) -> str:
    return f" and {len(names) - most:,} more" if names[most:] else ""


def _by_file(members: list[Unjoined]) -> list[_Left]:
    found: dict[str, _Left] = {}
    for one in members:
        path = one.document.path
        found.setdefault(path, _Left(one.document)).add(one)
    return list(found.values())


def _unknown(layout: Layout, reason: str, members: list[Unjoined]) -> Finding:
    """One finding for all files of a reason."""
    files = _by_file(members)
    first = files[0]
    alone = len(files) == 1
    single = alone and not (first.part and len(first.resources) > 1)
    if alone:
        why = [*first.texts]
        reasons = "; ".join(why[:_NAMED]) + _more(why, _NAMED)
        subject = f"{first.part} in {first.path} ({first.names})" if first.part else first.path
        verb = "belongs" if single else "belong"
        message = f"{subject} {verb} to no known cluster: {reasons}"
    else:
        named = [
            f"{left.path} ({left.part}: {left.names})" if left.part else left.path for left in files
        ]
        shown = ", ".join(named[:_MOST]) + _more(named, _MOST)
        parts = sum(bool(left.part) for left in files)
        partly = f", {parts:,} of them partly," if parts else ""
        message = f"{count(len(files), 'file')}{partly} {_REASONS[reason]}: {shown}"
    evidence: dict[tuple[object, ...], Value] = {}
    for one in members:
        value = _asked(one)
        place = (value.resource.path, value.setting.at if value.setting else value.resource.at)
        evidence.setdefault(place, value)
    candidates = dict.fromkeys(layout.name(group) for one in members for group in one.candidates)
    resource = Resource("file", first.path, first.path)
    values = tuple(evidence.values())[:_NAMED]
    setting = values[0].setting
    lacking = first.resources[0] if first.part else resource
    path, at = (setting.path, setting.at) if setting else (lacking.path, lacking.at)
    fix = _assignment(list(candidates), first.path)
    if first.part:
        them, their = ("it", "its") if len(first.resources) == 1 else ("them", "their")
        fix = (
            f"name the cluster of {first.names} in the file, or move {them} to {their} own file and "
            "assign that file in kcheck.toml"
        )
    return Finding(
        message,
        resource,
        values,
        path,
        at,
        f"no rule compares {'it' if single else 'them'} with brokers and topics",
        Fix(fix),
    )


def _asked(one: Unjoined) -> Value:
    """What a file states about its cluster: a name, an address, or nothing."""
    path, named = one.document.path, one.resources[0].cluster
    resource = Resource("file", path, path)
    setting = one.asked
    if setting is None:
        return Value("cluster", resource, FACT, named, named, bool(named))
    return Value(setting.key, resource, SET, setting.text, setting.text, True, setting)


def _assignment(candidates: list[str], path: str) -> str:
    """The lines of kcheck.toml that would assign it."""
    folder = path.rpartition("/")[0]
    pattern = f"{folder}/**" if folder else path
    name = candidates[0] if candidates else "NAME"
    names = ", ".join(candidates[:_NAMED]) + _more(candidates, _NAMED)
    of = f" (one of {names})" if len(candidates) > 1 else ""
    return f'add to kcheck.toml{of}: [[clusters]] name = "{name}" paths = ["{pattern}"]'
