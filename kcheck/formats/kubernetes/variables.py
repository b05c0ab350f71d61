"""The variables of containers in pods: their own, and those that ConfigMaps and Secrets hold."""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.containers.variables import Variable
from kcheck.formats.kubernetes.beside import Beside, cover
from kcheck.formats.scalars import inside, known
from kcheck.formats.text import templated
from kcheck.model import Document
from kcheck.syntax import yaml


class Variables:
    """Reads the variables of the containers of one file.

    ``maps`` are the ConfigMaps and Secrets of the file by name, ``drawn`` the names of those that a
    container has its variables of.
    """

    def __init__(
        self, document: Document, lookup: Lookup, maps: dict[str, yaml.Node], beside: Beside
    ) -> None:
        self.document = document
        self.lookup = lookup
        self.maps = maps
        self.beside = beside
        self.drawn: set[str] = set()

    def of(self, workload: yaml.Node, node: yaml.Node) -> tuple[dict[str, Variable], bool]:
        """The variables by name, and whether these are all."""
        path = self.document.path
        found: dict[str, Variable] = {}
        # Who builds with kustomize patches in what is missing here.
        folder = path.rpartition("/")[0]
        beside = [f"{folder}/kustomization.{ending}".lstrip("/") for ending in ("yaml", "yml")]
        complete = all(self.lookup(name) is None for name in beside)
        for source in yaml.items(yaml.child(node, "envFrom")):
            name = yaml.text(yaml.child(source, "configMapRef", "name"))
            secret = yaml.text(yaml.child(source, "secretRef", "name"))
            where, held = self._held(workload, name, "data")
            complete = complete and held is not None
            if secret:
                where, held = self._held(workload, secret, "stringData")
            self.drawn |= {one for one in (name, secret) if one}
            if where != path:
                cover(self.document, f"{where}#{name or secret}")
            prefix = yaml.text(yaml.child(source, "prefix")) or ""
            for key, key_node, value in yaml.pairs(held):
                found[prefix + key] = variable(prefix + key, key_node, value, where)
        listed: dict[str, Variable] = {}
        for item in yaml.items(yaml.child(node, "env")):
            name_node = yaml.child(item, "name")
            name = yaml.text(name_node)
            if name is None or name_node is None:
                complete = False
                continue
            given = yaml.child(item, "value")
            raw = yaml.text(given) if given is not None else self._from(workload, node, item)
            place = given or yaml.child(item, "valueFrom", "fieldRef", "fieldPath") or name_node
            made = Variable(
                name, raw, path, inside(place), yaml.position(name_node), made=given is None
            )
            made.replaced = listed.get(name)
            found[name] = listed[name] = made
        return found, complete

    def _held(
        self, workload: yaml.Node, name: str | None, part: str
    ) -> tuple[str, yaml.Node | None]:
        """What a ConfigMap or Secret of this file or another one carries, and the file's path."""
        own, path = self.maps.get(name or ""), self.document.path
        if own is None and name and not templated(name):
            found = self.beside.map(name, known(yaml.child(workload, "metadata", "namespace")))
            path, own = found if found is not None else (path, None)
        return path, yaml.child(own, part)

    def _from(self, workload: yaml.Node, node: yaml.Node, item: yaml.Node) -> str | None:
        """A value from elsewhere: a pod of a StatefulSet is called after it, with a number."""
        field = yaml.text(yaml.child(item, "valueFrom", "fieldRef", "fieldPath"))
        kind = yaml.text(yaml.child(workload, "kind"))
        name = known(yaml.child(workload, "metadata", "name"))
        if field == "metadata.name" and kind == "StatefulSet" and name:
            # A command may cut the number off before the image sees the name.
            return None if yaml.child(node, "command") is not None else f"{name}-0"
        self._tell(workload, item)
        reference = yaml.child(item, "valueFrom", "configMapKeyRef")
        _, held = self._held(workload, yaml.text(yaml.child(reference, "name")), "data")
        key = yaml.text(yaml.child(reference, "key"))
        return yaml.text(yaml.child(held, key)) if key else None

    def _tell(self, workload: yaml.Node, item: yaml.Node) -> None:
        """Note a reference of a variable to a key that its map does not have."""
        source = yaml.child(item, "valueFrom")
        if source is None:
            return
        from kcheck.formats.kubernetes import map_keys  # few files have such variables

        def find(name: str) -> tuple[str, yaml.Node] | None:
            own = self.maps.get(name)
            space = known(yaml.child(workload, "metadata", "namespace"))
            return (self.document.path, own) if own is not None else self.beside.map(name, space)

        told = [problem.at for problem in self.document.problems if problem.code == map_keys.CODE]
        who = f"{known(yaml.child(workload, 'kind'))} {known(yaml.child(workload, 'metadata', 'name'))}"
        breaks = "the container is not created (CreateContainerConfigError)"
        for problem in map_keys.lacking(source, self.document.path, who, breaks, find):
            if problem.at not in told:
                self.document.problems.append(problem)


def variable(name: str, key: yaml.Node, value: yaml.Node, path: str) -> Variable:
    """A member of a ConfigMap as the variable that a container has of it."""
    return Variable(name, yaml.text(value), path, yaml.position(value), yaml.position(key))
