"""What an upgrade of Kafka changes: the same documents linted in both versions, and compared.

Documents are read once. A cluster is formed from them for each pair of versions (brokers',
clients'), every rule looks at it, and the verdicts are compared by their fingerprints. What needs
both versions at once is told by the rules of the scope ``Upgrade``.

The way is walked in stretches: brokers first, over the versions that cannot be skipped, then the
clients. A stretch is a comparison of its two ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy

from kcheck import catalogue, engine, fingerprint
from kcheck.circumstances import Circumstances
from kcheck.engine import Lookup, Project, Source, no_lookup, nobody
from kcheck.graph.cluster import Cluster
from kcheck.graph.formed import formed
from kcheck.graph.upgrade import (
    BROKERS,
    CLIENTS,
    Upgrade,
    clients_alone,
    has_brokers,
    has_java_clients,
)
from kcheck.grouping.gather import Gathered, gathered, ids, names
from kcheck.grouping.group import Group
from kcheck.model import Document, Finding
from kcheck.runner import Runner
from kcheck.settings import Settings
from kcheck.upgrade.compare import State, compared, holds, settled
from kcheck.version import Version

#: The stage of the clients: after all of the brokers.
_LAST = 1_000

_OLD_ZOOKEEPER = (
    "Kafka 3.6 and newer require ZooKeeper 3.5 or newer, which Kafka includes since 2.4"
)
_LAST_WITH_ZOOKEEPER = (
    "Kafka 4.0 and newer have no ZooKeeper mode; 3.9 is the last version with it, and the version "
    "for the migration to KRaft"
)
_OLD_METADATA = (
    "an upgrade to Kafka 4.0 or newer requires Kafka 3.3 or newer, with a metadata.version of at "
    "least 3.3-IV3"
)


class Refused(ValueError):
    """The way that is asked for is none; the message says why."""


class Way:
    """The way of one cluster: its versions at each end, and in between.

    ``assumed`` tells that the clients' version is taken for granted.
    """

    __slots__ = ("assumed", "brokers", "clients", "cluster")

    def __init__(self, cluster: str) -> None:
        self.cluster = cluster
        #: The versions of the brokers from the first to the last; one alone: they stay.
        self.brokers: list[str] = []
        self.clients: list[str] = []
        self.assumed = False


class Upgraded(Project):
    """A project whose findings are what an upgrade changes, in the order to work them off."""

    __slots__ = ("ways",)

    def __init__(self, documents: list[Document], failures: list[str], found: Gathered) -> None:
        super().__init__(documents, [], [], failures, found)
        self.ways: list[Way] = []


def upgrade_project(
    sources: Iterable[Source],
    settings: Settings,
    goal: str,
    start: str = "",
    side: str = "",
    cluster: str = "",
    lookup: Lookup = no_lookup,
    named: Callable[[str], bool] = nobody,
    circumstances: Circumstances | None = None,
) -> Upgraded:
    """Compare all clusters of the sources, or the one of that name, before and after an upgrade.

    ``start`` is the version before where it is not that which the files say; ``side`` (brokers or
    clients) leaves the other one as it is. Raises Refused for a way that leads nowhere.
    """
    target = _target(goal)
    documents, failures = engine.read_documents(sources, settings, lookup, named)
    found = gathered(documents, settings)
    project = Upgraded(documents, failures, found)
    groups = found.groups
    pairs = [
        part
        for part in zip(groups, names(groups), ids(groups), strict=True)
        if cluster in ("", part[1], part[2])
    ]
    if cluster and not pairs:
        raise Refused(f"no cluster is named {cluster}; there are {', '.join(names(groups)[:5])}")
    ignores = engine.ignores_in(documents, settings, circumstances)
    walks = [_Walk(group, name, key, settings, start, target, side) for group, name, key in pairs]
    _complain([walk for walk in walks if not walk.start.known])
    ahead = [walk.name for walk in walks if walk.ahead]
    if ahead and len(ahead) == len(walks):
        raise Refused(_downgrade(walks[0], target))
    for walk in walks:
        project.findings += walk.findings()
        project.failures += walk.failures
        project.clusters.append(walk.cluster)
        project.ways.append(walk.way)
    project.findings = _once(project.findings)
    if ignores is not None and ignores.count:
        kept = ignores.apply(project.findings)
        project.ignored = len(project.findings) - len(kept)
        project.findings = kept
    return project


def _once(findings: list[Finding]) -> list[Finding]:
    """Advice that reads the same for several clusters, as one finding with all their names."""
    known: dict[tuple[object, ...], Finding] = {}
    kept: list[Finding] = []
    for finding in findings:
        change = finding.change
        # What points at a setting is told of that setting, however it reads.
        if change is None or any(value.setting is not None for value in finding.evidence):
            kept.append(finding)
            continue
        fix = finding.fix.text if finding.fix else ""
        said = (finding.code, finding.severity, finding.message, finding.consequence, fix)
        key = (*said, change.kind, change.side, change.when, change.old, change.new)
        first = known.setdefault(key, finding)
        if first is finding:
            kept.append(finding)
        elif _whose(finding) not in (_whose(first), *first.clusters):
            first.clusters = (*(first.clusters or (_whose(first),)), _whose(finding))
    return kept


def _whose(finding: Finding) -> str:
    return finding.cluster_id or finding.cluster


def _target(goal: str) -> Version:
    version = Version(goal)
    if version.minor not in catalogue.minors():
        raise Refused(
            f"Kafka {goal} is outside the range that kcheck covers "
            f"({catalogue.oldest()} to {catalogue.newest()})"
        )
    return version


def _downgrade(walk: _Walk, goal: Version) -> str:
    return (
        f"{walk.name} runs Kafka {walk.start}: {goal} would be a downgrade, which Kafka does not "
        "support after an upgrade is finalized, and kcheck does not check"
    )


def _complain(unknown: list[_Walk]) -> None:
    if not unknown:
        return
    listed = ", ".join(walk.name for walk in unknown[:5]) + (" …" if unknown[5:] else "")
    raise Refused(f"no file states the Kafka version of {listed}: use --from")


class _Walk:
    """The way of one cluster."""

    def __init__(
        self,
        group: Group,
        name: str,
        key: str,
        settings: Settings,
        start: str,
        goal: Version,
        side: str,
    ) -> None:
        self.name = name
        self._key = key
        self.failures: list[str] = []
        self.way = Way(name)
        self._group = group
        self._settings = settings
        self._side = side
        self._goal = goal
        self._states: dict[tuple[str, str], State] = {}
        self.cluster = formed(group, name, key, settings)
        given, told = Version(start), self.cluster.client_version
        if side == CLIENTS:
            self.start, self._clients = self.cluster.version, given if given.known else told
        else:
            self.start, self._clients = given if given.known else self.cluster.version, told
        self._java = has_java_clients(self.cluster)
        self._alone = clients_alone(self.cluster)
        #: Whether the clients are taken to have the version of the brokers, as nobody says it.
        self.way.assumed = not self._clients.known and self._java
        if not self._clients.known:
            self._clients = self.start
        if not self.start.known and side == CLIENTS:
            self.start = self._clients
        versions = [c.version for c in self.cluster.clients if c.java and c.version.known]
        if self.way.assumed or not versions:
            versions.append(self._clients)
        #: The version of the oldest clients, with which their way begins.
        self._oldest = min(versions, key=lambda version: version.numbers or ())

    @property
    def ahead(self) -> bool:
        """Whether it is newer than the version to go to."""
        return _older(self._goal, self._oldest if self._side == CLIENTS else self.start)

    def findings(self) -> list[Finding]:
        """All that the upgrade changes for the cluster, in the order of the way."""
        found: list[Finding] = []
        place, clients = self._text(self.start), self._text(self._oldest)
        begin = self._at(place, clients).cluster
        self.way.brokers, self.way.clients = [place], [clients]
        if self._side != CLIENTS and self._upgrades(self.start):
            for stop, because in self._stops(begin):
                found += self._stretch(BROKERS, (place, clients), (stop, clients), because)
                place = stop
                if not self._alone:
                    self.way.brokers.append(stop)
        goal = self._text(self._goal)
        if self._side != BROKERS and self._java and self._upgrades(self._oldest):
            found += self._stretch(CLIENTS, (place, clients), (place, goal))
            self.way.clients.append(goal)
        end = self._at(place, self.way.clients[-1])
        return settled(found, end)

    def _upgrades(self, version: Version) -> bool:
        return _older(version, self._goal)

    def _text(self, version: Version) -> str:
        return version.text or ""

    def _stops(self, begin: Cluster) -> Iterator[tuple[str, str]]:
        """The versions of the brokers on the way, and why each but the last cannot be skipped."""
        start, goal, kraft = self.start, self._goal, begin.kraft
        if not has_brokers(begin):
            yield self._text(goal), ""
            return
        if start.below("2.4") and goal.at_least("3.6") and not kraft:
            yield "3.5", _OLD_ZOOKEEPER
        if goal.at_least("4.0") and start.below("3.9"):
            if kraft is False:
                yield "3.9", _LAST_WITH_ZOOKEEPER
            elif start.below("3.3"):
                yield "3.9", _OLD_METADATA
        yield self._text(goal), ""

    # -- one stretch ------------------------------------------------------------------------

    def _stretch(
        self, side: str, before: tuple[str, str], after: tuple[str, str], because: str = ""
    ) -> list[Finding]:
        """What changes between two states that differ in the version of one side."""
        one, other = self._at(*before), self._at(*after)
        where = 0 if side == BROKERS else 1
        old, new = before[where], after[where]
        start = self.start if side == BROKERS else self._oldest
        upgrade = Upgrade(
            side,
            one.cluster,
            other.cluster,
            Version(old),
            Version(new),
            start,
            self._goal,
            because,
        )
        runner = Runner(self._settings)
        runner.upgrade(upgrade)
        found = compared(one, other, self._taken(runner))
        self._date(found, side, before, after)
        for finding in found:
            change = finding.change
            if change is not None:
                # What newer brokers elsewhere change for clients is the clients' to do.
                whose = CLIENTS if self._alone else side
                change.side, change.old, change.new = whose, old, new
                change.stage = len(self.way.brokers) if whose == BROKERS else _LAST
        return found

    def _date(
        self, findings: list[Finding], side: str, before: tuple[str, str], after: tuple[str, str]
    ) -> None:
        """Find the first version that makes each verdict true, if no rule has said it."""
        where = 0 if side == BROKERS else 1
        old, new = Version(before[where]), Version(after[where])
        undated = [(f, f.change) for f in findings if f.change is not None and not f.change.since]
        for _, change in undated:
            change.since = new.minor or ""
        # From the newest downwards: the verdict has to hold from there to the end.
        for minor in reversed(catalogue.minors()):
            if not undated or not old.below(minor):
                return
            if Version(minor).below(new.minor or ""):
                versions = (minor, before[1]) if side == BROKERS else (before[0], minor)
                there = self._made(*versions).found
                undated = [(f, change) for f, change in undated if holds(f, there)]
                for _, change in undated:
                    change.since = minor

    def _at(self, brokers: str, clients: str) -> State:
        """The cluster with these versions, linted; kept, as the next stretch begins there."""
        state = self._states.get((brokers, clients))
        if state is None:
            state = self._states[brokers, clients] = self._made(brokers, clients)
        return state

    def _made(self, brokers: str, clients: str) -> State:
        cluster = formed(self._group, self.name, self._key, self._settings_of(brokers))
        if not cluster.client_version.known:
            cluster.client_version = self._clients
            cluster.client_assumed = True
        if clients != self._text(self._oldest):
            cluster.least_client = Version(clients)
        runner = Runner(self._settings)
        engine.judge(cluster, runner)
        return State(cluster, self._taken(runner))

    def _taken(self, runner: Runner) -> list[Finding]:
        """What the rules found, sorted and numbered as lint does it."""
        findings, failures = runner.take()
        self.failures += [failure for failure in failures if failure not in self.failures]
        findings.sort(key=engine.order)
        fingerprint.number(findings)
        return findings

    def _settings_of(self, brokers: str) -> Settings:
        """The settings with another version of the brokers."""
        told = copy(self._settings.told)
        told.kafka_version = brokers
        return self._settings.but(told=told)


def _older(one: Version, other: Version) -> bool:
    return one.known and other.known and not one.at_least(other.text or "")
