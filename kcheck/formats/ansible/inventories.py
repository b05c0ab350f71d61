"""Inventories of Ansible: which hosts are in which groups, and which variables they have.

Both forms are read, INI and YAML. Scripts and plugins, which ask others for hosts, are not run: what
they would say is unknown. Variables are those of the inventory itself and of the ``group_vars`` and
``host_vars`` beside it and beside the play.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.folders import names_in
from kcheck.model import Position
from kcheck.syntax import inventory_ini, yaml

#: How many hosts, and how many groups in each other, an inventory may have to be read.
_MOST_HOSTS = 500
_DEEPEST = 20
_RANGE = re.compile(r"([^\[\]]*)\[(?:([0-9]{1,6}):([0-9]{1,6})|([a-z]):([a-z]))\](.*)")
_PARTS = frozenset(("hosts", "vars", "children"))
#: Folders that hold inventories, each in a file or in a folder of its own.
_FOLDERS = ("inventories", "inventory", "environments", "envs")
_NAMED = re.compile(r"(?:hosts|[\w-]*inventory)[\w.-]*|[\w-]+\.ini")
_ENDINGS = ("", ".ini", ".yml", ".yaml", ".inv")
#: Where nobody lists the folders.
_USUAL = (
    "hosts",
    "hosts.ini",
    "hosts.yml",
    "hosts.yaml",
    "inventory",
    "inventory.ini",
    "inventory.yml",
)
_CONFIGURED = re.compile(r"^[ \t]*inventory[ \t]*=[ \t]*([^\r\n#;]*)", re.MULTILINE)
_MOST_FILES = 30
VARS_ENDINGS = ("yml", "yaml")
#: What an encrypted file begins with.
SEALED = b"$ANSIBLE_VAULT"


class Variable:
    """A variable and where its value stands; ``own`` tells that hosts have different ones."""

    __slots__ = ("at", "key_at", "literal", "node", "own", "path")

    def __init__(
        self, node: yaml.Node, path: str, key: yaml.Node, own: bool = False, literal: bool = False
    ) -> None:
        self.node = node
        self.path = path
        self.at: Position = yaml.position(node)
        self.key_at: Position = yaml.position(key)
        self.own = own
        #: Whether only ``True`` and ``False`` are true and false, as in the INI form.
        self.literal = literal


Variables = dict[str, Variable]


class _Group:
    __slots__ = ("children", "hosts", "variables")

    def __init__(self) -> None:
        self.hosts: dict[str, None] = {}
        self.children: dict[str, None] = {}
        self.variables: Variables = {}


class Inventory:
    """One inventory. ``known`` tells whether all of it was read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.folder = path.rpartition("/")[0]
        self.groups: dict[str, _Group] = {"all": _Group()}
        self.hosts: dict[str, Variables] = {}
        self._places: dict[str, Position] = {}
        self.known = True
        #: What files beside it say of hosts and groups, as far as it was asked for, and whether one
        #: of them is encrypted.
        self.told: dict[tuple[str, str], Variables] = {}
        self.sealed = False

    def take(self, groups: yaml.Node, literal: bool) -> None:
        for name, _, value in yaml.pairs(groups):
            self._take(name, value, literal, _DEEPEST)

    def _take(self, name: str, node: yaml.Node, literal: bool, depth: int) -> None:
        group = self.groups.setdefault(name, _Group())
        if not depth:
            self.known = False
            return
        for part, _, value in yaml.pairs(node):
            if part == "vars":
                group.variables.update(variables(value, self.path, literal=literal))
            elif part == "children":
                for child, _, inner in yaml.pairs(value):
                    group.children[child] = None
                    self._take(child, inner, literal, depth - 1)
            elif part == "hosts":
                self._hosts(group, value, literal)

    def _hosts(self, group: _Group, node: yaml.Node, literal: bool) -> None:
        for pattern, key, value in yaml.pairs(node):
            names = expanded(pattern)
            if names is None or len(self.hosts) + len(names) > _MOST_HOSTS:
                self.known = False
                return
            told = variables(value, self.path, own=len(names) == 1, literal=literal)
            for name in names:
                group.hosts[name] = None
                self.hosts.setdefault(name, {}).update(told)
                self._places.setdefault(name, yaml.position(key))

    def place(self, host: str) -> Position:
        """Where a host stands first."""
        return self._places[host]

    def members(self, group: str) -> list[str]:
        """The hosts of a group and of the groups in it."""
        if group == "all":
            return [*self.hosts]
        found: dict[str, None] = {}
        open_, seen = [group], {group}
        while open_:
            one = self.groups.get(open_.pop(0))
            if one is None:
                continue
            found.update(one.hosts)
            inner = [child for child in one.children if child not in seen]
            seen.update(inner)
            open_ += inner
        return [*found]

    def groups_of(self, host: str) -> list[str]:
        """The groups of a host, the widest first: what is told of a later one goes over it."""
        held = [name for name in self.groups if name != "all" and host in self.members(name)]
        depth = dict.fromkeys(held, 0)
        for _ in range(min(len(held), _DEEPEST)):
            for name in held:
                for child in self.groups[name].children:
                    if child in depth:
                        depth[child] = max(depth[child], min(depth[name] + 1, _DEEPEST))
        return ["all", *sorted(held, key=lambda name: (depth[name], name))]

    def matching(self, pattern: str) -> list[str] | None:
        """The hosts that a play's pattern means; None where that is not known."""
        chosen: list[str] = []
        limits: list[tuple[str, list[str]]] = []
        for part in re.split(r"[,:](?![^\[]*\])", pattern):
            word = part.strip()
            sign = word[:1] if word[:1] in "!&" else ""
            found = self._matching(word[len(sign) :])
            if found is None:
                return None
            if sign:
                limits.append((sign, found))
            else:
                chosen += found
        for sign, found in limits:
            chosen = [host for host in chosen if (host in found) == (sign == "&")]
        return [*dict.fromkeys(chosen)]

    def _matching(self, word: str) -> list[str] | None:
        name, bracket, rest = word.partition("[")
        if any(sign in word for sign in "{}~?") or ("*" in word and word != "*"):
            return None
        if word in ("*", "all"):
            return self.members("all")
        if word in self.hosts:
            return [word]
        found = self.members(name)
        if not bracket:
            return found
        first = rest.rstrip("]")
        if not first.isdecimal() or len(first) > 4:
            return None
        return found[int(first) : int(first) + 1]


def variables(
    node: yaml.Node | None, path: str, own: bool = False, literal: bool = False
) -> Variables:
    """The variables of a mapping."""
    return {name: Variable(value, path, key, own, literal) for name, key, value in yaml.pairs(node)}


def expanded(pattern: str) -> list[str] | None:
    """The hosts of a name with ranges (``kafka[01:03]``); None where those are too many."""
    found = [pattern]
    while "[" in found[0]:
        match = _RANGE.fullmatch(found[0])
        if match is None:
            return found
        low, high = match[2], match[3]
        if low is not None:
            if int(high) - int(low) > _MOST_HOSTS:
                return None
            numbers = [str(n).zfill(len(low)) for n in range(int(low), int(high) + 1)]
        else:
            numbers = [chr(n) for n in range(ord(match[4]), ord(match[5]) + 1)]
        if not numbers or len(found) * len(numbers) > _MOST_HOSTS:
            return None
        begins = [(one[: one.index("[")], one[one.index("]") + 1 :]) for one in found]
        found = [f"{before}{number}{after}" for before, after in begins for number in numbers]
    return found


def read(path: str, data: bytes) -> Inventory | None:
    """The inventory in a file; None for any other file."""
    made = Inventory(path)
    if path.endswith((".yml", ".yaml")):
        nodes, problem = yaml.documents(data)
        groups = nodes[0] if len(nodes) == 1 and problem is None else None
        if not _is_inventory(groups):
            return None
    else:
        if data[:2] == b"#!" or b"\0" in data:
            return None
        groups = inventory_ini.parse(data.decode("utf-8", "replace"))
    if groups is None:
        return None
    made.take(groups, not path.endswith((".yml", ".yaml")))
    return made if made.hosts and made.known else None


def _is_inventory(node: yaml.Node | None) -> bool:
    """Whether a mapping has nothing but groups at its top."""
    pairs = yaml.pairs(node)
    return bool(pairs) and all(yaml.is_null(value) or _is_group(value) for _, _, value in pairs)


def _is_group(node: yaml.Node) -> bool:
    return isinstance(node, yaml.MappingNode) and all(
        key in _PARTS for key, _, _ in yaml.pairs(node)
    )


def _at(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def found(roots: list[str], lookup: Lookup) -> list[tuple[str, Inventory]]:
    """The inventories of the plays in some folders, each with what tells it from the others."""
    for root in roots:
        for paths in (_configured(root, lookup), _candidates(root, lookup)):
            made = _read_all(paths, lookup)
            if made:
                return [(_label(path, list(made)), one) for path, one in made.items()]
    return []


def _read_all(paths: list[str], lookup: Lookup) -> dict[str, Inventory]:
    made: dict[str, Inventory] = {}
    for path in paths[:_MOST_FILES]:
        data = lookup(path)
        inventory = read(path, data) if data else None
        if inventory is not None:
            made[path] = inventory
    return made


def _label(path: str, paths: list[str]) -> str:
    """The folder of an inventory, or its name where others lie beside it."""
    folder, _, name = path.rpartition("/")
    alone = sum(one.rpartition("/")[0] == folder for one in paths) == 1
    return folder.rpartition("/")[2] if alone and folder else name.partition(".")[0]


def _configured(root: str, lookup: Lookup) -> list[str]:
    """The files that ``ansible.cfg`` names."""
    data = lookup(_at(root, "ansible.cfg"))
    told = _CONFIGURED.search(data.decode("utf-8", "replace")) if data else None
    paths: list[str] = []
    for entry in told[1].split(",") if told is not None else ():
        path = entry.strip().removeprefix("./").rstrip("/")
        if path and not path.startswith(("/", "~", "..", "$")):
            whole = _at(root, path)
            paths += [whole] if lookup(whole) else _inside(whole, lookup)
    return [path for path in paths if lookup(path)]


def _candidates(root: str, lookup: Lookup) -> list[str]:
    """The files in which an inventory may be, as folders and names go."""
    listed = names_in(root, lookup)
    here = [name for name in listed if _NAMED.fullmatch(name)] if listed else [*_USUAL]
    paths = [_at(root, name) for name in here if _ends(name)]
    for folder in _FOLDERS:
        if listed is not None and folder not in listed:
            continue
        whole = _at(root, folder)
        paths += _inside(whole, lookup)
        for name in names_in(whole, lookup) or ():
            if name not in ("group_vars", "host_vars") and not name.startswith("."):
                paths += _inside(f"{whole}/{name}", lookup)
    return paths


def _inside(folder: str, lookup: Lookup) -> list[str]:
    listed = names_in(folder, lookup)
    names = [*_USUAL] if listed is None else [n for n in listed if _ends(n) and n[:1] != "."]
    return [f"{folder}/{name}" for name in names]


def _ends(name: str) -> bool:
    dot = name.rfind(".")
    return (name[dot:] if dot > 0 else "") in _ENDINGS


def beside(folder: str, kind: str, name: str, lookup: Lookup, own: bool = False) -> Variables:
    """The variables of a group or a host in ``group_vars`` or ``host_vars`` of a folder."""
    base = _at(folder, f"{kind}/{name}")
    paths = [base, *(f"{base}.{ending}" for ending in VARS_ENDINGS)]
    inner = names_in(base, lookup)
    if inner is None:
        inner = [f"{n}.{ending}" for n in ("main", "vars") for ending in VARS_ENDINGS]
    paths += [f"{base}/{one}" for one in sorted(inner)[:_MOST_FILES] if one[:1] != "."]
    told: Variables = {}
    for path in paths:
        told.update(of_file(path, lookup, own))
    return told


def of_file(path: str, lookup: Lookup, own: bool = False) -> Variables:
    """The variables of a file; none where it is encrypted, or no mapping."""
    data = lookup(path)
    if not data or data.startswith(SEALED):
        return {}
    nodes = yaml.documents(data)[0]
    return variables(nodes[0], path, own) if nodes else {}
