"""Runs rules over nodes and edges, and loads those alone that have something to look at."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.formats.limits import untold
from kcheck.graph import edges
from kcheck.graph.clients import Client, Consumer, Producer, Streams, Worker
from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Node
from kcheck.graph.topics import Topic
from kcheck.gravity import allowed
from kcheck.lexicon.check import assay
from kcheck.likeness import Alike, Enabled
from kcheck.model import ABSENT, ANSIBLE, COMPOSE, Document, Finding
from kcheck.plan import plan_of
from kcheck.rule import Rule, verdict
from kcheck.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.graph.change import Changed, Removal
    from kcheck.graph.hosted import Hosted
    from kcheck.graph.layout import Layout
    from kcheck.graph.unnamed import Unnamed
    from kcheck.graph.upgrade import Upgrade
    from kcheck.model import Position

#: So many findings of one rule are told of one file.
_MOST_TOLD = 2000

#: The scopes of what is none of a cluster's nodes, topics and clients, by kind.
_OTHERS = {"quota": ("Quota", "Node"), "user": ("User", "Node")}

_NO_OPTIONS: dict[str, object] = {}

#: What deploys several nodes from the same lines.
_SHARING = (COMPOSE, ANSIBLE)


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


class Runner:
    """Runs the enabled rules over nodes and edges and keeps each distinct finding once."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._findings: list[Finding] = []
        self._failures: list[str] = []
        self._seen: set[tuple[object, ...]] = set()
        #: The seconds that clusters took, by their first file, and the files that took too many.
        self.taken: dict[str, float] = {}
        #: How many resources of each file were judged.
        self.judged: dict[str, int] = {}
        self.given_up: set[str] = set()
        #: How many findings of a rule there are in a file.
        self._counts: dict[tuple[str, str], int] = {}
        self._by_shape: dict[tuple[object, ...], tuple[Alike, list[Enabled]]] = {}
        #: What was said where, by rule, of whatever runs by itself.
        self._places: set[tuple[object, ...]] = set()
        #: What was said of clients that other nodes run: rule, place, node.
        self._inside_of: dict[tuple[object, ...], Finding] = {}
        #: The client inside another program that the rules look at, if it is one.
        self._speaker: Hosted | None = None
        #: What must hold for the document that the rules look at to be in use, if anything.
        self._condition = ""
        #: How often a rule spoke or raised, whatever the settings made of it.
        self._said = 0
        self._plan = plan_of(settings)

    def take(self) -> tuple[list[Finding], list[str]]:
        """What was found, and which rules failed how, since this was last asked."""
        taken = self._findings, self._failures
        self._findings, self._failures = [], []
        return taken

    def document(self, document: Document) -> None:
        scopes = ["Document"]
        scopes += ["Faulty"] if document.problems else []
        scopes += ["Running"] if document.processes else []
        self._condition = document.resources[0].traits.idle if document.resources else ""
        for scope in scopes:
            for rule, options in self._plan.of(scope):
                self._keep(rule, options, document)
        self._condition = ""

    def cluster(self, cluster: Cluster) -> None:
        scopes = ["Cluster"]
        scopes += ["ClusterWithNodes"] if cluster.has_nodes else []
        scopes += ["ClusterWithClients"] if cluster.has_clients else []
        self._run(scopes, (cluster,), cluster)
        for broker in cluster.brokers:
            self._node(("Broker", "Node"), broker)
        for controller in cluster.controllers:
            alone = controller.resource.kind == "controller"
            self._node(("Controller", "Node") if alone else ("Controller",), controller)
        self._noted(cluster.pools)
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
            self._node(_OTHERS.get(other.resource.kind, ("Node",)), other)
        self._weighed("Produces", edges.weighed_produces(cluster), cluster)
        self._weighed("Consumes", edges.weighed_consumes(cluster), cluster)
        self._run(("Connects",), edges.connects(cluster), cluster)
        self._run(("Stores",), edges.stores(cluster), cluster)
        if cluster.brokers or cluster.controllers:
            from kcheck.graph.answers import Nodes

            self._run(("Nodes",), (Nodes(cluster),), cluster)
        for inside in cluster.hosted:
            self._inside(inside)

    def _inside(self, client: Hosted) -> None:
        """Run the rules on a client that another node runs, and on its relations.

        What they say of others' settings alone is said of those others, and what was said of the
        same place already is not said again.
        """
        cluster = client.cluster
        self._speaker = client
        self._node((*_scopes_of(client), "Client", "Node"), client)
        only = (client,)
        if client.carries:
            self._weighed("Produces", edges.weighed_produces(cluster, only), cluster)
            self._weighed("Consumes", edges.weighed_consumes(cluster, only), cluster)
        if client.meets:
            self._run(("Connects",), edges.connects(cluster, only), cluster)
        self._speaker = None

    def layout(self, layout: Layout) -> None:
        """Run the rules that look at how the files of the project met."""
        for rule, options in self._plan.of("Layout"):
            self._keep(rule, options, layout)

    def upgrade(self, upgrade: Upgrade) -> None:
        """Run the rules that look at one cluster in two versions."""
        self._run(("Upgrade",), (upgrade,), upgrade.after)

    def change(self, change: Changed | Removal) -> None:
        """Run the rules that look at one resource at two times."""
        self._run((type(change).__name__,), (change,), change.cluster)

    def _node(self, scopes: tuple[str, ...], node: Node) -> None:
        if node.resource.traits.service:
            scopes = (*scopes, "Managed")
        for rule, options in (*self._applicable(scopes, node), *self._on_settings(node)):
            self._keep(rule, options, node)
        self._notes(node)

    def _on_settings(self, node: Node) -> list[Enabled]:
        """The rules on what is wrong with single settings, if anything is."""
        resource = node.resource
        found = assay(resource, node.version)
        if not (found.names or found.values or resource.earlier):
            return []
        scopes = ["Misnamed"] if found.names else []
        scopes += ["Misvalued"] if found.values else []
        scopes += ["Repeating"] if resource.earlier else []
        return self._applicable(scopes, node)

    def _notes(self, node: Node) -> None:
        for note in node.resource.notes:
            noted = self._plan.noted(note.code)
            if noted is not None:
                self._keep(noted[0], _NO_OPTIONS, note, node)

    def _noted(self, nodes: Iterable[Node]) -> None:
        """Run the rules on what formats noted about nodes that no other rule looks at."""
        for node in nodes:
            self._notes(node)

    def _topic(self, topic: Topic) -> None:
        """Run the rules on a topic; those that go by its settings alone only once per likeness."""
        by_settings, by_name = self._worth_running(topic)
        by_settings.judge(topic, self._keep, self._on_settings)
        for rule, options in by_name:
            self._keep(rule, options, topic)
        self._notes(topic)

    def _worth_running(self, topic: Topic) -> tuple[Alike, list[Enabled]]:
        """The rules for a topic that sets these keys: by its settings alone, and by its name."""
        resource = topic.resource
        shape = (
            topic.cluster,
            topic.defaults,
            resource.traits.deployer,
            resource.traits.service,
            *resource.settings,
            "",
            *resource.facts,
        )
        found = self._by_shape.get(shape)
        if found is None:
            pairs = self._applicable(("Topic", "Node"), topic)
            found = (
                Alike(resource, (pair for pair in pairs if not pair[0].by_name)),
                [pair for pair in pairs if pair[0].by_name],
            )
            self._by_shape[shape] = found
        return found

    def _applicable(self, scopes: Iterable[str], node: Node) -> list[Enabled]:
        """The rules of these scopes that have something to look at on a node."""
        locked = node.cluster.locked
        return [
            pair
            for scope in scopes
            for pair in self._plan.on(scope, node)
            if (not pair[0].on or node.sets_any(pair[0].on))
            and not (locked and pair[0].broker_side)
        ]

    def _run(self, scopes: Iterable[str], things: Iterable[object], cluster: Cluster) -> None:
        checks: list[Enabled] | None = None
        for thing in things:
            if checks is None:
                checks = self._unlocked(scopes, cluster)
            for rule, options in checks:
                if not (rule.on and isinstance(thing, Node) and not thing.sets_any(rule.on)):
                    self._keep(rule, options, thing)

    def _weighed(
        self, scope: str, found: Iterable[edges.TopicEdge | Unnamed], cluster: Cluster
    ) -> None:
        """Run rules on edges to topics, some of which are all edges of a client in one."""
        checks: list[Enabled] | None = None
        for edge in found:
            if checks is None:
                checks = self._unlocked((scope,), cluster)
            for rule, options in checks:
                if isinstance(edge, edges.TopicEdge):
                    self._keep(rule, options, edge)
                else:
                    self._weigh(rule, options, edge)

    def _unlocked(self, scopes: Iterable[str], cluster: Cluster) -> list[Enabled]:
        """The rules of these scopes whose remedy is in the hands of who owns the cluster."""
        return [
            pair
            for scope in scopes
            for pair in self._plan.of(scope)
            if not (pair[0].broker_side and cluster.locked)
        ]

    def _weigh(self, rule: Rule, options: dict[str, object], client: Unnamed) -> None:
        """Run a rule on a client that names no topic: one verdict for all that are declared."""
        try:
            for finding in client.weigh(lambda edge: rule.check(edge, **options)):
                self._add(rule, finding)
        except Exception as error:
            self._said += 1
            self._failures.append(f"rule {rule.code} {rule.name} failed: {fault(error)}")

    def _keep(self, rule: Rule, options: dict[str, object], *things: object) -> bool:
        """Keep what a rule says of something; whether it says anything."""
        before = self._said
        try:
            # Nearly all rules are silent on nearly all things: nothing is built for them.
            for finding in rule.check(*things, **options) if options else rule.check(*things):
                self._add(rule, finding)
        except Exception as error:
            self._said += 1
            self._failures.append(f"rule {rule.code} {rule.name} failed: {fault(error)}")
        return self._said != before

    def _add(self, rule: Rule, finding: Finding) -> None:
        self._said += 1
        if finding.code:  # told before, of another broker
            return
        if any(v.origin == ABSENT and v.resource.open for v in finding.evidence):
            return
        place = (rule.code, finding.path, finding.at)
        speaker = self._speaker
        if speaker is None:
            self._places.add(place)
        elif not self._spoken(speaker, place, finding):
            return
        finding.code, finding.name, finding.url = rule.code, rule.name, rule.url
        condition = self._condition or finding.condition
        severity = allowed(finding, finding.severity or rule.severity, condition)
        told = self.settings.severity(rule, finding.path, severity)
        if told is None:
            return
        finding.kafka = finding.kafka or verdict(
            rule, severity, bool(finding.ceiling or finding.doubt)
        )
        finding.severity = told
        if finding.fix is not None:
            from kcheck.spelling import speak

            speak(finding)
        # The clients of one application share lines, and so do the services of an anchor and the
        # hosts of a template: what is wrong with one of those is told once.
        resource, message = finding.resource, finding.message
        if resource.traits.deployer in _SHARING:
            message = message.replace(resource.name, "")
        owner = resource.traits.application
        # What clusters share is told of each here, and folded when all is found (see ends.py).
        of = "" if owner else finding.cluster_id or finding.cluster
        identity = (rule.code, finding.path, finding.at, owner or message, of)
        if identity not in self._seen and self._counted(rule, finding):
            self._seen.add(identity)
            self._findings.append(finding)

    def _spoken(self, speaker: Hosted, place: tuple[str, str, Position], finding: Finding) -> bool:
        """Whether what is found of a client inside another is a finding of its own on its host."""
        if not speaker.claim(finding) or place in self._places:
            return False
        first = self._inside_of.setdefault((*place, speaker.name), finding)
        if first is not finding and finding.evidence[0].setting is None:
            # What two of its clients lack is one finding.
            speaker.adds(first, finding)
        return first is finding

    def _counted(self, rule: Rule, finding: Finding) -> bool:
        """Count the finding in its file; whether it is among those that are told.

        Of what is told in thousands nobody reads the rest.
        """
        where = (rule.code, finding.path)
        count = self._counts[where] = self._counts.get(where, 0) + 1
        if count == _MOST_TOLD + 1:
            self.document(untold(finding.path, finding.at, rule.code, _MOST_TOLD))
        return count <= _MOST_TOLD


def _scopes_of(client: Client) -> tuple[str, ...]:
    for kind in (Producer, Consumer, Streams, Worker):
        if isinstance(client, kind):
            return (kind.__name__,)
    return ()
