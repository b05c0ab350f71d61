"""Strimzi's ``KafkaMirrorMaker2``: its workers, the connectors of each flow, and who reads for it."""

from __future__ import annotations

from kcheck.formats import flows
from kcheck.formats.scalars import fact, setting
from kcheck.formats.strimzi.clients import asking, halted, put, run, secured, worker_of
from kcheck.formats.strimzi.resource import Meta, config, made
from kcheck.formats.text import templated
from kcheck.model import ALIAS, Document, Note, Resource, Setting
from kcheck.syntax import yaml

#: A mirror's connectors by their fields.
_MIRRORS = {
    "sourceConnector": "MirrorSourceConnector",
    "checkpointConnector": "MirrorCheckpointConnector",
    "heartbeatConnector": "MirrorHeartbeatConnector",
}
#: What is told of a mirror beside its connectors, and who reads it under which key.
_PATTERNS = {
    "topicsPattern": ("sourceConnector", "topics"),
    "topicsExcludePattern": ("sourceConnector", "topics.exclude"),
    "topicsBlacklistPattern": ("sourceConnector", "topics.exclude"),
    "groupsPattern": ("checkpointConnector", "groups"),
    "groupsExcludePattern": ("checkpointConnector", "groups.exclude"),
    "groupsBlacklistPattern": ("checkpointConnector", "groups.exclude"),
}


def read_mirrors(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    clusters = {
        yaml.text(yaml.child(item, "alias")) or "": item
        for item in yaml.items(yaml.child(spec, "clusters"))
    }
    target = yaml.child(spec, "target")
    if target is None:
        target = clusters.get(yaml.text(yaml.child(spec, "connectCluster")) or "")
    worker = worker_of(document, meta, target, "KafkaMirrorMaker2")
    run(document, meta, spec, "MirrorMaker", worker)
    worker.traits.mirrors_only = True
    for key, key_node, value in yaml.pairs(spec):
        if key in ("replicas", "version"):
            fact(worker, "client.version" if key == "version" else key, key_node, value)
        if key == "replicas":
            worker.traits.instances = setting("instances", key_node, value, worker.path, key)
    _undeclared(worker, spec, [*clusters])
    for mirror in yaml.items(yaml.child(spec, "mirrors")):
        _connect_cluster(worker, spec, mirror)
        source = yaml.child(mirror, "source")
        alias = yaml.text(yaml.child(source, "alias") or yaml.child(mirror, "sourceCluster")) or "?"
        if source is None:
            source = clusters.get(alias)
        if source is not None and source is not target:
            asked = _source(document, meta, alias, source)
            if asked is not None and target is not None:
                _flow(worker, target, asked, source, mirror)
        _connectors(document, meta, worker, alias, mirror)


def _connectors(
    document: Document, meta: Meta, worker: Resource, alias: str, mirror: yaml.Node
) -> None:
    """The connectors of one flow, each of which is there where its field is."""
    for field, connector_class in _MIRRORS.items():
        node = yaml.child(mirror, field)
        if node is not None:
            one = made(document, "connector", meta, worker.cluster or "")
            one.traits.cluster_origin = worker.traits.cluster_origin
            one.name = f"{meta.name} {alias} {field}"
            one.at = yaml.position(node)
            one.traits.mirror = (document.path, meta.at, alias)
            one.traits.halted = halted(node)
            if "client.version" in worker.facts:
                one.facts["client.version"] = worker.facts["client.version"]
            _mirror(one, mirror, node, field, connector_class)


def _mirror(
    connector: Resource, mirror: yaml.Node, node: yaml.Node, field: str, connector_class: str
) -> None:
    for key, key_node, value in yaml.pairs(mirror):
        reader, kafkas = _PATTERNS.get(key, ("", ""))
        if reader == field:
            put(connector, kafkas, key_node, value, key)
    for key, key_node, value in yaml.pairs(node):
        if key == "tasksMax":
            put(connector, "tasks.max", key_node, value, key)
        elif key == "config":
            config(connector, value, "KafkaConnector")
    known = Setting(
        "connector.class",
        f"org.apache.kafka.connect.mirror.{connector_class}",
        connector.path,
        connector.at,
    )
    connector.image["connector.class"] = known
    connector.plane = {
        "sourceConnector": "mirror-source",
        "checkpointConnector": "mirror-checkpoint",
        "heartbeatConnector": "mirror-heartbeat",
    }[field]


def _flow(
    worker: Resource,
    target: yaml.Node,
    asked: Resource,
    source: yaml.Node | None,
    mirror: yaml.Node,
) -> None:
    """Note the flow of a mirror on its workers and on the clients that read for it."""
    ends = [_alias(node, worker.path) for node in (source, target)]
    field = yaml.child(mirror, "sourceConnector")
    if ends[0] is None or ends[1] is None:
        return
    reader = Resource("connector", worker.name, worker.path)
    _mirror(reader, mirror, field or mirror, "sourceConnector", "")
    flow = flows.flow(
        ends[0],
        ends[1],
        (asked.settings.get("bootstrap.servers"), worker.settings.get("bootstrap.servers")),
        reader.settings,
        worker.settings.get("producer.max.request.size"),
        halted=halted(field),
    )
    flows.leave(worker, "in", flow)
    flows.leave(asked, "out", flow)


def _alias(node: yaml.Node | None, path: str) -> Setting | None:
    """The alias of a cluster; None where there is none or a template fills it in."""
    for key, key_node, value in yaml.pairs(node):
        if key == "alias":
            made = setting("spec.clusters[].alias", key_node, value, path, "alias")
            return made if made.text else None
    return None


def _source(document: Document, meta: Meta, alias: str, node: yaml.Node) -> Resource:
    """The clients that read from the mirrored cluster."""
    client = asking(document, "client", meta, node)
    client.name = alias
    if not client.cluster and alias != "?" and not templated(alias):
        # Another cluster than that of the workers, even where nobody reads its address.
        client.cluster = alias
        client.traits.cluster_origin = ALIAS
    client.at = yaml.position(node)
    for key, key_node, value in yaml.pairs(node):
        if key == "bootstrapServers":
            put(client, "bootstrap.servers", key_node, value, key)
        elif key == "config":
            config(client, value, "KafkaMirrorMaker2")
    # Behind these prefixes stand the clients of the worker, which all are its own.
    for key in [k for k in client.settings if k.startswith(("producer.", "consumer.", "admin."))]:
        del client.settings[key]
    secured(client, node)
    return client


def _connect_cluster(worker: Resource, spec: yaml.Node | None, mirror: yaml.Node) -> None:
    """Note that the workers belong to another cluster than the one they mirror to."""
    own, to = yaml.child(spec, "connectCluster"), yaml.child(mirror, "targetCluster")
    name, target = yaml.text(own), yaml.text(to)
    if own is None or name is None or target is None or name == target:
        return
    if templated(name) or templated(target):
        return
    spot = Setting("spec.connectCluster", name, worker.path, yaml.position(own))
    worker.notes.append(
        Note(
            "KC1604",
            spot,
            f"the workers of {worker.name} use connectCluster {name}, but mirror to {target}",
            f"records are written to the workers' own cluster: {target} receives none of them, and "
            "newer versions of the operator reject the resource",
            f"set connectCluster: {target}",
        )
    )


def _undeclared(worker: Resource, spec: yaml.Node | None, aliases: list[str]) -> None:
    """Note an alias that ``spec.clusters`` does not have: the operator rejects the resource
    (KafkaMirrorMaker2Connectors and KafkaMirrorMaker2Cluster of strimzi-kafka-operator 0.45.0)."""
    if not aliases or any(not alias or templated(alias) for alias in aliases):
        return
    named = [("spec.connectCluster", yaml.child(spec, "connectCluster"))]
    for mirror in yaml.items(yaml.child(spec, "mirrors")):
        named += [
            (f"spec.mirrors[].{end}", yaml.child(mirror, end))
            for end in ("sourceCluster", "targetCluster")
        ]
    for path, node in named:
        alias = yaml.text(node)
        if node is None or not alias or templated(alias) or alias in aliases:
            continue
        spot = Setting(path, alias, worker.path, yaml.position(node), yaml.position(node))
        worker.notes.append(
            Note(
                "KC1604",
                spot,
                f"{path.rpartition('.')[2]} of {worker.name} is {alias}, but spec.clusters has only "
                f"{', '.join(aliases)}",
                "the operator rejects the resource: no cluster has this alias",
                f"use one of {', '.join(aliases)}, or add {alias} to spec.clusters",
            )
        )
