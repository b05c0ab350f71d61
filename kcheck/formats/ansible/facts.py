"""What tasks of a role set for sure: ``set_fact`` at one place, under no condition and in no loop.

Such a fact goes over everything but what a play gives to the role. Of all others only the names are
known (``plays.assigned``).
"""

from __future__ import annotations

from collections import Counter
from posixpath import normpath

from kcheck.formats import Lookup
from kcheck.formats.ansible.inventories import VARS_ENDINGS, Variable, Variables
from kcheck.formats.ansible.role_files import plain_name, source
from kcheck.syntax import yaml

#: What makes a task run for some hosts alone, more than once, or for another host.
_CONDITIONS = frozenset(
    ("when", "loop", "loop_control", "until", "run_once", "delegate_to", "delegate_facts")
    + ("register", "ignore_errors")
)
_IMPORTS = ("import_tasks", "include_tasks")
_DEEPEST, _MOST_TASKS = 4, 2_000


def certain(role: str, lookup: Lookup, texts: list[bytes]) -> Variables:
    """The facts that are set once and for all; ``texts`` are all files of tasks of the role."""
    reader = _Reader(lookup)
    folder = f"{role}/tasks" if role else "tasks"
    for ending in VARS_ENDINGS:
        reader.file(f"{folder}/main.{ending}", _DEEPEST)
    return {
        name: told
        for name, told in reader.told.items()
        # What another task may set, too, is what ran last.
        if reader.times[name] == 1 and sum(text.count(f"{name}:".encode()) for text in texts) == 1
    }


class _Reader:
    """The tasks that run whenever the role does, in their order."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup
        self.told: Variables = {}
        self.times: Counter[str] = Counter()
        self.left = _MOST_TASKS

    def file(self, path: str, depth: int) -> None:
        data = self.lookup(path)
        nodes, problem = yaml.documents(data) if data else ([], None)
        for node in nodes if problem is None else ():
            self._tasks(node, path, depth)

    def _tasks(self, node: yaml.Node, path: str, depth: int) -> None:
        for task in yaml.items(node):
            self.left -= 1
            members = {plain_name(key): value for key, _, value in yaml.pairs(task)}
            runs = _CONDITIONS.isdisjoint(members) and not any(k[:5] == "with_" for k in members)
            if not runs or self.left < 0 or not depth or _is_tagged_off(members.get("tags")):
                continue
            if "block" in members and "rescue" not in members:
                self._tasks(members["block"], path, depth - 1)
            for key in _IMPORTS:
                name = source(members[key]) if key in members else ""
                if name and "{" not in name:
                    self.file(normpath(f"{path.rpartition('/')[0]}/{name}"), depth - 1)
            for name, key_node, value in yaml.pairs(members.get("set_fact")):
                if name != "cacheable":
                    self.told[name] = Variable(value, path, key_node)
                    self.times[name] += 1


def _is_tagged_off(tags: yaml.Node | None) -> bool:
    """Whether a task runs only where somebody asks for its tag."""
    return "never" in {yaml.text(tags), *(yaml.text(one) for one in yaml.items(tags))}
