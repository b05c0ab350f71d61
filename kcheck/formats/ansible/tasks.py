"""Tasks of Ansible: topics and ACLs that modules of ``kafka-admin`` make, and files of properties that
tasks write whole (``copy``) or in part (``blockinfile``, ``lineinfile``).

No task is run. Loops over lists that are written there or in variables are followed; what another task
hands on is unknown. A part of a file lies over one that is not here: what it does not set is unknown.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.ansible import plays
from kcheck.formats.ansible.acls import add_rights
from kcheck.formats.ansible.hosts import NODES, complete, hosts_of, on_hosts
from kcheck.formats.ansible.parameters import parameters, places, raw
from kcheck.formats.ansible.role_files import plain_name
from kcheck.formats.ansible.role_variables import Host, Variables
from kcheck.formats.commands import steps as command_steps
from kcheck.formats.embedded import Inlay, entries, split_lines
from kcheck.formats.properties import reader as properties
from kcheck.formats.properties.kinds import FILES
from kcheck.formats.scalars import derived, documents, fact, fill, nothing, setting, take
from kcheck.formats.templates import move
from kcheck.formats.text import written
from kcheck.model import ANSIBLE, Document, Position, Resource, Setting
from kcheck.syntax import jinja, yaml
from kcheck.syntax.rendering import render
from kcheck.units import whole

_NAMES = ("name", "topic")
_FACTS = {
    "partitions": "partitions",
    "num_partitions": "partitions",
    "replica_factor": "replication.factor",
    "replication_factor": "replication.factor",
}
_CONFIGS = ("options", "config", "configs")
_LISTS = {"kafka_topics": "topics", "kafka_acls": "acls"}
_LOOPS = ("loop", "with_items", "with_list")
_REFERENCE = re.compile(r"\\[0-9g]")
#: So many turns of a loop are followed.
_MOST_TURNS = 500


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    lines = split_lines(data)
    nodes = documents(document, data)
    if command_steps.SIGNS.search(data):
        command_steps.add(document, nodes, lines, lookup)
    for node in nodes:
        books = [one for one in yaml.items(node) if yaml.child(one, "hosts") is not None]
        if books:
            folder = document.path.rpartition("/")[0]
            roots = [*dict.fromkeys((folder, folder.rpartition("/")[0]))]
            for one in books:
                play = plays.play_of(one, document.path, lookup)
                hosts = on_hosts([play], roots, folder, lookup)
                _Reader(document, lines, folder, hosts, play, lookup).follow(one)
        else:
            role = _role(document.path)
            hosts = hosts_of(document.path, role, lookup)
            _Reader(document, lines, role, hosts, None, lookup).follow(node)
    brokers = [one for one in document.resources if one.kind in NODES]
    whole_ = bool(brokers) and not any(one.traits.fragment for one in brokers)
    document.extent.whole = whole_
    document.extent.piece = bool(brokers) and not whole_
    nothing(document, "contains no task that makes a topic, an ACL or a file of Kafka's")


def _role(path: str) -> str:
    """The folder of the role whose tasks are in a file, "" for the project itself."""
    for folder in ("/tasks/", "/handlers/"):
        role, found, _ = path.rpartition(folder)
        if found:
            return role
    return ""


class _Reader:
    """Reads the tasks of one play, or of a file of a role."""

    def __init__(
        self,
        document: Document,
        lines: list[str],
        role: str,
        hosts: list[Host],
        play: plays.Play | None,
        lookup: Lookup,
    ) -> None:
        self.document = document
        self.lines = lines
        self.role = role
        self.hosts = hosts
        self.lookup = lookup
        self.assigned = plays.assigned(role, lookup)
        self.variables = Variables(role, lookup, None, self.assigned)
        for name, told in (play.told if play is not None else {}).items():
            self.variables.bind(name, told.node, told.path)
        self.users: dict[str, Resource] = {}
        #: The topics by their names, each with the task that makes it.
        self.topics: dict[str, tuple[yaml.Node, Resource]] = {}
        self.parts: dict[str, Resource] = {}

    def follow(self, node: yaml.Node) -> None:
        for task in plays.tasks(node):
            for key, _, value in yaml.pairs(task):
                module = plain_name(key)
                if module in _MODULES:
                    self._task(module, task, parameters(value))

    def _task(self, module: str, task: yaml.Node, node: yaml.Node) -> None:
        if any(self.variables.truth(when) is False for when in plays.conditions(task)):
            first, _, last, _ = yaml.position(task)
            self.document.extent.off |= frozenset(range(first, last + 1))
            return
        control = yaml.child(task, "loop_control", "loop_var")
        name = yaml.text(control) or "item"
        for item, path in self._turns(task):
            self.variables.bind(name, item, path)
            listed = yaml.child(node, _LISTS.get(module, ""))
            for one in yaml.items(listed) or [node]:
                _MODULES[module](self, task, one, node)

    def _turns(self, task: yaml.Node) -> list[tuple[yaml.Node | None, str]]:
        """What a task goes over, each with its path; once over nothing that is known, without a list."""
        loop = next((found for n in _LOOPS if (found := yaml.child(task, n)) is not None), None)
        if loop is None:
            return [(None, "")]
        path = self.document.path
        expression = jinja.EXPRESSION.fullmatch((yaml.text(loop) or "").strip())
        if expression is not None:
            behind = self.variables.node(expression.group(1))
            if behind is None:
                return [(None, "")]
            loop, path = behind
        items = yaml.items(loop)[:_MOST_TURNS]
        return [(one, path) for one in items] if items else [(None, "")]

    def _setting(self, key: str, key_node: yaml.Node, node: yaml.Node) -> Setting:
        return self.variables.known(setting(key, key_node, node, self.document.path))

    def told(self, node: yaml.Node, *names: str) -> Setting | None:
        """The first of some parameters that a task gives, with its value."""
        for key, key_node, value in yaml.pairs(node):
            if key in names:
                return self._setting(key, key_node, value)
        return None

    def _text(self, node: yaml.Node, *names: str) -> str:
        told = self.told(node, *names)
        return (told.text or "") if told is not None else ""

    def topic(self, task: yaml.Node, node: yaml.Node, outer: yaml.Node) -> None:
        name = self.told(node, *_NAMES)
        absent = self._text(node, "state") == "absent"
        if name is None or not name.text or absent:
            return
        if self._text(node, "mode") not in ("", "create"):
            return
        path = name.path
        made = Resource("topic", name.text, self.document.path, name.at)
        if path != self.document.path:
            made.at = yaml.position(node)
        made.traits.deployer = ANSIBLE
        for key, key_node, value in yaml.pairs(node):
            if key in _FACTS:
                fact(made, _FACTS[key], key_node, value)
            elif key in _CONFIGS:
                self._configs(made, value)
        for key, told in made.facts.items():
            known = self.variables.known(told)
            known.amount = whole(known.text)
            made.facts[key] = known
        self.variables.fill(made)
        servers = self.told(outer, "bootstrap_servers", "broker")
        if servers is not None and servers.text:
            made.traits.asks = (servers,)
        made.traits.conditional = bool(plays.conditions(task))
        before, other = self.topics.get(made.name, (task, made))
        if before is not task:  # a later task changes what an earlier one made
            self.document.resources.remove(other)
        self.topics[made.name] = task, made
        self.document.resources.append(made)

    def _configs(self, topic: Resource, node: yaml.Node) -> None:
        """The configuration of a topic, which a variable may hold."""
        expression = jinja.EXPRESSION.fullmatch((yaml.text(node) or "").strip())
        behind = self.variables.node(expression.group(1)) if expression is not None else None
        if behind is None:
            fill(topic, node)
            return
        for key, key_node, value in yaml.pairs(behind[0]):
            take(topic, setting(key, key_node, value, behind[1]))

    def library(self, task: yaml.Node, node: yaml.Node, outer: yaml.Node) -> None:
        """``kafka_lib``, which says itself what it makes."""
        kind = self._text(node, "resource")
        if kind == "topic":
            self.topic(task, node, outer)
        elif kind == "acl":
            self.acl(task, node, outer)

    def acl(self, task: yaml.Node, node: yaml.Node, outer: yaml.Node) -> None:
        if self._text(node, "state") != "absent":
            add_rights(self.document, self.users, node, self.told)

    # -- files ---------------------------------------------------------------------------------

    def copy(self, task: yaml.Node, node: yaml.Node, outer: yaml.Node) -> None:
        """A file that is written whole."""
        content = yaml.child(node, "content")
        name = self._file(node)
        if not isinstance(content, yaml.ScalarNode) or not name:
            return
        several = len({host.label for host in self.hosts}) > 1
        each: list[Host | None] = [*self.hosts] or [None]
        for host in each:
            variables = self.variables if host is None else self._of(host)
            made = self._written(name, content, variables)
            for resource in made:
                complete(resource, variables, self.hosts, host, several)
                resource.traits.conditional = bool(plays.conditions(task))
            self.document.resources += made
            if not any(one.kind in NODES for one in made):
                break

    def _of(self, host: Host) -> Variables:
        return Variables(self.role, self.lookup, host, self.assigned)

    def _file(self, node: yaml.Node) -> str:
        """The name of the file that a task writes, if it is one of properties."""
        told = self.told(node, "dest", "path", "destfile", "name")
        text = raw(told)
        name = text.rstrip("/").rpartition("/")[2]
        return name if name.endswith(".properties") and "{" not in name else ""

    def _written(self, name: str, node: yaml.ScalarNode, variables: Variables) -> list[Resource]:
        """The resources of a text of properties, at their places in the task."""
        inlay = Inlay(node, self.lines)
        rendered = render(inlay.text, variables.value)
        if not self.hosts:
            lines = {inlay.place((line, 1, line, 1))[0] for line in rendered.off}
            self.document.extent.off |= frozenset(lines)
        plain = rendered.text.encode()
        inner = Document(f"{self.document.path.rpartition('/')[0]}/{name}".lstrip("/"))
        inner.format = properties.recognise(name, plain)
        if inner.format is None:
            return []
        properties.read(inner, plain, self.lookup)
        for resource in inner.resources:
            move(resource, rendered)
            for one in rendered.maps:
                resource.settings.update((told.key, told) for told in variables.pairs(one))
            self._place(resource, inlay, inner.path)
            resource.at = yaml.position(node)
        return inner.resources

    def _place(self, resource: Resource, inlay: Inlay, inner: str) -> None:
        path = self.document.path
        resource.name = path if resource.name == inner else resource.name
        resource.path = path
        resource.traits.deployer, resource.traits.partial = ANSIBLE, True
        for one in resource.placed:
            if one.path == inner:
                one.path = path
                one.at, one.key_at = inlay.place(one.at), inlay.place(one.key_at)

    def block(self, task: yaml.Node, node: yaml.Node, outer: yaml.Node) -> None:
        """Lines that are put into a file."""
        part = self._part(node)
        if part is None:
            return
        for entry in entries(yaml.child(node, "block"), self.lines):
            self._take(part, task, entry.key, entry.value, entry.at, entry.key_at)

    def line(self, task: yaml.Node, node: yaml.Node, outer: yaml.Node) -> None:
        """A line that is put into a file."""
        told = self.told(node, "line", "value")
        part = self._part(node) if told is not None else None
        if part is None or told is None or self._text(node, "state") == "absent":
            return
        key, equals, value = raw(told).partition("=")
        if _REFERENCE.search(value):  # to what stood there before
            value = "{{ ? }}"
        if equals and key.strip().replace(".", "").replace("_", "").replace("-", "").isalnum():
            at, key_at, exact = places(told, key)
            made = self._take(part, task, key.strip(), value, at, key_at, told.path)
            if type(made) is Setting and not exact:
                part.settings[key.strip()] = derived(made, made.text)

    def _take(
        self,
        part: Resource,
        task: yaml.Node,
        key: str,
        value: str,
        at: Position,
        key_at: Position,
        path: str = "",
    ) -> Setting:
        made = self.variables.known(written(key, value, path or self.document.path, at, key_at))
        if plays.conditions(task):  # it may be there, or not
            made.text = made.raw = None
        if not self.document.resources or part not in self.document.resources:
            part.at = at if not path or path == self.document.path else part.at
            self.document.resources.append(part)
        part.settings[key] = made
        return made

    def _part(self, node: yaml.Node) -> Resource | None:
        """What tasks write into one file, together; None where a template makes that file."""
        name = self._file(node)
        kind = FILES.get(name)
        if kind is None:
            return None
        for folder in ("templates/", ""):
            base = f"{self.role}/{folder}{name}" if self.role else f"{folder}{name}"
            if self.lookup(f"{base}.j2") is not None:
                return None
        if name not in self.parts:
            part = Resource(kind[0], self.document.path, self.document.path, plane=kind[1])
            part.traits.deployer = ANSIBLE
            part.traits.partial = part.traits.fragment = True
            self.parts[name] = part
        return self.parts[name]


_MODULES = {
    "kafka_topic": _Reader.topic,
    "kafka_topics": _Reader.topic,
    "kafka_lib": _Reader.library,
    "kafka_acl": _Reader.acl,
    "kafka_acls": _Reader.acl,
    "copy": _Reader.copy,
    "blockinfile": _Reader.block,
    "lineinfile": _Reader.line,
}
