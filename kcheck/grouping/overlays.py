"""Overlays: base and patches that are built together are one cluster each, never a sum of all.

A kustomization that another one lists is a base; one that nobody lists, and that has a base, is an
overlay. Each overlay is a world of its own: the files of its bases, its own files, and its patches
over them. The files of a base belong to every overlay that builds it, and to nothing else. Values
files of one chart are layers in the same way: ``values.yaml`` below each ``values-ENV.yaml``.
"""

from __future__ import annotations

from kcheck.grouping.nodes import NODES
from kcheck.model import PASSED_OVER, Document, Kustomization, Patch, Resource

#: Longer chains of bases than this are circles.
_DEEPEST = 20
_VALUES = ("values.yaml", "values.yml")
#: Formats of operators' resources: a patch without one of Kafka's changes others alone.
_OWN_KINDS = ("cfk-cr", "strimzi-cr")


class World:
    """The documents that one overlay builds, those of its bases first, and its patches.

    ``path`` is that of the overlay, whose environment and region the cluster has.
    """

    __slots__ = ("documents", "namespace", "path", "rendered", "unread")

    def __init__(self, path: str) -> None:
        self.path = path
        self.documents: list[Document] = []
        self.namespace = ""
        #: Patches whose effect is not read, with the paths of their kustomizations.
        self.unread: list[tuple[str, Patch]] = []
        #: The kinds and names of the resources of which all patches are read.
        self.rendered: set[tuple[str, str]] = set()

    def unknown(self, resource: Resource) -> bool:
        """Whether a patch that is not read may change the resource."""
        if (resource.kind, resource.name) in self.rendered:
            return False
        return any(patch.name in ("", resource.name) for _, patch in self.unread)

    def layers(self) -> list[tuple[Resource, Resource]]:
        """(lower, upper): the resources of later documents that are those of earlier ones."""
        known: dict[tuple[str, str], Resource] = {}
        found: list[tuple[Resource, Resource]] = []
        # What another file makes, too, is judged there.
        covered = {path for document in self.documents for path in document.extent.covers}
        for document in self.documents:
            for resource in document.resources:
                if resource.traits.holder in covered:
                    continue
                key = (_kind(resource), resource.traits.renames or resource.name)
                lower = known.get(key)
                apart = lower is not None and lower.path != resource.path
                if lower is not None and (apart or resource.traits.rendered):
                    found.append((lower, resource))
                else:
                    known[key] = resource
        return found


def _kind(resource: Resource) -> str:
    # A patch of some fields may not tell a controller from a broker.
    return "node" if resource.kind in NODES else resource.kind


def worlds(documents: list[Document]) -> list[World]:
    """The overlays of a project; none where nothing is built of layers."""
    kustomized = {
        _folder(document): document for document in documents if document.kustomize is not None
    }
    found = _kustomize(documents, kustomized) if kustomized else []
    return [*found, *_charts(documents)]


def _folder(document: Document) -> str:
    """The folder whose kustomization a document is; of what applies another folder, its own path."""
    folder, _, name = document.path.rpartition("/")
    return (
        folder
        if name.lower().startswith("kustomization.") or name == "Kustomization"
        else document.path
    )


def _kustomize(documents: list[Document], kustomized: dict[str, Document]) -> list[World]:
    by_path = {
        document.path: document
        for document in documents
        if document.resources or (document.format in _OWN_KINDS and document.status == PASSED_OVER)
    }
    listed: set[str] = set()
    for document in kustomized.values():
        made = document.kustomize
        assert made is not None
        listed.update(path for path in (*made.resources, *made.components) if path in kustomized)
    found: list[World] = []
    for folder, document in kustomized.items():
        made = document.kustomize
        if made is None or folder in listed:
            continue
        if not (made.patches or made.rendered) and not any(
            path in kustomized for path in (*made.resources, *made.components)
        ):
            continue
        world = World(document.path)
        _build(document, world, kustomized, by_path, 0, {folder})
        if world.documents:
            found.append(world)
    return found


def _build(
    built: Document,
    world: World,
    kustomized: dict[str, Document],
    by_path: dict[str, Document],
    depth: int,
    seen: set[str],
) -> None:
    """Put what a kustomization builds into the world, the lowest layer first."""
    made = built.kustomize
    assert made is not None
    for path in (*made.resources, *made.components):
        inner = kustomized.get(path)
        if inner is not None and inner.kustomize is not None:
            if path not in seen and depth < _DEEPEST:
                seen.add(path)
                _build(inner, world, kustomized, by_path, depth + 1, seen)
        elif path in by_path:
            _add(world, by_path[path])
    _patch(built, made, world, by_path)
    # The outermost kustomization has the last word.
    if made.patches:
        world.rendered = set()
    world.rendered |= {*made.rendered}
    world.namespace = made.namespace or world.namespace


def _add(world: World, document: Document) -> None:
    if document.resources and document not in world.documents:
        world.documents.append(document)


def _patch(
    built: Document, made: Kustomization, world: World, by_path: dict[str, Document]
) -> None:
    """Lay the patches of a kustomization over what there is."""
    for patch in made.patches:
        covered = patch.path in built.extent.covers
        if patch.path in by_path and not (patch.operations or covered):
            _add(world, by_path[patch.path])
        elif patch.taken:
            if built not in world.documents:
                world.documents.append(built)
        else:
            world.unread.append((built.path, patch))
    world.unread = [
        (path, patch) for path, patch in world.unread if (path, patch.at[0]) not in made.followed
    ]
    if made.rendered and built not in world.documents:
        world.documents.append(built)


def _charts(documents: list[Document]) -> list[World]:
    """``values.yaml`` and each ``values-ENV.yaml`` beside it that changes the same brokers."""
    beside: dict[str, list[Document]] = {}
    # A release has them all, in its own order.
    covered = {path for document in documents for path in document.extent.covers}
    for document in documents:
        if document.path in covered:
            continue
        name = document.path.rpartition("/")[2]
        if name.startswith("values") and any(r.kind in NODES for r in document.resources):
            beside.setdefault(document.path.rpartition("/")[0], []).append(document)
    found: list[World] = []
    for members in beside.values():
        base = [d for d in members if d.path.rpartition("/")[2] in _VALUES]
        if len(base) != 1 or len(members) < 2:
            continue
        for upper in members:
            if upper is not base[0]:
                world = World(upper.path)
                world.documents = [base[0], upper]
                found.append(world)
    return found
