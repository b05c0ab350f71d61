"""The variables that Kubernetes makes of the names of Services, and who refuses them."""

from __future__ import annotations

from kcheck import images
from kcheck.formats.text import templated
from kcheck.model import ERROR, Note, Resource, Setting
from kcheck.syntax import yaml

#: Kubernetes tells every pod of a Service by NAME_PORT and its like.
_SERVICE, _PORT = "kafka", "KAFKA_PORT"


def note(
    resource: Resource,
    services: dict[str, yaml.Node],
    workload: yaml.Node,
    pod: yaml.Node | None,
    node: yaml.Node,
) -> None:
    """Note a Service whose name makes a variable that the image refuses: KAFKA_PORT of "kafka"."""
    service = services.get(_SERVICE)
    if service is None or not _describes(service, workload):
        return
    family = images.family_of(images.split(yaml.text(yaml.child(node, "image")) or "")[0])
    if family is None:
        return
    refused = any(m.effect == "refused" for m in family.meanings(_PORT))
    named = [yaml.text(yaml.child(item, "name")) for item in yaml.items(yaml.child(node, "env"))]
    if not refused or _PORT in named:
        return
    links = (yaml.text(yaml.child(pod, "enableServiceLinks")) or "true").lower()
    here = yaml.child(service, "metadata", "name")
    if links != "true" or here is None:
        return
    resource.notes.append(
        Note(
            "KC0124",
            Setting(_PORT, "tcp://…", resource.path, yaml.position(here)),
            f"{family.name} exits if {_PORT} is set, and Kubernetes sets it in every pod because "
            f"of the Service named {_SERVICE}",
            "the container exits before Kafka starts",
            "set enableServiceLinks: false in the pod, or rename the Service",
            ERROR,
        )
    )


def _describes(service: yaml.Node, workload: yaml.Node) -> bool:
    """Whether Kubernetes tells the workload's pods of the Service, by all that is written: pods of its
    namespace, and of none that has no address of its own.
    """
    spaces = [yaml.text(yaml.child(one, "metadata", "namespace")) for one in (service, workload)]
    address, kind = (yaml.text(yaml.child(service, "spec", key)) for key in ("clusterIP", "type"))
    if any(templated(text) for text in (*spaces, address, kind) if text):
        return False
    return spaces[0] == spaces[1] and address not in ("None", "") and kind != "ExternalName"
