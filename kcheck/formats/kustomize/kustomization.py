"""What a kustomization builds of which files: resources, components and patches."""

from __future__ import annotations

from posixpath import normpath

from kcheck.formats import Lookup
from kcheck.formats.scalars import known
from kcheck.model import Kustomization, Patch, Position
from kcheck.syntax import yaml


def of_node(path: str, node: yaml.Node, lookup: Lookup) -> Kustomization:
    """What the kustomization at a path builds."""
    return Reader(path, lookup).made(node)


class Reader:
    """Reads what has the fields of a kustomization; ``path`` is that of a file in its folder."""

    def __init__(self, path: str, lookup: Lookup) -> None:
        self.folder = path.rpartition("/")[0]
        self.lookup = lookup
        self.elsewhere = False

    def made(self, node: yaml.Node) -> Kustomization:
        found = Kustomization()
        found.resources = self._paths(node, "resources") + self._paths(node, "bases")
        found.components = self._paths(node, "components")
        found.patches = tuple(self._patches(node))
        found.namespace = known(yaml.child(node, "namespace"))
        found.name_prefix = known(yaml.child(node, "namePrefix"))
        found.name_suffix = known(yaml.child(node, "nameSuffix"))
        found.elsewhere = self.elsewhere
        return found

    def _paths(self, node: yaml.Node, key: str) -> tuple[str, ...]:
        paths = (self._path(item) for item in yaml.items(yaml.child(node, key)))
        return tuple(path for path in paths if path is not None)

    def _path(self, node: yaml.Node | None) -> str | None:
        """The path that is meant; None, and a note of it, where it leads out of what is read."""
        text = known(node)
        path = normpath(f"{self.folder}/{text}".lstrip("/"))
        # "github.com/owner/repository//folder?ref=v1" is a URL without its scheme.
        if not text or text.startswith("/") or "//" in text or "?" in text or "@" in text:
            path = ".."
        if path.split("/", 1)[0] in ("..", "github.com"):
            self.elsewhere = True
            return None
        return "" if path == "." else path

    def _patches(self, node: yaml.Node) -> list[Patch]:
        found: list[Patch] = []
        for item in yaml.items(yaml.child(node, "patchesStrategicMerge")):
            text = yaml.text(item) or ""
            found.extend(self._inline(item) if "\n" in text else self._file(item))
        for key in ("patches", "patchesJson6902"):
            for item in yaml.items(yaml.child(node, key)):
                if isinstance(item, yaml.ScalarNode):
                    # As kustomize 1 had them: files alone.
                    found.extend(self._file(item))
                    continue
                inline, path = yaml.child(item, "patch"), yaml.child(item, "path")
                made = self._inline(inline) if inline is not None else self._file(path)
                for patch in made:
                    patch.operations = patch.operations or key == "patchesJson6902"
                    patch.kind = known(yaml.child(item, "target", "kind"))
                    patch.name = known(yaml.child(item, "target", "name"))
                found.extend(made)
        return found

    def _inline(self, node: yaml.Node) -> list[Patch]:
        patch = Patch(yaml.position(node), text=yaml.text(node) or "")
        patch.operations = _lists(patch.text)
        return [patch]

    def _file(self, node: yaml.Node | None) -> list[Patch]:
        path = self._path(node)
        if path is None or node is None:
            return []
        patch = Patch(yaml.position(node), path)
        held = self.lookup(path)
        patch.operations = held is not None and _lists(held.decode("utf-8", "replace"))
        return [patch]


def _lists(text: str) -> bool:
    """Whether a patch is a list: its first line that says something opens one."""
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith(("#", "---")):
            return line.lstrip().startswith(("- ", "["))
    return False


def targets(node: yaml.Node) -> dict[Position, tuple[yaml.Node, yaml.Node | None]]:
    """The nodes of the patches, or of their paths, by their places, with their targets."""
    found: list[tuple[yaml.Node, yaml.Node | None]] = [
        (item, None) for item in yaml.items(yaml.child(node, "patchesStrategicMerge"))
    ]
    for key in ("patches", "patchesJson6902"):
        for item in yaml.items(yaml.child(node, key)):
            if isinstance(item, yaml.ScalarNode):
                found.append((item, None))
                continue
            target = yaml.child(item, "target")
            for part in ("patch", "path"):
                inner = yaml.child(item, part)
                if inner is not None:
                    found.append((inner, target))
    return {yaml.position(one): (one, target) for one, target in found}
