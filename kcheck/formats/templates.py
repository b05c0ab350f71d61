"""Templates of Ansible's roles and Puppet's modules: what a file says as far as its variables are known.

Variables give values and decide conditions and loops as far as files tell; a condition that they do not
decide may or may not hold, so everything that the lines in force do not set is unknown. Where an
inventory tells the hosts that a play puts a template on, it is one broker for each of them. Templates of
files that no format reads are named, and skipped.
"""

from __future__ import annotations

import posixpath
import re
from functools import partial
from importlib import import_module

from kcheck.formats import Lookup
from kcheck.formats.ansible import joined_lines, plays
from kcheck.formats.ansible.hosts import NODES, complete, hosts_of
from kcheck.formats.ansible.role_variables import Host, Variables
from kcheck.formats.endings import modules_for
from kcheck.formats.properties import reader as properties
from kcheck.formats.properties.signs import (
    KSQLDB,
    OTHER_PREFIXES,
    REST_PROXY,
    SCHEMA_REGISTRY,
)
from kcheck.formats.releases import installed_beside, kafka_release
from kcheck.formats.scalars import derived
from kcheck.formats.text import unrendered
from kcheck.model import (
    ANSIBLE,
    KAFKA,
    PASSED_OVER,
    PUPPET,
    SKIPPED,
    Document,
    Release,
    Resource,
    Setting,
)
from kcheck.syntax.rendered import Rendered
from kcheck.syntax.rendering import render
from kcheck.syntax.template_tree import ERB, GO, JINJA, TERRAFORM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from kcheck.model.processes import Process

#: The layout in which a tool keeps its templates, by the ending of theirs.
_LAYOUTS = (
    (".erb", "modules", "puppet-hiera"),
    (".j2", "roles", "ansible"),
    (".jinja2", "roles", "ansible"),
    (".jinja", "roles", "ansible"),
)
#: The endings of what is read of templates.
_MADE = (".properties", ".service", ".json")
_LITERALS = (".tpl", ".tmpl", ".ctmpl", ".gotmpl", ".tftpl")
_DEPLOYERS = {"ansible": ANSIBLE, "puppet-hiera": PUPPET}
#: What is read of templates, by the formats of what they make.
_MODULES = frozenset(("properties.reader", "host", "json_others"))
#: Of JSON, connectors alone.
_JSON = "connector-json"
#: What is read of files of other programs of the Kafka world.
_SERVERS = (SCHEMA_REGISTRY, REST_PROXY, KSQLDB)
#: Variables that say which Kafka is installed; the text may have Scala's version in front.
_VERSIONS = ("kafka_version", "kafka_ver", "kafkaVersion", "kafka_release", "kafka_package_version")
_VERSION = re.compile(r"(?:2\.\d{1,2}-)?(\d{1,3}(?:\.\d{1,3}){1,3})")
#: A key of another program of the Kafka world.
_OTHERS = re.compile(rf"^(?:{'|'.join(map(re.escape, OTHER_PREFIXES))})", re.MULTILINE)
#: An item of a list in YAML.
_LISTED = re.compile(rb"^[ \t]*-[ \t]+[\w\"'{]", re.MULTILINE)
#: Of what tells a version: a variable as it is for its hosts counts more than the lines of files.
_WEIGHT = 4


def recognise(path: str, data: bytes) -> str | None:
    for ending, folder, name in _LAYOUTS:
        if not path.endswith(ending):
            continue
        parts = path.split("/")[:-1]
        ours = b"kafka" in data.lower() or "kafka" in path.lower() or b'"connector.class"' in data
        # A role of its own, as Galaxy has it, is no folder of roles.
        role = name == "ansible" and path.endswith(tuple(f"{one}{ending}" for one in _MADE))
        kept = "templates" in parts and (folder in parts or role)
        if not kept:
            return _literal(path, data)
        if not unrendered(data):
            return None
        # One without a word of Kafka may be a broker's, by its keys.
        return name if ours or properties.recognise(path[: -len(ending)], data) else None
    # Ansible renders what a role has in its folder of templates, whatever it is called.
    if path.endswith(".properties") and "templates/" in path:
        return "ansible" if b"{{" in data and properties.recognise(path, data) else None
    return _literal(path, data)


def _literal(path: str, data: bytes) -> str | None:
    """The format of what a template makes of which only the lines count that hang on nothing."""
    language = _language(path, data)
    if not language or not unrendered(data):
        return None
    rendered = render(data.decode("utf-8", "replace"), _unknown, language=language)
    plain = rendered.text.encode()
    name, module = next(_readers(_stem(path), plain), ("", None))
    return module.recognise(name, plain) if module is not None else None


def _readers(stem: str, data: bytes) -> Iterator[tuple[str, ModuleType]]:
    """The modules that may read what a template makes, each with a name by which it knows it.

    Templates have names of their own: ``kafka-properties.j2``, ``service.j2``.
    """
    if modules_for(stem):
        names = [stem]
    else:
        # A list in it makes it YAML, whose keys with their colons are no properties.
        names = [] if _LISTED.search(data) else [f"{stem}.service", f"{stem}.properties"]
    for name in names:
        for module in modules_for(name):
            if module in _MODULES:
                read_by = import_module(f"kcheck.formats.{module}")
                found = read_by.recognise(name, data)
                if found is not None and (found == _JSON or not name.endswith(".json")):
                    yield name, read_by


def _language(path: str, data: bytes) -> str:
    """The language of a template by its ending and its marks; "" for no template."""
    if path.endswith(".erb"):
        return ERB
    if not path.endswith(_LITERALS):
        return JINJA if _stem(path) != path else ""
    if path.endswith(".tftpl") or b"%{" in data:
        return TERRAFORM
    return JINJA if b"{%" in data else GO


def _unknown(_name: str) -> None:
    """What the variables of a template are that nobody tells."""


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    stem = _stem(document.path)
    text = data.decode("utf-8", "replace")
    language = _language(document.path, data) or JINJA
    role = _role(document.path) if language == JINJA else None
    hosts: list[Host] = []
    assigned: frozenset[str] | None = None
    named = not _MODULES.isdisjoint(modules_for(stem))
    if role is not None and (named or next(_readers(stem, data), None) is not None):
        assigned = plays.assigned(role, lookup)
        hosts = hosts_of(document.path, role, lookup)
    several = len({host.label for host in hosts}) > 1
    releases: dict[str, Setting] = {}
    doubtful: set[int] = set()
    off: set[int] | None = None
    strange = _OTHERS.search(text) is not None
    others = partial(_included, document, role, lookup)
    alike: set[str] = set()
    for host in _in_turn(hosts, alike):
        variables = Variables(role, lookup, host, assigned)
        whole = b"[Service]" in data or stem.endswith(".json")
        rendered = render(text, variables.value, whole, language, others)
        doubtful |= rendered.doubtful
        off = rendered.off if off is None else off & rendered.off
        made = _resources(document, stem, rendered, variables, lookup, strange)
        joined = (
            joined_lines.tell(document, rendered) if language == JINJA and made else frozenset()
        )
        # Where all lines are known of a file that is whole by its name, nothing else sets more.
        open_ended = host is None and (bool(rendered.maps) or not named)
        unsure = open_ended or bool(rendered.doubtful)
        for resource in made:
            resource.traits.partial = unsure or bool(joined)
            spoilt = [key for key, one in resource.settings.items() if one.at[0] in joined]
            asked = [key for key, one in resource.settings.items() if one.text is None]
            complete(resource, variables, hosts, host, several)
            if host is None and role is not None:
                # What a role's own defaults leave empty those fill in who use it.
                spoilt += [key for key in asked if not resource.settings[key].text]
            for key in spoilt:  # also what goes on in the setting of a later line
                resource.settings[key].raw = resource.settings[key].text = None
        document.resources += made
        told = variables.version(_VERSIONS)
        version = _VERSION.fullmatch(told.text or "") if told is not None and made else None
        release = kafka_release(version[1]) if version is not None else ""
        if told is not None and release:
            told.key, told.text = "kafka_version", release
            releases.setdefault(release, told)
        if not any(resource.kind in NODES for resource in made):
            alike.update(one.label for one in hosts if one is host)
    document.extent.doubtful = frozenset(doubtful)
    document.extent.off = frozenset(off or ())
    document.extent.whole = any(one.kind in NODES for one in document.resources)
    _release(document, releases, language, lookup)
    if not document.resources and document.status not in (SKIPPED, PASSED_OVER):
        document.status, document.reason = SKIPPED, "an unrendered template"


def _release(
    document: Document, releases: dict[str, Setting], language: str, lookup: Lookup
) -> None:
    """Let the document know which Kafka its variables, or what is beside it, install."""
    for told in releases.values() if len(releases) == 1 else ():
        document.extent.releases = (Release(KAFKA, told, document.path, ANSIBLE, _WEIGHT),)
    installed = installed_beside(document.path, lookup) if language == ERB else None
    if installed is not None and document.resources:
        document.extent.releases = (installed,)


def _included(document: Document, role: str | None, lookup: Lookup, name: str) -> str | None:
    """What a template includes by a name: a file beside it, or in its role's folder of templates.

    The document has it from then on: by itself that file is no other broker.
    """
    folders = [document.path.rpartition("/")[0]]
    folders += [] if role is None else [f"{role}/templates", role]
    for folder in folders:
        path = posixpath.normpath(f"{folder}/{name}".lstrip("/"))
        own = path.startswith("..") or path == document.path
        data = None if own else lookup(path)
        if data is not None:
            document.extent.covers = tuple(sorted({*document.extent.covers, path}))
            return data.decode("utf-8", "replace")
    return None


def _in_turn(hosts: list[Host], alike: set[str]) -> Iterator[Host | None]:
    """The hosts, one of each inventory in ``alike``: clients and workers are the same on all of its hosts."""
    if not hosts:
        yield None
    for host in hosts:
        if host.label not in alike:
            yield host


def _stem(path: str) -> str:
    """The path of what a template makes."""
    endings = (*(ending for ending, _, _ in _LAYOUTS), *_LITERALS)
    return next((path[: -len(end)] for end in endings if path.endswith(end)), path)


def _role(path: str) -> str:
    """The folder of the role or of the plays that a template is of, "" for the project's own."""
    for folder in ("/templates/", "/files/"):
        role, found, _ = path.rpartition(folder)
        if found:
            return role
    return "" if path.startswith(("templates/", "files/")) else path.rpartition("/")[0]


def _resources(
    document: Document,
    stem: str,
    rendered: Rendered,
    variables: Variables,
    lookup: Lookup,
    others: bool,
) -> list[Resource]:
    """The resources in what the template makes with some variables; ``others``: it has lines of another
    program."""
    plain = rendered.text.encode()
    inner = Document(document.path)
    for name, module in _readers(stem, plain):
        inner.format = module.recognise(name, plain)
        module.read(inner, plain, lookup)
        break
    if inner.format is None or any(one.code == "KC0001" for one in inner.problems):
        document.status, document.reason = SKIPPED, "an unrendered template"
        return []
    document.status, document.reason = inner.status, inner.reason
    if others and inner.format not in _SERVERS:
        # Lines that are in doubt tell, too, whose file it is.
        inner.resources = [one for one in inner.resources if one.kind in NODES]
    for resource in inner.resources:
        move(resource, rendered)
        for name in rendered.maps:
            resource.settings.update((one.key, one) for one in variables.pairs(name))
        resource.traits.deployer = _DEPLOYERS.get(document.format or "", variables.deployer)
    for process in inner.processes:
        _move_process(process, rendered)
    document.processes = document.processes or inner.processes
    return inner.resources


def move(resource: Resource, rendered: Rendered) -> None:
    """Let a resource and its settings stand where the template has them."""
    for key, told in [*resource.settings.items()]:
        if type(told) is Setting and rendered.made(told.at):
            # What stands in the template is another text.
            resource.settings[key] = derived(told, told.text)
    for one in resource.placed:
        one.at, one.key_at = rendered.place(one.at), rendered.place(one.key_at)
    resource.at = rendered.place(resource.at)


def _move_process(process: Process, rendered: Rendered) -> None:
    process.at = rendered.place(process.at)
    told = (process.memory, process.heap, process.direct, process.share, process.plugins)
    settings = [*process.options, *process.variables.values(), *(one for one in told if one)]
    for one in {id(one): one for one in settings}.values():
        one.at, one.key_at = rendered.place(one.at), rendered.place(one.key_at)
