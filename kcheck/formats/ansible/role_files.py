"""Where a role of Ansible has its variables: in its own files, in those of roles that it depends on,
and in files that tasks include.

What a task includes by a name that is not written, or under a condition, may be set or not: those
variables are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import normpath

from kcheck.formats import Lookup
from kcheck.formats.ansible.inventories import VARS_ENDINGS, Variable, Variables, of_file
from kcheck.formats.folders import names_in
from kcheck.syntax import yaml

_SOURCE = re.compile(r"(?:^|\s)(?:src|file)=(\S+)")
_GROUPS = ("all", "all/main", "all/vars", "kafka", "kafka/main", "kafka_broker", "brokers")
#: Roles that need each other end here.
_DEEPEST = 5
_MOST_ROLES, _MOST_FILES = 60, 40
_MODULE = "include_vars"
_BLOCKS = ("block", "rescue", "always")
#: Words of a task that runs under a condition, or for each of a list.
_CONDITIONS = ("when", "loop", "with_items", "with_first_found")


def own(folder: str, lookup: Lookup) -> Variables:
    """The variables of a role's folder ``defaults`` or ``vars``."""
    paths = [f"{folder}/main.{ending}" for ending in VARS_ENDINGS]
    inner = [n for n in names_in(f"{folder}/main", lookup) or () if n[:1] != "."]
    paths += [f"{folder}/main/{name}" for name in sorted(inner)]
    told: Variables = {}
    for path in paths:
        told.update(of_file(path, lookup))
    return told


def of_groups(root: str, lookup: Lookup) -> dict[str, Variable | None]:
    """The variables of groups by their usual names; one that they set differently is unknown."""
    groups: dict[str, Variable | None] = {}
    for group in _GROUPS:
        for ending in VARS_ENDINGS:
            path = f"{root}group_vars/{group}.{ending}"
            for name, told in of_file(path, lookup).items():
                other = groups.get(name, told)
                same = other is not None and _same(other.node, told.node)
                groups[name] = told if same else None
    return groups


def _same(one: yaml.Node, other: yaml.Node) -> bool:
    return one is other or (yaml.text(one) is not None and yaml.text(one) == yaml.text(other))


def role_of(item: yaml.Node) -> str:
    """The name of a role in a list of roles, without its collection; "" for none."""
    told = yaml.child(item, "role") or yaml.child(item, "name") or item
    return (yaml.text(told) or "").rpartition("/")[2].rpartition(".")[2]


def needs(role: str, lookup: Lookup) -> Iterator[tuple[yaml.Node, str]]:
    """What a role says of those that it depends on, and the path of the file that says so."""
    for ending in VARS_ENDINGS:
        path = f"{role}/meta/main.{ending}"
        data = lookup(path)
        nodes = yaml.documents(data)[0] if data and b"dependencies" in data else []
        for item in yaml.items(yaml.child(nodes[0], "dependencies")) if nodes else ():
            yield item, path


def needed(role: str, lookup: Lookup) -> list[str]:
    """The folders of the roles that one depends on; those that others depend on come first."""
    found: dict[str, None] = {}
    _need(role, lookup, found, _DEEPEST)
    found.pop(role, None)
    return [*found]


def _need(role: str, lookup: Lookup, found: dict[str, None], depth: int) -> None:
    folder = role.rpartition("/")[0]
    for item, _ in needs(role, lookup) if depth and len(found) < _MOST_ROLES else ():
        name = role_of(item)
        other = f"{folder}/{name}" if folder else name
        if name and other not in found:
            _need(other, lookup, found, depth - 1)
            found[other] = None


def leads(
    item: yaml.Node, folder: str, role: str, lookup: Lookup, depth: int = _DEEPEST
) -> list[tuple[yaml.Node, str]] | None:
    """By which dependencies a role of a list leads to another one, the last of them at the end."""
    name = role_of(item)
    for inner, path in needs(f"{folder}/{name}", lookup) if name and depth else ():
        if role_of(inner) == role:
            return [(inner, path)]
        further = leads(inner, folder, role, lookup, depth - 1)
        if further is not None:
            return [(inner, path), *further]
    return None


class Included:
    """What tasks include: variables that are ``told``, the names of others that are ``doubtful``, and
    whether these are all; ``facts`` are what they set for sure."""

    __slots__ = ("doubtful", "facts", "told", "whole")

    def __init__(self) -> None:
        self.told: Variables = {}
        self.doubtful: set[str] = set()
        self.facts: Variables = {}
        self.whole = True


def include(
    made: Included,
    tasks: list[yaml.Node],
    base: str,
    lookup: Lookup,
    certain: bool = True,
    depth: int = _DEEPEST,
) -> None:
    """Note what tasks of a role or a play include; ``base`` is its folder, with a slash, or "".

    ``certain`` tells that the tasks run under no condition.
    """
    for task in tasks:
        runs = certain and not any(yaml.child(task, key) is not None for key in _CONDITIONS)
        for key, _, value in yaml.pairs(task):
            if key.rpartition(".")[2] == _MODULE:
                _include(made, value, base, lookup, runs)
            elif key in _BLOCKS and depth:
                include(made, yaml.items(value), base, lookup, runs, depth - 1)


def _include(made: Included, value: yaml.Node, base: str, lookup: Lookup, certain: bool) -> None:
    text = yaml.text(yaml.child(value, "file") or value) or ""
    text = text.strip().removeprefix("file=").replace("{{ role_path }}/", "")
    apart = yaml.child(value, "name")
    found = [] if "{" in text or " " in text or not text else _files(text, base, lookup)
    if not found or yaml.child(value, "dir") is not None:
        # Any file of variables may be meant.
        made.whole = False
        for name in (names_in(f"{base}vars", lookup) or ())[:_MOST_FILES]:
            if name.endswith((".yml", ".yaml")) and name.partition(".")[0] != "main":
                made.doubtful |= set(of_file(f"{base}vars/{name}", lookup))
        return
    told = of_file(found[0], lookup)
    if apart is not None:
        made.doubtful.add(yaml.text(apart) or "")
    elif certain:
        made.told.update(told)
        made.doubtful -= set(told)
    else:
        made.doubtful |= set(told)


def _files(name: str, base: str, lookup: Lookup) -> list[str]:
    paths = [normpath(f"{base}{folder}{name}") for folder in ("vars/", "", "tasks/")]
    return [path for path in paths if lookup(path) is not None]


def plain_name(module: str) -> str:
    """The name of a module or a role without its collection."""
    return module.rpartition(".")[2]


def source(node: yaml.Node) -> str:
    """The file that a task names: as ``src``, as ``file``, or alone."""
    told = yaml.child(node, "src") or yaml.child(node, "file") or node
    text = (yaml.text(told) or "")[:500]
    written = _SOURCE.search(text)
    return written[1].strip("\"'") if written is not None else text.strip()
