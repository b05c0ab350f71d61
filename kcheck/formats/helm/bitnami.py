"""Values of Bitnami's chart, in all of its generations."""

from __future__ import annotations

import re

from kcheck.formats import embedded, requirements
from kcheck.formats.containers import running
from kcheck.formats.containers.container import Image, container, heap
from kcheck.formats.containers.variables import Variable
from kcheck.formats.helm import addresses as helm_addresses
from kcheck.formats.helm import chart_values
from kcheck.formats.helm import listeners as helm_listeners
from kcheck.formats.helm import numbers as helm_numbers
from kcheck.formats.helm.charts import Values, brokers_own, claims, hosted, start
from kcheck.formats.kubernetes import dollars as kubernetes_dollars
from kcheck.formats.kubernetes import strings as kubernetes_strings
from kcheck.formats.scalars import derived, fact, fill, known, setting, take
from kcheck.formats.text import templated, written
from kcheck.model import HELM, Note, Resource, Setting
from kcheck.model.processes import A_BROKER, A_CONTROLLER
from kcheck.syntax import yaml

_GRACE = "terminationGracePeriodSeconds"
#: Parameters of Bitnami's chart before it took Kafka's own names.
_BITNAMI = {
    "advertisedListeners": "advertised.listeners",
    "allowEveryoneIfNoAclFound": "allow.everyone.if.no.acl.found",
    "authorizerClassName": "authorizer.class.name",
    "autoCreateTopicsEnable": "auto.create.topics.enable",
    "defaultReplicationFactor": "default.replication.factor",
    "deleteTopicEnable": "delete.topic.enable",
    "logFlushIntervalMessages": "log.flush.interval.messages",
    "logFlushIntervalMs": "log.flush.interval.ms",
    "logRetentionBytes": "log.retention.bytes",
    "logRetentionCheckIntervalMs": "log.retention.check.interval.ms",
    "logRetentionHours": "log.retention.hours",
    "logSegmentBytes": "log.segment.bytes",
    "maxMessageBytes": "message.max.bytes",
    "numIoThreads": "num.io.threads",
    "numNetworkThreads": "num.network.threads",
    "numPartitions": "num.partitions",
    "numRecoveryThreadsPerDataDir": "num.recovery.threads.per.data.dir",
    "offsetsTopicReplicationFactor": "offsets.topic.replication.factor",
    "socketReceiveBufferBytes": "socket.receive.buffer.bytes",
    "socketRequestMaxBytes": "socket.request.max.bytes",
    "socketSendBufferBytes": "socket.send.buffer.bytes",
    "superUsers": "super.users",
    "transactionStateLogMinIsr": "transaction.state.log.min.isr",
    "transactionStateLogReplicationFactor": "transaction.state.log.replication.factor",
    "zookeeperConnectionTimeoutMs": "zookeeper.connection.timeout.ms",
}
#: The name of the chart in the table of what its releases read.
_CHART = "bitnami/kafka"
_LISTENERS = ("client", "controller", "interbroker", "external")
#: Values that tell the release by themselves.
_SINCE_32 = ("overrideConfiguration", "defaultInitContainers")
#: Variables that go to the container as they are, and how those of the image begin that are Kafka's keys.
_EXTRA, _OF_THE_IMAGE = "extraEnvVars", "KAFKA_CFG_"
_POOLS = ("controller", "broker")
#: What the chart checks before it renders anything.
_CHECKED = {"externalAccess", "listeners", "auth", "controller", "broker"}
#: What takes the place of all that the chart configures by itself.
_WHOLE = "config"
#: Where charts before 24.0 have the protocols of their listeners.
_FORMER = ("clientProtocol", "interBrokerProtocol")
#: Keys without one of which no broker starts.
_MODES = ("process.roles", "zookeeper.connect")
_TEXTS = ("extraConfig", "config", "overrideConfiguration", "extraConfigYaml", "sharedConfig")
#: What tells that a mapping is for Bitnami's chart: its parameters, or what no other chart has.
_OF_BITNAMI = {*_BITNAMI, "extraConfig", "extraConfigYaml", "overrideConfiguration"}
#: A number that Helm would write as 1.073741824e+09 is kept as text that way.
_UNDERSCORE = re.compile(r"_-?\d[\d_]*")


#: The first chart whose own file has no more than identity, listeners, security and directories; the
#: charts before set retention, sizes and copies by parameters with defaults of their own.
_OWN_FILE = 24


def _completing(version: str) -> str:
    """Who completes the values of a chart of that version alone."""
    return "the chart" if (major(version) or 0) >= _OWN_FILE else ""


def is_bitnami(name: str, parts: dict[str, yaml.Node]) -> bool:
    repository = known(yaml.child(parts.get("image"), "repository"))
    if re.search(r"(^|/)bitnami(legacy)?/kafka$", repository):
        return True
    if helm_listeners.are_set(parts.get("listeners")):
        return True
    if any(yaml.child(parts.get("auth"), one) is not None for one in _FORMER):
        return True
    names = [known(yaml.child(item, "name")) for item in yaml.items(parts.get(_EXTRA))]
    if any(one.startswith(_OF_THE_IMAGE) for one in names):
        return True
    own = _OF_BITNAMI & parts.keys()
    if len(own & _BITNAMI.keys()) >= 2:
        return True
    texts = [str(parts[key].value) for key in own if isinstance(parts[key], yaml.ScalarNode)]
    keys = [line.partition("=")[0].strip() for text in texts for line in text.split("\n")]
    for key in own:
        keys.extend(k for k, _, _ in yaml.pairs(parts[key]))
    return any(brokers_own(key) for key in keys) or (name == "kafka" and bool(own))


def major(version: str) -> int | None:
    """The first number of a chart's version or range; None where none is told."""
    found = re.match(r"[~^>=v\s]*(\d{1,6})\b", version)
    return int(found[1]) if found is not None else None


class Bitnami:
    """Reads the values of the chart into the document of the values."""

    def __init__(self, values: Values) -> None:
        self.values = values

    def read(self, node: yaml.Node, name: str, parts: dict[str, yaml.Node]) -> None:
        resource = self._contained(node, name, parts)
        resource.traits.partial = True
        resource.traits.kraft = helm_listeners.kraft(parts)
        resource.traits.completed_by = _completing(self.values.bitnami(name))
        unread = self._unread(resource, node, name, parts)
        helm_numbers.note(resource, node, _BITNAMI.keys() - unread)
        for key, key_node, value in yaml.pairs(node):
            if key in unread:
                continue
            if key in _BITNAMI:
                take(resource, self._parameter(key, key_node, value))
            elif key in _TEXTS:
                self._text(resource, value)
            elif key == "replicaCount" and "controller" not in parts and "broker" not in parts:
                fact(resource, "replicas", key_node, value)
            elif key == "heapOpts":
                heap(resource, setting("heap", key_node, value, resource.path))
        for part, program in (("controller", A_CONTROLLER), ("broker", A_BROKER)):
            time = yaml.child(parts.get(part), _GRACE)
            self.values.document.processes += running.stopping(
                program, part, resource.path, resource.at, f"{part}.{_GRACE}", time
            )
        self._alone(resource, node)
        self._variables(node, parts)
        # A dependency's name is the chart's own to its templates.
        chart = name or "kafka"
        self.values.placed(
            resource,
            node,
            helm_addresses.of_bitnami(node, resource.path, self.values.release, chart),
        )
        # A pool's own go over those for all.
        hosted(resource, node, unread)
        self._pools(resource, parts, unread)
        self._listeners(resource, node, chart)
        if not self.values.layered:
            version = major(self.values.bitnami(name))
            self._processes(node, resource, self.values.release or chart, version)
            if _CHECKED & parts.keys():
                self._check(node)

    def _check(self, node: yaml.Node) -> None:
        """Tell what the chart refuses before it renders anything."""
        from kcheck.formats.helm import refusals as helm_refusals

        document = self.values.document
        checks = helm_refusals.Refusals(node, document.path)
        document.problems.extend(checks.found())
        if generation := checks.generation():
            holder = f"bitnami kafka {generation}"
            requirements.of_node(document, holder, "Bitnami's chart", node, "the chart")

    def _variables(self, node: yaml.Node, parts: dict[str, yaml.Node]) -> None:
        """Judge the values of variables for all processes, and of those for one pool."""
        for holder, place in (("", node), *((one, parts.get(one)) for one in _POOLS)):
            name_of = f"{holder}.{_EXTRA}" if holder else _EXTRA
            given = yaml.child(place, _EXTRA)
            kubernetes_strings.of_variables(self.values.document, "StatefulSet", name_of, given)

    def _processes(
        self, node: yaml.Node, resource: Resource, name: str, version: int | None
    ) -> None:
        """Add the pools as processes; what all advertise, the script tells that installs these values."""
        from kcheck.formats.helm import processes as helm_processes

        made = tuple(helm_processes.of_bitnami(node, resource, name, version))
        told = [one for one in made if one.identity is not None]
        if told and self.values.installed():
            for one in told:
                one.identity = None
        self.values.document.processes += made

    def _unread(
        self, resource: Resource, node: yaml.Node, name: str, parts: dict[str, yaml.Node]
    ) -> set[str]:
        """Note the values that the release of the chart does not read, where something tells it."""
        told = self._releases(name, parts)
        notes = len(resource.notes)
        found = chart_values.note(resource, node, _CHART, told)
        if len(resource.notes) > notes and name and self._handed_on(name):
            # The templates around the chart may read what it does not.
            del resource.notes[notes:]
            return set()
        return found

    def _handed_on(self, name: str) -> bool:
        from kcheck.formats.helm import misplaced

        return misplaced.used(self.values.document.path, name, self.values.lookup)

    def _releases(self, name: str, parts: dict[str, yaml.Node]) -> chart_values.Releases | None:
        """The releases of the chart that the values may be for; None where nothing tells them."""
        version = self.values.bitnami(name) or self.values.installed()
        if version:
            return chart_values.releases("Bitnami's chart", version)
        told = next((key for key in _SINCE_32 if key in parts), "")
        if told:
            return chart_values.Releases(f"Bitnami's chart with {told} (32.0 and newer)", (32, 0))
        listeners = parts.get("listeners")
        if any(key in _LISTENERS for key, _, _ in yaml.pairs(listeners)):
            by_purpose = "Bitnami's chart with listeners by their purpose (24.0 and newer)"
            return chart_values.Releases(by_purpose, (24, 0))
        return None

    def _listeners(self, resource: Resource, node: yaml.Node, kind: str) -> None:
        """What the chart makes of its own parameters, unless Kafka's own keys say something else."""
        chart = helm_listeners.Chart(node, self.values.document.path, self.values.layered)
        told = dict(resource.settings)
        made = [resource]
        if chart.kraft and chart.apart:
            name = f"{resource.name} controllers"
            controllers = Resource("controller", name, resource.path, resource.at)
            controllers.traits.deployer, controllers.traits.partial = HELM, True
            self.values.placed(
                controllers, node, helm_addresses.of_controllers(node, self.values.release, kind)
            )
            self.values.document.resources.append(controllers)
            made.append(controllers)
        count = yaml.child(node, "controller", "replicaCount")
        for one in made:
            for key, found in chart.settings(one is not resource).items():
                one.settings[key] = told.get(key, found)
            if chart.kraft and count is not None:
                at, text = yaml.position(count), known(count) or None
                one.facts["controllers"] = Setting("controllers", text, one.path, at)

    def _alone(self, resource: Resource, node: yaml.Node) -> None:
        """Note a ``config`` that leaves out what no broker can do without: nothing is added to it."""
        value = yaml.child(node, _WHOLE)
        key_node = next((k for key, k, _ in yaml.pairs(node) if key == _WHOLE), None)
        if value is None or key_node is None:
            return
        if isinstance(value, yaml.MappingNode):
            names = [key for key, _, _ in yaml.pairs(value)]
        else:
            names = [entry.key for entry in embedded.entries(value, self.values.lines)]
        text = yaml.text(value) or ""
        own = [name for name in names if brokers_own(name)]
        if not own or "{{" in text or any(name.startswith(_MODES) for name in names):
            return
        resource.notes.append(
            Note(
                "KC0115",
                setting(_WHOLE, key_node, value, resource.path),
                f"{_WHOLE} replaces the whole configuration of Bitnami's chart, but sets {own[0]} "
                "without process.roles or zookeeper.connect",
                "the chart's own configuration is not used: the brokers fail to start",
                "move the settings to extraConfig (overrideConfiguration in charts from 32 on)",
            )
        )

    def _contained(self, node: yaml.Node, name: str, parts: dict[str, yaml.Node]) -> Resource:
        """The broker by its image and its extra variables, or by its name alone."""
        tag = yaml.child(parts.get("image"), "tag")
        repository = known(yaml.child(parts.get("image"), "repository")) or "bitnami/kafka"
        at = yaml.position(tag) if tag is not None else start(node)
        image = Image(f"{repository}:{known(tag)}" if known(tag) else repository, at)
        variables: dict[str, Variable] = {}
        for item in yaml.items(parts.get(_EXTRA)):
            key, value = yaml.child(item, "name"), yaml.child(item, "value")
            text = yaml.text(key)
            if key is not None and text:
                place = yaml.position(value) if value is not None else yaml.position(key)
                raw = yaml.text(value)
                variables[text] = Variable(
                    text, raw, self.values.document.path, place, yaml.position(key)
                )
        made = container(
            name or self.values.release or "kafka",
            self.values.document.path,
            start(node),
            image,
            variables,
            False,
            HELM,
        )
        if made is None:
            return self.values.made("broker", name, node)
        kubernetes_dollars.note(made, yaml.items(parts.get(_EXTRA)), True)
        # The chart sets more than the image: its own base is not what lies beneath.
        made.image.clear()
        if not known(tag):
            made.facts.pop("kafka_version", None)
        made.facts.pop("image", None)
        self.values.document.resources.append(made)
        self.values.document.extent.whole = True
        return made

    def _parameter(self, key: str, key_node: yaml.Node, value: yaml.Node) -> Setting:
        made = setting(_BITNAMI[key], key_node, value, self.values.document.path, key)
        if made.text is not None and _UNDERSCORE.fullmatch(made.text):
            return derived(made, made.text.replace("_", ""))
        return made

    def _text(self, resource: Resource, node: yaml.Node) -> None:
        """Kafka's own keys, as a properties file in a text or as a mapping."""
        if isinstance(node, yaml.MappingNode):
            fill(resource, node)
            return
        for entry in embedded.entries(node, self.values.lines):
            if not templated(entry.key):
                made = written(entry.key, entry.value, resource.path, entry.at, entry.key_at)
                take(resource, made)

    def _pools(self, resource: Resource, parts: dict[str, yaml.Node], unread: set[str]) -> None:
        """Controllers and brokers have their own numbers; which of them a combined node is, too."""
        controller, broker = parts.get("controller"), parts.get("broker")
        apart = yaml.text(yaml.child(controller, "controllerOnly")) == "true"
        pools = [pool for pool in ([broker] if apart else [controller, broker]) if pool is not None]
        running = [p for p in pools if yaml.text(yaml.child(p, "replicaCount")) != "0"]
        if len(running) == 1:  # else there are two kinds of brokers
            hosted(resource, running[0])
            name = "controller" if running[0] is controller else "broker"
            for key, _, value in yaml.pairs(running[0]):
                if key in _TEXTS and f"{name}.{key}" not in unread:
                    self._text(resource, value)
        resource.traits.claims = tuple(
            claim
            for name in ("controller", "broker")
            for claim in claims(name, yaml.child(parts.get(name), "persistence"), resource.path)
        )
        counts = [yaml.child(pool, "replicaCount") for pool in pools]
        texts = [known(count) for count in counts if count is not None]
        if not texts or not all(text.isdecimal() and len(text) < 6 for text in texts):
            return
        if len(texts) < len(pools):
            return
        first = next(count for count in counts if count is not None)
        total = sum(int(text) for text in texts)
        at = yaml.position(first)
        resource.facts["replicas"] = Setting("replicas", str(total), resource.path, at)
