"""Patches that stand in a kustomization, or are lists of operations: pieces of resources.

A piece has what the patch sets, and lies over the resource of its kind and name. A list of
operations (JSON 6902) is one where each of them sets a scalar of a mapping; all others, and those
that are aimed at more than one resource, have an effect that is not read.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.embedded import split_lines
from kcheck.formats.kubernetes import manifests
from kcheck.formats.kubernetes.beside import WORKLOADS, Workload, cover, name_of
from kcheck.formats.kustomize import filling, kustomization
from kcheck.formats.kustomize.build import Build, Built
from kcheck.formats.kustomize.deployed import Deployed
from kcheck.formats.origins import Origins
from kcheck.formats.scalars import known
from kcheck.model import READ, Document, Patch, Position, Resource
from kcheck.syntax import trees, yaml
from kcheck.syntax.nodes import Mapping, Scalar

#: Kinds that only Strimzi has, or that have such a field there alone.
_KINDS = frozenset(
    ("KafkaNodePool", "KafkaUser", "KafkaConnect", "KafkaConnector", "KafkaMirrorMaker2")
    + ("KafkaBridge", "KafkaTopic", "Kafka")
)
_SETS = ("add", "replace")
#: With one of these a kustomization takes values from any object.
_TAKING = (b"kafka", b"vars:", b"replacements:")
#: Targets that select by more than a kind and a name.
_SELECTORS = ("labelSelector", "annotationSelector")
_MOST = 500


def take(
    document: Document, deployed: Deployed, data: bytes, lookup: Lookup, own: bool = True
) -> None:
    """Let the document have the pieces that its patches are; each such patch is ``taken``.

    ``own`` tells that the document is the kustomization itself.
    """
    made, node = deployed.made, deployed.node
    lines = split_lines(data)
    places = kustomization.targets(node)
    followed = _build(document, deployed, data, lookup, own)
    for patch in made.patches:
        told, target = places.get(patch.at, (None, None))
        if patch.at not in followed:
            inner = _pieces(document, patch, told, target, lines, data, lookup)
            patch.taken = bool(inner.resources)
            document.resources += inner.resources
            # What a piece lacks, the resource has.
            document.problems += [one for one in inner.problems if one.code != "KC0007"]
            continue
        patch.taken = True
        if patch.operations and patch.path:
            cover(document, patch.path)
    if document.resources:
        document.status, document.reason = READ, ""


def _pieces(
    document: Document,
    patch: Patch,
    told: yaml.Node | None,
    target: yaml.Node | None,
    lines: list[str],
    data: bytes,
    lookup: Lookup,
) -> Document:
    """The resources of which a patch that is not followed has pieces."""
    path, text = (document.path, data) if patch.text else (patch.path, lookup(patch.path) or b"")
    if patch.text:
        pieces = manifests.documents_of(Document(document.path), told, lines)
    elif patch.operations:
        pieces, problem = yaml.documents(text)
        pieces = [] if problem is not None else pieces
    else:
        return Document(path)
    if patch.operations:
        made = _piece(patch, pieces, target)
        pieces = [made] if made is not None else []
    elif target is not None:
        pieces = _aimed(patch, pieces, target)
    elif len(pieces) == 1:
        patch.kind, patch.name = _aim(pieces[0])
    inner = Document(path)
    manifests.take(inner, text, lookup, pieces)
    for resource in inner.resources:
        resource.traits.partial = True
    return inner


def _build(
    document: Document, deployed: Deployed, data: bytes, lookup: Lookup, own: bool
) -> set[Position]:
    """Let the document have the objects that patches change, whole; gives the places of its own
    patches of which all effects are known then."""
    made, node = deployed.made, deployed.node
    if known(yaml.child(node, "kind")) == "Component":
        # Whoever lists it builds what it changes.
        return set()
    # What is patched or drawn from may be anything; what else is changed matters where it is Kafka's.
    whole = made.patches or made.components or any(word in data.lower() for word in _TAKING)
    origins = Origins(document, data, lookup)
    build = Build(origins, not (own and whole))
    objects = deployed.objects(document.path if own else "", build)
    filling.resolve(node, objects, build)
    made.patches += tuple(build.lost)
    made.followed = frozenset(origins.place_of(patch.at) for patch in build.followed)
    if build.open or origins.open:
        return set()
    drawn = _draw(objects, build, origins)
    if not (build.patched or drawn):
        return set()
    maps = [one.node for one in objects if _kind(one.node) in _MAPS][:_MOST_MAPS]
    for one in objects:
        if one.changed and not one.unknown and not (one.kind in _MAPS and one.name in drawn):
            beside = [] if one.kind in _KINDS else [node for node in maps if node is not one.node]
            found = _read(document, origins, lookup, one, beside)
            made.rendered += tuple((resource.kind, resource.name) for resource in found)
            document.resources += found
    document.extent.covers += tuple(build.covered)
    return {patch.at for patch in made.patches if any(patch is one for one in build.followed)}


def _draw(objects: list[Built], build: Build, origins: Origins) -> set[str]:
    """Have the workloads as changed whose variables are changed on the way, or generated where their
    own files do not name Kafka, so that nobody reads them there; gives the names of these maps."""
    merged = {one.name for one in objects if one.changed and one.kind in _MAPS}
    merged |= {name for _, name in build.merged}
    made = {name for _, name in build.generated}
    found: set[str] = set()
    for one in objects if merged or made else ():
        if one.kind not in WORKLOADS:
            continue
        drawn = Workload(one.node, "").draws
        alone = one.changed or b"kafka" not in origins.text_of(one.at).lower()
        own = drawn & (merged | made if alone else merged)
        one.changed = one.changed or bool(own)
        found |= own
    return found


def _read(
    document: Document, origins: Origins, lookup: Lookup, one: Built, beside: list[yaml.Node]
) -> list[Resource]:
    """What an object declares, with the maps beside it, at its places in its files."""
    inner = Document(document.path)
    manifests.take(inner, origins.parsed([]), lookup, [one.node, *beside])
    # What the workload has of a map stands there, too.
    names = Workload(one.node, "").draws if one.kind in WORKLOADS else set()
    apart = [yaml.position(node) for node in beside if name_of(node) not in names]
    found = [
        resource
        for resource in inner.resources
        if not any(first <= resource.at[0] <= last for first, _, last, _ in apart)
    ]
    for resource in found:
        resource.traits.rendered = True
        if one.name != one.first and resource.name == one.name:
            resource.traits.renames = one.first
    # What is wrong in its own file, that file tells.
    document.problems += origins.own(inner.problems)
    origins.relocate([*found])
    return found


def _kind(node: yaml.Node) -> str:
    return known(yaml.child(node, "kind"))


#: What a workload has its variables and files of.
_MAPS = ("ConfigMap", "Secret")
_MOST_MAPS = 50


def _aim(piece: yaml.Node) -> tuple[str, str]:
    kind, name = known(yaml.child(piece, "kind")), known(yaml.child(piece, "metadata", "name"))
    # A topic may have another name than its resource.
    return (kind, name) if kind and name and kind != "KafkaTopic" else ("", "")


def _aimed(patch: Patch, pieces: list[yaml.Node], target: yaml.Node) -> list[yaml.Node]:
    """A piece with the name of the one resource at which it is aimed, whatever its own is."""
    if len(pieces) != 1 or not _literal(patch.name) or not _selects_one(target):
        return []
    if known(yaml.child(pieces[0], "kind")) != patch.kind:
        return []
    made = trees.merged(pieces[0], _head(yaml.position(target), ("metadata", "name"), patch.name))
    return [made] if made is not None else []


def _selects_one(target: yaml.Node) -> bool:
    return all(yaml.child(target, key) is None for key in _SELECTORS)


def _head(at: Position, route: tuple[str, ...], text: str) -> yaml.Node:
    node: yaml.Node = Scalar(text, at, '"')
    for name in reversed(route):
        made = Mapping(at)
        made.pairs.append((name, Scalar(name, at, ""), node))
        node = made
    return node


def _piece(patch: Patch, pieces: list[yaml.Node], target: yaml.Node | None) -> yaml.Node | None:
    """A list of operations as a piece of the resource at which it is aimed; None where it is none."""
    kind, name = patch.kind, patch.name
    if len(pieces) != 1 or kind not in _KINDS or not _literal(name) or target is None:
        return None
    if not _selects_one(target):
        return None
    group, version = known(yaml.child(target, "group")), known(yaml.child(target, "version"))
    if group and not group.endswith("strimzi.io"):
        return None
    made: yaml.Node | None = None
    operations = yaml.items(pieces[0])
    for operation in operations[:_MOST]:
        keys = _route(known(yaml.child(operation, "path")))
        value = yaml.child(operation, "value")
        if known(yaml.child(operation, "op")) not in _SETS or not keys:
            return None
        if not isinstance(value, yaml.ScalarNode) or (kind == "Kafka" and not _strimzi(keys)):
            return None
        key = yaml.child(operation, "path")
        made = trees.merged(made, _planted(keys, key or value, value))
    at = yaml.position(pieces[0])
    api = f"{group or 'kafka.strimzi.io'}/{version or 'v1beta2'}"
    for route, text in ((("apiVersion",), api), (("kind",), kind), (("metadata", "name"), name)):
        made = trees.merged(made, _head(at, route, text)) if made is not None else None
    return made


def _strimzi(route: list[str]) -> bool:
    return len(route) > 2 and route[:2] == ["spec", "kafka"]


def _literal(name: str) -> bool:
    return bool(name) and name.replace("-", "").replace(".", "").isalnum()


def _route(path: str) -> list[str]:
    """The keys of a JSON pointer below the root's ``spec``; none where it leads into a list."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    lists = any(part == "-" or part.isdecimal() for part in parts)
    return [] if lists or len(parts) < 2 or len(parts) > 20 or parts[0] != "spec" else parts


def _planted(route: list[str], key_node: yaml.Node, value: yaml.Node) -> yaml.Node:
    node, at = value, yaml.position(key_node)
    for name in reversed(route):
        made = Mapping(at)
        made.pairs.append((name, Scalar(name, at, ""), node))
        node = made
    return node
