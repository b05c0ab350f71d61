"""Kustomizations that GitOps applies: Flux' Kustomization, and Argo CD's Application of a folder.

Both name a folder and change what is built there, as a kustomization of their own would; Flux puts
values in for ``${name}``, too. The folder is that of this repository if it has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats import Lookup
from kcheck.formats.folders import names_in
from kcheck.formats.kustomize.build import Build, Built
from kcheck.formats.kustomize.filling import Filler
from kcheck.formats.kustomize.kustomization import Reader
from kcheck.formats.origins import within
from kcheck.formats.scalars import known
from kcheck.model import Kustomization
from kcheck.syntax import yaml
from kcheck.syntax.nodes import Mapping, Scalar, Sequence

_FLUX, _ARGO = "kustomize.toolkit.fluxcd.io/", "argoproj.io/"
_NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_ENDINGS = (".yaml", ".yml")
#: So many files of a folder without a kustomization are taken, and so many are searched for a map.
_MOST_FILES, _DEEPEST = 60, 3
#: Longer values are not put in.
_LONGEST = 500
#: The names of Kustomization, where those of Flux and Argo CD differ.
_SAME = ("patches", "patchesStrategicMerge", "patchesJson6902", "images", "replicas", "components")
_DISABLED = "kustomize.toolkit.fluxcd.io/substitute"
#: ``$${x}`` stands for ``${x}``.
_VARIABLE = re.compile(r"(\$?)\$\{([A-Za-z_]\w{0,200})(?::?[=-]([^}$]{0,500}))?\}")


class Deployed:
    """One folder that is applied: ``node`` has the changes under a kustomization's own names."""

    def __init__(self, node: yaml.Node, made: Kustomization) -> None:
        self.node = node
        self.made = made
        #: The values that are put in, None for one that is not known.
        self.values: dict[str, yaml.Node] = {}
        #: Whether there may be others.
        self.open = False
        self.substitutes = False

    def objects(self, path: str, build: Build) -> list[Built]:
        """What is applied, with its changes; ``path`` is that of the kustomization, if it is one."""
        every = build.objects(path, self.node, self.made)
        filler = Filler(lambda text: _text(text, self))
        for one in every if self.substitutes else ():
            notes = yaml.child(one.node, "metadata", "annotations", _DISABLED)
            made = None if known(notes) else filler.filled(one.node)
            if made is not None:
                one.put(made)
                build.patched = True
        return every


def found(path: str, nodes: list[yaml.Node], lookup: Lookup) -> Iterator[Deployed]:
    """The folders that the resources of a file apply."""
    for node in nodes:
        group, kind = known(yaml.child(node, "apiVersion")), known(yaml.child(node, "kind"))
        spec = yaml.child(node, "spec")
        if group.startswith(_FLUX) and kind == "Kustomization":
            made = _deployed(path, spec, known(yaml.child(spec, "path")), "targetNamespace", lookup)
            _substitute(made, path, nodes, yaml.child(spec, "postBuild"), lookup)
            yield made
        elif group.startswith(_ARGO) and kind == "Application":
            for source in (yaml.child(spec, "source"), *yaml.items(yaml.child(spec, "sources"))):
                inner = yaml.child(source, "kustomize")
                if inner is not None:
                    folder = known(yaml.child(source, "path"))
                    yield _deployed(path, inner, folder, "namespace", lookup)


def _deployed(
    path: str, spec: yaml.Node | None, folder: str, namespace: str, lookup: Lookup
) -> Deployed:
    where = within("", folder.removeprefix("./")) if folder else ""
    at = yaml.position(spec) if spec is not None else (1, 1, 1, 1)
    node = Mapping(at)
    paths = [Scalar(one, at) for one in _files(where, lookup)] if where else []
    node.pairs.append(("resources", Scalar("resources", at), Sequence([*paths], at)))
    for key, key_node, value in yaml.pairs(spec):
        if key in _SAME:
            node.pairs.append((key, key_node, value))
        elif key == namespace:
            node.pairs.append(("namespace", key_node, value))
        elif key in ("namePrefix", "nameSuffix"):
            node.pairs.append((key, key_node, value))
    # Paths are those of the repository, not of the file's folder.
    return Deployed(node, Reader("", lookup).made(node))


def _files(folder: str, lookup: Lookup, depth: int = _DEEPEST) -> list[str]:
    """A folder with a kustomization, or the files that Flux makes one of."""
    if folder in (".", "") or any(lookup(f"{folder}/{name}") is not None for name in _NAMES):
        return [folder]
    made: list[str] = []
    for name in (names_in(folder, lookup) or ()) if depth else ():
        path = f"{folder}/{name}"
        if name.endswith(_ENDINGS):
            made.append(path)
        elif name and "." not in name:
            made += _files(path, lookup, depth - 1) if lookup(f"{path}/") else []
    return made[:_MOST_FILES]


def _substitute(
    made: Deployed, path: str, nodes: list[yaml.Node], told: yaml.Node | None, lookup: Lookup
) -> None:
    """Note the values that Flux puts in; those of Secrets are unknown."""
    own = yaml.child(told, "substitute")
    made.substitutes = isinstance(told, yaml.MappingNode)
    for item in yaml.items(yaml.child(told, "substituteFrom")):
        name = known(yaml.child(item, "name"))
        plain = known(yaml.child(item, "kind")) == "ConfigMap" and name
        held = _map(name, path, nodes, lookup) if plain else None
        made.open = made.open or held is None
        made.values.update({key: value for key, _, value in yaml.pairs(held)})
    made.values.update({key: value for key, _, value in yaml.pairs(own)})


def _map(name: str, path: str, nodes: list[yaml.Node], lookup: Lookup) -> yaml.Node | None:
    """What a ConfigMap of the file, or of one beside it, holds."""
    folder = path.rpartition("/")[0]
    names = [name for name in names_in(folder, lookup) or () if name.endswith(_ENDINGS)]
    every = [*nodes]
    for one in names[:_MOST_FILES]:
        data = lookup(f"{folder}/{one}".lstrip("/")) or b""
        if b"ConfigMap" in data and name.encode() in data:
            every += yaml.documents(data)[0]
    maps = [
        yaml.child(node, "data")
        for node in every
        if known(yaml.child(node, "kind")) == "ConfigMap"
        and known(yaml.child(node, "metadata", "name")) == name
    ]
    return maps[0] if maps else None


def _text(text: str, deployed: Deployed) -> str:
    def value(match: re.Match[str]) -> str:
        if match[1]:
            return match[0][1:]
        told = deployed.values.get(match[2])
        given = yaml.text(told) if told is not None else None
        if given is not None and (len(given) > _LONGEST or "\n" in given):
            return match[0]
        # Where all sources are known, what none of them has is its default.
        default = match[3] if told is None and not deployed.open else None
        return given if given is not None else match[0] if default is None else default

    return _VARIABLE.sub(value, text) if "${" in text else text
