"""The clients of one application: settings in layers, some for all clients, some for one.

An application framework has settings that hold for all of its clients, and others below the
client's own name. Every client here gets what it would get there, each setting with the place of
the line that wins.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck import catalogue
from kcheck.formats.pairs import Pair
from kcheck.model import Document, Note, Position, Resource, Setting

#: The tables that know the keys of a kind of client.
TABLES = {
    "producer": ("producer",),
    "consumer": ("consumer",),
    "admin": ("admin",),
    "streams": ("streams", "producer", "consumer", "admin"),
    "client": ("producer", "consumer", "admin"),
}
_ALL = ("producer", "consumer", "admin", "streams")

#: Settings by key, in the order in which they were written.
Layer = dict[str, Setting]


def heeds(kind: str, key: str) -> bool:
    """Whether a client of that kind reads a key that all clients get; nobody's keys it does."""
    if any(key in catalogue.plane(table) for table in TABLES[kind]):
        return True
    return not any(key in catalogue.plane(table) for table in _ALL)


class Application:
    """Collects the clients of one application into a document.

    ``owner`` is what the files of one application have in common: what two of its clients share
    is told once. ``profile`` names the profile in which alone these clients are what they are: they
    never run beside those of another.
    """

    def __init__(self, document: Document, owner: str, profile: str = "") -> None:
        self.document = document
        self.owner = owner
        self.profile = profile

    def client(
        self,
        kind: str,
        at: Position,
        layers: Iterable[tuple[Layer, bool]],
        *,
        name: str = "",
        topics: list[str] | None = None,
        path: str = "",
    ) -> Resource:
        """One client from its layers, the last wins; ``True`` marks a layer that others share.

        A consumer's group may also stand in the program, so it is unknown where nothing is set.
        """
        resource = Resource(kind, name or self.document.path, path or self.document.path, at)
        resource.traits.application = self.owner
        if self.profile:
            resource.traits.profile = self.profile
        for layer, shared in layers:
            _lay(resource, layer, shared)
        servers = resource.settings.get("bootstrap.servers")
        if servers is not None and servers.text == "":
            _leave_open(resource)
        if self.profile:
            _without_effect(resource)
        if not name:
            resource.name = _named(resource) or resource.path
        if kind == "consumer" and "group.id" not in resource.settings:
            resource.image["group.id"] = Setting("group.id", None, resource.path, at)
        if kind == "streams" and "application.id" not in resource.settings:
            resource.image["application.id"] = Setting("application.id", None, resource.path, at)
        if topics is not None:
            resource.traits.topics = tuple(topics)
        self.document.resources.append(resource)
        return resource


def _leave_open(resource: Resource) -> None:
    """Where the brokers are left empty, no program starts by the file alone: what is empty in it is
    filled in from outside."""
    for key, old in resource.settings.items():
        if old.text == "":
            resource.settings[key] = Setting(key, None, old.path, old.at, old.key_at, old.name)


def _without_effect(resource: Resource) -> None:
    """Leave out the base's settings of SASL where a profile does without it."""
    protocol = resource.settings.get("security.protocol")
    if protocol is not None and protocol.text in ("PLAINTEXT", "SSL"):
        for key in [key for key in resource.settings if key.startswith("sasl.")]:
            del resource.settings[key]


def _lay(resource: Resource, layer: Layer, shared: bool) -> None:
    """Lay settings over those that a client has; of shared ones those that its kind reads."""
    for key, setting in layer.items():
        if shared and not heeds(resource.kind, key):
            continue
        resource.settings[key] = setting
        if setting.name.endswith(f".{key}"):
            # What stands before a key here may stand before others.
            resource.traits.language = setting.name[: -len(key)]


def _named(resource: Resource) -> str:
    """``group.id``, ``application.id`` or ``client.id``, as far as they are known."""
    own = {"consumer": "group.id", "streams": "application.id"}.get(resource.kind, "client.id")
    for key in (own, "client.id"):
        setting = resource.settings.get(key)
        if setting is not None and setting.text:
            return setting.text
    return ""


class Replaced:
    """The settings that a later line of the same document replaced, and what came instead.

    ``part`` begins another document: what that sets goes over the others on purpose.
    """

    def __init__(self) -> None:
        self.pairs: list[tuple[Setting, Setting]] = []
        self._mine: dict[int, Setting] = {}

    def part(self) -> None:
        self._mine = {}

    def put(self, layer: Layer, setting: Setting) -> None:
        """Put a setting into a layer."""
        old = layer.get(setting.key)
        if old is not None and id(old) in self._mine and old.name == setting.name:
            self.pairs.append((old, setting))
        self._mine[id(setting)] = setting
        layer[setting.key] = setting


def misnamed(
    code: str,
    pair: Pair,
    message: str,
    consequence: str,
    fix: str,
    text: str | None,
    severity: str = "",
    meant: str = "",
) -> Note:
    """A pair that has no effect under the name that it has; ``meant`` is the key of Kafka's."""
    spot = Setting(pair.name, text, pair.path, pair.key_at, pair.key_at, pair.name)
    return Note(code, spot, message, consequence, fix, severity, meant=meant)
