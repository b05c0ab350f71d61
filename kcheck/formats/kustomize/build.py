"""What a kustomization builds, as far as its patches are written in the repository.

Objects of its files, bases and components are patched as trees; what no patch of the kustomization
touches stays with its own file. A patch that cannot be followed leaves what it may change unknown.
"""

from __future__ import annotations

import re

from kcheck.formats.kustomize import changes, kustomization, operations, strategic
from kcheck.formats.origins import Origins, within
from kcheck.formats.scalars import known
from kcheck.model import Kustomization, Patch, Position
from kcheck.syntax import yaml

_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_DEEPEST = 6
_MOST_OBJECTS = 400
#: So often patches are applied to objects.
_MOST_APPLIED = 10_000
#: With this, more is changed than a kustomization tells.
_OPEN = ("transformers",)
#: A name with wildcards, of the regular expressions that a target may have.
_NAME = re.compile(r"(?:[\w-]|\.\*|\\?\.){1,200}")
_SELECTORS = ("labelSelector", "annotationSelector")


class Built:
    """One object: as the patches leave it, where it stood, and whether one of them changed it."""

    __slots__ = ("at", "changed", "first", "node", "unknown")

    def __init__(self, node: yaml.Node) -> None:
        self.node = node
        #: The name that its file gives it.
        self.first = _name(node)
        self.at: Position = yaml.position(node)
        self.changed = False
        #: Whether a patch that is not followed may change it.
        self.unknown = False

    @property
    def kind(self) -> str:
        return _kind(self.node)

    @property
    def name(self) -> str:
        return _name(self.node)

    def put(self, node: yaml.Node) -> None:
        """Have the object as a change leaves it."""
        self.node, self.changed = node, True

    def fits(self, pattern: str) -> bool:
        """Whether a pattern of a name, with ``.*`` for anything, is that of the object."""
        return _NAME.fullmatch(pattern) is not None and _fits(pattern, self.name)


class Build:
    """Builds one kustomization; ``followed`` are the patches of which all effects are known."""

    def __init__(self, origins: Origins, sparse: bool = False) -> None:
        self._origins = origins
        #: Whether objects of files that do not name Kafka are left out.
        self._sparse = sparse
        self.followed: list[Patch] = []
        #: Files of patches that are no resources of their own: nothing else tells whose they are.
        self.covered: list[str] = []
        self.open = False
        self._applied = 0
        #: So many fields may still be replaced.
        self.left = 2000
        #: Whether there is more to do than to lay one file over another, and whether names are changed.
        self.patched = self.renames = False
        #: What replacements change that cannot be followed.
        self.lost: list[Patch] = []
        #: The maps, by kind and name, that are generated, and those into which something is merged.
        self.generated: set[tuple[str, str]] = set()
        self.merged: set[tuple[str, str]] = set()

    def objects(
        self, path: str, node: yaml.Node, made: Kustomization, depth: int = 0
    ) -> list[Built]:
        found: list[Built] = []
        self._fill(path, node, made, found, depth)
        return found

    def _fill(
        self, path: str, node: yaml.Node, made: Kustomization, found: list[Built], depth: int
    ) -> None:
        for one in made.resources:
            found += self._of(one, depth)
        found += changes.generate(path, node, found, self)
        for one in made.components:
            self._component(one, found, depth)
        self._patch(path, node, made, found)

    def made(self, node: yaml.Node) -> Built:
        """An object that a kustomization makes."""
        return Built(node)

    def beside(self, path: str, name: str) -> list[yaml.Node] | None:
        """The documents of a file that a kustomization names; None where it cannot be read."""
        where = within(path.rpartition("/")[0], name)
        return (self._origins.documents(where) if where else None) or None

    def _of(self, path: str, depth: int) -> list[Built]:
        if path.endswith((".yaml", ".yml")):
            if self._sparse and b"kafka" not in (self._origins.lookup(path) or b"").lower():
                return []
            found = [Built(one) for one in self._origins.documents(path)]
            self.open = self.open or len(found) > _MOST_OBJECTS
            return found[:_MOST_OBJECTS]
        inner = self._folder(path, depth)
        return self.objects(*inner, depth + 1) if inner is not None else []

    def _component(self, folder: str, found: list[Built], depth: int) -> None:
        """Add what a component has, and apply its patches to all that there is."""
        inner = self._folder(folder, depth)
        if inner is not None:
            self._fill(*inner, found, depth + 1)

    def _folder(self, folder: str, depth: int) -> tuple[str, yaml.Node, Kustomization] | None:
        for name in _KUSTOMIZATIONS if depth < _DEEPEST else ():
            path = f"{folder}/{name}".lstrip("/")
            nodes = self._origins.documents(path)
            if len(nodes) == 1:
                return path, nodes[0], kustomization.of_node(path, nodes[0], self._origins.lookup)
        return None

    # -- patches ----------------------------------------------------------------------------

    def _patch(self, path: str, node: yaml.Node, made: Kustomization, objects: list[Built]) -> None:
        self.open = self.open or any(yaml.child(node, key) is not None for key in _OPEN)
        targets = kustomization.targets(node)
        for patch in made.patches:
            self.patched = self.patched or patch.operations or bool(patch.text)
            if patch.at not in targets:
                continue
            pieces = (
                self._origins.texts(targets[patch.at][0])
                if patch.text
                else self._origins.documents(patch.path)
            )
            target = targets[patch.at][1]
            # A file of several is for as many objects, a topic's for one that may have another name.
            several = len(pieces) > 1 and target is None and not patch.operations
            named = target is None and any(_kind(one) == "KafkaTopic" for one in pieces)
            # A file in another folder does not know of the kustomization, so that it cannot be whole.
            apart = bool(patch.path) and not _below(patch.path, path)
            self.patched = self.patched or several or named or apart
            if len(pieces) != 1 and not several:
                self._lose(patch, objects)
                continue
            done = [self._apply(patch, piece, target, objects) for piece in pieces]
            if all(done):
                self.followed.append(patch)
                self.covered += [patch.path] if (named or apart) and patch.path else []
        self.renames = self.renames or bool(made.name_prefix or made.name_suffix)
        if any(yaml.child(node, key) is not None for key in changes.KEYS):
            before = [one.node for one in objects]
            changes.apply(path, node, objects, self)
            changed = any(one.node is not node for one, node in zip(objects, before, strict=True))
            self.patched = self.patched or changed or bool(self.lost)

    def _apply(
        self, patch: Patch, piece: yaml.Node, target: yaml.Node | None, objects: list[Built]
    ) -> bool:
        """Apply a piece of a patch; whether all of its effects are known then."""
        meant = _meant(patch, piece, target, objects)
        self._applied += len(meant) * (1 + len(yaml.items(piece))) if meant is not None else 0
        if meant is None or self._applied > _MOST_APPLIED:
            self._lose(patch, objects)
            return False
        whole = bool(meant)
        for one in meant:
            result = (
                operations.apply(one.node, piece)
                if patch.operations
                else strategic.apply(one.node, piece)
            )
            one.changed = True
            one.unknown = one.unknown or result is None
            one.node = result if result is not None else one.node
            whole = whole and result is not None
        return whole

    def _lose(self, patch: Patch, objects: list[Built]) -> None:
        """What a patch may change that is not followed, is unknown."""
        for one in objects:
            if not patch.kind or patch.kind == _kind(one.node):
                one.unknown = True


def _below(path: str, kustomization: str) -> bool:
    folder = kustomization.rpartition("/")[0]
    return not folder or path.startswith(f"{folder}/")


def _meant(
    patch: Patch, piece: yaml.Node, target: yaml.Node | None, objects: list[Built]
) -> list[Built] | None:
    """The objects that a patch changes; None where that is not to be told."""
    if target is None:
        kind, name = _kind(piece), _name(piece)
        if not kind or not name:
            return None
        return [one for one in objects if (_kind(one.node), _name(one.node)) == (kind, name)]
    if any(yaml.child(target, key) is not None for key in _SELECTORS):
        return None
    name = patch.name or ".*"
    if _NAME.fullmatch(name) is None:
        return None
    group = known(yaml.child(target, "group"))
    return [
        one
        for one in objects
        if (not patch.kind or patch.kind == _kind(one.node))
        and _fits(name, _name(one.node))
        and (not group or known(yaml.child(one.node, "apiVersion")).startswith(f"{group}/"))
    ]


def _fits(pattern: str, name: str) -> bool:
    """Whether a name fits a target's: with ``.*`` for anything, from left to right."""
    first, *others = [part.replace("\\.", ".") for part in pattern.split(".*")]
    if not others:
        return name == first
    if not name.startswith(first):
        return False
    at = len(first)
    for part in others[:-1]:
        at = name.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(name) - len(others[-1]) >= at and name.endswith(others[-1])


def _kind(node: yaml.Node) -> str:
    return known(yaml.child(node, "kind"))


def _name(node: yaml.Node) -> str:
    return known(yaml.child(node, "metadata", "name"))
