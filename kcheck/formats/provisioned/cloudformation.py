"""AWS CloudFormation: Amazon MSK's clusters and configurations, in YAML and JSON.

``ServerProperties`` is a properties file in one text. What a function makes (``!Ref``, ``!ImportValue``)
is unknown; ``Sub`` leaves unknown what holds ``${…}``, ``Join`` by line ends is read line by line.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats import Lookup, embedded, managed_hosts
from kcheck.formats.provisioned import table as provisioned
from kcheck.formats.provisioned.tree_blocks import TreeBlock, Where, snake
from kcheck.formats.scalars import documents, fact, nothing, setting, take
from kcheck.formats.terraform import json as terraform_json
from kcheck.formats.text import templated
from kcheck.model import MSK, Address, Derived, Document, Resource, Setting
from kcheck.syntax import json, yaml

_CONFIGURATION, _CLUSTER = "AWS::MSK::Configuration", "AWS::MSK::Cluster"
_SERVERLESS = "AWS::MSK::ServerlessCluster"
_FUNCTION = "AWS::Serverless::Function"
_LOGINS = (("Scram", managed_hosts.SCRAM), ("Iam", managed_hosts.IAM))


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    plain = document.path.endswith(".template") and data.lstrip()[:1] == b"{"
    if plain or document.path.lower().endswith(".json"):
        nodes, problem, refused = json.strictly(data)
        document.problems += [one for one in (problem, refused) if one is not None]
        nodes = nodes if problem is None else []
    else:
        nodes = documents(document, data)
    for node in nodes:
        if b"AWS::ECS::TaskDefinition" in data:
            from kcheck.formats.containers import ecs_templates  # few templates have tasks, too

            ecs_templates.take(document, node)
        _Reader(document, embedded.split_lines(data)).read(node)
    nothing(document, "contains no MSK cluster, connector or consumer")


class _Reader:
    def __init__(self, document: Document, lines: list[str]) -> None:
        self.document = document
        self.lines = lines
        self.where = Where(document.path, lines, snake)

    def read(self, node: yaml.Node) -> None:
        configurations: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        clusters: list[tuple[yaml.Node, yaml.Node]] = []
        # The Serverless Framework has the template below a key of its own.
        top = yaml.child(node, "Resources") or yaml.child(node, "resources", "Resources")
        others: list[TreeBlock] = []
        for name, label, body in yaml.pairs(top):
            kind = yaml.text(yaml.child(body, "Type"))
            others += self._others(kind or "", name, label, body)
            if kind == _CONFIGURATION:
                configurations[name] = (label, body)
            elif kind == _CLUSTER:
                clusters.append((label, body))
            elif kind == _SERVERLESS:
                broker = self._broker(label)
                broker.traits.partial = True
                own = self._setting(yaml.child(body, "Properties"), "ClusterName")
                broker.traits.addresses = managed_hosts.of_serverless(own)
        used = set()
        for label, body in clusters:
            broker = self._broker(label)
            name = _named(yaml.child(body, "Properties", "ConfigurationInfo", "Arn"))
            used.add(name)
            if name in configurations:
                self._configured(broker, configurations[name][1])
            broker.traits.addresses = self._addresses(yaml.child(body, "Properties"))
            self._counted(broker, yaml.child(body, "Properties"))
            told = yaml.child(body, "Properties")
            if told is not None:
                named = [_CLUSTER, yaml.text(label) or "?"]
                block = TreeBlock("resource", named, told, self.where, yaml.position(label))
                terraform_json.judge(self.document, block)
        for name, (label, body) in configurations.items():
            if name not in used:
                self._configured(self._broker(label), body)
        self.where.clusters.update(yaml.text(label) or "" for label, _ in clusters)
        terraform_json.take(self.document, others, self.document.path)

    def _others(
        self, kind: str, name: str, label: yaml.Node, body: yaml.Node
    ) -> Iterator[TreeBlock]:
        """Connectors, their workers and what polls topics for functions, by the table's types."""
        properties = yaml.child(body, "Properties")
        at = yaml.position(label)
        if kind == _FUNCTION:
            for event, key, told in yaml.pairs(yaml.child(properties, "Events")):
                inner = yaml.child(told, "Properties")
                polled = f"AWS::Serverless::{yaml.text(yaml.child(told, 'Type'))}"
                if inner is not None and polled in provisioned.rows():
                    place = yaml.position(key)
                    yield TreeBlock(
                        "resource", [polled, f"{name}.{event}"], inner, self.where, place
                    )
        elif properties is not None and kind in provisioned.rows():
            yield TreeBlock("resource", [kind, name], properties, self.where, at)

    def _addresses(self, properties: yaml.Node | None) -> tuple[Address, ...]:
        """Where the brokers of a cluster answer, with the ports that may be open."""
        encryption = yaml.child(properties, "EncryptionInfo", "EncryptionInTransit")
        logins: dict[int, Setting | bool | None] = {}
        for word, port in _LOGINS:
            told: yaml.Node | None = properties
            for key in ("ClientAuthentication", "Sasl", word):
                inner = yaml.child(told, key)
                if inner is None:
                    logins[port] = _made(told)
                    break
                told = inner
            else:
                logins[port] = self._setting(told, "Enabled") or True
        spoken = self._setting(encryption, "ClientBroker")
        own = self._setting(properties, "ClusterName")
        ports = managed_hosts.ports_of_msk(spoken, logins)
        return managed_hosts.of_msk((own and own.text) or "", ports, own)

    def _setting(self, node: yaml.Node | None, name: str) -> Setting | None:
        """A property whose text is known."""
        for key, key_node, value in yaml.pairs(node):
            if key == name and _plain(value) is not None:
                return setting(key, key_node, value, self.document.path)
        return None

    def _broker(self, label: yaml.Node) -> Resource:
        name = yaml.text(label) or "?"
        broker = Resource("broker", name, self.document.path, yaml.position(label))
        broker.traits.service, broker.cluster = MSK, name
        broker.traits.namespace = self.document.path
        self.document.extent.whole = True
        self.document.resources.append(broker)
        return broker

    def _counted(self, broker: Resource, properties: yaml.Node | None) -> None:
        version = yaml.child(properties, "KafkaVersion")
        if version is not None:
            broker.facts.pop("kafka_version", None)
            self._version(broker, version)
        for key, key_node, value in yaml.pairs(properties):
            if key == "NumberOfBrokerNodes" and _plain(value) is not None:
                fact(broker, "replicas", key_node, value)
            group = value if key == "BrokerNodeGroupInfo" else None
            if (machine := yaml.child(group, "InstanceType")) is not None and _plain(machine):
                fact(broker, "instance_type", machine, machine)
            subnets = yaml.child(value, "ClientSubnets") if key == "BrokerNodeGroupInfo" else None
            if isinstance(subnets, yaml.SequenceNode) and len(subnets.value) > 1:
                made = Derived(
                    "zones", str(len(subnets.value)), broker.path, yaml.position(subnets)
                )
                made.amount = len(subnets.value)
                broker.facts["zones"] = made

    def _version(self, broker: Resource, node: yaml.Node) -> None:
        # 3.7.x and 3.9.x.kraft are how MSK calls its own builds.
        told = _plain(node) or ""
        text = told.partition(".kraft")[0].partition(".tiered")[0].removesuffix(".x")
        if text:
            at = yaml.position(node)
            kind = Setting if text == told else Derived
            broker.facts["kafka_version"] = kind("kafka_version", text, self.document.path, at)

    def _configured(self, broker: Resource, body: yaml.Node) -> None:
        properties = yaml.child(body, "Properties")
        versions = yaml.items(yaml.child(properties, "KafkaVersionsList"))
        if len(versions) == 1:
            self._version(broker, versions[0])
        text = yaml.child(properties, "ServerProperties")
        for part in _parts(text):
            self._lines(broker, part)

    def _lines(self, broker: Resource, node: yaml.Node) -> None:
        for entry in embedded.entries(node, self.lines):
            if not templated(entry.key):
                raw = None if templated(entry.value) else entry.value
                # A text of several lines in one line of JSON: no column is a column of the file.
                kind = Derived if entry.at == yaml.position(node) else Setting
                take(broker, kind(entry.key, raw, broker.path, entry.at, entry.key_at))


def _made(node: yaml.Node | None) -> bool:
    """Whether a function makes the value, so that anything may be in it."""
    if isinstance(node, yaml.MappingNode):
        return any(key.startswith("Fn::") or key == "Ref" for key, _, _ in yaml.pairs(node))
    return node is not None


def _parts(node: yaml.Node | None) -> list[yaml.Node]:
    """The scalars that make up a text: itself, what ``Sub`` gets, or the lines of a ``Join``."""
    if isinstance(node, yaml.ScalarNode):
        return [node] if _plain(node) is not None or node.tag == "!Sub" else []
    if node is None:
        return []
    sub = yaml.child(node, "Fn::Sub")
    if sub is not None or node.tag == "!Sub":
        listed = yaml.items(sub if sub is not None else node)
        first = listed[0] if listed else sub
        return [first] if isinstance(first, yaml.ScalarNode) else []
    joined = yaml.items(node if node.tag == "!Join" else yaml.child(node, "Fn::Join"))
    if len(joined) == 2 and "\n" in (yaml.text(joined[0]) or ""):
        return [part for item in yaml.items(joined[1]) for part in _parts(item)]
    return []


def _plain(node: yaml.Node | None) -> str | None:
    """The text of a scalar that no function makes; None where one does."""
    if not isinstance(node, yaml.ScalarNode) or str(node.tag).startswith("!"):
        return None
    text = yaml.text(node)
    return None if text is None or templated(text) else text


def _named(node: yaml.Node | None) -> str:
    """The label that ``Ref`` or ``GetAtt`` names, in the short form or the long one."""
    if node is None:
        return ""
    if isinstance(node, yaml.ScalarNode):
        return str(node.value).partition(".")[0] if str(node.tag) in ("!Ref", "!GetAtt") else ""
    told = node if str(node.tag) == "!GetAtt" else yaml.child(node, "Fn::GetAtt")
    listed = yaml.items(told)
    return yaml.text(listed[0] if listed else yaml.child(node, "Ref")) or ""
