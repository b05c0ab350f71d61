"""KC02: defaults that an upgrade changes for keys that are not set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcheck import catalogue
from kcheck.graph.clients import Inner, Streams, Worker
from kcheck.graph.nodes import Broker, Node
from kcheck.graph.upgrade import Upgrade
from kcheck.lexicon.quantities import in_unit, unit_of
from kcheck.lexicon.upgrades import BEHAVIOUR, MINOR, Changed, changed_defaults
from kcheck.model import INFO, WARNING, WITH, Finding, Value
from kcheck.rule import rule
from kcheck.version import parse

_LONG_MAX = 2**63 - 1


@rule(
    "KC0224",
    "default-changes",
    WARNING,
    invariants=("linger-default", "timestamp-window"),
    refs=("KIP-1030", "KIP-679", "KIP-735"),
    versions="every change of a public default from 2.8 to 4.4; kcheck upgrade only",
)
def default_changes(upgrade: Upgrade) -> Iterator[Finding]:
    """The upgrade changes the default of a key that the resource does not set.

    Reports the noticeable changes: latency, durability, rejected requests. Reported by ``kcheck
    upgrade`` only, for each resource that does not set the key. Setting the old value keeps the
    current behaviour.

    Bad: linger.ms changes from 0 to 5 ms with 4.0 producers
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", client_version: "3.9", brokers: 3}
        producers:
          - {name: checkout, config: {acks: all}}
    Bad: timestamps may be at most one hour in the future
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3, config: {min.insync.replicas: 2}}
    Good: the key is set
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", client_version: "3.9", brokers: 3, config: {log.message.timestamp.after.max.ms: 9223372036854775807}}
        producers:
          - {name: checkout, config: {acks: all, linger.ms: 0}}
    Good: another timestamp type
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3, config: {log.message.timestamp.type: LogAppendTime}}
    Good: upgraded before
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", client_version: "4.0", brokers: 3}
        producers:
          - {name: checkout, config: {acks: all}}
    """
    for before, after in upgrade.pairs():
        for changed, old, new in _changed(before, after, BEHAVIOUR):
            yield upgrade.finding(
                after.resource,
                f"{after} does not set {changed.key}, whose default changes from "
                f"{_shown(old)} to {_shown(new)}",
                at=new,
                because=(old,),
                breaks=changed.effect,
                fix=_kept(before, changed.key, old),
                when=WITH,
                since=changed.since,
            )


@rule(
    "KC0225",
    "minor-defaults-change",
    INFO,
    refs=("KIP-1030", "KIP-848"),
    versions="every change of a public default from 2.8 to 4.4; kcheck upgrade only",
)
def minor_defaults_change(upgrade: Upgrade, *, each: bool = False) -> Iterator[Finding]:
    """The upgrade changes defaults with little visible effect.

    Reported together, once for all resources of a kind that do not set the keys; with ``each``
    (``kcheck upgrade --all``) one by one, with the effect of the new value.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3}
    Good: the default does not change
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.2", brokers: 3}
    """
    groups: dict[tuple[str, ...], list[_Entry]] = {}
    for before, after in upgrade.pairs():
        outer = after.outer.resource.plane if isinstance(after, Inner) else ""
        found = [
            _Entry(after, changed, old, new)
            for changed, old, new in _changed(before, after, MINOR)
            # A key that the outer program has as well is reported there.
            if not (outer and changed.key in catalogue.plane(outer))
        ]
        # Resources with the same changed defaults are reported together, of whatever kind.
        for entry in found:
            likeness = (entry.words,) if each else tuple(other.words for other in found)
            groups.setdefault(likeness, []).append(entry)
    for entries in groups.values():
        yield _together(upgrade, entries)


class _Entry:
    """A changed default on one resource."""

    __slots__ = ("changed", "new", "node", "old", "words")

    def __init__(self, node: Node, changed: Changed, old: Value, new: Value) -> None:
        self.node = node
        self.changed = changed
        self.old = old
        self.new = new
        self.words = f"{changed.key} {_shown(old)} → {_shown(new)}"


def _together(upgrade: Upgrade, entries: list[_Entry]) -> Finding:
    """One finding on the same changes of several resources."""
    keys: dict[str, _Entry] = {}
    for entry in entries:
        keys.setdefault(entry.changed.key, entry)
    nodes = list(dict.fromkeys(str(entry.node) for entry in entries))
    first, *others = keys.values()
    number = f"{len(keys)} minor defaults change" if others else "a minor default changes"
    return upgrade.finding(
        first.node.resource,
        f"{number} for {_names(nodes)}: {'; '.join(entry.words for entry in keys.values())}",
        at=first.new,
        because=(first.old, *(v for entry in others for v in (entry.new, entry.old))),
        breaks="" if others else first.changed.effect,
        fix="" if not others else "run kcheck upgrade --all for the effect of each",
        when=WITH,
        since=min((entry.changed.since for entry in keys.values()), key=_age),
    )


def _changed(before: Node, after: Node, weight: str) -> Iterator[tuple[Changed, Value, Value]]:
    """The changed defaults of that weight that are in force on both sides, with both values."""
    for changed in changed_defaults(_plane(after), before.version, after.version):
        if changed.weight != weight or not _holds(changed.when, after):
            continue
        old, new = before[changed.key], after[changed.key]
        # Connect and Streams have their own defaults for their inner clients, and a transactional
        # worker replaces the configured value.
        if old.setting is None and old.text != new.text:
            yield changed, old, new


def _plane(node: Node) -> str:
    """The table of defaults for a resource; "" for clients other than Java's."""
    if isinstance(node, Inner):
        return node.role
    if isinstance(node, Broker):
        return "broker"
    if isinstance(node, Worker):
        return node.resource.plane
    return node.resource.kind if node.resource.kind != "client" else ""


def _holds(when: Sequence[str], after: Node) -> bool:
    for word in when:
        key, equals, values = word.partition("=")
        if word == "not-in-streams":
            if isinstance(after, Inner) and isinstance(after.outer, Streams):
                return False
        elif equals:
            value = after[key]
            text = value.text if value.text is not None else ""
            if text.lower() not in values.lower().split("|"):
                return False
        elif key.startswith("!"):
            if after.sets(key.removeprefix("!")):
                return False
        elif not after.sets(key):
            return False
    return True


def _shown(value: Value) -> str:
    """A default in comparable form: with its unit, and ``no limit`` for the largest number."""
    number = value.number
    if number == _LONG_MAX:
        return "no limit"
    if not value.text:
        return "none"
    if isinstance(number, int):
        return in_unit(number, unit_of(value.key)) if number >= 0 else value.text
    if isinstance(value.value, list):
        return ",".join(item.rpartition(".")[2] for item in value.value)
    return value.text.rpartition(".")[2] if value.text.startswith("org.apache.") else value.text


def _kept(node: Node, key: str, old: Value) -> str:
    inside = f"{node.role}." if isinstance(node, Inner) else ""
    return f"set {inside}{key}={old.text} to keep the current behaviour"


def _age(minor: str) -> tuple[int, ...]:
    return parse(minor) or ()


def _names(nodes: list[str]) -> str:
    """The first few nodes and the number of the others."""
    if len(nodes) <= 3:
        return " and ".join(nodes) if len(nodes) < 3 else f"{nodes[0]}, {nodes[1]} and {nodes[2]}"
    return f"{nodes[0]}, {nodes[1]} and {len(nodes) - 2} more"
