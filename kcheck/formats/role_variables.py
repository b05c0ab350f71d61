"""Variables of an Ansible role that its templates take: what ``defaults`` and ``vars`` say, and the
``group_vars`` beside the roles.

The role's ``vars`` come over the groups' variables, which come over its defaults. A variable that
groups set to different values is unknown, as is one that hosts have of their own.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.model import Derived, Framed, Position, Resource, Setting
from kcheck.syntax import jinja, yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.syntax.jinja import Value

_DEFAULTS = ("defaults/main.yml", "defaults/main.yaml")
_VARS = ("vars/main.yml", "vars/main.yaml")
_GROUPS = ("all", "all/main", "all/vars", "kafka", "kafka/main", "kafka_broker", "brokers")
_ENDINGS = ("yml", "yaml")
#: Each host has its own: a default of theirs is there to be replaced.
_OWN = ("node.id", "broker.id", "broker.rack", "process.roles")
_ADDRESSES = ("listeners", "connect", "voters", "servers", "host.name")
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
#: Variables are made of others; deeper ones are nobody's.
_DEEPEST = 5


class _Variable:
    """A variable and where its value stands."""

    __slots__ = ("at", "node", "path")

    def __init__(self, node: yaml.Node, path: str) -> None:
        self.node = node
        self.path = path
        self.at: Position = yaml.position(node)


class Variables:
    """The variables of the role whose template stands at a path."""

    def __init__(self, path: str, lookup: Lookup) -> None:
        role, _, _ = path.rpartition("/templates/")
        self._lookup = lookup
        self._known: dict[str, _Variable | None] = {}
        self._depth = 0
        if not role:
            return
        for name in _DEFAULTS:
            self._known.update(self._file(f"{role}/{name}"))
        root = role.rpartition("roles/")[0]
        groups: dict[str, _Variable | None] = {}
        for group in _GROUPS:
            for ending in _ENDINGS:
                for name, told in self._file(f"{root}group_vars/{group}.{ending}").items():
                    other = groups.get(name, told)
                    same = other is not None and _same(other.node, told.node)
                    groups[name] = told if same else None
        self._known.update(groups)
        for name in _VARS:
            self._known.update(self._file(f"{role}/{name}"))

    def _file(self, path: str) -> dict[str, _Variable]:
        data = self._lookup(path)
        nodes = yaml.documents(data)[0] if data else []
        return {
            name: _Variable(value, path) for node in nodes for name, _, value in yaml.pairs(node)
        }

    def value(self, name: str) -> Value:
        """What a variable is; None where that is not known."""
        told = self._known.get(name)
        if told is None or self._depth > _DEEPEST:
            return None
        self._depth += 1
        found = self._typed(told.node)
        self._depth -= 1
        return found

    def _typed(self, node: yaml.Node) -> Value:
        if isinstance(node, yaml.SequenceNode):
            members = [self._typed(one) for one in yaml.items(node)]
            plain = [str(one) for one in members if one is not None and not isinstance(one, list)]
            return plain if len(plain) == len(members) else None
        text = yaml.text(node)
        if text is None or yaml.is_null(node) or not isinstance(node, yaml.ScalarNode):
            return None
        if "{{" in text:
            whole = jinja.EXPRESSION.fullmatch(text.strip())
            if whole is not None:
                return jinja.value(whole.group(1), self.value)
            return jinja.rendered(text, self.value)
        if node.style or "{%" in text:
            return text if "{%" not in text else None
        if _NUMBER.fullmatch(text):
            return int(text)
        return _BOOLEANS.get(text.lower(), text)

    def pairs(self, name: str) -> list[Setting]:
        """What a variable that is a map of Kafka's keys sets."""
        told = self._known.get(name)
        found: list[Setting] = []
        for key, key_node, value in yaml.pairs(told.node) if told is not None else ():
            made = self._typed(value)
            text = None if made is None or isinstance(made, list) else _text(made)
            assert told is not None
            found.append(
                Derived(key, text, told.path, yaml.position(value), yaml.position(key_node), key)
            )
        return found

    def fill(self, resource: Resource) -> None:
        """Let settings have the values of the variables that they are made of."""
        for key, setting in [*resource.settings.items()] if self._known else ():
            if not isinstance(setting, Framed) or key in _OWN or key.endswith(_ADDRESSES):
                continue
            frame = setting.frame.strip()
            whole = jinja.EXPRESSION.fullmatch(frame)
            found = (
                jinja.rendered(frame, self.value)
                if whole is None
                else jinja.value(whole.group(1), self.value)
            )
            if found is None or isinstance(found, list):
                continue
            place = (setting.path, setting.at, setting.key_at)
            if whole is not None and (told := self._behind(whole.group(1))) is not None:
                place = (told.path, told.at, told.at)
            resource.settings[key] = Derived(key, _text(found), *place, setting.name)

    def _behind(self, expression: str) -> _Variable | None:
        """The variable whose value an expression hands on, filtered or not."""
        return self._known.get(expression.partition("|")[0].strip())


def _same(one: yaml.Node, other: yaml.Node) -> bool:
    return one is other or (yaml.text(one) is not None and yaml.text(one) == yaml.text(other))


def _text(value: str | int | bool) -> str:
    """As Java reads it: Jinja writes True, which is true to Java as well."""
    return str(value).lower() if isinstance(value, bool) else str(value)
