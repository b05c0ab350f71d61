"""What a kustomization changes without patches: images, replicas, replacements and generated maps.

Each comes after the patches of its kustomization, in the order in which kustomize has them. Where a
replacement cannot be followed, what it may change is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from kcheck import images
from kcheck.formats.kustomize import generators
from kcheck.formats.scalars import known
from kcheck.model import Patch
from kcheck.syntax import yaml
from kcheck.syntax.nodes import Mapping, Scalar, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.kustomize.build import Build, Built

#: The keys of a kustomization that change objects.
KEYS = ("images", "replicas", "replacements")
_COUNTED = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")
#: Lists of containers, at whatever place of an object.
_CONTAINERS = ("containers", "initContainers")
_DEEPEST = 30
#: So many replacements with as many targets are followed.
_MOST = 200
#: A value that stands for one that nobody knows.
_UNKNOWN = "$(unknown)"

Change = Callable[[yaml.Node], "yaml.Node | None"]


def apply(path: str, node: yaml.Node, objects: list[Built], build: Build) -> None:
    """Change the objects as the kustomization of a node does, after its patches."""
    for item in yaml.items(yaml.child(node, "replicas"))[:_MOST]:
        _count(item, objects)
    named = {known(yaml.child(one, "name")): one for one in yaml.items(yaml.child(node, "images"))}
    if named:
        _images(named, objects)
    for item in yaml.items(yaml.child(node, "replacements"))[:_MOST]:
        where = yaml.child(item, "path")
        told = build.beside(path, known(where)) if where is not None else [item]
        if told is None:
            build.open = True
            build.lost.append(Patch(yaml.position(item)))
        for one in told or ():
            # A file may hold one of them, or a list.
            for replacement in yaml.items(one) or [one]:
                _replace(replacement, objects, build)


# -- numbers and images -------------------------------------------------------------------------


def _count(item: yaml.Node, objects: list[Built]) -> None:
    count, name = yaml.child(item, "count"), known(yaml.child(item, "name"))
    for one in objects if count is not None else ():
        kind, own = yaml.child(one.node, "kind"), yaml.child(one.node, "metadata", "name")
        if known(kind) in _COUNTED and name and known(own) == name:
            made = changed(one.node, ["spec", "replicas"], lambda _: count, True)
            one.put(made if made is not None else one.node)


def _images(told: dict[str, yaml.Node], objects: list[Built]) -> None:
    def renamed(node: yaml.Node) -> yaml.Node | None:
        name = images.split(known(node))[0]
        item = told.get(name) if name else None
        if item is None:
            return None
        image = _renamed(known(node), name, item)
        # What kcheck knows neither of the old image nor of the new one changes nothing that is read.
        if not any(images.family_of(images.split(one)[0]) for one in (name, image)):
            return None
        return Scalar(image, yaml.position(_last(item)), "made")

    for one in objects:
        made = _in_containers(one.node, renamed, _DEEPEST)
        if made is not None:
            one.put(made)


def _renamed(image: str, name: str, item: yaml.Node) -> str:
    """The image as an entry of ``images`` changes it."""
    new = known(yaml.child(item, "newName")) or name
    tag, pinned = known(yaml.child(item, "newTag")), known(yaml.child(item, "digest"))
    if pinned:
        return f"{new}@{pinned}"
    return f"{new}:{tag}" if tag else new + image.removeprefix(name)


def _last(item: yaml.Node) -> yaml.Node:
    """The part of an entry that tells most of an image's version."""
    for key in ("newTag", "digest", "newName", "name"):
        found = yaml.child(item, key)
        if found is not None:
            return found
    return item


def _in_containers(node: yaml.Node, change: Change, depth: int) -> yaml.Node | None:
    """The node with the images of its containers changed; None where none is."""
    if isinstance(node, yaml.SequenceNode):
        return members_of(node, lambda one: _in_containers(one, change, depth - 1), depth)
    if not isinstance(node, yaml.MappingNode) or not depth:
        return None

    def inner(key: str, value: yaml.Node) -> yaml.Node | None:
        if key not in _CONTAINERS:
            return _in_containers(value, change, depth - 1)
        return members_of(value, lambda one: changed(one, ["image"], change), depth)

    return pairs_of(node, inner)


def pairs_of(
    node: yaml.Node, change: Callable[[str, yaml.Node], yaml.Node | None]
) -> yaml.Node | None:
    made, any_changed = Mapping(yaml.position(node)), False
    for key, key_node, value in yaml.pairs(node):
        put = change(key, value)
        any_changed = any_changed or put is not None
        made.pairs.append((key, key_node, value if put is None else put))
    return made if any_changed else None


def members_of(node: yaml.Node, change: Change, depth: int) -> yaml.Node | None:
    found = [(one, change(one)) for one in yaml.items(node)] if depth else []
    if all(put is None for _, put in found):
        return None
    return Sequence([one if put is None else put for one, put in found], yaml.position(node))


# -- replacements -----------------------------------------------------------------------------


def _replace(item: yaml.Node, objects: list[Built], build: Build) -> None:
    source = _source(item, objects, build)
    for target in yaml.items(yaml.child(item, "targets"))[:_MOST]:
        select = yaml.child(target, "select")
        kind, name = known(yaml.child(select, "kind")), known(yaml.child(select, "name"))
        rejected = {
            (known(yaml.child(one, "kind")), known(yaml.child(one, "name")))
            for one in yaml.items(yaml.child(target, "reject"))
        }
        for one in objects:
            if (kind and one.kind != kind) or (name and not one.fits(name)):
                continue
            if rejected & {(one.kind, one.name), (one.kind, ""), ("", one.name)}:
                continue
            for path in yaml.items(yaml.child(target, "fieldPaths")):
                build.left -= 1
                if build.left < 0:
                    build.open = True
                    return
                if not _put(one, path, source, yaml.child(target, "options")):
                    one.unknown = True
                    build.lost.append(Patch(yaml.position(path), kind=one.kind, name=one.name))


def _put(one: Built, path: yaml.Node, source: yaml.Node, options: yaml.Node | None) -> bool:
    """Put a value at a path of an object; whether what comes of it is known."""
    names = names_of(known(path))
    if not names or "*" in names:
        return False
    create = known(yaml.child(options, "create")) == "true"

    def mixed(old: yaml.Node | None) -> yaml.Node | None:
        return _mixed(old, source, options)

    made = changed(one.node, names, mixed, create)
    if made is not None:
        one.put(made)
    # kustomize refuses a path that is not there: nothing is changed then.
    return True


def _mixed(old: yaml.Node | None, source: yaml.Node, options: yaml.Node | None) -> yaml.Node:
    """The new value, or the old text with one of its parts replaced."""
    mark = known(yaml.child(options, "delimiter"))
    if not mark or old is None:
        return source
    index = known(yaml.child(options, "index")) or "0"
    parts, text = (yaml.text(old) or "").split(mark), yaml.text(source) or _UNKNOWN
    at = int(index) if re.fullmatch(r"-?\d{1,4}", index) else 0
    if at < 0:
        parts.insert(0, text)
    elif at >= len(parts):
        parts.append(text)
    else:
        parts[at] = text
    return Scalar(mark.join(parts), yaml.position(source), "made")


def _source(item: yaml.Node, objects: list[Built], build: Build) -> yaml.Node:
    """The value that a replacement takes from an object; an unknown one where it is not to be told."""
    source = yaml.child(item, "source")
    unknown = Scalar(_UNKNOWN, yaml.position(item), "made")
    kind, name = known(yaml.child(source, "kind")), known(yaml.child(source, "name"))
    given = yaml.child(item, "sourceValue")
    if given is not None:
        return given
    found = [o for o in objects if (not kind or o.kind == kind) and (not name or o.name == name)]
    path = yaml.child(source, "fieldPath")
    names = names_of(known(path)) if path is not None else ["metadata", "name"]
    if len(found) != 1 or not names or (build.renames and names == ["metadata", "name"]):
        return unknown
    value = at(found[0].node, names)
    options = yaml.child(source, "options")
    mark = known(yaml.child(options, "delimiter"))
    if value is None or not mark:
        return value if value is not None else unknown
    index = known(yaml.child(options, "index")) or "0"
    parts = known(value).split(mark)
    if not index.isdecimal() or int(index[:4]) >= len(parts):
        return unknown
    return Scalar(parts[int(index[:4])], yaml.position(value), "made")


def names_of(path: str) -> list[str]:
    """The steps of a field's path: dots part them, but not in brackets and not behind a backslash."""
    found = re.findall(r"(?:\\.|\[[^\]]*\]|[^.\\\[])+", path)
    steps = [re.sub(r"\\(.)", r"\1", one) for one in found[: _DEEPEST + 1]]
    plain = [
        s[1:-1] if s.startswith("[") and s.endswith("]") and "=" not in s else s for s in steps
    ]
    return plain if len(plain) <= _DEEPEST else []


def at(node: yaml.Node, names: list[str]) -> yaml.Node | None:
    """What stands at a path."""
    here: yaml.Node | None = node
    for name in names:
        if isinstance(here, yaml.SequenceNode):
            number = _member(here, name)
            here = here.value[number] if number is not None else None
        else:
            here = yaml.child(here, name)
    return here


def changed(
    node: yaml.Node,
    names: list[str],
    change: Callable[[yaml.Node], yaml.Node | None],
    create: bool = False,
) -> yaml.Node | None:
    """The node with what stands at a path changed; None where nothing is.

    With ``create``, mappings that are not there are made; ``change`` is asked with them, then.
    """
    if not names:
        return change(node)
    name, rest = names[0], names[1:]
    if isinstance(node, yaml.SequenceNode):
        number = _member(node, name)
        put = changed(node.value[number], rest, change, create) if number is not None else None
        if put is None:
            return None
        members = list(node.value)
        members[number or 0] = put
        return Sequence(members, yaml.position(node))
    if not isinstance(node, yaml.MappingNode):
        return None
    made = pairs_of(
        node, lambda k, value: changed(value, rest, change, create) if k == name else None
    )
    there = any(key == name for key, _, _ in yaml.pairs(node))
    if made is not None or there or not create:
        return made
    place = yaml.position(node)
    put = changed(Mapping(place), rest, change, create)
    if put is None:
        return None
    grown = Mapping(place)
    grown.pairs = [*yaml.pairs(node), (name, Scalar(name, yaml.position(put), ""), put)]
    return grown


def _member(node: yaml.SequenceNode, name: str) -> int | None:
    """The index of a list's member: by its number, or by a key that it has (``[name=app]``)."""
    if name.isdecimal():
        return int(name[:4]) if int(name[:4]) < len(node.value) else None
    key, equals, value = name.strip("[]").partition("=")
    if not equals:
        return None
    found = [n for n, one in enumerate(node.value) if known(yaml.child(one, key)) == value]
    return found[0] if found else None


# -- generated maps -----------------------------------------------------------------------------


def generate(path: str, node: yaml.Node, objects: list[Built], build: Build) -> Iterator[Built]:
    """The ConfigMaps and Secrets that are generated of literals; what is merged into another one, or
    replaces it, changes that."""
    for behavior, made in generators.of_literals(node):
        kind, name = known(yaml.child(made, "kind")), known(yaml.child(made, "metadata", "name"))
        lower = [one for one in objects if (one.kind, one.name) == (kind, name)]
        if behavior in ("", "create"):
            build.generated.add((kind, name))
            yield build.made(made)
        elif lower:
            put = _laid(lower[0].node, made) if behavior == "merge" else made
            lower[0].put(put)
            build.merged.add((kind, name))


def _laid(lower: yaml.Node, upper: yaml.Node) -> yaml.Node:
    from kcheck.syntax import trees

    made = trees.merged(lower, upper)
    return made if made is not None else upper
