"""KC02: what an upgrade does not get past, whatever the settings say."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.graph.clients import Client, Streams
from kcheck.graph.nodes import Broker, Node
from kcheck.graph.upgrade import BROKERS, CLIENTS, Upgrade, has_brokers
from kcheck.lexicon.upgrades import Step, oldest_clients, steps
from kcheck.model import BEFORE, COMPOSE, ERROR, FACT, INFO, STRIMZI, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.version import Version
from kcheck.wording import count

#: The version of the brokers that no longer understands old clients.
_FLOOR = "4.0"


#: An image or an operator brings the Java that its Kafka needs.
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
    """An upgrade needs a step that no setting shows.

    The migration out of ZooKeeper, protocol and metadata versions, Java, the two restarts of
    Streams. An error where Kafka refuses to go on without it, a warning where that hangs on what
    no file tells. Told by ``kcheck upgrade`` only.

    Bad: there is no ZooKeeper mode in 4.x
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3, config: {zookeeper.connect: "zk1:2181"}}
    Bad: the metadata version is to be looked at, and finalized afterwards
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3, config: {process.roles: broker}}
    Good: nothing to do for who upgrades clients of today
        --- kcheck.yaml
        cluster: {name: core, client_version: "4.1", kafka_version: "4.4"}
        consumers:
          - {name: billing, config: {group.id: billing}}
    Good: somebody else's brokers
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
    """A step of the cluster as a whole: told once, with all settings that it is about."""
    if not all(_true(word, upgrade) for word in step.when):
        return
    about = _about(upgrade, step)
    at = about[0] if about else upgrade.unknown(step.subject)
    yield _problem(upgrade, step, at, tuple(about[1:]), str(upgrade.after))


def _client_step(upgrade: Upgrade, step: Step, old: Version, after: Node) -> Iterator[Finding]:
    words = [word for word in step.when if word != "streams"]
    if any(after.sets(word.lstrip("!")) == word.startswith("!") for word in words):
        return
    at = Value(step.subject, after.resource, FACT)
    yield _problem(upgrade, step, at, (), str(after), old)


def _problem(
    upgrade: Upgrade,
    step: Step,
    at: Value,
    because: tuple[Value, ...],
    name: str,
    old: Version | None = None,
) -> Finding:
    """``old`` is the version of a client that has one of its own."""
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
    """The settings of the brokers that the step is about."""
    found: dict[object, Value] = {}
    whole = step.subject == "zookeeper.connect"
    for node in (*upgrade.before.brokers, *upgrade.before.separate_controllers):
        for key, setting in node.merged.items():
            if key == step.subject or (whole and key.startswith("zookeeper.")):
                found.setdefault((setting.path, setting.at), node[key])
    return sorted(found.values(), key=lambda value: value.key != step.subject)


def _true(word: str, upgrade: Upgrade) -> bool:
    """Whether a condition of ``steps.tsv`` holds."""
    before, after = upgrade.before, upgrade.after
    nodes = [*before.brokers, *before.separate_controllers]
    if word in ("zookeeper", "kraft", "mode-unknown"):
        return {"zookeeper": False, "kraft": True, "mode-unknown": None}[word] is before.kraft
    if word == "not-kraft":
        return not before.kraft
    if word == "kraft-after":
        return bool(after.kraft)
    if word == "jbod":
        return any(_several_directories(node) for node in before.brokers)
    if word == "controllers-elsewhere":
        return not after.controllers
    if word == "own-java":
        upgraded = nodes if upgrade.side == BROKERS else after.clients
        return not any(node.resource.traits.deployer in _BRINGS_JAVA for node in upgraded)
    if word in ("strimzi", "by-hand"):
        return any(node.resource.traits.deployer == STRIMZI for node in nodes) == (
            word == "strimzi"
        )
    if word.startswith("start-below-"):
        return upgrade.start.below(word.removeprefix("start-below-"))
    if word.startswith("from-"):
        return upgrade.old.at_least(word.removeprefix("from-"))
    if word.startswith("!"):
        return not any(node.sets(word[1:]) for node in nodes)
    return any(node.sets(word) for node in nodes)


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
    """The upgrade cannot go to the target version directly.

    Kafka 4.x takes over clusters of 3.3 and newer that run in KRaft mode; others go by way of 3.9.
    Told by ``kcheck upgrade`` only.

    Bad: by way of 3.9
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "2.8", brokers: 3, config: {zookeeper.connect: "zk1:2181"}}
    Good: straight
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6", brokers: 3, config: {process.roles: broker}}
    """
    if not upgrade.because:
        return
    at = upgrade.unknown("kafka_version")
    minors = catalogue.minors()
    yield upgrade.finding(
        at.resource,
        f"the way of {upgrade.after} from {upgrade.start.minor} to {upgrade.goal.minor} "
        f"leads over {upgrade.new.minor}",
        at=at,
        breaks=upgrade.because,
        fix=f"upgrade the brokers to {upgrade.new.minor} first, finish all that is listed here, "
        "and go on from there",
        when=BEFORE,
        # It is the version behind that stop that cannot be reached at once.
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
    """The upgraded brokers do not understand clients from before Kafka 2.1, nor new clients them.

    An error where a client is known to be older. Where files tell the version of no client, or
    hold none, it is a warning to look. Told by ``kcheck upgrade`` only.

    Bad: too old
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3}
        consumers:
          - {name: legacy, client: {library: java, version: "1.1"}, config: {group.id: legacy}}
    Bad: nobody says
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", brokers: 3}
        consumers:
          - {name: billing, config: {group.id: billing}}
    Good: new enough
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", client_version: "3.6", brokers: 3}
        consumers:
          - {name: billing, config: {group.id: billing}}
    Good: the brokers have been there for long
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
    untold: list[Client] = []
    least = oldest_clients()
    for client in upgrade.before.clients:
        library, version = client.library.name, _own_version(client)
        oldest = least.get(library)
        if oldest is None or not version.known:
            untold.append(client)
        elif version.below(oldest):
            yield upgrade.finding(
                client.resource,
                f"{client} runs {library} {version}; brokers of Kafka {_FLOOR} and newer "
                f"understand {library} from {oldest} on",
                at=client.fact("client.version"),
                breaks="every connection ends with UnsupportedVersionException, or is closed",
                fix=f"upgrade it to {library} {oldest} or newer before the first broker",
                severity=ERROR if client.java else WARNING,
                when=BEFORE,
                since=_FLOOR,
            )
    if untold or not upgrade.before.clients:
        yield _look_at_clients(upgrade, untold)


def _look_at_clients(upgrade: Upgrade, untold: list[Client]) -> Finding:
    whose = (
        f"no file says which version {_few([str(client) for client in untold])} "
        + ("has" if len(untold) == 1 else "have")
        if untold
        else f"no file holds the clients of {upgrade.after}"
    )
    oldest = ", ".join(f"{name} {least}" for name, least in oldest_clients().items())
    at = upgrade.unknown("client.version")
    if untold:
        at = Value("client.version", untold[0].resource, FACT)
    return upgrade.finding(
        at.resource,
        f"{whose}; brokers of Kafka {_FLOOR} and newer understand clients from Kafka 2.1 on",
        at=at,
        breaks=f"older clients cannot connect any more (the oldest that can: {oldest})",
        fix="look for old ones before: brokers from 3.7 on count them in the metric "
        "kafka.network:type=RequestMetrics,name=DeprecatedRequestsPerSec",
        severity=WARNING,
        when=BEFORE,
        since=_FLOOR,
    )


def _own_version(client: Client) -> Version:
    """What somebody says of the client's version, not what is taken for granted in its place."""
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
        f"clients of Kafka {upgrade.new.minor} need brokers of 2.1 or newer; "
        f"those of {upgrade.after} run {brokers}",
        at=at,
        breaks="no request of theirs is answered (UnsupportedVersionException)",
        fix="upgrade the brokers first",
        severity=ERROR,
        when=BEFORE,
        since=_FLOOR,
    )
