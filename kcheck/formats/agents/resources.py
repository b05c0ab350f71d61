"""Resources of Kubernetes whose operators are clients of Kafka's: triggers of KEDA, sources and sinks of
Knative, components of Dapr, collectors of OpenTelemetry.
"""

from __future__ import annotations

from kcheck.formats import Lookup, demands
from kcheck.formats.agents import options as agents
from kcheck.formats.agents import yaml as agents_yaml
from kcheck.formats.embedded import split_lines
from kcheck.formats.kubernetes import manifests
from kcheck.formats.options import text_of
from kcheck.formats.scalars import documents, known, nothing, setting
from kcheck.model import Creation, Document, Position, Resource, Setting
from kcheck.syntax import yaml

_TRIGGERS = ("kafka", "apache-kafka")
_SCALERS = ("ScaledObject", "ScaledJob")
_LOGINS = ("TriggerAuthentication", "ClusterTriggerAuthentication")
_COMPONENTS = ("pubsub.kafka", "bindings.kafka")
#: Knative's resources: whether they read or write.
_KNATIVE = {"KafkaSource": agents.CONSUMER, "KafkaSink": agents.PRODUCER}
#: What KEDA takes from a variable of the workload that it scales.
_FROM_ENV = "FromEnv"
#: Of KEDA's login: lists of parameters that something gives.
_PARAMETERS = ("secretTargetRef", "env", "configMapTargetRef")
_REFUSED = "the webhook rejects the resource"
_FACTOR, _BROKERS = "default.topic.replication.factor", "bootstrap.servers"


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    nodes = documents(document, data)
    take(document, data, nodes)
    manifests.take_others(document, data, lookup, nodes, "agents.resources")
    nothing(document, "contains no client of Kafka")


def take(document: Document, data: bytes, nodes: list[yaml.Node]) -> None:
    """Add the clients that objects make."""
    logins = {
        known(yaml.child(node, "metadata", "name")): node
        for node in nodes
        if known(yaml.child(node, "kind")) in _LOGINS
    }
    for node in nodes:
        kind = known(yaml.child(node, "kind"))
        group = known(yaml.child(node, "apiVersion")).partition("/")[0]
        if group == "keda.sh" and kind in _SCALERS:
            _scaler(document, node, logins)
        elif group == "dapr.io" and kind == "Component":
            _component(document, node)
        elif group.endswith("knative.dev"):
            _eventing(document, node, kind)
        elif group == "opentelemetry.io" and kind == "OpenTelemetryCollector":
            _collector(document, data, node)
        elif kind == "ConfigMap" and yaml.child(node, "data", _FACTOR) is not None:
            _topics(document, node, yaml.child(node, "data"))


def _scaler(document: Document, node: yaml.Node, logins: dict[str, yaml.Node]) -> None:
    for trigger in yaml.items(yaml.child(node, "spec", "triggers")):
        if yaml.text(yaml.child(trigger, "type")) in _TRIGGERS:
            _trigger(document, node, trigger, logins)


def _trigger(
    document: Document, scaler: yaml.Node, trigger: yaml.Node, logins: dict[str, yaml.Node]
) -> None:
    """A trigger of KEDA's, which asks for the lag of a group; a resource beside it may log it in."""
    metadata = yaml.child(trigger, "metadata")
    options = _options(metadata)
    for option in options:
        if option.name.endswith(_FROM_ENV):
            option.name, option.text = option.name.removesuffix(_FROM_ENV), None
    at = yaml.position(trigger)
    named = yaml.child(trigger, "authenticationRef", "name")
    login = logins.get(known(named))
    given: list[str] = ["tls", "sasl"] if named is not None else []
    if login is not None:
        lists = yaml.pairs(yaml.child(login, "spec"))
        items = [
            item for key, _, value in lists if key in _PARAMETERS for item in yaml.items(value)
        ]
        if all(key in _PARAMETERS for key, _, _ in lists):
            given = [known(yaml.child(item, "parameter")) for item in items]
    told = {option.name for option in options}
    options += [agents.Option(name, None, at, at) for name in given if name not in told]
    options = [one for one in options if (one.name, one.text) != ("sasl", "none")]
    _named(agents.client(document, agents.KEDA, agents.CLIENT, options, at), scaler)


def _component(document: Document, node: yaml.Node) -> None:
    """A component of Dapr's: its metadata is a list of names and values."""
    if yaml.text(yaml.child(node, "spec", "type")) not in _COMPONENTS:
        return
    options: list[agents.Option] = []
    for item in yaml.items(yaml.child(node, "spec", "metadata")):
        name, value = yaml.child(item, "name"), yaml.child(item, "value")
        if name is not None:
            at = yaml.position(name)
            place = at if value is None else yaml.position(value)
            text = None if value is None else text_of(value)
            options.append(agents.Option(known(name), text, at, place))
    _named(agents.client(document, agents.DAPR, agents.CLIENT, options, yaml.position(node)), node)


def _eventing(document: Document, node: yaml.Node, kind: str) -> None:
    """A source or a sink of Knative's, or a channel, which has its brokers from elsewhere."""
    spec = yaml.child(node, "spec")
    options = _options(spec)
    if kind == "KafkaChannel":
        owner, at = f"{kind} {known(yaml.child(node, 'metadata', 'name'))}", yaml.position(node)
        demands.tell(document, agents.KNATIVE, (kind,), owner, options, at, _REFUSED)
    if kind not in _KNATIVE:
        return
    made = agents.client(
        document, agents.KNATIVE, _KNATIVE[kind], options, yaml.position(node), kind
    )
    _named(made, node)
    factor = yaml.child(spec, "replicationFactor")
    if factor is not None:
        made.traits.creates = (_creation(document, "replicationFactor", factor),)


def _collector(document: Document, data: bytes, node: yaml.Node) -> None:
    """A collector whose operator runs it as so many replicas; its file is a mapping, or a text before v1beta1."""
    before = len(document.resources)
    spec = yaml.child(node, "spec")
    config = yaml.child(spec, "config")
    if isinstance(config, yaml.ScalarNode):
        lines = split_lines(data)
        for inner in manifests.documents_of(document, config, lines):
            agents_yaml.search(document, inner)
    elif config is not None:
        agents_yaml.search(document, config)
    replicas = next((pair for pair in yaml.pairs(spec) if pair[0] == "replicas"), None)
    for made in document.resources[before:]:
        if replicas is not None:
            made.traits.instances = setting("instances", *replicas[1:], document.path, "replicas")


def _topics(document: Document, node: yaml.Node, told: yaml.Node | None) -> None:
    """The map by which Knative's brokers make their topics."""
    made = Resource("client", document.path, document.path, yaml.position(node))
    made.dialect = "unknown"
    made.traits.application = f"{document.path}:{made.at[0]}"
    made.traits.partial = True
    for key, key_node, value in yaml.pairs(told):
        if key == _BROKERS:
            made.settings[key] = setting(key, key_node, value, document.path, key)
        elif key == _FACTOR:
            made.traits.creates = (_creation(document, key, value),)
    _named(made, node)
    document.resources.append(made)


def _creation(document: Document, name: str, value: yaml.Node) -> Creation:
    at: Position = yaml.position(value)
    factor = Setting("replication.factor", yaml.text(value), document.path, at, at, name)
    return Creation("its topics", factor.key, factor, -1)


def _named(made: Resource, node: yaml.Node) -> None:
    made.name = known(yaml.child(node, "metadata", "name")) or made.name


def _options(node: yaml.Node | None, path: str = "") -> list[agents.Option]:
    """The scalars and lists of scalars below a node, each with its dotted name."""
    options: list[agents.Option] = []
    for key, key_node, value in yaml.pairs(node):
        if isinstance(value, yaml.MappingNode):
            options += _options(value, f"{path}{key}.")
        else:
            at, place = yaml.position(key_node), yaml.position(value)
            options.append(agents.Option(f"{path}{key}", text_of(value), at, place))
    return options
