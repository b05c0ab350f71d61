"""The variables that Kubernetes makes of the names of Services, and who cannot start with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kcheck.formats.text import templated
from kcheck.model import ERROR, Note, Setting
from kcheck.syntax import yaml


class Links:
    """The Services of which Kubernetes tells a container, each by NAME_PORT and its like."""

    def __init__(
        self,
        services: dict[str, yaml.Node],
        workload: yaml.Node,
        pod: yaml.Node | None,
        node: yaml.Node,
    ) -> None:
        self.services = services
        self.workload = workload
        self.pod = pod
        self.node = node

    def refused(self, path: str, refuser: Callable[[str], str]) -> Iterator[Note]:
        """Note a Service whose name makes a variable that stops the image: KAFKA_PORT of "kafka".

        ``refuser`` gives what the image makes of a variable, as words; "" if the image bears it.
        """
        links = (yaml.text(yaml.child(self.pod, "enableServiceLinks")) or "true").lower()
        own = [
            yaml.text(yaml.child(one, "name")) for one in yaml.items(yaml.child(self.node, "env"))
        ]
        for name, service in self.services.items() if links == "true" else ():
            port = f"{name.upper().replace('-', '_')}_PORT"
            here = yaml.child(service, "metadata", "name")
            if port in own or here is None or not _describes(service, self.workload):
                continue
            program = refuser(port)
            if program:
                yield Note(
                    "KC0124",
                    Setting(port, "tcp://…", path, yaml.position(here)),
                    f"{program}, and Kubernetes sets it in every pod because of the Service named {name}",
                    "the container exits before the program starts",
                    "set enableServiceLinks: false in the pod, or rename the Service",
                    ERROR,
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
