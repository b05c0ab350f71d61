"""Which cluster an expression of Terraform leads to: by locals, module outputs and variables.

``local.bootstrap``, ``module.msk.bootstrap_brokers`` and ``var.brokers`` are followed through the files
in which people keep such things, from folder to folder, to the resource whose attribute they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from posixpath import normpath

from kcheck.formats import Lookup
from kcheck.syntax.hcl import Block, File, Scalar

#: The files in which a folder has its clusters, modules, outputs and locals.
_FILES = (
    *("main.tf", "outputs.tf", "output.tf", "locals.tf", "variables.tf", "modules.tf"),
    *("providers.tf", "provider.tf", "versions.tf", "terraform.tf"),
    *("msk.tf", "kafka.tf", "cluster.tf"),
)
#: How far an expression is followed.
_DEPTH = 8
_STEPS = 60
_CLUSTER = re.compile(r"\baws_msk_(?:serverless_)?cluster\.([\w-]+)(?:\[[^\]]*\])?\.bootstrap_")
_LOCAL = re.compile(r"\blocal\.([\w-]+)")
_MODULE = re.compile(r"\bmodule\.([\w-]+)(?:\[[^\]]*\])?\.([\w-]*bootstrap[\w-]*|brokers)")
_VARIABLE = re.compile(r"\bvar\.([\w-]+)")

#: The label of a cluster's resource, and the folder in which the label means it.
Cluster = tuple[str, str]


class References:
    """The files around one Terraform file, each parsed once."""

    def __init__(self, file: File, folder: str, lookup: Lookup) -> None:
        self._own = file
        self._lookup = lookup
        self._held: dict[str, list[tuple[str, bytes]]] = {}
        self._parsed: dict[str, File] = {}
        self._folder = folder
        self._steps = 0

    def cluster(self, source: str, folder: str) -> Cluster | None:
        """The cluster whose bootstrap servers an expression in a folder comes to."""
        self._steps = 0
        found = set(self._clusters(source, folder, _DEPTH))
        return found.pop() if len(found) == 1 else None

    def callers(self, folder: str) -> Iterator[tuple[str, Block]]:
        """The ``module`` blocks that make a folder their module, with the folders that they are in."""
        above = folder
        for _ in range(2):
            if not above:
                return
            above = above.rpartition("/")[0]
            for block in self._blocks(above, "module"):
                if _source(block, above) == folder:
                    yield above, block

    def files(self, folder: str, word: bytes) -> Iterator[File]:
        """The files of a folder in which a word is, the file itself first."""
        if folder == self._folder:
            yield self._own
        held = self._held.get(folder)
        if held is None:
            held = self._held[folder] = list(self._texts(folder))
        for path, data in held:
            if word in data:
                if path not in self._parsed:
                    self._parsed[path] = File(data, path)
                yield self._parsed[path]

    def _texts(self, folder: str) -> Iterator[tuple[str, bytes]]:
        for name in _FILES if not folder.startswith("..") else ():
            path = f"{folder}/{name}".lstrip("/")
            data = self._lookup(path) if path != self._own.path else None
            if data is not None:
                yield path, data

    def _blocks(self, folder: str, kind: str, label: str = "") -> Iterator[Block]:
        for file in self.files(folder, kind.encode()):
            for block in file.blocks:
                if block.type == kind and (not label or label in block.labels):
                    yield block

    def _of_module(self, label: str, output: str, folder: str, depth: int) -> Iterable[Cluster]:
        """The clusters that a module's output stands for."""
        for block in self._blocks(folder, "module", label):
            inner = _source(block, folder)
            if inner is None:
                # A module of a registry: it is the cluster itself.
                yield label, folder
                continue
            for told in self._blocks(inner, "output", output):
                yield from self._written(told, "value", inner, depth)

    def _clusters(self, source: str, folder: str, depth: int) -> Iterable[Cluster]:
        self._steps += 1
        if not depth or self._steps > _STEPS:
            return
        for label in _CLUSTER.findall(source):
            yield label, folder
        for name in _LOCAL.findall(source):
            for file in self.files(folder, b"locals"):
                if name in file.locals:
                    yield from self._clusters(file.text(file.locals[name]), folder, depth - 1)
        for label, output in _MODULE.findall(source):
            yield from self._of_module(label, output, folder, depth)
        for name in _VARIABLE.findall(source):
            for above, block in self.callers(folder):
                yield from self._written(block, name, above, depth)

    def _written(self, block: Block, name: str, folder: str, depth: int) -> Iterable[Cluster]:
        entry = block.attributes().get(name)
        if entry is not None:
            yield from self._clusters(entry.source, folder, depth - 1)


def _source(block: Block, folder: str) -> str | None:
    """The folder of a module of the same repository; None for any other."""
    entry = block.attributes().get("source")
    value = entry.value if entry is not None else None
    if not isinstance(value, Scalar) or not value.text.startswith("."):
        return None
    found = normpath(f"{folder or '.'}/{value.text}")
    return "" if found == "." else found
