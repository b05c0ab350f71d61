"""Strimzi custom resources: ``Kafka``, ``KafkaNodePool``, ``KafkaTopic``; many documents per file.

Clients, connectors and users are read by ``strimzi_connect``; other kinds of the same group are
named and passed over. A ``Kafka`` resource stands for all its
brokers, or for the brokers of its node pools where it has some. Names and labels that a template
fills in are unknown: such resources join by where their file lies.
"""

from __future__ import annotations

import re
from importlib import import_module

from kcheck.formats import Lookup, kubernetes_strings, strimzi_refusals
from kcheck.formats.scalars import fact, setting
from kcheck.formats.strimzi_resource import Meta, Parts, claimed, config, known, made
from kcheck.formats.text import templated, unrendered
from kcheck.model import PASSED_OVER, SKIPPED, Claim, Document, Problem, Resource, Setting
from kcheck.syntax import yaml

FORMAT = "strimzi-cr"
_GROUP = "kafka.strimzi.io/"
#: Definitions of the kinds name the group too, but never as their own ``apiVersion``.
#: IBM Event Streams runs Strimzi's operator under a group of its own.
_IBM = "eventstreams.ibm.com"
_VERSION = re.compile(
    rb"(^)?apiVersion[\"']?:[ \t]*[\"']?(?:(?:kafka|core)\.strimzi\.io|eventstreams\.ibm\.com)/",
    re.M,
)


def recognise(path: str, data: bytes) -> str | None:
    if b".strimzi.io/" not in data and _IBM.encode() not in data:
        return None
    found = _VERSION.search(data)
    if found is None:
        return None
    if found.group(1) is not None:
        return FORMAT
    # Further in stand the members of a List, but also the text that a ConfigMap carries.
    nodes, problem = yaml.documents(data)
    mine = any(_version(parts) for node in nodes for parts in _unpacked(node))
    return FORMAT if mine or problem is not None else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    nodes, problem = yaml.documents(data)
    if problem is not None:
        if unrendered(data):
            document.status = SKIPPED
            document.reason = "an unrendered template"
            return
        document.problems.append(problem)
    for node in nodes:
        for parts in _unpacked(node):
            version = _version(parts)
            if version.startswith((_GROUP, _IBM)):
                _resource(document, parts, version.startswith(_IBM))
                kind = yaml.text(parts.get("kind")) or ""
                if kind in kubernetes_strings.WITHOUT_PODS:
                    kubernetes_strings.of_metadata(document, kind, parts.get("metadata"))
                else:
                    kubernetes_strings.tell(document, parts[""])
    if any(resource.traits.unlabelled for resource in document.resources):
        _built(document, lookup)
    if any(resource.traits.runs_on for resource in document.resources):
        import_module("kcheck.formats.strimzi_connect").settle(document)
    if not document.resources and not document.problems:
        document.status = PASSED_OVER
        document.reason = "contains no resource of Kafka or its clients"


def _built(document: Document, lookup: Lookup) -> None:
    """Forget that labels are missing where kustomize, which may add them, builds what is here."""
    folder = document.path
    while folder:
        folder = folder.rpartition("/")[0]
        for ending in ("yaml", "yml"):
            if lookup(f"{folder}/kustomization.{ending}".lstrip("/")) is not None:
                for resource in document.resources:
                    resource.traits.unlabelled = False
                return


def _unpacked(node: yaml.Node) -> list[Parts]:
    """The resources of a document: itself, or those of a List or an OpenShift Template."""
    parts = _parts(node)
    kind = yaml.text(parts.get("kind"))
    if kind in ("List", "Template"):
        return [_parts(n) for n in yaml.items(parts.get("items" if kind == "List" else "objects"))]
    return [parts]


def _parts(node: yaml.Node) -> Parts:
    return {"": node, **{name: value for name, _, value in yaml.pairs(node)}}


def _version(parts: Parts) -> str:
    """The ``apiVersion`` of one of Strimzi's resources, "" for any other."""
    version = yaml.text(parts.get("apiVersion")) or ""
    group = version.partition("/")[0]
    return version if group.endswith(".strimzi.io") or group == _IBM else ""


def _resource(document: Document, parts: Parts, ibm: bool) -> None:
    kind = yaml.text(parts.get("kind"))
    if not kind:
        return
    spec = parts.get("spec")
    before = len(document.resources)
    meta = Meta(parts)
    if ibm and kind == "EventStreams":
        # What it does not override, IBM's operator sets.
        _kafka(document, meta, yaml.child(spec, "strimziOverrides"))
        for resource in document.resources[before:]:
            resource.traits.partial = True
        return
    if kind == "KafkaTopic":
        _topic(document, meta, spec)
    elif kind == "Kafka":
        _kafka(document, meta, spec)
    elif kind == "KafkaNodePool":
        _pool(document, meta, spec)
    else:
        import_module("kcheck.formats.strimzi_connect").read(document, kind, meta, parts)
    made = document.resources[before] if len(document.resources) > before else None
    if spec is not None and not ibm:
        _fields(document, kind, meta, parts, made)
    if made is not None:
        named = yaml.child(parts.get("metadata"), "name")
        strimzi_refusals.name(made, named, kind)
    if kind not in ("KafkaTopic", "KafkaNodePool"):
        _beside(document, kind, meta, spec)


def _fields(document: Document, kind: str, meta: Meta, parts: Parts, made: Resource | None) -> None:
    """Tell the fields, words and annotations that Strimzi does not have for the kind."""
    from kcheck.formats import unknown_fields

    spec = parts["spec"]
    annotations = yaml.child(parts.get("metadata"), "annotations")
    unknown_fields.annotations_of_strimzi(document, kind, meta.name, annotations)
    unknown_fields.of_strimzi(document, kind, meta.name, spec, made)
    unknown_fields.words_of_strimzi(document, kind, meta.name, spec)
    if any(yaml.child(spec, *route, "template") is not None for route in ((), ("kafka",))):
        from kcheck.formats import strimzi_environment  # few resources have a template

        document.problems.extend(strimzi_environment.faults(kind, meta.name, spec, document.path))


def _beside(document: Document, kind: str, meta: Meta, spec: yaml.Node | None) -> None:
    if templated(meta.name):
        return
    from kcheck.formats import strimzi_addresses

    service = strimzi_addresses.beside(kind, meta.name, meta.namespace, meta.at, spec)
    if service is not None:
        document.services += (service,)


def _topic(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    resource = claimed(document, "topic", meta)
    for key, key_node, value in yaml.pairs(spec):
        if key == "config":
            config(resource, value)
        elif key == "partitions":
            fact(resource, "partitions", key_node, value)
        elif key == "replicas":
            fact(resource, "replication.factor", key_node, value)
        elif key == "topicName":
            resource.name = yaml.text(value) or meta.name


def _kafka(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    # A name that a chart fills in may stand unquoted: no text of YAML's then.
    cluster = "" if meta.name == "?" or templated(meta.name) else meta.name
    resource = made(document, "broker", meta, cluster)
    if meta.pools:
        resource.traits.reads_pools = True
    if meta.migrates:
        resource.traits.migrates = True
    kraft = _kraft(meta, spec)
    if kraft is not None:
        resource.traits.kraft = kraft
    document.extent.whole = True
    told = yaml.pairs(yaml.child(spec, "entityOperator"))
    _programs(document, meta, spec)
    if told:
        running = [name for name, _, value in told if not yaml.is_null(value)]
        resource.traits.operators = tuple(running)
    kafka = yaml.child(spec, "kafka")
    if kafka is None:
        message = "this Kafka resource has no spec.kafka"
        document.problems.append(Problem(message, meta.at, "KC0007"))
    _ensemble(resource, spec)
    if cluster:
        listeners = yaml.child(kafka, "listeners")
        from kcheck.formats import strimzi_addresses

        resource.traits.addresses = strimzi_addresses.of_kafka(cluster, listeners, resource.path)
    _brokers(resource, meta, kafka)
    _run(document, resource, meta, None if meta.pools else kafka, "spec.kafka")


def _ensemble(resource: Resource, spec: yaml.Node | None) -> None:
    """How many servers ZooKeeper has, and where they keep their data."""
    for key, key_node, value in yaml.pairs(spec):
        if key == "zookeeper" and (replicas := yaml.child(value, "replicas")) is not None:
            fact(resource, "zookeeper", key_node, replicas)
    storage = yaml.child(spec, "zookeeper", "storage")
    if storage is not None:
        strimzi_refusals.storage(resource, storage, "zookeeper.storage")
        if (kind := yaml.child(storage, "type")) is not None:
            fact(resource, "zookeeper.storage.type", kind, kind)


def _authorization(resource: Resource, key_node: yaml.Node, node: yaml.Node) -> None:
    """The kind of authorization, and the users whom no ACL binds."""
    kind = yaml.child(node, "type")
    if not yaml.is_null(node):
        fact(resource, "authorization", key_node, node if kind is None else kind)
    listed = yaml.items(yaml.child(node, "superUsers"))
    if listed:
        names = [known(item) for item in listed]
        supers = setting("superUsers", key_node, listed[0], resource.path)
        supers.raw = supers.text = ";".join(names) if all(names) else None
        resource.facts["authorization.superUsers"] = supers


def _brokers(resource: Resource, meta: Meta, kafka: yaml.Node | None) -> None:
    """``spec.kafka``; what pools say of their nodes is not read here where there are any."""
    for key, key_node, value in yaml.pairs(kafka):
        if key == "config":
            config(resource, value, "Kafka")
        elif key == "version":
            fact(resource, "kafka_version", key_node, value)
        elif key == "replicas" and not meta.pools:
            fact(resource, "replicas", key_node, value)
        elif key in _HOST and not meta.pools:
            _host(resource, key, value)
        elif key == "listeners":
            _listeners(resource, key_node, value)
            strimzi_refusals.form_of_listeners(resource, key_node, value, meta.version)
        elif key == "metadataVersion":
            fact(resource, "metadata.version", key_node, value)
        elif key == "authorization":
            _authorization(resource, key_node, value)
        elif key == "tieredStorage":
            _tiers(resource, key_node, value)


def _tiers(resource: Resource, key_node: yaml.Node, node: yaml.Node) -> None:
    """The keys that the operator sets for ``tieredStorage`` (KafkaBrokerConfigurationBuilder)."""
    manager = yaml.child(node, "remoteStorageManager")
    if known(yaml.child(node, "type")) != "custom" or manager is None:
        return
    switch = setting("remote.log.storage.system.enable", key_node, key_node, resource.path)
    switch.raw = switch.text = "true"
    switch.name = "tieredStorage"
    made = [switch]
    for field, key in (("className", "class.name"), ("classPath", "class.path")):
        value = yaml.child(manager, field)
        if value is not None:
            name = f"remote.log.storage.manager.{key}"
            made.append(setting(name, value, value, resource.path))
    for one in made:
        resource.settings.setdefault(one.key, one)


#: The annotation by which older operators know the mode; there is none in the newest.
_MODES = {"enabled": True, "disabled": False}


def _kraft(meta: Meta, spec: yaml.Node | None) -> bool | None:
    """The mode that the resource states; None during a migration, and where it states none.

    Without the annotation, a ``zookeeper`` section is required for ZooKeeper, and a
    ``metadataVersion`` has a meaning in KRaft alone.
    """
    if meta.kraft:
        return _MODES.get(meta.kraft)
    if yaml.child(spec, "zookeeper") is not None:
        return False
    return True if yaml.child(spec, "kafka", "metadataVersion") is not None else None


def _listeners(resource: Resource, key_node: yaml.Node, node: yaml.Node) -> None:
    """What the operator makes listeners of: facts ``listeners.NAME.PART``, and all the names.

    They have no names to go by where one is filled in, or in the mapping of old versions.
    """
    names: list[str] = []
    strimzi_refusals.listeners(resource, node)
    for item in yaml.items(node):
        named = yaml.child(item, "name")
        name = known(named)
        if named is None or not name:
            return
        names.append(name)
        for part, route in _LISTENER.items():
            found = yaml.child(item, *route)
            if found is not None and not yaml.is_null(found):
                fact(resource, f"listeners.{name}{part}", named, found)
        security = f"listeners.{name}.authentication"
        found = yaml.child(item, "authentication")
        if found is not None and not yaml.is_null(found) and security not in resource.facts:
            # Said in a way that is not read.
            resource.facts[security] = Setting(security, None, resource.path, yaml.position(found))
    if names:
        made = setting("listeners", key_node, key_node, resource.path)
        made.raw = made.text = ",".join(names)
        resource.facts["listeners"] = made
        resource.traits.listener_names = tuple(names)


#: The parts of a listener that clients notice, and the routes to them.
_LISTENER = {
    "": ("name",),
    ".port": ("port",),
    ".type": ("type",),
    ".tls": ("tls",),
    ".authentication": ("authentication", "type"),
    ".bootstrap.host": ("configuration", "bootstrap", "host"),
    ".bootstrap.nodePort": ("configuration", "bootstrap", "nodePort"),
}


def _pool(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    roles = [yaml.text(item) for item in yaml.items(yaml.child(spec, "roles"))]
    kind = "broker" if "broker" in roles or not roles else "controller"
    resource = claimed(document, kind, meta)
    resource.traits.pool = True
    if "controller" in roles:
        resource.traits.kraft = True
    if not any(role is None or templated(role) for role in roles):
        resource.traits.roles = tuple(role for role in roles if role)
    for key, key_node, value in yaml.pairs(spec):
        if key == "replicas":
            fact(resource, "replicas", key_node, value)
        elif key in _HOST:
            _host(resource, key, value)
    _run(document, resource, meta, spec, "spec")


def _programs(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    """Tell what the JVMs beside the nodes may use, where that is limited."""
    if any(yaml.child(spec, *fields, "resources") is not None for fields in _BESIDE):
        from kcheck.formats import strimzi_running

        strimzi_running.others(document, meta.name, meta.at, spec)


_HOST = ("jvmOptions", "resources", "storage")
#: The JVMs of a Kafka resource that are no nodes.
_BESIDE = (
    ("zookeeper",),
    ("entityOperator", "topicOperator"),
    ("entityOperator", "userOperator"),
    ("cruiseControl",),
)


def _run(
    document: Document, resource: Resource, meta: Meta, node: yaml.Node | None, route: str
) -> None:
    """Tell the memory of the pods that run a node, where it is limited."""
    if yaml.child(node, "resources") is not None:
        from kcheck.formats import strimzi_running

        resource.traits.process = strimzi_running.process(
            document, resource.kind, meta.name, meta.at, node, route
        )


def _host(resource: Resource, key: str, node: yaml.Node) -> None:
    """What the pod has: heap, memory, cores, and the size of its disk or disks, in bytes."""
    from kcheck.formats.containers import amount, heap

    if key == "jvmOptions":
        for option, option_node, value in yaml.pairs(node):
            if option == "-Xmx":
                made = setting("heap", option_node, value, resource.path)
                made.raw = made.text = f"-Xmx{made.text}" if made.text else None
                heap(resource, made)
    elif key == "resources":
        for limit, limit_node, value in yaml.pairs(yaml.child(node, "limits")):
            if limit in ("memory", "cpu"):
                name = "ram" if limit == "memory" else "cores"
                amount(resource, name, setting(name, limit_node, value, resource.path))
    else:
        strimzi_refusals.storage(resource, node, "storage")
        volumes = yaml.items(yaml.child(node, "volumes")) or [node]
        kinds = {yaml.text(yaml.child(volume, "type")) for volume in volumes}
        if kinds == {"ephemeral"}:
            kind = yaml.child(volumes[0], "type") or node
            resource.traits.ephemeral = setting("storage.type", kind, kind, resource.path)
        resource.traits.claims = tuple(
            _claim(resource, volume)
            for volume in volumes
            if yaml.text(yaml.child(volume, "type")) == "persistent-claim"
        )
        sizes = [yaml.child(volume, "size") for volume in volumes]
        first = sizes[0]
        alike = {yaml.text(size) for size in sizes}
        if first is not None and len(alike) == 1:
            amount(resource, "disk_size", setting("disk_size", first, first, resource.path))
            if len(sizes) > 1:
                resource.facts["disks"] = Setting(
                    "disks", str(len(sizes)), resource.path, yaml.position(node)
                )


def _claim(resource: Resource, volume: yaml.Node) -> Claim:
    from kcheck.formats.containers import quantity

    name = yaml.text(yaml.child(volume, "id")) or ""
    part = f"volumes[{name}]." if name else ""
    size: Setting | None = None
    deletes: Setting | None = None
    for key, key_node, value in yaml.pairs(volume):
        made = setting(f"storage.{part}{key}", key_node, value, resource.path)
        if key == "size":
            size = made
            size.amount = quantity(made.text)
        elif key == "deleteClaim" and made.text == "true":
            deletes = made
    return Claim(name, size, deletes)
