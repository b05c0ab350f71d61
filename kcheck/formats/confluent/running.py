"""The pods of Confluent for Kubernetes as processes: heap, direct memory and limits."""

from __future__ import annotations

from kcheck.formats.containers import running
from kcheck.formats.containers.container import quantity
from kcheck.formats.scalars import known, setting
from kcheck.model import Document, Setting
from kcheck.model.processes import A_BROKER, Process
from kcheck.syntax import yaml

#: The programs of its resources beside brokers, whose heap a rule compares with their memory.
_PROGRAMS = {
    "Connect": "worker",
    "SchemaRegistry": "Schema Registry",
    "KsqlDB": "ksqlDB server",
    "KafkaRestProxy": "REST Proxy",
    "ControlCenter": "Control Center",
    "Zookeeper": "ZooKeeper",
    "KRaftController": "controller",
}


_OPTIONS = "_OPTS"
_GRACE = ("podTemplate", "terminationGracePeriodSeconds")


def tell(document: Document, node: yaml.Node, spec: yaml.Node | None, kind: str) -> None:
    """Add the process of a resource: the heap that options of the JVM tell, and the limits of the pod."""
    program = _PROGRAMS.get(kind, "")
    limits = yaml.child(spec, "podTemplate", "resources", "limits")
    options = _options(document, spec)
    name = yaml.child(node, "metadata", "name")
    at = yaml.position(name) if name is not None else yaml.position(node)
    time = yaml.child(spec, *_GRACE)
    stopped = A_BROKER if kind == "Kafka" else program
    document.processes += running.stopping(
        stopped, known(name) or "?", document.path, at, ".".join(_GRACE), time
    )
    if limits is None or not options or not program:
        return
    made = Process(program, known(name) or "?", document.path, at)
    made.namespace = known(yaml.child(node, "metadata", "namespace"))
    running.memory(made, options)
    for key, key_node, value in yaml.pairs(limits):
        if key in ("memory", "cpu"):
            told = setting(f"podTemplate.resources.limits.{key}", key_node, value, document.path)
            told.amount = quantity(told.text)
            setattr(made, key, told)
    document.processes += (made,)


def _options(document: Document, spec: yaml.Node | None) -> list[Setting]:
    """Java's options, of the overrides or of a variable; none where both have some, for nobody knows
    which of them counts."""
    found = [
        Setting("configOverrides.jvm", known(item), document.path, yaml.position(item))
        for item in yaml.items(yaml.child(spec, "configOverrides", "jvm"))
    ]
    variables = [
        one
        for one in yaml.items(yaml.child(spec, "podTemplate", "envVars"))
        if known(yaml.child(one, "name")).endswith(_OPTIONS)
    ]
    if found and variables:
        return []
    for one in variables:
        value = yaml.child(one, "value")
        if value is not None:
            name = known(yaml.child(one, "name"))
            found.append(Setting(name, known(value), document.path, yaml.position(value)))
    return found
