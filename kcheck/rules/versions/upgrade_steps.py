"""KC02: steps that an upgrade requires, independent of the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kcheck import catalogue
from kcheck.graph.clients import Client, Streams, Worker
from kcheck.graph.nodes import Broker, Node
from kcheck.graph.upgrade import BROKERS, CLIENTS, Upgrade, clients_alone, has_brokers
from kcheck.lexicon.upgrades import Step, oldest_clients, steps
from kcheck.model import BEFORE, COMPOSE, ERROR, FACT, INFO, STRIMZI, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.version import Version
from kcheck.wording import count

#: The broker version that dropped the protocol versions of old clients.
_FLOOR = "4.0"


#: An image or an operator includes the Java that its Kafka needs.
_BRINGS_JAVA = (COMPOSE, STRIMZI)


@rule(
    "KC0222",
    "upgrade-step",
    INFO,
    invariants=(
        "upg-ibp-static",
        "upg-metadata-version",
        "upg-message-format",
        "upg-log4j",
        "upg-java",
    ),
    refs=("KIP-500", "KIP-902", "KIP-966", "KIP-1013"),
    versions="0.9 to 4.4; kcheck upgrade only",
)
def upgrade_step(upgrade: Upgrade) -> Iterator[Finding]:
    """The upgrade requires a step that no setting shows.

    Steps are the migration from ZooKeeper to KRaft, protocol and metadata versions, Java, and the
    two rolling restarts of Streams. An error where Kafka does not start without the step, a warning
    where that depends on a fact that no file states. Reported by ``kcheck upgrade`` only.

    Bad: 4.x has no ZooKeeper mode
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3, config: {zookeeper.connect: "zk1:2181"}}
    Bad: check the metadata version first, finalize it afterwards
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3, config: {process.roles: broker}}
    Good: no step for recent clients
        --- kcheck.yaml
        cluster: {name: core, client_version: "4.1", kafka_version: "4.4"}
        consumers:
          - {name: billing, config: {group.id: billing}}
    Good: the brokers are not in these files
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", service: msk, brokers: 3}
    """
    for step in steps():
        if step.side != upgrade.side:
            continue
        if step.side == BROKERS:
            if has_brokers(upgrade.after) and step.on(upgrade.old, upgrade.new):
                yield from _brokers_step(upgrade, step)
        elif "streams" in step.when:
            for before, after in upgrade.pairs():
                if isinstance(after, Streams) and step.on(before.version, after.version):
                    yield from _client_step(upgrade, step, before.version, after)
        elif step.on(upgrade.old, upgrade.new):
            yield from _brokers_step(upgrade, step)


def _brokers_step(upgrade: Upgrade, step: Step) -> Iterator[Finding]:
    """A step of the whole cluster: reported once, with all settings that it concerns."""
    if not all(_true(word, upgrade) for word in step.when):
        return
    about = _about(upgrade, step)
    at = about[0] if about else upgrade.unknown(step.subject)
    yield _finding(upgrade, step, at, tuple(about[1:]), str(upgrade.after))


def _client_step(upgrade: Upgrade, step: Step, old: Version, after: Node) -> Iterator[Finding]:
    words = [word for word in step.when if word != "streams"]
    if any(after.sets(word.lstrip("!")) == word.startswith("!") for word in words):
        return
    at = Value(step.subject, after.resource, FACT)
    yield _finding(upgrade, step, at, (), str(after), old)


def _finding(
    upgrade: Upgrade,
    step: Step,
    at: Value,
    because: tuple[Value, ...],
    name: str,
    old: Version | None = None,
) -> Finding:
    """A step as a finding; ``old`` is the version of a client that declares its own."""
    words = {
        "cluster": name,
        "node": name,
        "old": (old or upgrade.old).minor,
        "new": upgrade.new.minor,
        "start": upgrade.start.minor,
        "goal": upgrade.goal.minor,
    }
    return upgrade.finding(
        at.resource,
        step.message.format_map(words),
        at=at,
        because=because,
        breaks=step.breaks.format_map(words),
        fix=step.fix.format_map(words),
        severity=step.severity,
        when=step.order,
        since=step.since(upgrade.new),
    )


def _about(upgrade: Upgrade, step: Step) -> list[Value]:
    """The broker settings that the step concerns."""
    found: dict[object, Value] = {}
    whole = step.subject == "zookeeper.connect"
    for node in (*upgrade.before.brokers, *upgrade.before.separate_controllers):
        for key, setting in node.merged.items():
            if key == step.subject or (whole and key.startswith("zookeeper.")):
                found.setdefault((setting.path, setting.at), node[key])
    return sorted(found.values(), key=lambda value: value.key != step.subject)


def _true(word: str, upgrade: Upgrade) -> bool:
    """Whether a condition of ``steps.tsv`` holds."""
    holds = _CONDITIONS.get(word)
    if holds is not None:
        return holds(upgrade)
    nodes = _nodes(upgrade)
    if word.startswith("metadata-below-"):
        return not any(_finalizes(node, word.removeprefix("metadata-below-")) for node in nodes)
    if word.startswith("start-below-"):
        return upgrade.start.below(word.removeprefix("start-below-"))
    if word.startswith("from-"):
        return upgrade.old.at_least(word.removeprefix("from-"))
    if word.startswith("!"):
        return not any(node.sets(word[1:]) for node in nodes)
    return any(node.sets(word) for node in nodes)


def _nodes(upgrade: Upgrade) -> list[Node]:
    """The nodes as they are before the upgrade."""
    return [*upgrade.before.brokers, *upgrade.before.separate_controllers]


def _of_strimzi(upgrade: Upgrade) -> bool:
    return any(node.resource.traits.deployer == STRIMZI for node in _nodes(upgrade))


def _tells_metadata(upgrade: Upgrade) -> bool:
    return any(node.fact("metadata.version").known for node in _nodes(upgrade))


def _own_java(upgrade: Upgrade) -> bool:
    """Whether those that are upgraded run on a Java that somebody installs."""
    upgraded = _nodes(upgrade) if upgrade.side == BROKERS else upgrade.after.clients
    return not any(node.resource.traits.deployer in _BRINGS_JAVA for node in upgraded)


def _has_clients(upgrade: Upgrade, workers: bool) -> bool:
    return any(c.java and isinstance(c, Worker) == workers for c in upgrade.after.clients)


#: The conditions that are one word each.
_CONDITIONS: dict[str, Callable[[Upgrade], bool]] = {
    "zookeeper": lambda upgrade: upgrade.before.kraft is False,
    "kraft": lambda upgrade: upgrade.before.kraft is True,
    "mode-unknown": lambda upgrade: upgrade.before.kraft is None,
    "not-kraft": lambda upgrade: not upgrade.before.kraft,
    "kraft-after": lambda upgrade: bool(upgrade.after.kraft),
    "jbod": lambda upgrade: any(map(_several_directories, upgrade.before.brokers)),
    # An operator gives the controllers the configuration of its Kafka resource.
    "controllers-elsewhere": lambda upgrade: (
        not upgrade.after.controllers and not _of_strimzi(upgrade)
    ),
    "workers": lambda upgrade: _has_clients(upgrade, True),
    "java-clients": lambda upgrade: _has_clients(upgrade, False),
    "own-java": _own_java,
    "strimzi": _of_strimzi,
    "by-hand": lambda upgrade: not _of_strimzi(upgrade),
    "metadata-told": _tells_metadata,
    "metadata-untold": lambda upgrade: not _tells_metadata(upgrade),
}


def _finalizes(node: Node, least: str) -> bool:
    """Whether its resource states a metadata version of that release or a newer one."""
    stated = node.fact("metadata.version")
    return Version((stated.text or "").partition("-")[0]).at_least(least)


def _several_directories(broker: Broker) -> bool:
    directories = broker["log.dirs"]
    if not directories.text:
        return False
    return len([path for path in directories.text.split(",") if path.strip()]) > 1


@rule(
    "KC0221",
    "upgrade-way",
    ERROR,
    invariants=("upg-metadata-version",),
    refs=("KIP-500", "KIP-902"),
    versions="from below 3.3, or on ZooKeeper, to 4.0 or newer; kcheck upgrade only",
)
def upgrade_way(upgrade: Upgrade) -> Iterator[Finding]:
    """The cluster cannot be upgraded to the target version directly.

    A cluster can be upgraded to Kafka 4.x from 3.3 or newer in KRaft mode; all others are upgraded
    to 3.9 first. Reported by ``kcheck upgrade`` only.

    Bad: via 3.9
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "2.8", brokers: 3, config: {zookeeper.connect: "zk1:2181"}}
    Good: directly
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6", brokers: 3, config: {process.roles: broker}}
    """
    if not upgrade.because:
        return
    at = upgrade.unknown("kafka_version")
    minors = catalogue.minors()
    yield upgrade.finding(
        at.resource,
        f"{upgrade.after} cannot go from {upgrade.start.minor} to {upgrade.goal.minor} directly, "
        f"only via {upgrade.new.minor}",
        at=at,
        breaks=upgrade.because,
        fix=f"upgrade the brokers to {upgrade.new.minor} first, complete the steps listed here, "
        f"then run kcheck upgrade again from {upgrade.new.minor}",
        when=BEFORE,
        # The version after that stop is the first that cannot be reached directly.
        since=minors[minors.index(upgrade.new.minor or "") + 1],
    )


@rule(
    "KC0223",
    "clients-too-old",
    WARNING,
    invariants=("upg-clients-floor",),
    refs=("KIP-896",),
    versions="brokers from below 4.0 to 4.0 or newer; clients likewise; kcheck upgrade only",
)
def clients_too_old(upgrade: Upgrade) -> Iterator[Finding]:
    """Kafka 4.0 and clients or brokers from before 2.1 do not support each other's requests.

    An error where a client is known to be older. Where no file states the version of a client, or
    no file has clients, a warning to check. Reported by ``kcheck upgrade`` only.

    Bad: too old
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3}
        consumers:
          - {name: legacy, client: {library: java, version: "1.1"}, config: {group.id: legacy}}
    Bad: the version is unknown
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3}
        consumers:
          - {name: billing, config: {group.id: billing}}
    Good: new enough
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", client_version: "3.6", brokers: 3}
        consumers:
          - {name: billing, config: {group.id: billing}}
    Good: the brokers run 4.x already
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.0", brokers: 3}
        consumers:
          - {name: billing, config: {group.id: billing}}
    """
    if not upgrade.crosses(_FLOOR):
        return
    if upgrade.side == CLIENTS:
        yield from _brokers_too_old(upgrade)
        return
    unknown: list[Client] = []
    least = oldest_clients()
    for client in upgrade.before.clients:
        library, version = client.library.name, _stated_version(client)
        oldest = least.get(library)
        if oldest is None or not version.known:
            unknown.append(client)
        elif version.below(oldest):
            yield upgrade.finding(
                client.resource,
                f"{client} uses {library} {version}, but Kafka {_FLOOR}+ brokers require "
                f"{library} {oldest} or newer",
                at=client.fact("client.version"),
                breaks="every connection fails with UnsupportedVersionException or is closed",
                fix=f"upgrade it to {library} {oldest} or newer before the first broker",
                severity=ERROR if client.java else WARNING,
                when=BEFORE,
                since=_FLOOR,
            )
    if clients_alone(upgrade.before):
        # Who uses the brokers is a question for those who run them.
        return
    if unknown or not upgrade.before.clients:
        yield _check_clients(upgrade, unknown)


def _check_clients(upgrade: Upgrade, unknown: list[Client]) -> Finding:
    gap = (
        f"no file states the version of {_few([str(client) for client in unknown])}"
        if unknown
        else f"no file describes the clients of {upgrade.after}"
    )
    oldest = ", ".join(f"{name} {least}" for name, least in oldest_clients().items())
    at = upgrade.unknown("client.version")
    if unknown:
        at = Value("client.version", unknown[0].resource, FACT)
    return upgrade.finding(
        at.resource,
        f"{gap}, and Kafka {_FLOOR}+ brokers require clients of Kafka 2.1 or newer",
        at=at,
        breaks=f"older clients can no longer connect (minimum versions: {oldest})",
        fix="find old clients first: brokers from 3.7 on count their requests in "
        "kafka.network:type=RequestMetrics,name=DeprecatedRequestsPerSec",
        severity=WARNING,
        when=BEFORE,
        since=_FLOOR,
    )


def _stated_version(client: Client) -> Version:
    """The version that a file states for the client, not the one assumed in its absence."""
    own = client.resource.facts.get("client.version")
    if own is not None and own.text:
        return Version(own.text)
    if not client.java or client.cluster.client_assumed:
        return Version()
    return client.cluster.client_version


def _few(names: list[str]) -> str:
    first, *others = names
    return f"{count(len(names), 'client')} ({first} …)" if others else first


def _brokers_too_old(upgrade: Upgrade) -> Iterator[Finding]:
    brokers = upgrade.after.version
    if not brokers.below("2.1"):
        return
    at = upgrade.unknown("kafka_version")
    yield upgrade.finding(
        at.resource,
        f"clients of Kafka {upgrade.new.minor} require brokers of 2.1 or newer, "
        f"but {upgrade.after} runs {brokers}",
        at=at,
        breaks="every request of these clients fails with UnsupportedVersionException",
        fix="upgrade the brokers first",
        severity=ERROR,
        when=BEFORE,
        since=_FLOOR,
    )
