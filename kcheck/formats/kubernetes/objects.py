"""The objects of one file of Kubernetes, and those beside it that they name."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.formats import Lookup, embedded
from kcheck.formats.containers.variables import FRAMEWORKS, Variable
from kcheck.formats.kubernetes.addresses import Services
from kcheck.formats.kubernetes.beside import MAPS, WORKLOADS, Beside, scaled
from kcheck.formats.kubernetes.variables import Variables
from kcheck.formats.scalars import known
from kcheck.model import KUBERNETES, Document, Resource, Setting
from kcheck.syntax import yaml


class Objects:
    """The objects of one file, by what they are, as ``nodes`` tell them.

    ``lookup`` finds the files beside it, whose objects those of this file name.
    """

    def __init__(
        self, document: Document, data: bytes, lookup: Lookup, nodes: list[yaml.Node]
    ) -> None:
        self.document = document
        self.lookup = lookup
        self.lines = embedded.split_lines(data)
        #: The ConfigMaps and Secrets of this file by name, and those that a container's own file is made of.
        self.maps: dict[str, yaml.Node] = {}
        self.mounted: set[str] = set()
        #: The Services of this file: their names come into the variables of every pod.
        self.services: dict[str, yaml.Node] = {}
        for node in nodes:
            if yaml.text(yaml.child(node, "kind")) in MAPS:
                name = yaml.text(yaml.child(node, "metadata", "name")) or ""
                self.maps[name] = node
            elif yaml.text(yaml.child(node, "kind")) == "Service":
                self.services[yaml.text(yaml.child(node, "metadata", "name")) or ""] = node
        self._claims = {
            yaml.text(yaml.child(node, "metadata", "name")) or "": node
            for node in nodes
            if yaml.text(yaml.child(node, "kind")) == "PersistentVolumeClaim"
        }
        #: The network policies of this file.
        self.policies = [
            (document.path, node)
            for node in nodes
            if yaml.text(yaml.child(node, "kind")) == "NetworkPolicy"
        ]
        #: ZooKeepers whose data goes with their pods: (workload, directory) by the names of Services.
        self.bare: dict[str, tuple[str, str]] = {}
        self.answering = Services(document.path, nodes, lookup)
        self.workloads = [n for n in nodes if yaml.text(yaml.child(n, "kind")) in WORKLOADS]
        #: The workloads that something in this file scales, with their fewest replicas.
        self.scaled = scaled(nodes, document.path)
        self.beside = Beside(document.path, lookup)
        self.variables = Variables(document, lookup, self.maps, self.beside)

    def map(self, name: str, namespace: str) -> tuple[str, yaml.Node] | None:
        """A ConfigMap of this file, or of one beside it, with the path of its file."""
        if name in self.maps:
            return self.document.path, self.maps[name]
        return self.beside.map(name, namespace)

    def claim(self, name: str) -> yaml.Node | None:
        """A claim of this file, or of one beside it."""
        return self._claims.get(name) or self.beside.claim(name)

    def replicas(self, name: str, written: Setting | None) -> Setting | None:
        """How many pods of a workload run at least: what is ``written``, unless something scales it."""
        for scalers in (self.scaled, self.beside.scaled()):
            if name in scalers:
                return scalers[name]
        return written

    def springs(self, name: str, variables: Iterable[Variable]) -> list[Resource]:
        """The clients of a program that has its settings from variables of Spring's."""
        told = list(variables)
        names = [variable.name for variable in told if variable.name.startswith(FRAMEWORKS)]
        if not names:
            return []
        from kcheck.formats.spring import variables as spring_variables

        if not spring_variables.speaks(names):
            return []
        return spring_variables.clients(self.document, name, told, KUBERNETES)


def name_of(workload: yaml.Node, node: yaml.Node) -> str:
    """What the container of a workload is called: by its workload, as its pods are."""
    name = known(yaml.child(workload, "metadata", "name"))
    return name or yaml.text(yaml.child(node, "name")) or "?"
