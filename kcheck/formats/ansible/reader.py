"""Ansible variables of Confluent's collection: the custom properties that become properties files.

They stand for all hosts, for the group of brokers, controllers or workers, or for one host; the
narrower place wins, key by key. What the collection itself sets is unknown here, and what other
roles make of their own variables only their templates tell.
"""

from __future__ import annotations

from kcheck import images
from kcheck.formats import Lookup
from kcheck.formats.scalars import documents, known, nothing, setting, take
from kcheck.formats.text import templated
from kcheck.model import ANSIBLE, Document, Position, Resource, Setting
from kcheck.syntax import yaml
from kcheck.units import whole
from kcheck.version import Version

_DEPTH = 10
#: (variable, kind of resource, plane, the group of hosts).
_ROLES = (
    ("kafka_broker_custom_properties", "broker", "broker", "kafka_broker"),
    ("kafka_controller_custom_properties", "controller", "broker", "kafka_controller"),
    ("kafka_connect_custom_properties", "worker", "connect-distributed", "kafka_connect"),
)
_GROUPS = {group for _, _, _, group in _ROLES}


class _Found:
    """A mapping of custom properties: whom it is for, from all hosts (0) to a single one (2)."""

    __slots__ = ("host", "node", "variable", "weight")

    def __init__(self, variable: str, node: yaml.Node, groups: list[str]) -> None:
        self.variable = variable
        self.node = node
        self.host = ""
        self.weight = 1 if _GROUPS & set(groups) else 0
        if "hosts" in groups[:-1]:
            self.host = groups[groups.index("hosts") + 1]
            self.weight = 2
        elif "host_vars" in groups[:-1]:
            self.host = groups[groups.index("host_vars") + 1]
            self.weight = 2


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    for node in documents(document, data):
        found: list[_Found] = []
        _walk(node, [], found, _DEPTH)
        for variable, kind, plane, group in _ROLES:
            mine = [one for one in found if one.variable == variable]
            _role(document, node, kind, plane, group, mine)
    nothing(document, "contains no custom Kafka properties")


def _walk(node: yaml.Node, groups: list[str], found: list[_Found], depth: int) -> None:
    variables = {variable for variable, _, _, _ in _ROLES}
    for key, _, value in yaml.pairs(node):
        if key in variables and isinstance(value, yaml.MappingNode):
            # Other roles than the one that reads it have no use for it.
            owner = next(group for name, _, _, group in _ROLES if name == key)
            if value.value and not (_GROUPS - {owner}) & set(groups):
                found.append(_Found(key, value, groups))
        elif depth and isinstance(value, yaml.MappingNode):
            _walk(value, [*groups, key], found, depth - 1)


def _role(
    document: Document,
    node: yaml.Node,
    kind: str,
    plane: str,
    group: str,
    found: list[_Found],
) -> None:
    """One resource for the group, or one for each host that has properties of its own."""
    if not found:
        return
    shared = sorted((one for one in found if not one.host), key=lambda one: one.weight)
    hosts = list(dict.fromkeys(one.host for one in found if one.host))
    for host in hosts or [""]:
        at = yaml.position(found[0].node)
        resource = Resource(kind, host or group, document.path, _start(at), plane)
        resource.traits.deployer = ANSIBLE
        resource.traits.partial = True
        for one in (*shared, *(one for one in found if one.host == host and host)):
            for key, key_node, value in yaml.pairs(one.node):
                if not templated(key):
                    resource.settings.pop(key, None)
                    take(resource, setting(key, key_node, value, document.path))
        document.resources.append(resource)
        _versioned(resource, node)
        if kind != "worker":
            if not hosts:
                _counted(resource, node, group)
            document.extent.whole = True


def _counted(resource: Resource, node: yaml.Node, group: str) -> None:
    """How many hosts the inventory has in the group; a range of names counts as what it spans."""
    hosts = yaml.child(node, group, "hosts") or yaml.child(node, "all", "children", group, "hosts")
    total = 0
    for name, _, _ in yaml.pairs(hosts):
        start, bracket, rest = name.partition("[")
        if not bracket:
            total += 1
            continue
        first, _, last = rest.partition("]")[0].partition(":")
        low, high = whole(first), whole(last)
        if low is None or high is None or high < low or high - low > 10_000:
            return
        total += high - low + 1
        if not start and "{" in name:
            return
    if hosts is not None and total:
        at = _start(yaml.position(hosts))
        resource.facts["replicas"] = Setting("replicas", str(total), resource.path, at)


def _versioned(resource: Resource, node: yaml.Node) -> None:
    found = _variable(node, "confluent_package_version", _DEPTH)
    text = known(found)
    if found is None or not Version(text).known:
        return
    family = images.family_of("confluentinc/cp-kafka")
    version = family.version(text) if family is not None else ""
    if version:
        name = "client.version" if resource.kind == "worker" else "kafka_version"
        resource.facts[name] = Setting(name, version, resource.path, yaml.position(found))


def _variable(node: yaml.Node, name: str, depth: int) -> yaml.Node | None:
    for key, _, value in yaml.pairs(node):
        if key == name:
            return value
        if depth and isinstance(value, yaml.MappingNode):
            found = _variable(value, name, depth - 1)
            if found is not None:
                return found
    return None


def _start(at: Position) -> Position:
    return at[0], at[1], at[0], at[1]
