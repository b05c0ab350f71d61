"""Koperator's ``KafkaCluster``: its nodes, with what the operator makes of the resource.

The file of a node has ``readOnlyConfig`` of the cluster, that of the node over it, and what the operator
sets over both. ``clusterWideConfig`` and ``config`` are dynamic configuration: cluster-wide, and of one
broker. Of ``brokerConfig`` and the group that the node names, texts are the node's own if it has them,
and lists are joined (adobe/koperator@f314540b9df1: pkg/resources/kafka/configmap.go and configs.go,
api/v1beta1/kafkacluster_types.go).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import catalogue, images
from kcheck.formats import embedded
from kcheck.formats.containers import running
from kcheck.formats.containers.container import amount, heap, quantity
from kcheck.formats.koperator import listeners as koperator_listeners
from kcheck.formats.kubernetes import manifests
from kcheck.formats.scalars import known, setting, take
from kcheck.formats.text import written
from kcheck.model import KOPERATOR, Claim, Creation, Derived, Document, Note, Resource, Setting
from kcheck.model.processes import A_BROKER, A_CONTROLLER, Process
from kcheck.syntax import yaml

#: The heap without kafkaHeapOpts.
_HEAP = 2 << 30
#: How many replicas Cruise Control gives the topics of its samples, and by default.
_FACTOR, _SAMPLES = "sample.store.topic.replication.factor", 2
#: Tags of the operator's images: ``2.13-3.9.2-jdk21.0.11``.
_TAG = re.compile(r"\d+\.\d+-(\d+\.\d+)(?:\.\d+)?(?![\d.])")
#: More nodes than this are one: no cluster has so many.
_MOST = 300
#: What the operator sets over ``readOnlyConfig``, but for what listeners bring along.
_OWN = frozenset(
    ("broker.id", "node.id", "process.roles", "zookeeper.connect", "controller.quorum.voters")
    + ("controller.listener.names", "listeners", "advertised.listeners", "log.dirs")
    + ("listener.security.protocol.map", "metric.reporters")
)


class Part:
    """The configuration of one node: its own ``brokerConfig`` over the group that it names."""

    def __init__(self, own: yaml.Node | None, group: yaml.Node | None) -> None:
        self._parts = tuple(part for part in (own, group) if part is not None)

    def get(self, field: str) -> tuple[yaml.Node, yaml.Node] | None:
        """The key and the value of a field; None where none of the two has it."""
        for part in self._parts:
            for key, key_node, value in yaml.pairs(part):
                if key == field and not yaml.is_null(value) and yaml.text(value) != "":
                    return key_node, value
        return None

    def items(self, field: str) -> Iterator[yaml.Node]:
        """The members of a list, of the node's and of the group's."""
        for part in self._parts:
            yield from yaml.items(yaml.child(part, field))


def read(document: Document, node: yaml.Node, spec: yaml.Node | None, lines: list[str]) -> None:
    """Add the nodes of a cluster, and the client of its Cruise Control."""
    document.extent.whole = True
    brokers = yaml.items(yaml.child(spec, "brokers"))
    groups = yaml.child(spec, "brokerConfigGroups")
    for item in brokers if len(brokers) <= _MOST else brokers[:1]:
        group = known(yaml.child(item, "brokerConfigGroup"))
        part = Part(yaml.child(item, "brokerConfig"), yaml.child(groups, group) if group else None)
        made = _node(document, node, spec, item, part, lines)
        if len(brokers) > _MOST:
            made.traits.partial = True
            made.facts["replicas"].text = str(len(brokers))
        config = part.get("config")
        if config is not None:
            _dynamic(document, made, f"broker {known(yaml.child(item, 'id'))}", config[1], lines)
    common = yaml.child(spec, "clusterWideConfig")
    if common is not None and document.resources:
        _dynamic(document, document.resources[-1], "brokers", common, lines)
    _cruise_control(document, node, spec, lines)


def _dynamic(
    document: Document, node: Resource, whose: str, text: yaml.Node, lines: list[str]
) -> None:
    """What the operator sets while the brokers run: of one, or of all."""
    found = [*_texts(text, lines, document.path)]
    if not found:
        return
    made = Resource("config", whose, document.path, found[0].key_at, "broker")
    made.cluster, made.traits.deployer = node.cluster, KOPERATOR
    made.traits.namespace = node.traits.namespace
    for told in found:
        take(made, told)
    document.resources.append(made)


def _node(
    document: Document,
    node: yaml.Node,
    spec: yaml.Node | None,
    item: yaml.Node,
    part: Part,
    lines: list[str],
) -> Resource:
    cluster = known(yaml.child(node, "metadata", "name"))
    number = yaml.child(item, "id")
    roles = [known(role) for role in part.items("processRoles")]
    kraft = known(yaml.child(spec, "kRaft")) == "true"
    kind = "controller" if kraft and set(roles) == {"controller"} else "broker"
    at = yaml.position(number) if number is not None else yaml.position(item)
    made = Resource(kind, f"{cluster or '?'}-{known(number) or '?'}", document.path, at)
    made.cluster = cluster or None
    made.traits.deployer = KOPERATOR
    made.traits.namespace = known(yaml.child(node, "metadata", "namespace"))
    made.traits.kraft = kraft
    document.resources.append(made)
    made.facts["replicas"] = Derived("replicas", "1", document.path, at, at, "brokers")
    made.facts["replicas"].amount = 1
    _settings(made, spec, item, part, lines)
    _own(made, spec, number, roles if kraft else [])
    koperator_listeners.take(made, node, spec, item)
    _stored(made, part)
    _limited(made, part)
    _versioned(made, part, yaml.child(spec, "clusterImage"))
    _run(document, made, spec, part)
    return made


def _settings(
    made: Resource, spec: yaml.Node | None, item: yaml.Node, part: Part, lines: list[str]
) -> None:
    """The texts of properties; what the operator sets itself is noted and left out."""
    kept = koperator_listeners.kept(spec)
    for holder in (spec, item):
        found: dict[str, Setting] = {}
        for told in _texts(yaml.child(holder, "readOnlyConfig"), lines, made.path):
            if told.key in _OWN or told.key in kept:
                made.notes.append(_overwritten(made, told))
            elif told.key in found:
                made.earlier.append((found[told.key], told))
            found[told.key] = told
        made.settings.update({k: one for k, one in found.items() if k not in _OWN | kept})


def _texts(node: yaml.Node | None, lines: list[str], path: str) -> Iterator[Setting]:
    for entry in embedded.entries(node, lines):
        yield written(entry.key, entry.value.rstrip(), path, entry.at, entry.key_at)


def _overwritten(made: Resource, told: Setting) -> Note:
    return Note(
        "KC0114",
        told,
        f"{made.kind} {made.name} sets {told.key} in readOnlyConfig, which Koperator overwrites",
        "the value has no effect",
        f"remove {told.key}",
        held="KafkaCluster",
    )


def _own(
    made: Resource, spec: yaml.Node | None, number: yaml.Node | None, roles: list[str]
) -> None:
    """What the operator sets of a node's identity and of the metadata quorum."""
    at, path = made.at, made.path
    for key, text in (
        ("node.id" if roles else "broker.id", known(number) or None),
        ("process.roles", ",".join(roles) if all(roles) else None),
    ):
        if text or key != "process.roles" or roles:
            made.settings[key] = Derived(key, text, path, at, at, "processRoles" if roles else "id")
    # Its own metrics reporter, the quorum of all controllers, and the users that it makes itself.
    for key in (
        "metric.reporters",
        "super.users",
        *(["controller.quorum.voters"] if roles else ()),
    ):
        made.image[key] = Setting(key, None, path, at)
    if "super.users" in made.settings:
        supers = made.settings["super.users"]
        made.settings["super.users"] = Derived("super.users", None, path, supers.at, supers.key_at)
    zookeepers = yaml.child(spec, "zkAddresses")
    if not roles and zookeepers is not None:
        texts = [known(one) for one in yaml.items(zookeepers)]
        zk_path = yaml.child(spec, "zkPath")
        root = known(zk_path)
        sure = texts and all(texts) and (zk_path is None or root)
        spot = yaml.position(zookeepers)
        told = ",".join(texts) + ("" if root == "/" else root) if sure else None
        made.settings["zookeeper.connect"] = Derived(
            "zookeeper.connect", told, path, spot, spot, "zkAddresses"
        )


def _stored(made: Resource, part: Part) -> None:
    """The disks of a node: where they are mounted, how large they are, and whether they last."""
    configs: dict[str, yaml.Node] = {}
    for item in part.items("storageConfigs"):
        configs.setdefault(known(yaml.child(item, "mountPath")), item)
    if not configs:
        return
    first = next(iter(configs.values()))
    at = yaml.position(yaml.child(first, "mountPath") or first)
    texts = [f"{path}/kafka" for path in configs if path]
    told = ",".join(texts) if len(texts) == len(configs) else None
    made.settings["log.dirs"] = Derived("log.dirs", told, made.path, at, at, "storageConfigs")
    claims = {
        path: yaml.child(item, "pvcSpec", "resources", "requests", "storage")
        for path, item in configs.items()
        if yaml.child(item, "pvcSpec") is not None
    }
    empty = [yaml.child(one, "emptyDir") for one in configs.values()]
    if not claims and empty[0] is not None and None not in empty:
        lost = setting("storageConfigs.emptyDir", empty[0], empty[0], made.path)
        lost.raw = lost.text = "{}"
        made.traits.ephemeral = lost
    made.traits.claims = tuple(Claim(path, _size(made, node)) for path, node in claims.items())
    sizes = {known(node) for node in claims.values()}
    size = next(iter(claims.values()), None)
    if size is not None and len(sizes) == 1 and len(claims) == len(configs):
        amount(made, "disk_size", setting("disk_size", size, size, made.path))
        if len(configs) > 1:
            made.facts["disks"] = Setting("disks", str(len(configs)), made.path, at)


def _size(made: Resource, node: yaml.Node | None) -> Setting | None:
    if node is None:
        return None
    told = setting("pvcSpec.resources.requests.storage", node, node, made.path)
    told.amount = quantity(told.text)
    return told


def _limited(made: Resource, part: Part) -> None:
    resources = part.get("resourceRequirements")
    for key, key_node, value in yaml.pairs(yaml.child(resources and resources[1], "limits")):
        if key in ("memory", "cpu"):
            name = "ram" if key == "memory" else "cores"
            amount(made, name, setting(name, key_node, value, made.path))


def _versioned(made: Resource, part: Part, common: yaml.Node | None) -> None:
    own = part.get("image")
    node = own[1] if own is not None else common
    text = known(node)
    if node is None or not text:
        return
    at = yaml.position(node)
    made.facts["image"] = Setting("image", text, made.path, at)
    found = _TAG.match(images.split(text)[1])
    if found is not None:
        made.facts["kafka_version"] = Setting("kafka_version", found.group(1), made.path, at)


def _run(document: Document, made: Resource, spec: yaml.Node | None, part: Part) -> None:
    """The JVM of a node: its heap, and the limits of its pod."""
    envs = [
        known(yaml.child(e, "name"))
        for e in (*yaml.items(yaml.child(spec, "envs")), *part.items("envs"))
    ]
    process = Process(
        A_CONTROLLER if made.kind == "controller" else A_BROKER, made.name, made.path, made.at
    )
    process.namespace = made.traits.namespace
    options = [
        setting(field, *found, made.path)
        for field in ("kafkaHeapOpts", "kafkaJvmPerfOpts")
        if (found := part.get(field)) is not None
    ]
    if any("OPTS" in name or "JAVA" in name or not name for name in envs):
        options = []  # variables of its own may say otherwise
    else:
        process.heap_default, process.script = _HEAP, "Koperator"
        for one in options[:1]:
            heap(made, Setting("heap", one.text, one.path, one.at, one.key_at))
    running.memory(process, options)
    for name in ("ram", "cores"):
        told = made.facts.get(name)
        if told is not None:
            route = "memory" if name == "ram" else "cpu"
            limit = Setting(
                f"resourceRequirements.limits.{route}", told.text, told.path, told.at, told.key_at
            )
            limit.amount = told.amount
            setattr(process, route, limit)
    made.traits.process = process
    document.processes += (process,)


def _cruise_control(
    document: Document, node: yaml.Node, spec: yaml.Node | None, lines: list[str]
) -> None:
    """The admin client of Cruise Control, which the operator points at the cluster."""
    text = yaml.child(spec, "cruiseControlConfig", "config")
    keys = catalogue.plane("admin")
    texts = [*_texts(text, lines, document.path)]
    found = [told for told in texts if told.key in keys]
    if not texts:
        return
    cluster = known(yaml.child(node, "metadata", "name"))
    client = Resource("admin", f"{cluster or '?'}-cruisecontrol", document.path, texts[0].key_at)
    client.cluster = cluster or None
    client.traits.deployer = KOPERATOR
    client.traits.namespace = known(yaml.child(node, "metadata", "namespace"))
    client.traits.partial = True
    for told in found:
        take(client, told)
    factor = next((told for told in texts if told.key == _FACTOR), None)
    if factor is not None:
        client.facts[_FACTOR] = factor
        client.traits.creates = (Creation("the sample topics", _FACTOR, factor, _SAMPLES),)
    assumed = yaml.child(spec, "cruiseControlConfig", "clusterConfig")
    for held in manifests.documents_of(document, assumed, lines):
        for key, key_node, value in yaml.pairs(held):
            if "." in key:  # a key of Kafka's
                client.facts[key] = setting(key, key_node, value, document.path)
    document.resources.append(client)
