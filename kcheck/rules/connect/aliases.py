"""KC1439: names that connectors, workers and clients use and nothing defines."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client, Connector
from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.lexicon.suggest import namesakes, relabelled
from kcheck.model import CFK, INFO, WARNING, Finding
from kcheck.rule import rule
from kcheck.rules.shared.keys_wording import key_evidence
from kcheck.rules.shared.strimzi import absent, apart
from kcheck.wording import plain

#: Lists of aliases; behind the key and a dot stand the settings of each.
_LISTS = ("transforms", "predicates", "config.providers")
#: What each of them cannot be without.
_TYPES = {"transforms": "type", "predicates": "type", "config.providers": "class"}
_PROVIDERS = "config.providers"
_REFERENCE = "spec.connectClusterRef.name"


@rule(
    "KC1439",
    "undefined-alias",
    WARNING,
    on=("transforms", "predicates", "config.providers", "connector.class"),
)
def undefined_alias(node: Connector | Client | Broker | Controller) -> Iterator[Finding]:
    """A setting belongs to an alias that its list does not name, or a name refers to nothing.

    transforms, predicates and config.providers list aliases; settings of others are ignored, and a
    config provider without a class does not exist. A warning for aliases that resemble a listed one; for
    others that have a type, which may be disabled on purpose, information.

    Bad: a transformation
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "transforms": "mask", "transforms.mask.type": "org.apache.kafka.connect.transforms.MaskField$Value",
         "transforms.mask.fields": "card", "transforms.masks.replacement": "-"}}
    Bad: a config provider without a class
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        config.providers=file,vault
        config.providers.file.class=org.apache.kafka.common.config.provider.FileConfigProvider
    Bad: no such Connect cluster
        --- connect.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Connect
        metadata: {name: connect, namespace: etl}
        spec: {replicas: 1}
        ---
        apiVersion: platform.confluent.io/v1beta1
        kind: Connector
        metadata: {name: rows, namespace: etl}
        spec:
          class: FileStreamSink
          taskMax: 1
          connectClusterRef: {name: connects}
          configs: {topics: orders, file: /a}
    Good:
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "transforms": "mask", "transforms.mask.type": "org.apache.kafka.connect.transforms.MaskField$Value",
         "transforms.mask.fields": "card", "transforms.mask.replacement": "-",
         "transforms.route.regex": "a.*"}}
    Bad: complete, but not listed
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "transforms": "mask", "transforms.mask.type": "org.apache.kafka.connect.transforms.MaskField$Value",
         "transforms.mask.fields": "card",
         "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
         "transforms.route.regex": "(.*)", "transforms.route.replacement": "masked.$1"}}
    Good: config providers
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        config.providers=file
        config.providers.file.class=org.apache.kafka.common.config.provider.FileConfigProvider
    """
    for name in _LISTS:
        if name in node.resource.settings:
            yield from _unlisted(node, name)
    if _PROVIDERS in node.resource.settings and not node.resource.traits.partial:
        yield from _without_class(node)
    if isinstance(node, Connector):
        yield from _cluster(node)


def _aliases(node: Node, name: str) -> list[str] | None:
    text = node.resource.settings[name].text
    return None if text is None else [one.strip() for one in text.split(",") if one.strip()]


def _unlisted(node: Node, name: str) -> Iterator[Finding]:
    """The first setting of an alias that can only be a slip of a listed one."""
    aliases = _aliases(node, name)
    if not aliases:
        return
    owners = tuple(f"{name}.{alias}." for alias in aliases)
    told: set[str] = set()
    for key, setting in node.resource.settings.items():
        alias, dot, rest = key.removeprefix(f"{name}.").partition(".")
        if not key.startswith(f"{name}.") or not dot or key.startswith(owners) or alias in told:
            continue
        near = namesakes(alias, aliases)
        right = f"{name}.{near[0]}.{rest}" if len(near) == 1 else ""
        if not right or right in node.resource.settings:
            if rest == _TYPES[name]:
                told.add(alias)
                yield node.finding(
                    f"{node} sets {key}, but {alias} is not in {plain(node[name])}",
                    at=key_evidence(node, setting, key),
                    because=(node[name],),
                    breaks=f"{alias} is never used",
                    fix=f"add {alias} to {name}, or remove its settings",
                    severity=INFO,
                )
            continue
        told.add(alias)
        yield node.finding(
            f"{node} sets {key}, but {alias} is not in {plain(node[name])}",
            at=key_evidence(node, setting, key),
            because=(node[name],),
            breaks=f"{key} is ignored, and {near[0]} uses the default",
            fix=f"rename {key} to {right}",
        )


def _without_class(node: Node) -> Iterator[Finding]:
    for alias in _aliases(node, _PROVIDERS) or ():
        key = f"{_PROVIDERS}.{alias}.class"
        if key not in node.resource.settings:
            yield node.finding(
                f"{node} lists the config provider {alias}, but does not set {key}",
                at=node[_PROVIDERS],
                breaks=f"${{{alias}:…}} is not resolved: settings keep the literal text",
                fix=f"set {key}, or remove {alias} from {_PROVIDERS}",
            )
            return


def _cluster(connector: Connector) -> Iterator[Finding]:
    """The Connect cluster of a connector of Confluent's operator, by a name that none has."""
    resource = connector.resource
    named = resource.traits.runs_on
    workers = {
        client.name: client
        for client in connector.cluster.clients
        if client.resource.traits.deployer == CFK
    }
    if named in workers or resource.traits.deployer != CFK:
        return
    for meant in relabelled(named, workers):
        if not apart(resource, workers[meant].resource):
            yield connector.finding(
                f"connectClusterRef of {connector} names no Connect resource: {named} looks like a "
                f"typo of {meant}",
                at=absent(connector, _REFERENCE),
                breaks="the operator finds no Connect cluster of that name: the connector never runs",
                fix=f"set connectClusterRef.name to {meant}",
            )
