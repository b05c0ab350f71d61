"""Variables that an Ansible template takes: those of its role, of the groups and hosts of an inventory,
and of the plays that put it on hosts.

They go over each other as Ansible has it: defaults of the role, groups from the widest to the narrowest,
the host, the play, ``vars`` of the role, what tasks include, and what the play gives to the role. Where no inventory tells
the hosts, there are the role's, and those of groups by their usual names: one that those groups set to
different values is unknown, as is one that hosts have of their own.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.ansible import plays, role_files
from kcheck.formats.ansible.inventories import SEALED, Inventory, Variable, beside
from kcheck.formats.ansible.plays import Play
from kcheck.formats.ansible.role_files import Included
from kcheck.model import ANSIBLE, Derived, Framed, Resource, Setting
from kcheck.syntax import jinja, yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.syntax.jinja_filters import Value

#: Each host has its own: a default of theirs is there to be replaced.
IDENTITIES = ("node.id", "broker.id")
_OWN = (*IDENTITIES, "broker.rack", "process.roles")
_ADDRESSES = ("listeners", "connect", "voters", "servers", "host.name")
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_LITERALS = {"True": True, "False": False}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
#: Variables are made of others; deeper ones are nobody's.
_DEEPEST = 8
#: Names of what is set elsewhere: facts of hosts, and secrets that a repository does not hold.
_ELSEWHERE = re.compile(
    r"^ansible_|^play|^role_|vault|passw|secret|token|_key$|_pass$", re.IGNORECASE
)
#: So many variables are worked out for a template, and texts of such a length.
_MOST_ASKED = 20_000
_LONGEST = 20_000

#: ``{{ low | combine(middle, high) }}``.
_COMBINED = re.compile(
    r"\s*\{\{-?\s*(\w+)\s*\|\s*combine\(\s*(\w+(?:\s*,\s*\w+)*)\s*\)\s*-?\}\}\s*"
)


class Host:
    """A host of an inventory that a play puts a template on."""

    __slots__ = ("inventory", "label", "name", "play")

    def __init__(self, name: str, inventory: Inventory, label: str, play: Play) -> None:
        self.name = name
        self.inventory = inventory
        self.label = label
        self.play = play


class Variables:
    """The variables of a role, "" for the project itself; of one host where that is told.

    ``assigned`` are the names that tasks may set, None where all may be set.
    """

    def __init__(
        self,
        role: str | None,
        lookup: Lookup,
        host: Host | None = None,
        assigned: frozenset[str] | None = None,
    ) -> None:
        self._open = lookup
        self._host = host
        #: Who has the template rendered, where that is told by its play alone.
        self.deployer = ANSIBLE if host is not None else ""
        #: What tasks may set, as a file that is encrypted may set anything.
        self._assigned = assigned if host is None or not host.play.sealed else None
        self._known: dict[str, Variable | None] = {}
        self._depth = 0
        self._left = _MOST_ASKED
        #: What was worked out, and whether it hangs on the host.
        self._values: dict[str, tuple[Value, bool]] = {}
        #: Whether what was worked out last hangs on the host.
        self.own = False
        if role is None:
            return
        base = f"{role}/" if role else ""
        play = host.play if host is not None else None
        # Roles see the variables of those that they depend on, and of the others of their play.
        others = role_files.needed(role, self._lookup) if role else []
        others = [*dict.fromkeys([*(play.roles if play is not None else ()), *others])]
        folders = [f"{other}/" for other in others if other != role] + [base]
        for folder in folders:
            self._known.update(self._of_role(f"{folder}defaults"))
        if host is not None:
            self._known.update(self._of_host(host.name, host.play.folder))
            self._known.update(host.play.told)
        else:
            self._known.update(role_files.of_groups(base.rpartition("roles/")[0], self._lookup))
        for folder in folders:
            self._known.update(self._of_role(f"{folder}vars"))
        for one in self._included(role):
            self._known.update(one.told)
            self._known.update(dict.fromkeys(one.doubtful))
        if host is not None:
            self._known.update(host.play.given)
        given = play.given if play is not None else {}
        for name in assigned or ():
            if name in self._known and name not in given:
                self._known[name] = None
        for one in self._included(role):
            self._known.update({k: told for k, told in one.facts.items() if k not in given})

    def _lookup(self, path: str) -> bytes | None:
        data = self._open(path)
        if data is not None and data.startswith(SEALED):
            self._assigned = None
            if self._host is not None:
                self._host.inventory.sealed = True
        return data

    def _of_role(self, folder: str) -> dict[str, Variable]:
        memory = self._host.play.memory if self._host is not None else {}
        if folder not in memory:
            memory[folder] = role_files.own(folder, self._lookup)
        return memory[folder]

    def _included(self, role: str) -> list[Included]:
        """What tasks include: those of the play first."""
        if self._host is None:
            return [plays.included(role, self._lookup)]
        play = self._host.play
        if play.of_tasks is None:
            play.of_tasks = plays.included(role, self._lookup)
        return [*([play.included] if play.included is not None else []), play.of_tasks]

    def _of_host(self, name: str, playbooks: str) -> dict[str, Variable]:
        """What the inventory and the folders beside it and beside the play say of a host."""
        assert self._host is not None
        inventory = self._host.inventory
        told = inventory.told.get((playbooks, name))
        if told is not None:
            return told
        folders = dict.fromkeys((inventory.folder, playbooks))
        groups = inventory.groups_of(name)
        told = inventory.told[playbooks, name] = {}
        for group in groups:
            told.update(inventory.groups[group].variables)
        for group in groups:
            for folder in folders:
                told.update(self._beside(folder, "group_vars", group))
        told.update(inventory.hosts.get(name, {}))
        for folder in folders:
            told.update(self._beside(folder, "host_vars", name))
        return told

    def _beside(self, folder: str, kind: str, name: str) -> dict[str, Variable]:
        """The variables of a group or a host, which other hosts may have asked for."""
        assert self._host is not None
        memory, key = self._host.inventory.told, (f"{folder}/{kind}/", name)
        if key not in memory:
            memory[key] = beside(folder, kind, name, self._lookup, kind == "host_vars")
        return memory[key]

    def value(self, name: str) -> Value:
        """What a variable is; None where that is not known."""
        if name not in self._known:
            return self._magic(name) if self._host is not None else None
        if name in self._values:
            found, own = self._values[name]
            self.own = self.own or own
            return found
        told = self._known[name]
        if told is None or self._depth > _DEEPEST or not self._left:
            return None
        self._left -= 1
        self._depth += 1
        before, self.own = self.own, told.own
        found = self._typed(told.node, told.literal)
        self._depth -= 1
        if not self._depth:  # deeper ones may have come to an end
            self._values[name] = found, self.own
        self.own = self.own or before
        return found

    def _magic(self, name: str) -> Value:
        """What Ansible knows of its hosts, beside what it finds out on them."""
        assert self._host is not None
        inventory, host = self._host.inventory, self._host.name
        if name in ("inventory_hostname", "ansible_host", "inventory_hostname_short"):
            self.own = True
            return host.partition(".")[0] if name.endswith("short") else host
        if name == "groups":
            return jinja.Members(
                lambda group: [*inventory.members(group)], (*inventory.groups, "all")
            )
        if name == "group_names":
            return [*sorted(inventory.groups_of(host)[1:])]
        if name == "hostvars":
            return jinja.Members(self._hostvars, inventory.hosts)
        if self._host.inventory.sealed:
            return None
        if self._assigned is None or name in self._assigned or _ELSEWHERE.search(name):
            return None
        return jinja.UNDEFINED

    def _hostvars(self, host: str) -> Value:
        """The variables of another host, those of roles left aside."""
        assert self._host is not None
        told = self._of_host(host, self._host.play.folder)
        names = (*told, "inventory_hostname", "ansible_host")

        def find(name: str) -> Value:
            assert self._host is not None
            mine, known, values = self._host, self._known, self._values
            self._values = {}
            self._host = Host(host, mine.inventory, mine.label, mine.play)
            self._known = {**known, **told}
            # Of its own the host is told by itself.
            found = self.value(name) if self._depth <= _DEEPEST else None
            self._host, self._known, self._values = mine, known, values
            return found

        return jinja.Members(find, names)

    def _typed(self, node: yaml.Node, literal: bool = False) -> Value:
        if isinstance(node, yaml.SequenceNode):
            members = [self._typed(one) for one in yaml.items(node)]
            return None if None in members else members
        if isinstance(node, yaml.MappingNode):
            inner = {key: value for key, _, value in yaml.pairs(node)}
            return jinja.Members(lambda name: self._typed(inner[name]), inner)
        text = yaml.text(node)
        if text is None or yaml.is_null(node) or not isinstance(node, yaml.ScalarNode):
            return None
        if len(text) > _LONGEST:
            return None
        if "{{" in text:
            whole = jinja.EXPRESSION.fullmatch(" ".join(text.split()))
            if whole is not None and "{{" not in whole.group(1):
                return jinja.value(whole.group(1), self.value)
            made = jinja.rendered(text, self.value)
            return made if made is not None and len(made) <= _LONGEST else None
        if node.style or "{%" in text:
            return text if "{%" not in text else None
        if _NUMBER.fullmatch(text):
            return int(text)
        if literal:
            return _LITERALS.get(text, None if text[:1] in ("[", "{") else text)
        return _BOOLEANS.get(text.lower(), text)

    def pairs(self, name: str, depth: int = 5) -> list[Setting]:
        """What a variable that is a map of Kafka's keys sets, or some of them over each other."""
        told = self._known.get(name)
        found: list[Setting] = []
        combined = _COMBINED.fullmatch(yaml.text(told.node) or "") if told is not None else None
        if combined is not None and depth:
            # Those above follow those below, each where it stands.
            names = [combined[1], *re.findall(r"\w+", combined[2])]
            layers = [self.pairs(one, depth - 1) for one in names]
            nodes = [getattr(self._known.get(one), "node", None) for one in names]
            pairs = zip(layers, (isinstance(node, yaml.MappingNode) for node in nodes), strict=True)
            return [one for layer in layers for one in layer] if all(map(any, pairs)) else []
        node, path = self.node(name) or (None, "")
        for key, key_node, value in yaml.pairs(node) if node is not None else ():
            text = _text(self._typed(value))
            found.append(
                Derived(key, text, path, yaml.position(value), yaml.position(key_node), key)
            )
        return found

    def version(self, names: tuple[str, ...]) -> Setting | None:
        """The first of some variables that has a value, as text."""
        for name in names:
            text = _text(self.value(name)) if name in self._known else None
            told = self._known.get(name)
            if text and told is not None:
                return Derived(name, text, told.path, told.at, told.key_at)
        return None

    def bind(self, name: str, node: yaml.Node | None, path: str = "") -> None:
        """Let a name be what stands at a node, or be unknown."""
        self._known[name] = None if node is None else Variable(node, path, node)
        self._values = {}

    def node(self, expression: str) -> tuple[yaml.Node, str] | None:
        """Where the value of an expression stands, as (node, path), if it hands a variable on or a
        part of one."""
        name, _, part = expression.partition("|")[0].strip().partition(".")
        told = self._known.get(name)
        found = told.node if told is not None else None
        if part:
            found = yaml.child(found, *part.split(".")[:_DEEPEST])
        return None if found is None or told is None else (found, told.path)

    def known(self, made: Setting) -> Setting:
        """A setting with its value, where variables tell it."""
        if not isinstance(made, Framed):
            return made
        frame = made.frame.strip()
        whole = jinja.EXPRESSION.fullmatch(frame)
        whole = None if whole is not None and "{{" in whole.group(1) else whole
        text = _text(
            jinja.rendered(frame, self.value)
            if whole is None
            else jinja.value(whole.group(1), self.value)
        )
        if text is None:
            return made
        place = (made.path, made.at, made.key_at)
        behind = self.node(whole.group(1)) if whole is not None else None
        if behind is not None:
            at = yaml.position(behind[0])
            place = (behind[1], at, at)
        return Derived(made.key, text, *place, made.name)

    def truth(self, condition: str) -> bool | None:
        """Whether a condition holds; None if that is not known."""
        return jinja.truth(condition, self.value)

    def fill(self, resource: Resource, alone: bool = True, own: bool = True) -> None:
        """Let settings have the values of the variables that they are made of.

        ``alone`` tells that no other host has the template: then numbers of identity may be any.
        Without ``own``, what hosts have of their own stays unknown.
        """
        for key, setting in [*resource.settings.items()] if self._known or self._host else ():
            if not isinstance(setting, Framed) or not self._fills(key):
                continue
            self.own = False
            made = self.known(setting)
            if made is setting or (self.own and not own):
                continue
            if key in IDENTITIES and not (alone or self.own):
                continue
            resource.settings[key] = made

    def _fills(self, key: str) -> bool:
        """Whether variables tell the value of a key: what hosts have of their own, only if a host is told."""
        return self._host is not None or not (key in _OWN or key.endswith(_ADDRESSES))


def _text(value: Value) -> str | None:
    """As Java reads it: Jinja writes True, which is true to Java as well. None for what is no text."""
    if value is None or isinstance(value, (list, jinja.Members)):
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)
