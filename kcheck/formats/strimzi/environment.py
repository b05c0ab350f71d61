"""Variables of Strimzi's containers that the operator sets itself, so that it ignores a template's, and
those of which only the images of others make properties."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.formats.scalars import known, setting
from kcheck.model import WARNING, Problem
from kcheck.syntax import yaml

CODE, UNREAD = "KC0193", "KC0189"

#: The container of a resource's own JVM, the part that holds it, and whether another resource may
#: hold what is not here (node pools inherit, and take the place of, what Kafka says).
_CONTAINERS = {
    "Kafka": (("kafka",), "kafkaContainer", True),
    "KafkaNodePool": ((), "kafkaContainer", True),
    "KafkaConnect": ((), "connectContainer", False),
    "KafkaMirrorMaker2": ((), "connectContainer", False),
}
_HEAP = "KAFKA_HEAP_OPTS"
#: By container: what the images of others have before a key, the plane of the keys, and where Strimzi has them.
_FOREIGN = {
    "kafkaContainer": (("KAFKA_CFG_", "KAFKA_"), "broker", "spec.kafka.config"),
    "connectContainer": (("CONNECT_",), "connect-distributed", "spec.config"),
}
#: What a worker hands to others, whatever follows.
_HANDED = ("key.converter.", "value.converter.", "producer.", "consumer.", "admin.")


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
        if named is None:
            continue
        if (text := known(named)) != _HEAP:
            yield from _foreign(f"{kind} {name}", container, text or "", named, path)
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


def _foreign(
    resource: str, container: str, name: str, named: yaml.Node, path: str
) -> Iterator[Problem]:
    """A variable of which the images of Confluent, Bitnami and Debezium would make a property."""
    prefixes, plane, place = _FOREIGN[container]
    prefix = next((one for one in prefixes if name.startswith(one)), "")
    key = name.removeprefix(prefix).lower().replace("_", ".")
    if not prefix or not (key in catalogue.plane(plane) or key.startswith(_HANDED)):
        return
    if plane == "broker":
        place = (
            place if resource.startswith("Kafka ") else "spec.kafka.config of the Kafka resource"
        )
    yield Problem(
        f"{resource} sets {name} in template.{container}, but Strimzi's image makes no property of it",
        yaml.position(named),
        UNREAD,
        WARNING,
        f"the variable has no effect: {key} has its default",
        f"set {key} in {place}",
        setting=setting(name, named, named, path),
    )
