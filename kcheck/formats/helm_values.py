"""Values of Helm charts: Bitnami's, Confluent's, charts around Strimzi, and those of programs.

Values lie over what the chart itself says, at the top of the file or below the name of a dependency.
Of Confluent's chart that is known; of the others what the file does not set is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import catalogue
from kcheck.formats import Lookup, embedded, helm_addresses, helm_listeners, helm_programs
from kcheck.formats.containers import Image, amount, container, heap, quantity
from kcheck.formats.environment import Variable
from kcheck.formats.scalars import (
    derived,
    documents,
    fact,
    fill,
    known,
    nothing,
    setting,
    take,
)
from kcheck.formats.text import templated, written
from kcheck.model import HELM, Address, Claim, Document, Note, Position, Resource, Setting
from kcheck.syntax import yaml

_DEPTH = 4
_BASES = ("values.yaml", "values.yml")

#: Parameters of Bitnami's chart before it took Kafka's own names.
_BITNAMI = {
    "advertisedListeners": "advertised.listeners",
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
    "transactionStateLogMinIsr": "transaction.state.log.min.isr",
    "transactionStateLogReplicationFactor": "transaction.state.log.replication.factor",
    "zookeeperConnectionTimeoutMs": "zookeeper.connection.timeout.ms",
}
#: What takes the place of all that the chart configures by itself.
_WHOLE = "config"
#: Keys without one of which no broker starts.
_MODES = ("process.roles", "zookeeper.connect")
_TEXTS = ("extraConfig", "config", "overrideConfiguration", "extraConfigYaml", "sharedConfig")
#: What tells that a mapping is for Bitnami's chart: its parameters, or what no other chart has.
_OF_BITNAMI = {*_BITNAMI, "extraConfig", "extraConfigYaml", "overrideConfiguration"}
_FACTORS = {
    "partitions": "partitions",
    "replicas": "replication.factor",
    "replicationFactor": "replication.factor",
}
#: Charts of ksqlDB beside the brokers'.
_KSQL = ("cp-ksql-server", "cp-ksqldb-server", "ksqldb", "ksql-server")
_ENVIRONMENTS = (
    "prod",
    "production",
    "dev",
    "development",
    "staging",
    "stage",
    "test",
    "qa",
    "local",
)
_TOPIC_LISTS = ("topics", "kafkaTopics", "extraTopics")
#: A number that Helm would write as 1.073741824e+09 is kept as text that way.
_UNDERSCORE = re.compile(r"_-?\d[\d_]*")


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    for node in documents(document, data):
        take_values(document, data, lookup, node)
    nothing(document, "contains no known value for a broker, worker or topic")


def take_values(
    document: Document, data: bytes, lookup: Lookup, node: yaml.Node, release: str = ""
) -> list[Resource]:
    """What the values of a chart say, which are a node of the document; ``release`` is the name
    under which the chart is installed, "" where nobody tells."""
    before = len(document.resources)
    reader = _Reader(document, data, lookup, release)
    reader.walk(node, "", _DEPTH)
    if (ksql := _ksql(node, document.path)) is not None:
        for resource in document.resources[before:]:
            if resource.kind == "broker":
                resource.traits.transactional = ksql
    helm_programs.read(document, node, reader.lines, reader.below, release)
    return document.resources[before:]


def _ksql(node: yaml.Node, path: str) -> Setting | None:
    """What enables ksqlDB beside the brokers of an umbrella chart."""
    for name, _, values in yaml.pairs(node):
        if name in _KSQL and isinstance(values, yaml.MappingNode):
            for key, key_node, value in yaml.pairs(values):
                if key == "enabled" and known(value) == "true":
                    return Setting(f"{name}.enabled", "true", path, yaml.position(key_node))
    return None


class _Reader:
    def __init__(self, document: Document, data: bytes, lookup: Lookup, release: str = "") -> None:
        self.release = release
        self.document = document
        self.lookup = lookup
        self.lines = embedded.split_lines(data)
        #: Whether another file of values may be laid over this one, or under it.
        self.layered = not release and self._layered()
        #: Whether it is the lower one of them.
        self.below = self.layered and document.path.rpartition("/")[2] in _BASES

    def _layered(self) -> bool:
        folder, _, name = self.document.path.rpartition("/")
        others = [*_BASES]
        if name in _BASES:
            others = [
                f"values{mark}{word}.{ending}"
                for word in _ENVIRONMENTS
                for mark in "-._"
                for ending in ("yaml", "yml")
            ]
        return any(self.lookup(f"{folder}/{other}".lstrip("/")) is not None for other in others)

    def walk(self, node: yaml.Node, name: str, depth: int) -> None:
        """Look for what a chart is told, in the mapping itself and in those of its dependencies."""
        parts = {key: value for key, _, value in yaml.pairs(node)}
        if "configurationOverrides" in parts:
            self._confluent(node, name, parts)
        elif _bitnami(name, parts):
            self._bitnami(node, name, parts)
        elif _strimzi(name, parts):
            self._strimzi(node, parts)
        else:
            for key, value in parts.items() if depth else ():
                if isinstance(value, yaml.MappingNode):
                    self.walk(value, key, depth - 1)
            self._topics(parts)
            return
        self._topics(parts)
        self._topics({k: v for k, _, v in yaml.pairs(parts.get("provisioning"))})

    def _made(self, kind: str, name: str, node: yaml.Node) -> Resource:
        name = name or self.release or "kafka"
        resource = Resource(kind, name, self.document.path, _start(node))
        resource.traits.deployer = HELM
        if kind == "broker":
            self.document.extent.whole = True
        self.document.resources.append(resource)
        return resource

    # -- Confluent --------------------------------------------------------------------------

    def _confluent(self, node: yaml.Node, name: str, parts: dict[str, yaml.Node]) -> None:
        image = known(parts.get("image"))
        if name == "cp-kafka" or "cp-kafka" in image.split("/")[-1:] or "cp-server" in image:
            kind = "broker"
        elif name == "cp-kafka-connect" or image.endswith("connect"):
            kind = "worker"
        elif not name and not image and "brokers" in parts:
            kind = "broker"
        else:
            return  # Schema Registry, the REST Proxy, ksqlDB …
        resource = self._made(kind, name, node)
        if kind == "worker":
            resource.plane = "connect-distributed"
            resource.traits.partial = True
        elif self.layered:
            resource.traits.partial = True
        else:
            self._chart(resource, node)
        fill(resource, parts["configurationOverrides"])
        for key, key_node, value in yaml.pairs(node):
            if key == "brokers":
                fact(resource, "replicas", key_node, value)
            elif key == "imageTag":
                self._version(resource, image or f"confluentinc/{name or 'cp-kafka'}", value)
        if kind == "broker":
            self._placed(
                resource, node, helm_addresses.of_confluent(node, self.release, name or "cp-kafka")
            )
        self._hosted(resource, node)

    def _placed(self, resource: Resource, node: yaml.Node, addresses: tuple[Address, ...]) -> None:
        """Where the brokers of a chart answer, and in which namespace."""
        resource.traits.addresses = addresses
        namespace = helm_addresses.namespace(node)
        if namespace:
            resource.traits.namespace = namespace

    def _chart(self, resource: Resource, node: yaml.Node) -> None:
        """What the chart's own values say of a broker unless this file does."""
        key, at = "offsets.topic.replication.factor", _start(node)
        resource.image[key] = Setting(key, "3", resource.path, at, name="cp-helm-charts")
        resource.facts["replicas"] = Setting("replicas", "3", resource.path, at)

    def _version(self, resource: Resource, repository: str, node: yaml.Node) -> None:
        at = yaml.position(node)
        version = Image(f"{repository}:{known(node)}", at).version if known(node) else ""
        if version:
            name = "client.version" if resource.kind == "worker" else "kafka_version"
            resource.facts[name] = Setting(name, version, resource.path, at)

    # -- Bitnami ----------------------------------------------------------------------------

    def _bitnami(self, node: yaml.Node, name: str, parts: dict[str, yaml.Node]) -> None:
        resource = self._contained(node, name, parts)
        resource.traits.partial = True
        for key, key_node, value in yaml.pairs(node):
            if key in _BITNAMI:
                take(resource, self._parameter(key, key_node, value))
            elif key in _TEXTS:
                self._text(resource, value)
            elif key == "replicaCount" and "controller" not in parts and "broker" not in parts:
                fact(resource, "replicas", key_node, value)
            elif key == "heapOpts":
                heap(resource, setting("heap", key_node, value, resource.path))
        self._alone(resource, node)
        # A dependency's name is the chart's own to its templates.
        chart = name or "kafka"
        self._placed(
            resource, node, helm_addresses.of_bitnami(node, resource.path, self.release, chart)
        )
        # A pool's own go over those for all.
        self._hosted(resource, node)
        self._pools(resource, parts)
        self._listeners(resource, node, chart)

    def _listeners(self, resource: Resource, node: yaml.Node, kind: str) -> None:
        """What the chart makes of its own parameters, unless Kafka's own keys say something else."""
        chart = helm_listeners.Chart(node, self.document.path, self.layered)
        told = dict(resource.settings)
        made = [resource]
        if chart.kraft and chart.apart:
            name = f"{resource.name} controllers"
            controllers = Resource("controller", name, resource.path, resource.at)
            controllers.traits.deployer, controllers.traits.partial = HELM, True
            self._placed(controllers, node, helm_addresses.of_controllers(node, self.release, kind))
            self.document.resources.append(controllers)
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
            names = [entry.key for entry in embedded.entries(value, self.lines)]
        text = yaml.text(value) or ""
        own = [name for name in names if _brokers_own(name)]
        if not own or "{{" in text or any(name.startswith(_MODES) for name in names):
            return
        resource.notes.append(
            Note(
                "KC0115",
                setting(_WHOLE, key_node, value, resource.path),
                f"{_WHOLE} replaces the whole configuration of Bitnami's chart, but sets {own[0]} "
                "without process.roles or zookeeper.connect",
                "the chart's own configuration is not used: the brokers fail to start",
                "move the settings to extraConfig (overrideConfiguration in charts from 31 on)",
            )
        )

    def _contained(self, node: yaml.Node, name: str, parts: dict[str, yaml.Node]) -> Resource:
        """The broker by its image and its extra variables, or by its name alone."""
        tag = yaml.child(parts.get("image"), "tag")
        repository = known(yaml.child(parts.get("image"), "repository")) or "bitnami/kafka"
        at = yaml.position(tag) if tag is not None else _start(node)
        image = Image(f"{repository}:{known(tag)}" if known(tag) else repository, at)
        variables: dict[str, Variable] = {}
        for item in yaml.items(parts.get("extraEnvVars")):
            key, value = yaml.child(item, "name"), yaml.child(item, "value")
            text = yaml.text(key)
            if key is not None and text:
                place = yaml.position(value) if value is not None else yaml.position(key)
                raw = yaml.text(value)
                variables[text] = Variable(text, raw, self.document.path, place, yaml.position(key))
        made = container(
            name or self.release or "kafka",
            self.document.path,
            _start(node),
            image,
            variables,
            False,
            HELM,
        )
        if made is None:
            return self._made("broker", name, node)
        # The chart sets more than the image: its own base is not what lies beneath.
        made.image.clear()
        if not known(tag):
            made.facts.pop("kafka_version", None)
        made.facts.pop("image", None)
        self.document.resources.append(made)
        self.document.extent.whole = True
        return made

    def _parameter(self, key: str, key_node: yaml.Node, value: yaml.Node) -> Setting:
        made = setting(_BITNAMI[key], key_node, value, self.document.path, key)
        if made.text is not None and _UNDERSCORE.fullmatch(made.text):
            return derived(made, made.text.replace("_", ""))
        return made

    def _text(self, resource: Resource, node: yaml.Node) -> None:
        """Kafka's own keys, as a properties file in a text or as a mapping."""
        if isinstance(node, yaml.MappingNode):
            fill(resource, node)
            return
        for entry in embedded.entries(node, self.lines):
            if not templated(entry.key):
                made = written(entry.key, entry.value, resource.path, entry.at, entry.key_at)
                take(resource, made)

    def _pools(self, resource: Resource, parts: dict[str, yaml.Node]) -> None:
        """Controllers and brokers have their own numbers; which of them a combined node is, too."""
        controller, broker = parts.get("controller"), parts.get("broker")
        apart = yaml.text(yaml.child(controller, "controllerOnly")) == "true"
        pools = [pool for pool in ([broker] if apart else [controller, broker]) if pool is not None]
        running = [p for p in pools if yaml.text(yaml.child(p, "replicaCount")) != "0"]
        if len(running) == 1:  # else there are two kinds of brokers
            self._hosted(resource, running[0])
        resource.traits.claims = tuple(
            claim
            for name in ("controller", "broker")
            for claim in _claims(name, yaml.child(parts.get(name), "persistence"), resource.path)
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

    # -- Strimzi ----------------------------------------------------------------------------

    def _strimzi(self, node: yaml.Node, parts: dict[str, yaml.Node]) -> None:
        """``kafka.config`` and its neighbours, as a chart hands them to a Kafka resource."""
        resource = self._made("broker", "kafka", node)
        resource.traits.partial = True
        for key, key_node, value in yaml.pairs(node):
            if key == "config":
                fill(resource, value)
            elif key == "version":
                fact(resource, "kafka_version", key_node, value)
            elif key == "replicas":
                fact(resource, "replicas", key_node, value)
        self._hosted(resource, node)

    # -- what several charts say alike ------------------------------------------------------

    def _hosted(self, resource: Resource, node: yaml.Node | None) -> None:
        """Memory and cores of the container, heap, and the size of the disk."""
        for key, key_node, value in yaml.pairs(node):
            if key in ("heapOptions", "heapOpts"):
                heap(resource, setting("heap", key_node, value, resource.path))
            elif key == "resources":
                for limit, limit_node, amount_node in yaml.pairs(yaml.child(value, "limits")):
                    if limit in ("memory", "cpu"):
                        name = "ram" if limit == "memory" else "cores"
                        made = setting(name, limit_node, amount_node, resource.path)
                        amount(resource, name, made)
            elif key == "persistence":
                for part, part_node, size in yaml.pairs(value):
                    if part == "size":
                        made = setting("disk_size", part_node, size, resource.path)
                        amount(resource, "disk_size", made)
                        resource.traits.claims = tuple(_claims("", value, resource.path))

    def _topics(self, parts: dict[str, yaml.Node]) -> None:
        for key in _TOPIC_LISTS:
            for item in yaml.items(parts.get(key)):
                name = yaml.child(item, "name")
                told = {part for part, _, _ in yaml.pairs(item)}
                if name is None or not told & {"partitions", "config", "replicationFactor"}:
                    continue
                topic = Resource(
                    "topic", yaml.text(name) or "?", self.document.path, yaml.position(name)
                )
                topic.traits.deployer = HELM
                for part, part_node, value in yaml.pairs(item):
                    if part in _FACTORS:
                        fact(topic, _FACTORS[part], part_node, value)
                    elif part == "config":
                        fill(topic, value)
                self.document.resources.append(topic)


def _bitnami(name: str, parts: dict[str, yaml.Node]) -> bool:
    repository = known(yaml.child(parts.get("image"), "repository"))
    if re.search(r"(^|/)bitnami(legacy)?/kafka$", repository):
        return True
    if helm_listeners.are_set(parts.get("listeners")):
        return True
    own = _OF_BITNAMI & parts.keys()
    if len(own & _BITNAMI.keys()) >= 2:
        return True
    texts = [str(parts[key].value) for key in own if isinstance(parts[key], yaml.ScalarNode)]
    keys = [line.partition("=")[0].strip() for text in texts for line in text.split("\n")]
    for key in own:
        keys.extend(k for k, _, _ in yaml.pairs(parts[key]))
    return any(_brokers_own(key) for key in keys) or (name == "kafka" and bool(own))


def _strimzi(name: str, parts: dict[str, yaml.Node]) -> bool:
    if name != "kafka":
        return False
    return any("." in key and _brokers_own(key) for key, _, _ in yaml.pairs(parts.get("config")))


def _brokers_own(key: str) -> bool:
    return "." in key and bool(catalogue.plane("broker").history(key))


def _start(node: yaml.Node) -> Position:
    line, column = node.start_mark.line + 1, node.start_mark.column + 1
    return line, column, line, column


def _claims(name: str, node: yaml.Node | None, path: str) -> Iterator[Claim]:
    """The volume that a chart's ``persistence`` claims, if its size is known."""
    for part, part_node, value in yaml.pairs(node):
        if part == "size":
            size = setting(f"{name}.persistence.size".lstrip("."), part_node, value, path)
            size.amount = quantity(size.text)
            yield Claim(name, size)
