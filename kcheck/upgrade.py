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

from kcheck import catalogue, engine, fingerprint, rules
from kcheck.engine import Lookup, Project, Runner, Source, no_lookup, nobody
from kcheck.graph.anchors import Group
from kcheck.graph.assign import formed, gathered, names
from kcheck.graph.cluster import Cluster
from kcheck.graph.upgrade import BROKERS, CLIENTS, Upgrade, has_brokers
from kcheck.model import (
    AFTER,
    APPEARS,
    BEFORE,
    CHANGES,
    DISAPPEARS,
    INFO,
    SEVERITY_RANK,
    WITH,
    Change,
    Document,
    Finding,
    Value,
)
from kcheck.settings import Settings
from kcheck.version import Version

_ORDER = {BEFORE: 0, WITH: 1, AFTER: 2}


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

    def __init__(self, documents: list[Document], failures: list[str]) -> None:
        super().__init__(documents, [], [], failures)
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
) -> Upgraded:
    """Compare all clusters of the sources, or the one of that name, before and after an upgrade.

    ``start`` is the version before where it is not that which the files say; ``side`` (brokers or
    clients) leaves the other one as it is. Raises Refused for a way that leads nowhere.
    """
    target = _target(goal)
    documents, failures = engine.read_documents(sources, settings, lookup, named)
    project = Upgraded(documents, failures)
    groups = gathered(documents, settings)
    pairs = [p for p in zip(groups, names(groups), strict=True) if cluster in ("", p[1])]
    if cluster and not pairs:
        raise Refused(f"no cluster is called {cluster}; there are {', '.join(names(groups)[:5])}")
    ignores = engine.ignores_in(documents, settings)
    walks = [_Walk(group, name, settings, start, target, side) for group, name in pairs]
    _complain([walk for walk in walks if not walk.start.known])
    ahead = [walk.name for walk in walks if walk.ahead]
    if ahead and len(ahead) == len(walks):
        raise Refused(_downgrade(walks[0], target))
    for walk in walks:
        project.findings += walk.findings()
        project.failures += walk.failures
        project.clusters.append(walk.cluster)
        project.ways.append(walk.way)
    if ignores is not None and settings.use_ignores:
        kept = ignores.apply(project.findings)
        project.ignored = len(project.findings) - len(kept)
        project.findings = kept
    return project


def _target(goal: str) -> Version:
    version = Version(goal)
    if version.minor not in catalogue.minors():
        raise Refused(
            f"kcheck knows no Kafka {goal}: the newest that it knows is {catalogue.newest()}, "
            f"the oldest {catalogue.oldest()}"
        )
    return version


def _downgrade(walk: _Walk, goal: Version) -> str:
    return (
        f"{walk.name} runs Kafka {walk.start}: {goal} would be a downgrade, which Kafka does not "
        "take once an upgrade is finalized, and kcheck does not judge"
    )


def _complain(unknown: list[_Walk]) -> None:
    if not unknown:
        return
    listed = ", ".join(walk.name for walk in unknown[:5]) + (" …" if unknown[5:] else "")
    raise Refused(
        f"no file says which version of Kafka {listed} "
        f"{'runs' if len(unknown) == 1 else 'run'}: --from has to say it"
    )


#: What identifies a verdict in every version: its fingerprint, before it is hashed.
_Identity = tuple[object, ...]


class _State:
    """One cluster with brokers and clients of one version each, and the verdicts on it."""

    __slots__ = ("cluster", "found")

    def __init__(self, cluster: Cluster, findings: list[Finding]) -> None:
        self.cluster = cluster
        self.found: dict[_Identity, Finding] = {}
        for finding in findings:
            self.found[_identity(finding)] = finding


def _identity(finding: Finding) -> _Identity:
    resource = finding.resource
    key = finding.evidence[0].key if finding.evidence else ""
    return (finding.code, finding.path, resource.kind, resource.name, key, finding.occurrence)


class _Walk:
    """The way of one cluster."""

    def __init__(
        self, group: Group, name: str, settings: Settings, start: str, goal: Version, side: str
    ) -> None:
        self.name = name
        self.failures: list[str] = []
        self.way = Way(name)
        self._group = group
        self._settings = settings
        self._side = side
        self._goal = goal
        self._states: dict[tuple[str, str], _State] = {}
        self.cluster = formed(group, name, settings)
        given, told = Version(start), self.cluster.client_version
        if side == CLIENTS:
            self.start, self._clients = self.cluster.version, given if given.known else told
        else:
            self.start, self._clients = given if given.known else self.cluster.version, told
        #: Whether the clients are taken to have the version of the brokers, as nobody says it.
        self.way.assumed = not self._clients.known and bool(self.cluster.clients)
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
        self.way.brokers, self.way.clients = [place], [clients]
        if self._side != CLIENTS and self._upgrades(self.start):
            for stop, because in self._stops():
                found += self._stretch(BROKERS, (place, clients), (stop, clients), because)
                place = stop
                self.way.brokers.append(stop)
        goal = self._text(self._goal)
        if self._side != BROKERS and self.cluster.clients and self._upgrades(self._oldest):
            found += self._stretch(CLIENTS, (place, clients), (place, goal))
            self.way.clients.append(goal)
        end = self._at(self.way.brokers[-1], self.way.clients[-1])
        return _settled(found, set(end.found))

    def _upgrades(self, version: Version) -> bool:
        return _older(version, self._goal)

    def _text(self, version: Version) -> str:
        return version.text or ""

    def _stops(self) -> Iterator[tuple[str, str]]:
        """The versions of the brokers on the way, and why each but the last cannot be skipped."""
        start, goal, kraft = self.start, self._goal, self.cluster.kraft
        if not has_brokers(self.cluster):
            yield self._text(goal), ""
            return
        if start.below("2.4") and goal.at_least("3.6") and not kraft:
            yield (
                "3.5",
                ("Kafka 3.6 and newer speak to ZooKeeper 3.5 and newer only, which came with 2.4"),
            )
        if goal.at_least("4.0") and start.below("3.9"):
            if kraft is False:
                yield (
                    "3.9",
                    (
                        "Kafka 4.0 and newer have no ZooKeeper mode; 3.9 is the last version that "
                        "has it, and the one to migrate on"
                    ),
                )
            elif start.below("3.3"):
                yield (
                    "3.9",
                    (
                        "Kafka 4.0 and newer take over clusters of 3.3 and newer only, with a "
                        "metadata.version of 3.3-IV3 at least"
                    ),
                )
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
        compared = _compared(one, other, self._taken(runner))
        self._date(compared, side, before, after)
        for finding in compared:
            change = finding.change
            if change is not None:
                change.side, change.old, change.new = side, old, new
                change.stage = len(self.way.brokers) if side == BROKERS else 1_000
                if change.kind == DISAPPEARS:
                    finding.message = f"no longer true: {finding.message}"
                    finding.consequence = ""
        return compared

    def _date(
        self, findings: list[Finding], side: str, before: tuple[str, str], after: tuple[str, str]
    ) -> None:
        """Find the first version that makes each verdict true, if no rule has said it."""
        where = 0 if side == BROKERS else 1
        undated = [f for f in findings if f.change is not None and not f.change.since]
        if not undated:
            return
        old, new = Version(before[where]), Version(after[where])
        between = [
            m for m in catalogue.minors() if old.below(m) and Version(m).below(new.minor or "")
        ]
        since = {id(finding): new.minor or "" for finding in undated}
        # From the newest downwards: the verdict has to hold from there to the end.
        for minor in reversed(between):
            if not undated:
                break
            versions = (minor, before[1]) if side == BROKERS else (before[0], minor)
            found = self._at(*versions).found
            undated = [f for f in undated if _holds(f, found)]
            for finding in undated:
                since[id(finding)] = minor
        for finding in findings:
            if finding.change is not None and id(finding) in since:
                finding.change.since = since[id(finding)]

    def _at(self, brokers: str, clients: str) -> _State:
        """The cluster with these versions, linted; each pair once."""
        state = self._states.get((brokers, clients))
        if state is None:
            cluster = formed(self._group, self.name, self._told(brokers))
            if not cluster.client_version.known:
                cluster.client_version = self._clients
                cluster.client_assumed = True
            if clients != self._text(self._oldest):
                cluster.least_client = Version(clients)
            runner = Runner(self._settings)
            runner.cluster(cluster)
            state = self._states[brokers, clients] = _State(cluster, self._taken(runner))
        return state

    def _taken(self, runner: Runner) -> list[Finding]:
        """What the rules found, sorted and numbered as lint does it."""
        findings, failures = runner.take()
        self.failures += [failure for failure in failures if failure not in self.failures]
        findings.sort(key=engine.order)
        fingerprint.number(findings)
        return findings

    def _told(self, brokers: str) -> Settings:
        """The settings with another version of the brokers."""
        settings = copy(self._settings)
        settings.told = copy(settings.told)
        settings.told.kafka_version = brokers
        return settings


_of_upgrades: set[str] = set()


def of_upgrades() -> set[str]:
    """The codes of the rules that look at two versions at once."""
    if not _of_upgrades:
        _of_upgrades.update(r.code for r in rules.load().values() if r.scopes == ("Upgrade",))
    return _of_upgrades


def _older(one: Version, other: Version) -> bool:
    return one.known and other.known and not one.at_least(other.text or "")


def _holds(finding: Finding, found: dict[_Identity, Finding]) -> bool:
    """Whether a verdict of the end of the stretch is there already, or one that goes is gone."""
    change = finding.change
    there = found.get(_identity(finding))
    if change is not None and change.kind == DISAPPEARS:
        return there is None
    return there is not None and _same(there, finding)


# -- comparing ---------------------------------------------------------------------------------


def _compared(one: _State, other: _State, told: list[Finding]) -> list[Finding]:
    """What comes, changes and goes between two states; ``told`` is what upgrade rules say."""
    news: list[Finding] = []
    for identity, finding in other.found.items():
        before = one.found.get(identity)
        if before is None or not _same(before, finding):
            finding = copy(finding)
            finding.change = Change(
                APPEARS if before is None else CHANGES,
                WITH if finding.severity == INFO else BEFORE,
            )
            finding.change.previous = before
            news.append(finding)
    said = {place for finding in told for place in _places(finding.evidence)}
    news = [finding for finding in news if not said & set(_places(finding.evidence[:1]))]
    # What goes because its value is refused or ignored now is no good news.
    spoilt: dict[_Place, int] = {}
    for finding in (*told, *news):
        for place in _places(finding.evidence if finding in told else finding.evidence[:1]):
            spoilt[place] = max(spoilt.get(place, 0), SEVERITY_RANK[finding.severity])
    gone: list[Finding] = []
    for identity, finding in one.found.items():
        if identity in other.found or _of_version(finding):
            continue
        rank = SEVERITY_RANK[finding.severity]
        if any(spoilt.get(place, -1) >= rank for place in _places(finding.evidence)):
            _pair(finding, (*news, *told))
            continue
        gone.append(_good_news(finding))
    return [*told, *news, *gone]


def _good_news(finding: Finding) -> Finding:
    """A verdict that is gone, as an info: its severity was that of before."""
    gone = copy(finding)
    gone.severity = INFO
    gone.fix = None
    gone.change = Change(DISAPPEARS, WITH)
    gone.change.previous = finding
    return gone


def _pair(gone: Finding, news: Iterable[Finding]) -> None:
    """Give a new verdict the one whose place it takes, where both are about the same value."""
    places = set(_places(gone.evidence[:1]))
    for finding in news:
        change = finding.change
        if (
            change is not None
            and change.previous is None
            and places & set(_places(finding.evidence[:1]))
        ):
            change.previous = gone
            return


#: (file, key as written, line) of a setting.
_Place = tuple[str, str, int]


def _places(evidence: Iterable[Value]) -> list[_Place]:
    return [
        (value.setting.path, value.setting.name, value.setting.key_at[0])
        for value in evidence
        if value.setting is not None
    ]


def _of_version(finding: Finding) -> bool:
    """Whether the verdict is on the version itself, which is no news."""
    return bool(finding.evidence) and finding.evidence[0].key in ("kafka_version", "client_version")


def _same(one: Finding, other: Finding) -> bool:
    """Whether two findings of one fingerprint are one verdict: the same severity, the same values."""
    return one.severity == other.severity and _weighed(one) == _weighed(other)


def _weighed(finding: Finding) -> list[tuple[str, str, str | None, str]]:
    return [
        (value.resource.name, value.key, value.text, value.origin) for value in finding.evidence
    ]


def _settled(findings: list[Finding], end: set[_Identity]) -> list[Finding]:
    """The findings of all stretches in their order.

    What comes on the way and is gone at its end was never there; what has come on the way and
    is more than advice is told all the same.
    """
    came: set[_Identity] = set()
    kept: list[Finding] = []
    for finding in findings:
        identity, change = _identity(finding), finding.change
        assert change is not None
        if change.kind == DISAPPEARS and identity in came:
            continue
        if change.kind != DISAPPEARS:
            came.add(identity)
            passes = identity not in end and finding.code not in of_upgrades()
            if passes and finding.severity == INFO:
                continue
        kept.append(finding)
    kept.sort(key=_in_order)
    return kept


def _in_order(finding: Finding) -> tuple[object, ...]:
    """Stretch by stretch: what to do before, what changes, what to do after; good news last."""
    change = finding.change
    assert change is not None
    gone = change.kind == DISAPPEARS
    return (
        gone,
        change.stage,
        _ORDER[change.when],
        -SEVERITY_RANK[finding.severity],
        finding.code not in of_upgrades(),
        finding.code,
        finding.path,
        finding.at,
        finding.message,
    )
