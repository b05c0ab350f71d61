"""References to keys that a ConfigMap or Secret does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kcheck.formats.scalars import known
from kcheck.formats.text import templated
from kcheck.model import Problem, Setting
from kcheck.syntax import yaml

CODE = "KC0196"
#: How a resource refers to a key, and the parts of the map that hold keys.
_REFERENCES = {
    "configMapKeyRef": ("data", "binaryData"),
    "secretKeyRef": ("data", "stringData"),
}
_WORDS = {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}
#: References stand no deeper in a resource.
_NESTED = 12

#: The map of a name, with the path of its file; None where it is not read.
Find = Callable[[str], "tuple[str, yaml.Node] | None"]


def lacking(
    node: yaml.Node | None, path: str, who: str, breaks: str, find: Find, depth: int = _NESTED
) -> Iterator[Problem]:
    """The references below a node to keys that their maps do not have.

    ``who`` refers to them, ``breaks`` says what comes of it. A map that is not read, or of which a
    template fills in a part, is not judged.
    """
    for key, _, value in yaml.pairs(node) if depth else ():
        if key in _REFERENCES:
            yield from _missing(key, value, path, who, breaks, find)
        else:
            yield from lacking(value, path, who, breaks, find, depth - 1)
    for item in yaml.items(node) if depth else ():
        yield from lacking(item, path, who, breaks, find, depth - 1)


def _missing(
    kind: str, node: yaml.Node, path: str, who: str, breaks: str, find: Find
) -> Iterator[Problem]:
    named, wanted = known(yaml.child(node, "name")), yaml.child(node, "key")
    text = known(wanted)
    if not named or not text or wanted is None or known(yaml.child(node, "optional")) == "true":
        return
    found = find(named)
    if found is None or known(yaml.child(found[1], "kind")) != _WORDS[kind]:
        return
    keys = [
        key for part in _REFERENCES[kind] for key, _, _ in yaml.pairs(yaml.child(found[1], part))
    ]
    if not keys or text in keys or any(map(templated, keys)):
        return
    yield Problem(
        f"{who} refers to key {text} of {_WORDS[kind]} {named}, which has {', '.join(keys[:3])}"
        + (f" and {len(keys) - 3} more" if len(keys) > 3 else ""),
        yaml.position(wanted),
        CODE,
        consequence=breaks,
        fix=f"use a key of the {_WORDS[kind]}, or add {text} to it ({found[0]})",
        setting=Setting("key", text, path, yaml.position(wanted)),
    )
