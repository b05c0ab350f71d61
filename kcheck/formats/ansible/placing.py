"""Which hosts of a play the tasks of a role put a template on: by conditions, and by names that they compute."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kcheck.formats import Lookup
from kcheck.formats.ansible import plays
from kcheck.formats.ansible.role_files import plain_name, source
from kcheck.formats.ansible.role_variables import Host, Variables
from kcheck.syntax import jinja, yaml

_DEEPEST = 10


class _Task:
    """A task that puts a template in its place, or sets variables: with all conditions that it is under."""

    __slots__ = ("facts", "source", "whens")

    def __init__(self, source: str, facts: dict[str, str], whens: list[str]) -> None:
        self.source = source
        self.facts = facts
        self.whens = whens


def placed(template: str, role: str, hosts: list[Host], lookup: Lookup) -> list[Host]:
    """Of hosts those that a task of the role may put a template on, which ``template`` names.

    All of them where no task names it, or names it by something that is not known.
    """
    tasks = [one for data in _files(role, lookup) for one in _tasks(data)]
    puts = [one for one in tasks if one.source]
    named = [one for one in puts if "{{" in one.source or _is(one.source, template)]
    if not named or any(not one.whens and "{{" not in one.source for one in named):
        return hosts
    facts: dict[str, str | None] = {}
    for one in tasks:
        facts.update((name, None if name in facts else text) for name, text in one.facts.items())
    kept = [host for host in hosts if _gets(Variables(role, lookup, host), named, facts, template)]
    return kept or hosts


def _gets(
    variables: Variables, tasks: list[_Task], facts: dict[str, str | None], template: str
) -> bool:
    """Whether one of some tasks may put a template on the host of some variables."""

    def value(name: str) -> jinja.Value:
        text = facts.get(name)
        return variables.value(name) if text is None else jinja.rendered(text, variables.value)

    for one in tasks:
        source = jinja.rendered(one.source, value) if "{{" in one.source else one.source
        there = source is None or _is(source, template)
        if there and all(jinja.truth(when, value) is not False for when in one.whens):
            return True
    return False


def _is(source: str, template: str) -> bool:
    return source.rpartition("/")[2] == template


def _files(role: str, lookup: Lookup) -> Iterator[bytes]:
    for _, data in plays.files_of_tasks(role, lookup):
        if b"template" in data or b"set_fact" in data:
            yield data


def _tasks(data: bytes) -> list[_Task]:
    made: list[_Task] = []
    for node in yaml.documents(data)[0]:
        _walk(yaml.items(node), [], made.append, _DEEPEST)
    return made


def _walk(
    items: list[yaml.Node], whens: list[str], take: Callable[[_Task], None], depth: int
) -> None:
    for task in items if depth else ():
        own = [*whens, *plays.conditions(task)]
        for name in plays.BLOCKS:
            _walk(yaml.items(yaml.child(task, name)), own, take, depth - 1)
        for key, _, value in yaml.pairs(task):
            module = plain_name(key)
            if module == "template":
                take(_Task(source(value), {}, own))
            elif module == "set_fact":
                told = {name: yaml.text(text) or "{{" for name, _, text in yaml.pairs(value)}
                take(_Task("", told, own))
