"""What runs in the pods of Confluent for Kubernetes: the heap of a program, and the pod's memory."""

from __future__ import annotations

from kcheck.formats.containers import quantity
from kcheck.formats.scalars import known, setting
from kcheck.model import Document, Setting
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


def take(document: Document, node: yaml.Node, spec: yaml.Node | None, kind: str) -> None:
    """The heap that the options of the JVM tell, and the limit of the pod."""
    program = _PROGRAMS.get(kind, "")
    limits = yaml.child(spec, "podTemplate", "resources", "limits")
    jvm = yaml.items(yaml.child(spec, "configOverrides", "jvm"))
    if limits is None or not jvm or not program:
        return
    from kcheck.formats import running
    from kcheck.model.processes import Process

    name = yaml.child(node, "metadata", "name")
    at = yaml.position(name) if name is not None else yaml.position(node)
    made = Process(program, known(name) or "?", document.path, at)
    options = [
        Setting("configOverrides.jvm", known(item), document.path, yaml.position(item))
        for item in jvm
    ]
    running.memory(made, options)
    for key, key_node, value in yaml.pairs(limits):
        if key == "memory":
            route = "podTemplate.resources.limits.memory"
            made.memory = setting(route, key_node, value, document.path)
            made.memory.amount = quantity(made.memory.text)
    document.processes += (made,)
