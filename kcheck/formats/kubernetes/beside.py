"""What belongs together in Kubernetes and lies in several files of a folder: workloads and their maps.

A ConfigMap or Secret is of the workload that has its variables from it or mounts it. They meet
where a kustomization lists their files, or these have the names that everybody gives them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcheck.formats import Lookup
from kcheck.formats.scalars import known, setting
from kcheck.model import Document, Setting
from kcheck.syntax import yaml
from kcheck.units import whole

WORKLOADS = ("StatefulSet", "Deployment", "DaemonSet", "Pod", "ReplicaSet")
MAPS = ("ConfigMap", "Secret")
#: Those that say how many pods they run.
_COUNTED = ("StatefulSet", "Deployment", "ReplicaSet")
#: What sets the replicas of a workload while it runs, and the field for the fewest.
_SCALERS = {"HorizontalPodAutoscaler": "minReplicas", "ScaledObject": "minReplicaCount"}
#: What people call such files, or put before or behind a name of their own.
_WORDS = (
    "configmap",
    "config",
    "cm",
    "env",
    "deployment",
    "deploy",
    "statefulset",
    "app",
    "hpa",
    "metrics",
    "pvc",
)
_ENDINGS = ("yaml", "yml")
_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml")
#: More files than this of one kustomization are not looked at.
_MOST = 50


class Workload:
    """A workload: how many pods it runs, and the maps that these have variables and files from."""

    __slots__ = ("draws", "instances", "mounts", "name", "namespace", "node")

    def __init__(self, node: yaml.Node, path: str) -> None:
        self.node = node
        self.name = name_of(node)
        self.namespace = namespace_of(node)
        self.instances = instances(node, path)
        pod = pod_of(node)
        #: The names of ConfigMaps and Secrets whose members are variables, whole.
        self.draws: set[str] = set()
        self.mounts: set[str] = set()
        for item in yaml.items(yaml.child(pod, "containers")):
            for source in yaml.items(yaml.child(item, "envFrom")):
                self.draws |= {
                    known(yaml.child(source, kind, "name"))
                    for kind in ("configMapRef", "secretRef")
                } - {""}
        for volume in yaml.items(yaml.child(pod, "volumes")):
            sources = yaml.items(yaml.child(volume, "projected", "sources"))
            for source in (volume, *sources):
                self.mounts |= {
                    known(yaml.child(source, "configMap", "name")),
                    known(yaml.child(source, "secret", "secretName")),
                    known(yaml.child(source, "secret", "name")),
                } - {""}


class Beside:
    """The files beside one of Kubernetes', each parsed once and only if it is asked for."""

    def __init__(self, path: str, lookup: Lookup) -> None:
        self._path = path
        self._lookup = lookup
        self._found: list[tuple[str, bytes, list[yaml.Node]]] | None = None

    def map(self, name: str, namespace: str) -> tuple[str, yaml.Node] | None:
        """The one ConfigMap or Secret of that name, and the path of its file."""
        found = [
            (path, node)
            for path, _, nodes in self._files()
            for node in nodes
            if kind_of(node) in MAPS
            and name_of(node) == name
            and namespace_of(node) in ("", namespace)
        ]
        if not found:
            found = [(path, node) for path, node in self._generated() if name_of(node) == name]
        return found[0] if len(found) == 1 else None

    def claim(self, name: str) -> yaml.Node | None:
        """The one claim of a volume of that name."""
        found = [
            node
            for _, _, nodes in self._files()
            for node in nodes
            if kind_of(node) == "PersistentVolumeClaim" and name_of(node) == name
        ]
        return found[0] if len(found) == 1 else None

    def _generated(self) -> Iterable[tuple[str, yaml.Node]]:
        """What a kustomization of the folder generates."""
        told = self.kustomization()
        if told is None:
            return []
        from kcheck.formats.kustomize import (
            generators as kustomize_generators,  # few folders have one
        )

        return kustomize_generators.generated(*told, self._lookup)

    def kustomization(self) -> tuple[str, yaml.Node] | None:
        """The kustomization of the folder, and its path."""
        folder = self._path.rpartition("/")[0]
        for name in _KUSTOMIZATIONS:
            path = f"{folder}/{name}".lstrip("/")
            data = self._lookup(path)
            if data is not None:
                nodes, problem = yaml.documents(data)
                return (path, nodes[0]) if problem is None and len(nodes) == 1 else None
        return None

    def workloads(self) -> Iterator[tuple[str, bytes, Workload]]:
        """The workloads, each with the path and the bytes of its file."""
        for path, data, nodes in self._files():
            for node in nodes:
                if kind_of(node) in WORKLOADS:
                    yield path, data, Workload(node, path)

    def scaled(self) -> dict[str, Setting | None]:
        """The workloads that something scales, with the fewest replicas that it keeps."""
        found: dict[str, Setting | None] = {}
        for path, _, nodes in self._files():
            found |= scaled(nodes, path)
        return found

    def _files(self) -> list[tuple[str, bytes, list[yaml.Node]]]:
        if self._found is None:
            self._found = []
            for path in self._paths():
                data = self._lookup(path) if path != self._path else None
                if data is not None and b"kind:" in data and b"{{" not in data:
                    nodes, problem = yaml.documents(data)
                    if problem is None:
                        self._found.append((path, data, nodes))
        return self._found

    def _paths(self) -> list[str]:
        folder, _, file = self._path.rpartition("/")
        stem, _, ending = file.rpartition(".")
        names = [*_WORDS, *_siblings(stem)]
        # Who writes one of them with a short ending writes all so.
        paths = [f"{folder}/{name}.{ending}".lstrip("/") for name in names]
        return list(dict.fromkeys([*self._built(), *paths]))

    def _built(self) -> Iterable[str]:
        """The files that a kustomization of the folder lists."""
        told = self.kustomization()
        if told is None:
            return []
        from kcheck.formats.kustomize import kustomization

        listed = kustomization.of_node(*told, self._lookup).resources
        return [one for one in listed if one.endswith(_ENDINGS)][:_MOST]


def _siblings(stem: str) -> list[str]:
    """``orders-deployment`` → ``orders-configmap``, ``orders`` …: names of files of one program."""
    for mark in "-_.":
        for word in _WORDS:
            if stem.endswith(mark + word):
                own = stem.removesuffix(mark + word)
                return [own, *(own + mark + other for other in _WORDS)]
            if stem.startswith(word + mark):
                own = stem.removeprefix(word + mark)
                return [own, *(other + mark + own for other in _WORDS)]
    return [stem + "-" + word for word in _WORDS]


def instances(workload: yaml.Node, path: str) -> Setting | None:
    """The replicas that are written; where none are, something else may count them."""
    if kind_of(workload) in _COUNTED:
        for key, key_node, value in yaml.pairs(yaml.child(workload, "spec")):
            if key == "replicas":
                return setting("instances", key_node, value, path, key)
    return None


def scaled(nodes: Iterable[yaml.Node], path: str) -> dict[str, Setting | None]:
    """The workloads whose replicas something sets while they run, by name, with the fewest that it
    keeps, where these are several.
    """
    found: dict[str, Setting | None] = {}
    for node in nodes:
        fewest = _SCALERS.get(kind_of(node))
        if fewest:
            spec = yaml.child(node, "spec")
            told = [
                pair
                for pair in yaml.pairs(spec)
                if pair[0] == fewest and (whole(yaml.text(pair[2])) or 0) > 1
            ]
            found[known(yaml.child(spec, "scaleTargetRef", "name"))] = (
                setting("instances", told[0][1], told[0][2], path, fewest) if told else None
            )
    return found


def pod_of(workload: yaml.Node) -> yaml.Node | None:
    """What a workload says of its pods."""
    spec = yaml.child(workload, "spec")
    return (
        spec if yaml.child(spec, "containers") is not None else yaml.child(spec, "template", "spec")
    )


def kind_of(node: yaml.Node) -> str:
    return known(yaml.child(node, "kind"))


def name_of(node: yaml.Node) -> str:
    return known(yaml.child(node, "metadata", "name"))


def namespace_of(node: yaml.Node) -> str:
    return known(yaml.child(node, "metadata", "namespace"))


def cover(document: Document, what: str) -> None:
    """Note what is judged here and not where it stands."""
    extent = document.extent
    if what not in extent.covers:
        extent.covers = (*extent.covers, what)
