"""docker-compose: brokers, controllers and Connect workers in containers.

The image decides what a service is, or the one that its Dockerfile builds on, and not the names of
its variables: programs of all sorts have variables that begin with ``KAFKA_``. Only all that a
worker of Confluent's asks for is given to nothing else. A service whose image kcheck does not know,
or whose command starts something else, is left alone; where it might be a broker, nobody counts the
brokers.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup, embedded, requirements
from kcheck.formats.compose import apart as compose_apart
from kcheck.formats.compose import clusters as compose_clusters
from kcheck.formats.compose import dollars as compose_dollars
from kcheck.formats.compose import facts as compose_facts
from kcheck.formats.compose import network as compose_network
from kcheck.formats.compose import references as compose_references
from kcheck.formats.compose import topics as compose_topics
from kcheck.formats.compose import variants as compose_variants
from kcheck.formats.compose import whole as compose_whole
from kcheck.formats.compose import zookeeper as compose_zookeeper
from kcheck.formats.compose.file import File, Service, is_override, services
from kcheck.formats.compose.image import Image
from kcheck.formats.compose.services import Services
from kcheck.formats.containers import environment_faults as faults
from kcheck.formats.text import outdented, overgrown, unrendered
from kcheck.model import (
    COMPOSE,
    PASSED_OVER,
    SKIPPED,
    Document,
    Resource,
)
from kcheck.syntax import yaml
from kcheck.syntax.interpolate import LARGEST, MOST_REFERENCES
from kcheck.version import Version

FORMAT = "compose"
_SERVICES = re.compile(rb"^services:[ \t]*(#[^\n]*|&\w+[ \t]*)?\r?$", re.MULTILINE)
#: What only the definition of a container has, and each of them has one of.
_CONTAINER = re.compile(
    rb"^[ \t]+(image|build|extends|environment|env_file|command):", re.MULTILINE
)
_OURS = re.compile(rb"kafka|confluentinc|debezium/connect|CONNECT_|cp-server", re.IGNORECASE)
#: The layout without ``services:`` is taken for compose only under a name of compose.
_NAMED = re.compile(r"(^|[-_.])(docker-)?compose([-_.]|$)")
_TOP_KEY = re.compile(rb"^[\w.-]+:[ \t]*\r?\n[ \t]+(image|build):", re.MULTILINE)

_WRITES = re.compile(r"(?:>|\btee\b|\bsed\b).*\.properties\b")
_TOOLS = re.compile(r"kafka-(?:configs|acls|topics|reassign|consumer-groups|console-consumer)")


def recognise(path: str, data: bytes) -> str | None:
    named = _NAMED.search(path.rsplit("/", 1)[-1].lower()) is not None
    if b"services:" in data and _SERVICES.search(outdented(data)):
        ours = named or (_CONTAINER.search(data) and _OURS.search(data))
        return FORMAT if ours else None
    return FORMAT if named and _TOP_KEY.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    file = File(document.path, data, lookup)
    if file.problem is not None:
        name = document.path.rpartition("/")[2]
        if unrendered(data) or "tmpl" in name or "template" in name:
            document.status = SKIPPED
            document.reason = "an unrendered template"
        elif _OURS.search(data):
            document.problems.append(file.problem)
        else:
            document.status = PASSED_OVER
            document.reason = "contains no Kafka service"
        if not file.nodes:
            return
    if is_override(document.path, lookup):
        document.status = PASSED_OVER
        document.reason = "read together with the file that it overrides"
        return
    if _OURS.search(data):
        file.below = compose_variants.below(file)
    _Reader(document, file).read()
    if any(one is not None and one.variables.overgrown for one in file.others.values()):
        document.problems.append(
            overgrown(f"{MOST_REFERENCES:,} references or {LARGEST:,} characters")
        )
    if not (document.resources or document.problems or document.processes):
        document.status = PASSED_OVER
        document.reason = document.reason or "contains no service with a supported Kafka image"


class _Reader(Services):
    """Reads one file: its services, and what they tell of each other."""

    def _judge(self, service: Service, ours: bool) -> None:
        """Report what Compose refuses in a service that makes something of Kafka's."""
        if ours and len(service.layers) == 1:
            node, owner = service.layers[0].node, f"service {service.name}"
            requirements.of_node(self.document, "compose service", owner, node, "Compose")

    def read(self) -> None:
        self.document.problems.extend(compose_dollars.faults(self.file))
        every = services(self.file)
        for service in every:
            before = len(self.document.resources)
            self._service(service)
            self._process(service, self.document.resources[before:])
            self._judge(service, len(self.document.resources) > before)
        found = self.document.resources
        nodes = [r for r in found if r.kind in ("broker", "controller")]
        compose_clusters.part(found, compose_clusters.ensembles(self.zookeepers))
        compose_network.connect([r for r in nodes if r.kind == "broker"], every)
        compose_zookeeper.note(nodes, every)
        overlay = bool(nodes) and compose_whole.completed_elsewhere(self.file, every)
        if nodes and not overlay:
            self.document.problems.extend(compose_apart.faults(every, self.document.path))
        piece = overlay or compose_whole.reaches_out(every, nodes)
        for node in nodes:
            if self.uncounted or piece:
                node.facts.pop("replicas", None)
            if overlay:
                faults.left_open(node)
        self._topics()
        self._created(every, nodes)
        self._tools(every)
        self._written(every)
        self._inline()
        self._cover()
        if nodes:
            # Their clusters are told apart here, where the ZooKeepers are known, too.
            self.document.extent.whole = self.document.extent.parted = True
        if piece and all(node.cluster is None for node in nodes):
            self.document.extent.piece = True
        self._neighbours(every)
        if nodes and len(every) > 1 and not overlay:
            nodes[0].traits.network = compose_references.network(self.file, every, found)
        if self.fetched and not self.document.resources:
            self.document.reason = "its services of Kafka have their settings in other files"

    def _cover(self) -> None:
        """Judge here alone what the services have from env files and Dockerfiles."""
        found = {path for one in self.file.others.values() if one is not None for path in one.filed}
        found.update(self.builds)
        if any(one is not None and one.variables.entries for one in self.file.others.values()):
            found.add(self.file.variables.path)
        found.discard("")
        self.document.extent.covers += tuple(sorted(found))
        project = [one.path for one in self.file.below] + compose_variants.included(self.file)
        if project:
            self.document.extent.project = tuple(project)

    def _topics(self) -> None:
        """The topics that the images create when their brokers start."""
        for node, variable, separator in self.topics:
            for topic in compose_topics.topics(variable, separator):
                topic.cluster = node.cluster
                topic.traits.deployer = COMPOSE
                self.document.resources.append(topic)

    def _tools(self, every: list[Service]) -> None:
        """What Kafka's tools refuse in the commands of services."""
        if not any(_TOOLS.search(line) for line in self.file.lines):
            return
        from kcheck.formats.compose import commands as compose_commands

        for service in every:
            version = Version(Image(service).version)
            self.document.problems.extend(compose_commands.faults(service, version))

    def _written(self, every: list[Service]) -> None:
        """The files that commands of services write."""
        if not any(_WRITES.search(line) for line in self.file.lines):
            return
        from kcheck.formats.compose import (
            commands as compose_commands,  # few files have such commands
        )

        for service in every:
            compose_commands.write(service, self.document)

    def _inline(self) -> None:
        """The files that stand in ``configs`` as texts."""
        for name, _, node in yaml.pairs(yaml.child(self.file.root, "configs")):
            text = yaml.child(node, "content")
            if text is not None:
                targets = {
                    (yaml.text(yaml.child(item, "target")) or "").rpartition("/")[2]
                    for _, service in self.file.nodes.values()
                    for item in yaml.items(yaml.child(service, "configs"))
                    if yaml.text(yaml.child(item, "source")) == name
                } - {""}
                called = targets.pop() if len(targets) == 1 else name
                self.document.resources += embedded.files(
                    self.document, name, [(called, text)], self.file.lines, self.file.lookup
                )

    def _created(self, every: list[Service], nodes: list[Resource]) -> None:
        """What commands of services make in the brokers of this file: topics, users, connectors."""
        ours = ("kafka-", "curl", "rpk ")
        if not nodes or not any(sign in line for line in self.file.lines for sign in ours):
            return
        from kcheck.formats.compose import (
            commands as compose_commands,  # few files have such commands
        )

        if not any(compose_commands.SIGNS.search(line) for line in self.file.lines):
            return
        hosts = {
            host: node.cluster
            for service in every
            for node in nodes
            if node.name == service.name
            for host in compose_facts.names_of(service)
        }
        clusters = {node.cluster for node in nodes}
        for service in every:
            for made, asked in compose_commands.resources(service):
                told = {hosts[host] for host in asked if host in hosts} or clusters
                made.traits.deployer = COMPOSE
                if made.traits.apart:
                    self.document.resources.append(made)
                elif len(told) == 1:
                    (made.cluster,) = told
                    self.document.resources.append(made)

    def _neighbours(self, every: list[Service]) -> None:
        """What names the nodes and workers can ask, and which workers ask others."""
        known = compose_whole.known_names(every)
        neighbours = tuple(sorted(known))
        for resource in self.document.resources:
            if resource.kind in ("broker", "controller", "worker"):
                resource.traits.neighbours = neighbours
            if resource.kind == "worker" and compose_whole.asks_elsewhere(resource, known):
                resource.traits.asks_elsewhere = True
