"""kcheck's side of a case: what it says of it, and the values that it reckons with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

from cases import BROKERS, Case
from jvm import NULL

from kcheck import catalogue, rules
from kcheck.engine import lint_project
from kcheck.formats.text import written
from kcheck.graph import coercions
from kcheck.graph.clients import Streams, Worker
from kcheck.graph.cluster import Cluster
from kcheck.graph.formed import clusters
from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker, Node
from kcheck.grouping.gather import gathered
from kcheck.model import DEFAULT, ERROR, Document, Finding, Resource, Value
from kcheck.rule import REFUSED, registered
from kcheck.runner import Runner
from kcheck.settings import ClusterSettings, Settings

_FILES = {
    **dict.fromkeys(BROKERS, "server.properties"),
    "topic": "server.properties",
    "group": "server.properties",
    "producer": "producer.properties",
    "consumer": "consumer.properties",
    "admin": "admin.properties",
    "streams": "streams.properties",
    "connect-distributed": "connect-distributed.properties",
    "connect-standalone": "connect-standalone.properties",
    "mirror": "mm2.properties",
}
#: What no file that kcheck reads stands for yet: (kind, plane) of the resource.
_RESOURCES = {
    "share-consumer": ("consumer", "share-consumer"),
    "source-connector": ("connector", "source-connector"),
    "sink-connector": ("connector", "sink-connector"),
    "mirror-source": ("connector", "mirror-source"),
    "mirror-checkpoint": ("connector", "mirror-checkpoint"),
    "mirror-heartbeat": ("connector", "mirror-heartbeat"),
    "group": ("group", "group"),
    "quota": ("quota", "quota"),
}


class Judgement:
    """What kcheck says of one case in one release."""

    __slots__ = ("cluster", "findings", "node")

    def __init__(self, findings: list[Finding], cluster: Cluster | None, node: Node | None) -> None:
        self.findings = findings
        self.cluster = cluster
        self.node = node

    @property
    def refusals(self) -> list[Finding]:
        """The findings that say that Kafka refuses the configuration."""
        return [
            finding
            for finding in self.findings
            if finding.severity == ERROR and registered()[finding.code].kafka == REFUSED
        ]

    @property
    def weighed(self) -> dict[str, tuple[str, ...]]:
        """Rule on refusals that speaks, also in a warning → the keys that it weighs."""
        keys: dict[str, dict[str, None]] = {}
        for finding in self.findings:
            if registered()[finding.code].kafka == REFUSED:
                mine = keys.setdefault(finding.code, {})
                mine.update(dict.fromkeys(value.key for value in finding.evidence))
        return {code: tuple(mine) for code, mine in keys.items()}


@cache
def _settings(release: str = "") -> Settings:
    """Only the rules that say what Kafka refuses: nobody here asks the others.

    With a release it is that of all clusters of the project.
    """
    refused = (code for code, rule in rules.load().items() if rule.kafka == REFUSED)
    facts = ClusterSettings(kafka_version=release, client_version=release)
    return Settings(selected=frozenset(refused), cluster=facts)


def judge(case: Case, release: str) -> Judgement:
    """Lint the case as the files that somebody would have."""
    told = f"cluster: {{name: core, kafka_version: {release}, client_version: {release}}}\n"
    if case.plane == "mirror":
        told = ""
    if case.plane == "topic":
        told += f"topics: [{{name: orders, config: {json.dumps(case.complete())}}}]\n"
    sources = {"kcheck.yaml": told.encode()} if told else {}
    path = _FILES.get(case.plane)
    if path is not None:
        own = case.host(release) if case.plane in ("topic", "group") else case.complete()
        sources[path] = properties(own).encode("utf-8")
    settings = _settings(release if case.plane == "mirror" else "")
    project = lint_project(sources.items(), settings, sources.get)
    assert not project.failures, project.failures
    findings, clusters = project.findings, project.clusters
    if case.plane in _RESOURCES:
        findings, clusters = _direct(case, project.documents)
    if case.plane == "mirror":
        # The driver's file stands for several clusters, of which it has no values of its own.
        return Judgement(findings, None, None)
    (cluster,) = clusters
    return Judgement(findings, cluster, _node(cluster, case.plane))


def _direct(case: Case, documents: list[Document]) -> tuple[list[Finding], list[Cluster]]:
    """The same from the graph on, for a resource that no format gives yet."""
    kind, plane = _RESOURCES[case.plane]
    document = Document("resource.yaml", "kcheck-yaml")
    resource = Resource(kind, "one", document.path, plane=plane)
    resource.cluster = "core"
    for number, (key, text) in enumerate(case.complete().items(), 1):
        at = (number, 1, number, len(text) + 1)
        resource.settings[key] = written(key, text, document.path, at)
    document.resources.append(resource)
    settings = _settings()
    made = clusters(gathered([*documents, document], settings), settings)
    runner = Runner(settings)
    for cluster in made:
        runner.cluster(cluster)
    findings, failures = runner.take()
    assert not failures, failures
    return findings, made


def _node(cluster: Cluster, plane: str) -> Node | None:
    if plane in BROKERS:
        return next(iter(cluster.brokers or cluster.controllers), None)
    if plane == "topic":
        return cluster.topics[0]
    everyone = (*cluster.clients, *cluster.connectors, *cluster.others)
    kind = _RESOURCES.get(plane, ("", ""))[0]
    found = [node for node in everyone if not kind or node.resource.kind == kind]
    return found[0] if found else None


def properties(of: dict[str, str]) -> str:
    """The text of a properties file that gives these pairs."""
    return "".join(f"{_escaped(key, True)}={_escaped(text)}\n" for key, text in of.items())


def _escaped(text: str, key: bool = False) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    text = text.replace("\t", "\\t").replace("\f", "\\f")
    if key:
        for char in " =:#!":
            text = text.replace(char, "\\" + char)
        return text
    return "\\" + text if text[:1] == " " else text


# -- values --------------------------------------------------------------------------------------


def _same(name: str, kafka: str, kcheck: str) -> bool:
    """Whether two texts are one value of that key."""
    if kafka == kcheck:
        return True
    if name.endswith("client.id"):
        # The number goes up with each client of the process.
        return kafka.rstrip("0123456789") == kcheck.rstrip("0123456789")
    if name.rpartition(":")[2] == "acks" and "-1" in (kafka, kcheck):
        return {kafka, kcheck} <= {"-1", "all"}
    if name == "log.dirs":
        # Up to 4.1 the key is a text, which Kafka takes apart.
        return _parts(kafka) == _parts(kcheck)
    if name.endswith("message.format.version"):
        # The name of a release means the last of its formats.
        return kafka.partition("-")[0] == kcheck.partition("-")[0]
    if kafka.lower() == kcheck.lower() == "nan":
        return True
    return _number(kafka) == _number(kcheck) is not None


def _parts(text: str) -> list[str]:
    return [part for part in map(str.strip, text.split(",")) if part]


def text_of(value: Value) -> str:
    """The value as Oracle.java prints Kafka's; ``?`` where kcheck does not know it."""
    known = value.value
    if not value.known:
        return "?"
    if known is None:
        return NULL
    if isinstance(known, bool):
        return str(known).lower()
    if isinstance(known, list):
        return ",".join(known)
    return str(known)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


@cache
def known_keys(plane: str, release: str) -> list[str]:
    """The keys whose values are compared in a plane."""
    from kcheck.version import Version

    table = "broker" if plane in BROKERS else plane
    version = Version(release)
    keys = catalogue.plane(table).keys()
    public = [key for key in keys if not key.startswith("internal.")]
    return [key for key in public if catalogue.possible(table, key, version)]


def differing(case: Case, release: str, told: Judgement, kafka: dict[str, str]) -> list[str]:
    """The values that Kafka and kcheck see differently, in words."""
    wrong = []
    for name, kcheck in reckoned(case.plane, release, told):
        if name in kafka and not _same(name, kafka[name], kcheck):
            wrong.append(f"{name}: Kafka has {_shown(kafka[name])}, kcheck {_shown(kcheck)}")
    return wrong


def _shown(text: str) -> str:
    return "null" if text == NULL else text or '""'


def reckoned(plane: str, release: str, told: Judgement) -> Iterator[tuple[str, str]]:
    """(name in Kafka's answer, text) of all values that kcheck reckons with in that plane."""
    node = told.node
    if node is None:
        return
    yield from _used(node, "", known_keys(plane, release))
    if isinstance(node, Broker):
        found = addresses(node)
        spoken = {name: found.protocols.get(name, "") for name in found.protocols}
        yield (
            "listener.security.protocol.map",
            ",".join(f"{a}:{b}" for a, b in sorted(spoken.items())),
        )
        told_of = found.visible
        yield "advertised.listeners", ",".join(map(str, told_of))
        for defaults in told.cluster.defaults if told.cluster else ():
            for key in known_keys("topic", release):
                yield f"topic:{key}", text_of(coercions.used(defaults, key))
    elif isinstance(node, (Streams, Worker)):
        for role in ("producer", "consumer"):
            # A sink's group is named after its connector, a member of Streams after its thread.
            own = "group.id" if isinstance(node, Worker) else "group.instance.id"
            named = (*_NAMED, own, *_ASSIGNORS[isinstance(node, Worker) :])
            keys = [key for key in known_keys(role, release) if key not in named]
            yield from _used(node.inner(role), f"{role}:", keys)


#: Made of the names of threads, tasks and connectors, which no file tells.
#: Streams puts an assignor of its own in place.
_ASSIGNORS = ("partition.assignment.strategy",)
_NAMED = ("client.id", "transactional.id")
_PUT_TOGETHER = ("listener.security.protocol.map", "advertised.listeners")


def _used(node: Node, prefix: str, keys: list[str]) -> Iterator[tuple[str, str]]:
    for key in keys:
        value = coercions.used(node, key)
        # What the machine decides is nobody's to compare.
        machine = value.origin == DEFAULT and not value.known and None in value.candidates
        if not machine and not (isinstance(node, Broker) and key in _PUT_TOGETHER):
            yield prefix + key, text_of(value)
