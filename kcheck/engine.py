"""The whole tool as a function of text: sources and settings in, documents and findings out.

``kcheck lint`` and the fleet pipeline both call ``lint_project`` and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kcheck import fingerprint, formats
from kcheck.graph.assign import group
from kcheck.graph.clients import Client, Consumer, Producer, Streams, Worker
from kcheck.graph.cluster import Cluster, Traits
from kcheck.graph.nodes import Node, Topic
from kcheck.model import FAILED, SEVERITY_RANK, Document, Finding
from kcheck.rule import Rule
from kcheck.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.graph.change import Changed, TopicRemoval
    from kcheck.graph.upgrade import Upgrade
    from kcheck.suppress import Ignores

#: (path, bytes) of one input file; the path is what findings will name.
Source = tuple[str, bytes]

#: Gives the bytes of another file of the project by path, None where there is none.
Lookup = Callable[[str], bytes | None]


#: Why a file is not read whose format raised.
FAULT = "kcheck failed to read it"


class Project:
    """What a run made of its input: every file, every cluster, every finding."""

    __slots__ = (
        "clusters",
        "documents",
        "elsewhere",
        "failures",
        "findings",
        "ignored",
        "ignored_by",
        "traits",
    )

    def __init__(
        self,
        documents: list[Document],
        clusters: list[Cluster],
        findings: list[Finding],
        failures: list[str],
    ) -> None:
        self.documents = documents
        self.clusters = clusters
        self.findings = findings
        #: Formats and rules that raised: kcheck's own errors, which end a run with exit code 2.
        self.failures = failures
        self.ignored = 0
        #: The lines of the ``[[ignore]]`` entries that hid something.
        self.ignored_by: list[int] = []
        #: How many more clusters there are, judged by other processes.
        self.elsewhere = 0
        #: What is known of them.
        self.traits: list[Traits] = []


def no_lookup(path: str) -> bytes | None:
    return None


def nobody(path: str) -> bool:
    return False


def read_project(
    sources: Iterable[Source],
    settings: Settings,
    lookup: Lookup = no_lookup,
    named: Callable[[str], bool] = nobody,
) -> Project:
    """Parse all sources and group them into clusters. Nothing in a source ends the run.

    ``named`` tells which files somebody asked for by name: there, as in files that the settings
    assign to a cluster, broken text is a finding even if nothing in it speaks of Kafka.
    """
    documents, failures = read_documents(sources, settings, lookup, named)
    return Project(documents, group(documents, settings), [], failures)


def read_documents(
    sources: Iterable[Source],
    settings: Settings,
    lookup: Lookup = no_lookup,
    named: Callable[[str], bool] = nobody,
) -> tuple[list[Document], list[str]]:
    """The documents of all sources, and where kcheck itself failed to read one."""
    documents: list[Document] = []
    failures: list[str] = []
    for path, data in sources:
        documents.append(read_document(path, data, settings, lookup, named, failures))
    return documents, failures


def read_document(
    path: str,
    data: bytes,
    settings: Settings,
    lookup: Lookup,
    named: Callable[[str], bool],
    failures: list[str],
) -> Document:
    """Parse one source; if kcheck itself fails to, ``failures`` gets to know."""
    try:
        document = formats.read(path, data, lookup)
        if document.format is None and (named(path) or settings.cluster_of(path)):
            formats.insist(document, data)
    except Exception as error:
        document = Document(path)
        document.status, document.reason = FAILED, FAULT
        failures.append(f"reading {path} failed: {fault(error)}")
    return document


def lint_project(
    sources: Iterable[Source],
    settings: Settings,
    lookup: Lookup = no_lookup,
    named: Callable[[str], bool] = nobody,
    also: Callable[[Project, Runner], None] | None = None,
) -> Project:
    """Lint all sources as one project; the parameters are those of ``read_project``.

    ``also`` is called when all rules have run on what there is: with the project and the runner,
    to let it look at something else. Findings come sorted by path, line, column and code, without those that an ignore hides.
    """
    project = read_project(sources, settings, lookup, named)
    runner = Runner(settings)
    ignores = ignores_in(project.documents, settings)
    for document in project.documents:
        runner.document(document)
    for cluster in project.clusters:
        runner.cluster(cluster)
    if also is not None:
        also(project, runner)
    project.findings, failures = runner.take()
    project.failures += failures
    conclude(project, ignores, runner)
    return project


def ignores_in(documents: list[Document], settings: Settings) -> Ignores | None:
    """What the documents and the settings ignore, if anything.

    To be asked for before rules see the documents: ignores that say nothing are problems there.
    """
    if not settings.ignores and not any(document.comments for document in documents):
        return None
    from kcheck.suppress import Ignores

    return Ignores(documents, settings, settings.known())


def conclude(project: Project, ignores: Ignores | None, runner: Runner) -> None:
    """Sort and number all that was found, and take out what is ignored."""
    project.findings.sort(key=order)
    # Before anything is hidden: a finding keeps its fingerprint when its twin is ignored.
    fingerprint.number(project.findings)
    if ignores is not None and runner.settings.use_ignores:
        _hide(project, ignores, runner)


def _hide(project: Project, ignores: Ignores, runner: Runner) -> None:
    """Take out what is ignored, and add what there is to say about the ignores themselves."""
    kept = ignores.apply(project.findings)
    project.ignored = len(project.findings) - len(kept)
    project.ignored_by = ignores.used()
    for document in ignores.remarks():
        runner.document(document)
    told, failures = runner.take()
    told.sort(key=order)
    fingerprint.number(told)
    project.findings = sorted((*kept, *told), key=order)
    project.failures += failures


def fault(error: Exception) -> str:
    """What went wrong and where in kcheck, without the exception's text: it may quote a secret."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    name = type(error).__name__
    if trace is None:
        return name
    file = trace.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f"{name} in {file}:{trace.tb_lineno}"


def order(finding: Finding) -> tuple[str, tuple[int, ...], str, str]:
    return finding.path, finding.at, finding.code, finding.message


class Runner:
    """Runs the enabled rules over nodes and edges and keeps each distinct finding once."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._findings: list[Finding] = []
        self._failures: list[str] = []
        self._seen: set[tuple[object, ...]] = set()
        self._by_shape: dict[tuple[object, ...], tuple[list[_Enabled], list[_Enabled]]] = {}
        #: What topics look like on which no rule had anything to say, names aside.
        self._silent: set[tuple[object, ...]] = set()
        #: How often a rule spoke or raised, whatever the settings made of it.
        self._said = 0
        self._by_scope, self._by_code = _enabled(settings)

    def take(self) -> tuple[list[Finding], list[str]]:
        """What was found, and which rules failed how, since this was last asked."""
        taken = self._findings, self._failures
        self._findings, self._failures = [], []
        return taken

    def document(self, document: Document) -> None:
        for scope in ("Document", "Faulty") if document.problems else ("Document",):
            for rule, options in self._by_scope.get(scope, ()):
                self._keep(rule, options, document)

    def cluster(self, cluster: Cluster) -> None:
        self._run(("Cluster",), (cluster,), cluster)
        for broker in cluster.brokers:
            self._node(("Broker", "Node"), broker)
        for controller in cluster.controllers:
            alone = controller.resource.kind == "controller"
            self._node(("Controller", "Node") if alone else ("Controller",), controller)
        self._run(("TopicDefaults",), cluster.defaults, cluster)
        for topic in cluster.topics:
            self._topic(topic)
        for client in cluster.clients:
            self._node((*_scopes_of(client), "Client", "Node"), client)
        for connector in cluster.connectors:
            self._node(("Connector", "Node"), connector)
        for members in cluster.groups:
            self._node(("Group", "Node"), members)
        for other in cluster.others:
            self._node(("Node",), other)
        for scope, edges in (
            ("Produces", cluster.produces),
            ("Consumes", cluster.consumes),
            ("Connects", cluster.connects),
            ("Stores", cluster.stores),
        ):
            if scope in self._by_scope:
                self._run((scope,), edges(), cluster)

    def upgrade(self, upgrade: Upgrade) -> None:
        """Run the rules that look at one cluster in two versions."""
        self._run(("Upgrade",), (upgrade,), upgrade.after)

    def change(self, change: Changed | TopicRemoval) -> None:
        """Run the rules that look at one resource at two times."""
        self._run((type(change).__name__,), (change,), change.cluster)

    def _node(self, scopes: tuple[str, ...], node: Node) -> None:
        for rule, options in self._applicable(scopes, node):
            self._keep(rule, options, node)
        self._notes(node)

    def _notes(self, node: Node) -> None:
        for note in node.resource.notes:
            noted = self._by_code.get(note.code)
            if noted is not None:
                self._keep(noted, _NO_OPTIONS, note, node)

    def _topic(self, topic: Topic) -> None:
        """Run the rules on a topic; those that go by its settings alone only once per likeness."""
        resource = topic.resource
        by_settings, by_name = self._worth_running(topic)
        likeness = (
            topic.defaults,
            resource.managed,
            *resource.settings,
            "",
            *resource.facts,
            *[setting.raw for setting in resource.settings.values()],
            *[fact.raw for name, fact in resource.facts.items() if name != "name"],
        )
        if likeness not in self._silent:
            before = self._said
            for rule, options in by_settings:
                self._keep(rule, options, topic)
            if self._said == before and not resource.earlier:
                self._silent.add(likeness)
        for rule, options in by_name:
            self._keep(rule, options, topic)
        self._notes(topic)

    def _worth_running(self, topic: Topic) -> tuple[list[_Enabled], list[_Enabled]]:
        """The rules for a topic that sets these keys: by its settings alone, and by its name."""
        resource = topic.resource
        shape = (topic.cluster.locked, *resource.settings, "", *resource.facts)
        found = self._by_shape.get(shape)
        if found is None:
            pairs = self._applicable(("Topic", "Node"), topic)
            found = (
                [pair for pair in pairs if not pair[0].by_name],
                [pair for pair in pairs if pair[0].by_name],
            )
            self._by_shape[shape] = found
        return found

    def _applicable(self, scopes: tuple[str, ...], node: Node) -> list[_Enabled]:
        """The rules of these scopes that have something to look at on a node."""
        locked = node.cluster.locked
        return [
            pair
            for scope in scopes
            for pair in self._by_scope.get(scope, ())
            if (not pair[0].on or node.sets_any(pair[0].on))
            and not (locked and pair[0].broker_side)
        ]

    def _run(self, scopes: tuple[str, ...], things: Iterable[object], cluster: Cluster) -> None:
        checks = [
            pair
            for scope in scopes
            for pair in self._by_scope.get(scope, ())
            if not (pair[0].broker_side and cluster.locked)
        ]
        for thing in things if checks else ():
            for rule, options in checks:
                if rule.on and isinstance(thing, Node) and not thing.sets_any(rule.on):
                    continue
                self._keep(rule, options, thing)

    def _keep(self, rule: Rule, options: dict[str, object], *things: object) -> None:
        try:
            # Nearly all rules are silent on nearly all things: nothing is built for them.
            for finding in rule.check(*things, **options) if options else rule.check(*things):
                self._add(rule, finding)
        except Exception as error:
            self._said += 1
            self._failures.append(f"rule {rule.code} {rule.name} failed: {fault(error)}")

    def _add(self, rule: Rule, finding: Finding) -> None:
        self._said += 1
        finding.code, finding.name, finding.url = rule.code, rule.name, rule.url
        severity = finding.severity or rule.severity
        if finding.ceiling and SEVERITY_RANK[severity] > SEVERITY_RANK[finding.ceiling]:
            severity = finding.ceiling
        told = self.settings.severity(rule, finding.path, severity)
        if told is None:
            return
        finding.severity = told
        # The clients of one application share lines: what is wrong with one of those is told once.
        owner = finding.resource.values.get("application")
        identity = (rule.code, finding.path, finding.at, owner or finding.message)
        if identity not in self._seen:
            self._seen.add(identity)
            self._findings.append(finding)


#: A rule that is on, with the options that the settings give it.
_Enabled = tuple[Rule, dict[str, object]]

_NO_OPTIONS: dict[str, object] = {}

_Plan = tuple[dict[str, list[_Enabled]], dict[str, Rule]]
#: By what decides which rules run: whoever lints many projects alike finds them once. All rules
#: that there were are kept with them, so that no other one gets the identity of one of them.
_plans: dict[tuple[object, ...], tuple[_Plan, dict[str, Rule]]] = {}


def _enabled(settings: Settings) -> _Plan:
    """The rules that run, by the scopes that they look at and by their codes."""
    known = settings.known()
    likeness = (settings.sets, settings.selected, *map(id, known.values()))
    if likeness in _plans and not settings.rule_options:
        return _plans[likeness][0]
    enabled = [rule for rule in known.values() if settings.enabled(rule)]
    by_scope: dict[str, list[_Enabled]] = {}
    for rule in enabled:
        for scope in rule.scopes:
            by_scope.setdefault(scope, []).append((rule, settings.options(rule)))
    found = by_scope, {rule.code: rule for rule in enabled}
    if not settings.rule_options and not settings.own:
        _plans[likeness] = found, known
    return found


def _scopes_of(client: Client) -> tuple[str, ...]:
    for kind in (Producer, Consumer, Streams, Worker):
        if isinstance(client, kind):
            return (kind.__name__,)
    return ()
