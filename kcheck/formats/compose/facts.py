"""What a compose file says of a broker's host: ports, volumes, names, limits, replicas."""

from __future__ import annotations

import re
from collections.abc import Callable

from kcheck.formats.compose.environment import scalar_text
from kcheck.formats.compose.file import Layer, Service
from kcheck.model import Resource, Setting
from kcheck.syntax import yaml
from kcheck.units import whole

#: Reads one item of a list into a pair, None where it cannot be known.
_Entry = Callable[[Layer, yaml.Node], "tuple[str, str] | None"]

_SIZE = re.compile(r"(\d{1,19}(?:\.\d+)?)\s*([kmgt]?)i?b?", re.IGNORECASE)
_HEAP = re.compile(r"-Xmx(\d{1,19})([kmgt]?)", re.IGNORECASE)
#: docker's units are powers of 1024 however they are written.
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def add(resource: Resource, service: Service, heap: Setting | None) -> None:
    """Add the facts to the resource, each at its own place.

    Facts: ``ports``, ``volumes``, ``hostname``, ``container_name``, ``network_mode``, ``nofile``,
    ``cores``, ``ram`` and ``heap`` in bytes, ``deploy.replicas``, and what ``sysctls`` sets by its
    own name. Traits: ``ports``, ``ports_known``, ``volumes``, ``profiles`` and ``names``. A volume that nobody
    knows may hold anything: its path is ``/``.
    """
    for key in ("hostname", "container_name", "network_mode"):
        _text_fact(resource, service, key)
    resource.traits.names = tuple(names_of(service))
    listed = _list_fact(resource, service, "ports", _port)
    if listed is not None:
        resource.traits.ports = listed
    resource.traits.ports_known = ports(service) is not None
    listed = _list_fact(resource, service, "volumes", mount)
    if listed is not None:
        resource.traits.volumes = listed
    resource.traits.profiles = _profiles(service)
    _limits(resource, service)
    if heap is not None:
        found = _HEAP.search(heap.text or "")
        if found is not None:
            resource.facts["heap"] = heap
            heap.amount = int(found.group(1)) * _UNITS[found.group(2).lower()]


def _profiles(service: Service) -> frozenset[str]:
    found = service.get("profiles")
    told = [] if found is None else [yaml.text(item) for item in yaml.items(found[1])]
    return frozenset(name for name in told if name)


def names_of(service: Service) -> list[str]:
    """The names and addresses by which other containers reach the service; its own name first."""
    written = [service.text("hostname"), service.text("container_name"), *_aliases(service)]
    return list(dict.fromkeys([service.name, *(name for name in written if name)]))


def replicas(service: Service, path: str) -> Setting | None:
    """How many containers the service runs as; None where that is unknown.

    The number stands where it is written, or at the service's name where it is one by default.
    """
    if service.text("deploy", "mode") == "global":
        return None
    for route in (("deploy", "replicas"), ("scale",)):
        found = service.get(*route)
        if found is not None:
            text = _filled(*found)
            if text is None or not text.isdigit():
                return None
            return Setting("replicas", text, found[0].file.path, yaml.position(found[1]))
    return Setting("replicas", "1", path, service.at)


def instances(service: Service, path: str) -> Setting | None:
    """How many containers run a client; None where nothing is written, for a command may say more."""
    if service.get("deploy", "replicas") is None and service.get("scale") is None:
        return None
    count = replicas(service, path)
    if count is None:
        return None
    return Setting("instances", count.raw, count.path, count.at, count.key_at, "replicas")


def volumes(service: Service) -> list[tuple[str, str]]:
    """(source, path in the container) of every volume; "" where a part is not written."""
    found: list[tuple[str, str]] = []
    for layer in reversed(service.layers):
        for item in yaml.items(yaml.child(layer.node, "volumes")):
            entry = mount(layer, item)
            if entry is not None:
                found.append(entry)
    return found


def mounted(service: Service) -> list[tuple[str, str]]:
    """Its volumes, with the configs and secrets that swarm and compose mount as files."""
    found = volumes(service)
    for layer in reversed(service.layers):
        for kind, folder in (("configs", "/"), ("secrets", "/run/secrets/")):
            for item in yaml.items(yaml.child(layer.node, kind)):
                name = yaml.text(yaml.child(item, "source") or item) or ""
                target = yaml.text(yaml.child(item, "target") or item) or name
                held = yaml.child(layer.file.root, kind, name, "file") if name else None
                where = target if target.startswith("/") else folder + target
                found.append((_filled(layer, held) or "" if held is not None else "", where))
    return found


def ports(service: Service) -> list[tuple[str, str]] | None:
    """(published or "", container's port) of every published port; None where one is unknown."""
    found: list[tuple[str, str]] = []
    for layer in reversed(service.layers):
        node = yaml.child(layer.node, "ports")
        if node is not None and not isinstance(node, yaml.SequenceNode) and not yaml.is_null(node):
            return None
        for item in yaml.items(node):
            entry = _port(layer, item)
            if entry is None:
                return None
            found.append(entry)
    return found


def _filled(layer: Layer, node: yaml.Node) -> str | None:
    text = scalar_text(node)
    return None if text is None else layer.file.variables.filled(text)


def _text_fact(resource: Resource, service: Service, key: str) -> None:
    found = service.get(key)
    if found is not None:
        at = yaml.position(found[1])
        resource.facts[key] = Setting(key, _filled(*found), found[0].file.path, at)


def _list_fact(
    resource: Resource, service: Service, key: str, entry: _Entry
) -> tuple[tuple[str, str], ...] | None:
    """Take a list of the service for a fact; its entries, None where there is none."""
    found = service.get(key)
    if found is None:
        return None
    entries = [
        made
        for layer in reversed(service.layers)
        for item in yaml.items(yaml.child(layer.node, key))
        if (made := entry(layer, item)) is not None
    ]
    text = ", ".join(":".join(part for part in made if part) for made in entries)
    at = yaml.position(found[1])
    resource.facts[key] = Setting(key, text, found[0].file.path, at)
    return tuple(entries)


def _aliases(service: Service) -> list[str | None]:
    found: list[str | None] = []
    for layer in service.layers:
        for _, _, network in yaml.pairs(yaml.child(layer.node, "networks")):
            for item in yaml.items(yaml.child(network, "aliases")):
                found.append(_filled(layer, item))
            address = yaml.child(network, "ipv4_address")
            found.append(_filled(layer, address) if address is not None else None)
    return found


def _port(layer: Layer, item: yaml.Node) -> tuple[str, str] | None:
    """(published, target); a range or an unknown variable gives nothing."""
    if not isinstance(item, yaml.ScalarNode):
        target = yaml.child(item, "target")
        published = yaml.child(item, "published")
        inner = _filled(layer, target) if target is not None else None
        outer = _filled(layer, published) if published is not None else ""
        return (outer, inner) if inner and outer is not None else None
    text = _filled(layer, item)
    if text is None:
        return None
    text = text.partition("/")[0]
    head, _, target_port = text.rpartition(":")
    published_port = head.rpartition(":")[2]
    if not target_port.isdigit() or not (published_port.isdigit() or not published_port):
        return None
    return published_port, target_port


#: The folder in which Compose is started: that of its file.
_WHERE_STARTED = re.compile(r"\A\$(?:PWD|\{PWD\})/")


def mount(layer: Layer, item: yaml.Node) -> tuple[str, str] | None:
    """(source or "", path); one that hangs on an unknown variable may lie anywhere."""
    if not isinstance(item, yaml.ScalarNode):
        target, source = yaml.child(item, "target"), yaml.child(item, "source")
        if target is None:
            return None
        host = _filled(layer, source) if source is not None else None
        return host or "", _filled(layer, target) or "/"
    raw = yaml.text(item)
    if raw is None:
        return None
    raw = _WHERE_STARTED.sub("./", raw)
    text = layer.file.variables.filled(raw)
    if text is None:
        # The source may hang on a variable while the path does not.
        source_text, colon, rest = raw.rpartition(":")
        if colon and rest in ("ro", "rw", "z", "Z", "cached", "delegated"):
            source_text, colon, rest = source_text.rpartition(":")
        return "", rest if colon and rest.startswith("/") and "$" not in rest else "/"
    # A letter before the first colon is a drive of Windows, as Compose has it.
    drive = text[:2] if text[1:2] == ":" and text[0].isalpha() else ""
    host, colon, rest = text[len(drive) :].partition(":")
    return (drive + host, rest.partition(":")[0]) if colon else ("", host)


def _limits(resource: Resource, service: Service) -> None:
    for route in (("ulimits", "nofile", "soft"), ("ulimits", "nofile")):
        found = service.get(*route)
        if found is not None and isinstance(found[1], yaml.ScalarNode):
            _number(resource, "nofile", found, _filled(*found))
            break
    for key in ("mem_limit", "deploy.resources.limits.memory"):
        found = service.get(*key.split("."))
        if found is not None:
            size = _SIZE.fullmatch((_filled(*found) or "").strip())
            amount = (
                str(int(float(size.group(1)) * _UNITS[size.group(2).lower()])) if size else None
            )
            _number(resource, "ram", found, amount)
    for key in ("cpus", "deploy.resources.limits.cpus"):
        found = service.get(*key.split("."))
        if found is not None:
            _number(resource, "cores", found, (_filled(*found) or "").removesuffix(".0") or None)
    found = service.get("deploy", "replicas")
    if found is not None:
        _number(resource, "deploy.replicas", found, _filled(*found))
    _kernel(resource, service)


def _kernel(resource: Resource, service: Service) -> None:
    """``sysctls``, a mapping or a list."""
    for layer in reversed(service.layers):
        node = yaml.child(layer.node, "sysctls")
        for name, _, value in yaml.pairs(node):
            _number(resource, name, (layer, value), _filled(layer, value))
        for item in yaml.items(node):
            name, _, text = (_filled(layer, item) or "").partition("=")
            if name:
                _number(resource, name, (layer, item), text)


def _number(
    resource: Resource, name: str, found: tuple[Layer, yaml.Node], text: str | None
) -> None:
    layer, node = found
    made = Setting(name, text, layer.file.path, yaml.position(node))
    made.amount = whole(text)
    resource.facts[name] = made
