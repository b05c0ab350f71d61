"""One compose file: its services with the layers that make them up, and its variables.

A service's definition may be spread: ``<<`` merges (the YAML reader follows them), ``extends`` in
this file or another, and the override file that compose reads by itself. ``Service.layers`` are
the parts from the strongest to the weakest.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.model import Position
from kcheck.syntax import yaml
from kcheck.syntax.dotenv import DotenvError, EnvEntry
from kcheck.syntax.dotenv import parse as parse_env
from kcheck.syntax.interpolate import Overgrown, expand

#: An ``extends`` chain longer than this is a loop.
_MAX_EXTENDS = 10
#: Keys that stand at the top of a compose file and are no services of the old layout.
_TOP = ("version", "services", "networks", "volumes", "configs", "secrets", "name", "include")
DEFAULT_NAMES = ("docker-compose", "compose")
ENDINGS = ("yml", "yaml")

_REFERENCE = re.compile(r"\$(\{[^}]*\}|\w+)")


class Variables:
    """The variables that ``${…}`` is filled in from: ``.env`` beside the file, nothing else.

    The shell's own variables win over them in compose, and nobody here knows those: what only they
    could give stays unknown.
    """

    def __init__(self, lookup: Lookup, folder: str) -> None:
        self.path = joined(folder, ".env")
        self.entries: dict[str, EnvEntry] = {}
        self.values: dict[str, str | None] = {}
        #: Whether a text with its variables filled in is too long to be known.
        self.overgrown = False
        data = lookup(self.path)
        if data is not None:
            for entry in entries_of(data):
                self.entries[entry.key] = entry
                self.values[entry.key] = self.value(entry)

    def value(self, entry: EnvEntry) -> str | None:
        """The value of an env file's entry, with the variables that stand before it filled in."""
        if entry.value is None:
            return self.values.get(entry.key)
        return entry.value if entry.quote == "'" else self.filled(entry.value)

    def filled(self, text: str) -> str | None:
        """The text with its variables replaced; None where one of them is unknown."""
        if "$" not in text:
            return text
        vague = False

        def look(name: str) -> str | None:
            nonlocal vague
            value = self.values.get(name)
            vague = vague or (value is None and name in self.values)
            return value

        try:
            made, resolved = expand(text, look)
        except Overgrown:
            self.overgrown = True
            return None
        return made if resolved and not vague else None

    def framed(self, text: str) -> str:
        """The text with its variables replaced, and ``${NAME}`` where one is unknown."""
        try:
            return expand(text, lambda name: self.values.get(name) or f"${{{name}}}")[0]
        except Overgrown:
            self.overgrown = True
            return text


class File:
    """A parsed compose file."""

    def __init__(
        self, path: str, data: bytes, lookup: Lookup, others: dict[str, File | None] | None = None
    ) -> None:
        self.path = path
        self.folder = path.rpartition("/")[0]
        self.lookup = lookup
        #: The files that this one refers to, each read once.
        self.others: dict[str, File | None] = {path: self} if others is None else others
        nodes, self.problem = yaml.documents(data)
        self.root: yaml.Node | None = nodes[0] if nodes else None
        self.lines = data.decode("utf-8", "replace").split("\n")
        self.variables = Variables(lookup, self.folder)
        #: The files that compose reads before this one, the strongest first.
        self.below: list[File] = []
        #: The entries of the env files that services name, by path; None for one that is not there.
        self.filed: dict[str, list[EnvEntry] | None] = {}
        self.nodes = {name: (key, node) for name, key, node in yaml.pairs(self._services())}

    def _services(self) -> yaml.Node | None:
        found = yaml.child(self.root, "services")
        if found is not None or self.root is None:
            return found
        # The first layout of compose files had the services at the top.
        definitions = [n for name, _, n in yaml.pairs(self.root) if name not in _TOP]
        if any(yaml.child(node, "image") or yaml.child(node, "build") for node in definitions):
            return self.root
        return None

    def env_file(self, path: str | None) -> tuple[str, list[EnvEntry] | None]:
        """The path of an env file as the project has it, and its entries; None where it is not found."""
        where = joined(self.folder, path) if path else ""
        if where not in self.filed:
            data = self.lookup(where) if where else None
            self.filed[where] = None if data is None else entries_of(data)
        return where, self.filed[where]

    def other(self, path: str) -> File | None:
        """Another compose file of the project; None where there is none."""
        if path not in self.others:
            self.others[path] = None
            data = self.lookup(path) if path else None
            if data is not None:
                self.others[path] = File(path, data, self.lookup, self.others)
        return self.others[path]


class Layer:
    """One part of a service's definition, in one file."""

    __slots__ = ("file", "node")

    def __init__(self, file: File, node: yaml.Node) -> None:
        self.file = file
        self.node = node


class Service:
    """One service of a compose file."""

    def __init__(
        self, name: str, path: str, at: Position, layers: list[Layer], whole: bool
    ) -> None:
        self.name = name
        #: Where it is defined: in the file itself, or in its override file alone.
        self.path = path
        self.at = at
        self.layers = layers
        #: Whether all parts of the definition were found.
        self.whole = whole

    def get(self, *route: str) -> tuple[Layer, yaml.Node] | None:
        """The node at the end of a route of keys, in the strongest layer that has it."""
        for layer in self.layers:
            found = yaml.child(layer.node, *route)
            if found is not None:
                return layer, found
        return None

    def text(self, *route: str) -> str | None:
        """The text there with its variables filled in; None where it is absent or unknown."""
        found = self.get(*route)
        if found is None:
            return None
        raw = yaml.text(found[1])
        return None if raw is None else found[0].file.variables.filled(raw)

    def built_in(self) -> str | None:
        """The folder of the project that the image is built of, "" for the root; None for none here."""
        found = self.get("build")
        context = context_of(*found) if found is not None else None
        if found is None or context is None or "://" in context or context.startswith("git@"):
            return None
        return joined(found[0].file.folder, context)


def context_of(layer: Layer, node: yaml.Node) -> str | None:
    """The folder of a build as it is written; None where that is not known."""
    where = node if isinstance(node, yaml.ScalarNode) else yaml.child(node, "context")
    text = "." if where is None else yaml.text(where)
    return None if text is None else layer.file.variables.filled(text)


def services(file: File) -> list[Service]:
    """All services of a file, the override file's parts included."""
    override = _override(file)
    found: list[Service] = []
    for name, (key, node) in file.nodes.items():
        layers, whole = _layers(file, name, node, 0)
        if override is not None and name in override.nodes:
            stronger, whole_too = _layers(override, name, override.nodes[name][1], 0)
            layers, whole = [*stronger, *layers], whole and whole_too
        for base in file.below:
            if name in base.nodes:
                weaker, whole_too = _layers(base, name, base.nodes[name][1], 0)
                layers, whole = [*layers, *weaker], whole and whole_too
        found.append(Service(name, file.path, yaml.position(key), layers, whole))
    if override is not None:
        for name, (key, node) in override.nodes.items():
            if name not in file.nodes:
                layers, whole = _layers(override, name, node, 0)
                at = yaml.position(key)
                found.append(Service(name, override.path, at, layers, whole))
    return found


def _layers(file: File, name: str, node: yaml.Node, depth: int) -> tuple[list[Layer], bool]:
    """The service's own part and those that it extends, and whether all of them were found."""
    own = Layer(file, node)
    extends = yaml.child(node, "extends")
    if extends is None:
        return [own], True
    base = yaml.text(extends) or yaml.text(yaml.child(extends, "service")) or ""
    target: File | None = file
    written = yaml.text(yaml.child(extends, "file"))
    if written is not None:
        path = file.variables.filled(written)
        target = file.other(joined(file.folder, path)) if path else None
    if target is None or base not in target.nodes or depth == _MAX_EXTENDS:
        return [own], False
    layers, whole = _layers(target, base, target.nodes[base][1], depth + 1)
    return [own, *layers], whole


def _override(file: File) -> File | None:
    """The file that compose reads on top of this one without being told."""
    stem, _ = _stem(file.path)
    if stem not in DEFAULT_NAMES:
        return None
    for other in ENDINGS:
        found = file.other(joined(file.folder, f"{stem}.override.{other}"))
        if found is not None:
            return found
    return None


def is_override(path: str, lookup: Lookup) -> bool:
    """Whether this is an override file whose base stands beside it."""
    folder = path.rpartition("/")[0]
    stem, _ = _stem(path)
    base = stem.removesuffix(".override")
    if base == stem or base not in DEFAULT_NAMES:
        return False
    return any(lookup(joined(folder, f"{base}.{ending}")) is not None for ending in ENDINGS)


def _stem(path: str) -> tuple[str, str]:
    stem, _, ending = path.rpartition("/")[2].rpartition(".")
    return (stem, ending) if ending in ENDINGS else ("", "")


def entries_of(data: bytes) -> list[EnvEntry]:
    """The entries of an env file; those before the place where compose would stop."""
    try:
        return parse_env(data.decode("utf-8", "replace"))
    except DotenvError as error:
        return error.entries


def shown(text: str) -> str:
    """The text with a mark in place of every variable: to tell an image without its tag."""
    return _REFERENCE.sub("\0", text)


def joined(folder: str, path: str) -> str:
    """A path as a compose file writes it, from the root of the project."""
    if path.startswith("/"):
        return path
    parts: list[str] = []
    for part in (*folder.split("/"), *path.split("/")):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    start = "/" if folder.startswith("/") else ""
    return start + "/".join(parts)
