"""kcheck's own YAML: facts and resources that no other file holds (``kcheck-yaml``).

The shape is in ``schemas/kcheck.schema.json``. A good file is checked here by hand, which costs
nothing; ``jsonschema`` is loaded only to explain a bad one.
"""

from __future__ import annotations

from kcheck import units
from kcheck.formats import Lookup
from kcheck.formats.scalars import setting
from kcheck.model import PASSED_OVER, Document, Position, Problem, Resource, Setting
from kcheck.syntax import yaml

FORMAT = "kcheck-yaml"

_TOP = ("kcheck", "cluster", "topics", "producers", "consumers", "streams", "quotas")
_MARKERS = tuple(f"{name}:".encode() for name in _TOP)

SIZE, DURATION, NUMBER, TEXT, FLAG, NAMES = "size", "duration", "number", "text", "flag", "names"

#: Facts of each kind of entry and how their text is read.
CLUSTER_FACTS = {
    "name": TEXT,
    "kafka_version": TEXT,
    "client_version": TEXT,
    "environment": TEXT,
    "service": TEXT,
    "tenants": NUMBER,
}
TOPIC_FACTS = {
    "name": TEXT,
    "partitions": NUMBER,
    "replication_factor": NUMBER,
    "current_partitions": NUMBER,
    "keyed": FLAG,
    "ordering": TEXT,
    "produce_rate": SIZE,
    "consume_rate": SIZE,
    "record_size": SIZE,
    "max_record_size": SIZE,
    "compression_ratio": NUMBER,
}
CLIENT_FACTS = {
    "name": TEXT,
    "topics": NAMES,
    "writes": NAMES,
    "instances": NUMBER,
    "copartitioned": NAMES,
}
HOST_FACTS = {
    "ram": SIZE,
    "heap": SIZE,
    "cores": NUMBER,
    "nic": SIZE,
    "disks": NUMBER,
    "disk_size": SIZE,
    "nofile": NUMBER,
    "vm.max_map_count": NUMBER,
}
BROKER_FACTS = {"id": NUMBER, "rack": TEXT}
QUOTA_ENTITIES = ("user", "client_id", "ip")
ENVIRONMENTS = ("production", "development")
SERVICES = ("self-managed", "msk", "confluent-cloud", "event-hubs", "aiven", "redpanda", "other")
ORDERINGS = ("key", "total", "none")

#: Facts whose name in the graph is Kafka's, not the declaration's.
_GRAPH_NAMES = {"replication_factor": "replication.factor"}

_KINDS = {"producers": "producer", "consumers": "consumer", "streams": "streams"}


def recognise(path: str, data: bytes) -> str | None:
    name = path.rsplit("/", 1)[-1]
    if name in ("kcheck.yaml", "kcheck.yml"):
        return FORMAT
    for marker in _MARKERS:
        at = data.find(marker)
        while at >= 0:
            if at == 0 or data[at - 1 : at] in (b"\n", b"\xbf"):
                return FORMAT if _ours(data) else None
            at = data.find(marker, at + 1)
    return None


def _ours(data: bytes) -> bool:
    """Whether the whole file has our shape: other tools use the same top-level names."""
    nodes, problem = yaml.documents(data)
    if problem is not None:
        return _line_starts(data, b"kcheck:")
    return bool(nodes) and all(_shaped(node) for node in nodes)


def _line_starts(data: bytes, marker: bytes) -> bool:
    return data.startswith(marker) or b"\n" + marker in data


def _shaped(node: yaml.Node) -> bool:
    names = yaml.pairs(node)
    if not names or any(name not in _TOP for name, _, _ in names):
        return False
    if any(name == "kcheck" for name, _, _ in names):
        return True
    for name, _, value in names:
        if name == "cluster":
            known = {*CLUSTER_FACTS, "brokers", "config", "dynamic_config", "host"}
            if not {key for key, _, _ in yaml.pairs(value)} <= known:
                return False
        else:
            allowed = _allowed(name)
            entries = yaml.items(value)
            if not entries:
                return False
            for entry in entries:
                keys = {key for key, _, _ in yaml.pairs(entry)}
                if not keys or (name != "quotas" and (not keys <= allowed or "name" not in keys)):
                    return False
    return True


def _allowed(section: str) -> set[str]:
    if section == "topics":
        return {*TOPIC_FACTS, "config"}
    return {*CLIENT_FACTS, "client", "config"}


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    nodes, problem = yaml.documents(data)
    if problem is not None:
        document.problems.append(problem)
    reader = _Reader(document)
    for node in nodes:
        reader.declaration(node)
    if reader.wrong:
        document.problems.extend(_explained(data, reader.wrong))
    if not document.resources and not document.problems:
        document.status = PASSED_OVER
        document.reason = "it declares nothing"


class _Reader:
    """Fills the document from one declaration and remembers what has the wrong shape."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.wrong: list[tuple[str, Position]] = []

    def declaration(self, node: yaml.Node) -> None:
        for name, key, value in yaml.pairs(node):
            if name == "cluster":
                self._cluster(value)
            elif name == "quotas":
                for entry in yaml.items(value):
                    self._quota(entry)
            elif name == "topics":
                for entry in self._entries(name, value):
                    self._topic(entry)
            elif name in _KINDS:
                for entry in self._entries(name, value):
                    self._client(_KINDS[name], entry)
            elif name != "kcheck":
                self._bad(f"{name} is no part of a declaration ({', '.join(_TOP)})", key)

    def _bad(self, message: str, node: yaml.Node) -> None:
        self.wrong.append((message, yaml.position(node)))

    def _entries(self, name: str, node: yaml.Node) -> list[yaml.Node]:
        entries = yaml.items(node)
        if not entries and not yaml.is_null(node):
            self._bad(f"{name} must be a list of entries", node)
        return entries

    def _resource(self, kind: str, node: yaml.Node, name: str) -> Resource:
        resource = Resource(kind, name, self.document.path, yaml.position(node))
        self.document.resources.append(resource)
        return resource

    def _fact(
        self, resource: Resource, kinds: dict[str, str], name: str, key: yaml.Node, node: yaml.Node
    ) -> bool:
        """Read one fact; false where the name is none of this kind of entry."""
        kind = kinds.get(name)
        if kind is None:
            return False
        graph_name = _GRAPH_NAMES.get(name, name)
        fact = setting(graph_name, key, node, self.document.path)
        resource.facts[graph_name] = fact
        if kind == NAMES:
            listed = [yaml.text(item) or "" for item in yaml.items(node)]
            if not isinstance(node, yaml.SequenceNode):
                self._bad(f"{name} must be a list of names", node)
            resource.values[graph_name] = listed
            fact.raw = fact.text = ", ".join(listed)
            return True
        if fact.text is None:
            return True
        if kind == SIZE:
            self._number(resource, graph_name, units.size(fact.text), "a size such as 64GiB", node)
        elif kind == DURATION:
            self._number(
                resource, graph_name, units.duration(fact.text), "a duration such as 7d", node
            )
        elif kind == NUMBER:
            self._number(resource, graph_name, _number(fact.text), "a number", node)
        elif kind == FLAG:
            if fact.text not in ("true", "false"):
                self._bad(f"{name} must be true or false", node)
            resource.values[graph_name] = fact.text == "true"
        return True

    def _number(
        self,
        resource: Resource,
        name: str,
        value: float | None,
        what: str,
        node: yaml.Node,
    ) -> None:
        if value is None:
            self._bad(f"{name} must be {what}", node)
        else:
            resource.values[name] = value

    def _config(self, into: dict[str, Setting], resource: Resource, node: yaml.Node) -> None:
        if not isinstance(node, yaml.MappingNode) and not yaml.is_null(node):
            self._bad("config must be a mapping of Kafka keys to values", node)
        for key, key_node, value in yaml.pairs(node):
            if not isinstance(value, yaml.ScalarNode):
                self._bad(f"{key} must have a plain value", value)
                continue
            made = setting(key, key_node, value, self.document.path)
            if key in into:
                resource.earlier.append((into[key], made))
            into[key] = made

    def _cluster(self, node: yaml.Node) -> None:
        resource = self._resource("cluster", node, ".")
        brokers: list[yaml.Node] = []
        for name, key, value in yaml.pairs(node):
            if name == "brokers":
                if isinstance(value, yaml.SequenceNode):
                    brokers = yaml.items(value)
                    count = Setting(
                        "brokers",
                        str(len(brokers)),
                        self.document.path,
                        yaml.position(key),
                    )
                    resource.facts["brokers"] = count
                    resource.values["brokers"] = len(brokers)
                else:
                    self._fact(resource, {"brokers": NUMBER}, name, key, value)
            elif name == "config":
                self._config(resource.settings, resource, value)
            elif name == "dynamic_config":
                self._config(resource.dynamic, resource, value)
            elif name == "host":
                for fact, fact_key, fact_value in yaml.pairs(value):
                    if not self._fact(resource, HOST_FACTS, fact, fact_key, fact_value):
                        self._bad(f"{fact} is no host fact ({', '.join(HOST_FACTS)})", fact_key)
            elif not self._fact(resource, CLUSTER_FACTS, name, key, value):
                self._bad(f"{name} is no part of a cluster", key)
        self._one_of(resource, "environment", ENVIRONMENTS)
        self._one_of(resource, "service", SERVICES)
        declared = resource.facts.get("name")
        if declared is not None and declared.text:
            resource.name = declared.text
            self.document.joins.append(("name", declared.text))
        for entry in brokers:
            self._broker(entry)
        resource.plane = "broker"

    def _one_of(self, resource: Resource, name: str, allowed: tuple[str, ...]) -> None:
        fact = resource.facts.get(name)
        if fact is not None and fact.text is not None and fact.text not in allowed:
            self.wrong.append((f"{name} must be one of {', '.join(allowed)}", fact.at))

    def _broker(self, node: yaml.Node) -> None:
        identity = yaml.text(yaml.child(node, "id")) or "?"
        resource = self._resource("broker", node, identity)
        for name, key, value in yaml.pairs(node):
            if name == "config":
                self._config(resource.settings, resource, value)
            elif name == "host":
                for fact, fact_key, fact_value in yaml.pairs(value):
                    if not self._fact(resource, HOST_FACTS, fact, fact_key, fact_value):
                        self._bad(f"{fact} is no host fact", fact_key)
            elif not self._fact(resource, BROKER_FACTS, name, key, value):
                self._bad(f"{name} is no part of a broker", key)
        rack = resource.facts.get("rack")
        if rack is not None:
            resource.settings.setdefault(
                "broker.rack", Setting("broker.rack", rack.raw, rack.path, rack.at, rack.key_at)
            )

    def _topic(self, node: yaml.Node) -> None:
        name = yaml.text(yaml.child(node, "name")) or "?"
        resource = self._resource("topic", node, name)
        for key, key_node, value in yaml.pairs(node):
            if key == "config":
                self._config(resource.settings, resource, value)
            elif not self._fact(resource, TOPIC_FACTS, key, key_node, value):
                self._bad(f"{key} is no part of a topic", key_node)
        self._one_of(resource, "ordering", ORDERINGS)

    def _client(self, kind: str, node: yaml.Node) -> None:
        name = yaml.text(yaml.child(node, "name")) or "?"
        resource = self._resource(kind, node, name)
        for key, key_node, value in yaml.pairs(node):
            if key == "config":
                self._config(resource.settings, resource, value)
            elif key == "client":
                for part, part_key, part_value in yaml.pairs(value):
                    if part in ("library", "version"):
                        fact = setting(f"client.{part}", part_key, part_value, self.document.path)
                        resource.facts[fact.key] = fact
                    else:
                        self._bad(f"{part} is no part of a client", part_key)
            elif not self._fact(resource, CLIENT_FACTS, key, key_node, value):
                self._bad(f"{key} is no part of a {kind}", key_node)
        library = resource.facts.get("client.library")
        if library is not None and library.text:
            resource.dialect = library.text

    def _quota(self, node: yaml.Node) -> None:
        resource = self._resource("quota", node, "?")
        names: list[str] = []
        for key, key_node, value in yaml.pairs(node):
            made = setting(key, key_node, value, self.document.path)
            if key in QUOTA_ENTITIES:
                names.append(f"{key}={made.text}")
                resource.facts[key] = made
            else:
                resource.settings[key] = made
        resource.name = ",".join(names) or "default"


def _number(text: str) -> float | None:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


def _explained(data: bytes, wrong: list[tuple[str, Position]]) -> list[Problem]:
    """What is wrong, in our words. The schema is for editors and says the same."""
    return [Problem(message, at, "KC0007") for message, at in wrong]
