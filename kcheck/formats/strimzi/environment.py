"""Variables of Strimzi's containers that the operator sets itself, so that it ignores a template's."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.scalars import known, setting
from kcheck.model import WARNING, Problem
from kcheck.syntax import yaml

CODE = "KC0193"

#: The container of a resource's own JVM, the part that holds it, and whether another resource may
#: hold what is not here (node pools inherit, and take the place of, what Kafka says).
_CONTAINERS = {
    "Kafka": (("kafka",), "kafkaContainer", True),
    "KafkaNodePool": ((), "kafkaContainer", True),
    "KafkaConnect": ((), "connectContainer", False),
    "KafkaMirrorMaker2": ((), "connectContainer", False),
}
_HEAP = "KAFKA_HEAP_OPTS"


def faults(kind: str, name: str, spec: yaml.Node, path: str) -> Iterator[Problem]:
    """The heap that a template's variable is to set, where the operator sets one itself.

    It does with a heap in jvmOptions, and where the container has no memory of which to take a part
    (ModelUtils.heapOptions).
    """
    route, container, shared = _CONTAINERS.get(kind, ((), "", True))
    part = yaml.child(spec, *route) if route else spec
    listed = yaml.child(part, "template", container, "env") if container else None
    for item in yaml.items(listed):
        named, value = yaml.child(item, "name"), yaml.child(item, "value")
        if named is None or known(named) != _HEAP:
            continue
        options = yaml.child(part, "jvmOptions")
        sized = next((key for key, _, _ in yaml.pairs(options) if key in ("-Xmx", "-Xms")), "")
        memory = any(
            yaml.child(part, "resources", kind_of, "memory") is not None
            for kind_of in ("limits", "requests")
        )
        if not sized and (shared or memory):
            continue
        told = setting(_HEAP, named, value if value is not None else named, path)
        yield Problem(
            f"{kind} {name} sets {_HEAP} in template.{container}, but the operator sets it from "
            + (
                f"jvmOptions ({sized})"
                if sized
                else "its own default: no memory is set in resources"
            ),
            yaml.position(named),
            CODE,
            WARNING,
            "the operator ignores the variable of the template: the heap is another one",
            "set -Xms and -Xmx in jvmOptions instead",
            setting=told,
        )
