"""The pods of Strimzi's resources as processes: heap, direct memory and limits.

Without jvmOptions the operator's scripts make the heap from the limit, so that nothing is known then.
"""

from __future__ import annotations

from kcheck.formats.containers import running
from kcheck.formats.containers.container import quantity
from kcheck.formats.scalars import setting
from kcheck.model import Document, Position, Setting
from kcheck.model.processes import (
    A_BROKER,
    A_CONTROLLER,
    A_CRUISE_CONTROL,
    A_MIRROR,
    A_TOPIC_OPERATOR,
    A_USER_OPERATOR,
    A_WORKER,
    A_ZOOKEEPER,
    Process,
)
from kcheck.syntax import yaml

#: The other JVMs of a Kafka resource, by the fields that they have below spec.
_OTHERS = {
    ("zookeeper",): A_ZOOKEEPER,
    ("entityOperator", "topicOperator"): A_TOPIC_OPERATOR,
    ("entityOperator", "userOperator"): A_USER_OPERATOR,
    ("cruiseControl",): A_CRUISE_CONTROL,
}
#: What the operator's scripts give a heap, a part of the memory (ModelUtils.heapOptions and
#: dynamic_resources.sh, strimzi/strimzi-kafka-operator@5077ad3fc622).
_SIZED = frozenset((A_BROKER, A_CONTROLLER, A_WORKER, A_MIRROR, A_ZOOKEEPER, A_CRUISE_CONTROL))


def others(document: Document, name: str, at: Position, spec: yaml.Node | None) -> None:
    """The processes beside the brokers of a Kafka resource."""
    for fields, program in _OTHERS.items():
        node = yaml.child(spec, *fields)
        if yaml.child(node, "resources") is not None:
            process(document, program, name, at, node, ".".join(("spec", *fields)))


def process(
    document: Document, program: str, name: str, at: Position, node: yaml.Node | None, route: str
) -> Process | None:
    """The process of a part of a resource; ``route`` is the field that the part is."""
    options = _options(yaml.child(node, "jvmOptions"), document.path)
    limits: dict[str, Setting] = {}
    for key, key_node, value in yaml.pairs(yaml.child(node, "resources", "limits")):
        if key in ("memory", "cpu"):
            limits[key] = setting(f"{route}.resources.limits.{key}", key_node, value, document.path)
            limits[key].amount = quantity(limits[key].text)
    limited = "memory" in limits
    given = limited or yaml.child(node, "resources", "requests", "memory") is not None
    if not (bool(options) and given) and "cpu" not in limits:
        return None
    found = Process(program, name, document.path, at)
    found.cpu = limits.get("cpu")
    if options and given:
        found.memory = limits.get("memory")
        running.memory(found, options)
        if found.heap is None and program in _SIZED:
            found.sized = "the operator sets -Xmx to a part of the memory of the pod"
    for told in (found.heap, found.direct, found.share):
        if told is not None:
            # As the resource writes it, whose fields are the options' names.
            told.raw = told.text = (told.text or "").removeprefix("-Xmx").rpartition("=")[2]
    document.processes += (found,)
    return found


def _options(jvm: yaml.Node | None, path: str) -> list[Setting]:
    """Java's options for its memory, as a command line has them."""
    options: list[Setting] = []
    for key, key_node, value in yaml.pairs(jvm):
        if key == "-Xmx":
            made = setting("-Xmx", key_node, value, path)
            made.raw = made.text = f"-Xmx{made.text}" if made.text else None
            options.append(made)
    for key, key_node, value in yaml.pairs(yaml.child(jvm, "-XX")):
        if key in ("MaxDirectMemorySize", "MaxRAMPercentage"):
            made = setting(key, key_node, value, path)
            made.raw = made.text = f"-XX:{key}={made.text}" if made.text else None
            options.append(made)
    return options
