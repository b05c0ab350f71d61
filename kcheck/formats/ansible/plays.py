"""Playbooks of Ansible: which plays put a template on which hosts, and with which variables.

A play does so by its ``roles``, by a task that includes the role, or by a task of its own that names
the template. Tasks are not run: of what they set (``set_fact``, ``register``) only the names are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats import Lookup
from kcheck.formats.ansible import role_files
from kcheck.formats.ansible.inventories import SEALED, Variables, of_file, variables
from kcheck.formats.ansible.role_files import Included, plain_name, source
from kcheck.formats.folders import names_in
from kcheck.syntax import jinja, yaml

_MOST_BOOKS = 40
_MOST_TASKS = 2_000
_DEEPEST = 10
_FOLDERS = ("", "playbooks", "plays")
#: Where nobody lists the folders.
_USUAL = ("site", "playbook", "main", "kafka", "deploy", "install", "cluster", "setup")
_LISTS = ("pre_tasks", "tasks", "post_tasks", "handlers")
BLOCKS = ("block", "rescue", "always")
_INCLUDES = ("include_role", "import_role")
_FILES = ("include_tasks", "import_tasks", "include")
_MOST_INCLUDED = 3
_TASK_VARIABLE = re.compile(r"(?:^[ \t]*(?:-[ \t]+)?|[{,][ \t]*)[\"']?(\w+)[\"']?:", re.MULTILINE)
#: The same in the short form: ``set_fact: name=value``.
_FACT = re.compile(r"\bset_fact:[ \t]*(\w+)=")
_REGISTERED = re.compile(r"^[ \t]*register:[ \t]*(\w+)", re.MULTILINE)


class Play:
    """A play that puts a template on hosts.

    ``told`` are the variables of the play, which go over those of hosts, ``given`` those that it gives
    to the role, which go over all. ``whens`` are the conditions of that. ``sealed`` tells that it has
    files of variables that are not there to be read. ``roles`` are the folders of its roles, and
    ``included`` is what its own tasks include.
    """

    __slots__ = (
        "folder",
        "given",
        "included",
        "memory",
        "of_tasks",
        "path",
        "pattern",
        "roles",
        "sealed",
        "told",
        "whens",
    )

    def __init__(self, path: str, pattern: str | None) -> None:
        self.path = path
        self.folder = path.rpartition("/")[0]
        #: None where it is not known.
        self.pattern = pattern
        self.told: Variables = {}
        self.given: Variables = {}
        self.whens: list[str] = []
        self.sealed = False
        self.roles: list[str] = []
        self.included: Included | None = None
        #: What roles and tasks say, which is alike on all hosts.
        self.memory: dict[str, Variables] = {}
        self.of_tasks: Included | None = None


def found(
    roots: list[str], role: str, template: str, lookup: Lookup, beside: str = ""
) -> list[Play]:
    """The plays in some folders and their ``playbooks`` that put a template on hosts.

    ``role`` is the role that the template is of, "" if it is none's, and ``beside`` the folder of
    roles that it lies in.
    """
    made: list[Play] = []
    for root in roots:
        for folder in _FOLDERS:
            whole = "/".join(part for part in (root, folder) if part)
            for path in _books(whole, lookup):
                data = lookup(path)
                if data and b"hosts:" in data:
                    made += _plays(path, data, role, template, lookup, beside)
        if made:
            break
    return made


def _books(folder: str, lookup: Lookup) -> list[str]:
    listed = names_in(folder, lookup)
    names = [f"{name}.yml" for name in _USUAL] if listed is None else sorted(listed)
    books = [name for name in names if name.endswith((".yml", ".yaml")) and name[:1] != "."]
    return [f"{folder}/{name}" if folder else name for name in books[:_MOST_BOOKS]]


def _plays(
    path: str, data: bytes, role: str, template: str, lookup: Lookup, beside: str
) -> list[Play]:
    nodes, problem = yaml.documents(data)
    made: list[Play] = []
    for node in yaml.items(nodes[0]) if nodes and problem is None else ():
        if yaml.child(node, "hosts") is None:
            continue
        uses = _of_roles(node, role, path, lookup, beside) if role else []
        if not uses:
            folder = path.rpartition("/")[0]
            task = _of_tasks(tasks(node), role, template, folder, lookup, _MOST_INCLUDED)
            uses = [(task, path)] if task is not None else []
        if not uses:
            continue
        play = play_of(node, path, lookup)
        for use, where in uses:
            play.given.update(_parameters(use, where))
            play.whens += conditions(use)
        if beside:
            _see(play, node, beside, lookup)
        made.append(play)
    return made


def _see(play: Play, node: yaml.Node, beside: str, lookup: Lookup) -> None:
    """Note the other roles of a play, and the files that its tasks include."""
    for item in yaml.items(yaml.child(node, "roles")):
        folder = f"{beside}/{role_files.role_of(item)}"
        play.roles += [*role_files.needed(folder, lookup), folder]
    base = f"{play.folder}/" if play.folder else ""
    play.included = Included()
    for name in _LISTS:
        role_files.include(play.included, yaml.items(yaml.child(node, name)), base, lookup)


def play_of(node: yaml.Node, path: str, lookup: Lookup) -> Play:
    """A play as it stands in a playbook."""
    hosts = yaml.child(node, "hosts")
    several = [yaml.text(one) or "{{" for one in yaml.items(hosts)]
    pattern = ":".join(several) if several else yaml.text(hosts)
    # What nobody sets on the command line is what the play falls back to.
    pattern = jinja.rendered(pattern, lambda _: jinja.UNDEFINED) if pattern else None
    play = Play(path, None if not pattern or "{{" in pattern else pattern)
    # What a play says of itself goes below its files.
    play.told = variables(yaml.child(node, "vars"), path)
    for file in _files(yaml.child(node, "vars_files")):
        whole = _normal(f"{play.folder}/{file}" if play.folder else file)
        told = lookup(whole)
        play.sealed = play.sealed or told is None or told.startswith(SEALED)
        play.told.update(of_file(whole, lookup))
    return play


def _files(node: yaml.Node | None) -> list[str]:
    names = [yaml.text(one) or "" for one in yaml.items(node)] or [yaml.text(node) or ""]
    return [name.replace("{{ playbook_dir }}/", "") for name in names if name]


def _normal(path: str) -> str:
    """A path without its ``..``."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _is(text: str | None, role: str) -> bool:
    return bool(text) and (text == role or str(text).endswith((f".{role}", f"/{role}")))


def _of_roles(
    play: yaml.Node, role: str, path: str, lookup: Lookup, beside: str
) -> list[tuple[yaml.Node, str]]:
    """What the list of roles says of one, or of another one that depends on it: each with the path
    of its file, the narrowest at the end."""
    items = yaml.items(yaml.child(play, "roles"))
    for item in items:
        name = yaml.child(item, "role") or yaml.child(item, "name") or item
        if _is(yaml.text(name), role):
            return [(item, path)]
    for item in items if beside else ():
        further = role_files.leads(item, beside, role, lookup)
        if further is not None:
            return [(item, path), *further]
    return []


def tasks(play: yaml.Node | None) -> list[yaml.Node]:
    """The tasks of a play or of a file of tasks, those in blocks among them."""
    made: list[yaml.Node] = []
    open_ = [(node, _DEEPEST) for node in yaml.items(play)]
    if not open_:
        open_ = [(one, _DEEPEST) for name in _LISTS for one in yaml.items(yaml.child(play, name))]
    while open_ and len(made) < _MOST_TASKS:
        task, depth = open_.pop(0)
        made.append(task)
        inner = [one for name in BLOCKS for one in yaml.items(yaml.child(task, name))]
        if depth:
            open_[:0] = [(one, depth - 1) for one in inner]
    return made


def _of_tasks(
    found: list[yaml.Node], role: str, template: str, folder: str, lookup: Lookup, depth: int
) -> yaml.Node | None:
    """The task that includes a role, or puts a template in its place; also in files of tasks."""
    for task in found:
        for key, _, value in yaml.pairs(task):
            module = plain_name(key)
            if role and module in _INCLUDES and _is(yaml.text(yaml.child(value, "name")), role):
                return task
            file = source(value)
            if module == "template" and not role and file.rpartition("/")[2] == template:
                return task
            if module in _FILES and depth and not role:
                data = lookup(_normal(f"{folder}/{file}"))
                nodes = yaml.documents(data)[0] if data else []
                inner = tasks(nodes[0]) if nodes else []
                if _of_tasks(inner, role, template, folder, lookup, depth - 1) is not None:
                    return task
    return None


#: Words of a role in a play that are none of its variables.
_OF_ROLES = frozenset(
    (
        "role",
        "name",
        "vars",
        "when",
        "tags",
        "become",
        "become_user",
        "become_method",
        "environment",
    )
    + ("delegate_to", "any_errors_fatal", "ignore_errors", "no_log", "collections", "notify")
)


def _parameters(use: yaml.Node, path: str) -> Variables:
    told = variables(yaml.child(use, "vars"), path)
    if yaml.child(use, "role") is not None:  # the older form, beside the name
        told |= {k: v for k, v in variables(use, path).items() if k not in _OF_ROLES}
    return told


def conditions(use: yaml.Node) -> list[str]:
    """The conditions under which a role or a task runs."""
    when = yaml.child(use, "when")
    each = [yaml.text(one) for one in yaml.items(when)] or [yaml.text(when)]
    return [text for text in each if text]


def assigned(role: str, lookup: Lookup) -> frozenset[str] | None:
    """The names that tasks of a role may set; None where they take files of variables that are not
    to be told."""
    names: set[str] = set()
    if not included(role, lookup).whole:
        return None
    for _, data in files_of_tasks(role, lookup):
        text = data.decode("utf-8", "replace")
        names.update(_REGISTERED.findall(text))
        if "set_fact" in text:
            names.update(_TASK_VARIABLE.findall(text))
            names.update(_FACT.findall(text))
    return frozenset(names)


def included(role: str, lookup: Lookup) -> Included:
    """What the tasks of a role include."""
    made, base = Included(), f"{role}/" if role else ""
    files = [*files_of_tasks(role, lookup)]
    if any(b"set_fact" in data for _, data in files):
        from kcheck.formats.ansible import facts  # few roles set some

        made.facts = facts.certain(role, lookup, [data for _, data in files])
    for name, data in files:
        nodes = yaml.documents(data)[0] if b"include_vars" in data else []
        # Other files than the first are tasks of some hosts.
        first = name.partition(".")[0] == "main"
        for node in nodes:
            role_files.include(made, yaml.items(node), base, lookup, first)
    return made


def files_of_tasks(role: str, lookup: Lookup) -> Iterator[tuple[str, bytes]]:
    """The files of tasks of a role, each with its name."""
    folder = f"{role}/tasks" if role else "tasks"
    listed = names_in(folder, lookup)
    for name in (listed or ["main.yml", "main.yaml"])[:_MOST_BOOKS]:
        data = lookup(f"{folder}/{name}")
        if data:
            yield name, data
