"""Patches that are files of their own: the whole resource of which such a file has a piece.

What an operator makes of a field that is left out holds for the whole resource: a patch leaves out
what its base has.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.kubernetes.beside import Workload, pod_of
from kcheck.formats.kustomize import generators, kustomization
from kcheck.formats.kustomize.build import Build
from kcheck.formats.origins import Origins
from kcheck.formats.scalars import known
from kcheck.model import Document
from kcheck.syntax import yaml

_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
#: So many folders up the kustomization is searched for that has the file as a patch.
_HIGHEST = 3


class Wholes:
    """The resources of one file of a group of kinds, whole, as its kustomization builds them."""

    def __init__(self, document: Document, data: bytes, lookup: Lookup, group: bytes) -> None:
        self._document = document
        self._data = data
        self._lookup = lookup
        self._group = group
        self._built: dict[tuple[str, str], yaml.Node | None] | None = None
        self._patch: bool | None = None

    def of(self, node: yaml.Node) -> yaml.Node | None:
        """The resource of which a node is a piece; the node itself where it is none, and None where
        the whole is not to be told."""
        if self._patch is None:
            self._patch = self._search()
        if not self._patch:
            return node
        return (self._built or {}).get(_key(node))

    def _search(self) -> bool:
        """Whether a kustomization has the file as a patch; builds what it makes of it."""
        folder = self._document.path.rpartition("/")[0]
        for _ in range(_HIGHEST):
            for name in _KUSTOMIZATIONS:
                path = f"{folder}/{name}".lstrip("/")
                data = self._lookup(path)
                if data is not None and b"atches" in data and self._builds(path, data):
                    return True
            if not folder:
                break
            folder = folder.rpartition("/")[0]
        return False

    def _builds(self, path: str, data: bytes) -> bool:
        nodes, problem = yaml.documents(data)
        if problem is not None or len(nodes) != 1:
            return False
        made = kustomization.of_node(path, nodes[0], self._lookup)
        own = [one for one in made.patches if one.path == self._document.path]
        if not own or any(one.operations for one in own):
            return False
        origins = Origins(self._document, self._data, self._held)
        build = Build(origins)
        objects = build.objects(path, nodes[0], made)
        certain = not (build.open or origins.open or made.elsewhere)
        self._built = {
            _key(one.node): one.node if certain and not one.unknown else None for one in objects
        }
        return True

    def _held(self, path: str) -> bytes | None:
        """A file of the build; of the others only those that may have a resource of the group."""
        data = self._lookup(path)
        built = path.rpartition("/")[2] in _KUSTOMIZATIONS
        return data if built or (data is not None and self._group in data) else None


def completed(path: str, lookup: Lookup) -> bool:
    """Whether a file becomes a ConfigMap's from which something else makes the one that is used:
    a container that runs before the others mounts it."""
    folder = path.rpartition("/")[0]
    for _ in range(_HIGHEST):
        for name in _KUSTOMIZATIONS:
            where = f"{folder}/{name}".lstrip("/")
            data = lookup(where)
            if data is not None and b"configMapGenerator" in data:
                return _copied(path, where, data, lookup)
        if not folder:
            break
        folder = folder.rpartition("/")[0]
    return False


def _copied(path: str, where: str, data: bytes, lookup: Lookup) -> bool:
    nodes = yaml.documents(data)[0]
    if len(nodes) != 1:
        return False
    maps = generators.holding(where, nodes[0], path)
    for one in kustomization.of_node(where, nodes[0], lookup).resources if maps else ():
        held = lookup(one) or b""
        for node in yaml.documents(held)[0] if b"initContainers" in held else ():
            first = yaml.child(pod_of(node), "initContainers")
            if first is not None and maps & Workload(node, one).mounts:
                return True
    return False


def _key(node: yaml.Node) -> tuple[str, str]:
    return known(yaml.child(node, "kind")), known(yaml.child(node, "metadata", "name"))
