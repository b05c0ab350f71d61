"""All that is wrong with the settings of one resource, each by itself: names and values.

Every rule on single settings asks here, so the work is done once per resource, and once per
(plane, version, key, text) of a run: ten thousand topics mostly repeat each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from kcheck import libraries
from kcheck.bounded_cache import BoundedCache
from kcheck.lexicon import implausible, names, values
from kcheck.lexicon.name_faults import Name
from kcheck.lexicon.planes import METADATA_PREFIX, STORAGE_PREFIX, Place, place
from kcheck.lexicon.value_faults import Fault
from kcheck.model import MOST_JUDGED, Resource, Setting
from kcheck.version import Version

#: A file that leaves so many values empty, and most of them, is a form to be filled in.
_FORM = 3
#: Keys that only one of the two clients can have: a file with both kinds configures both.
_PRODUCERS = ("key.serializer", "value.serializer")
_CONSUMERS = ("key.deserializer", "value.deserializer", "group.id")
_CLIENTS = ("producer", "consumer", "admin", "client")
#: Whose keys other libraries and frameworks spell with underscores or dashes.
_SPELT = (*_CLIENTS, "streams")
#: Kinds of resources whose clients are made with what the file says.
_MAKERS = frozenset({"producer", "consumer", "admin", "streams", "worker"})
#: Keys whose values are names of Java's classes, and what those look like.
_CLASSES = (*_PRODUCERS, "key.deserializer", "value.deserializer")
_CLASS = r"[a-z]\w*(\.[a-z]\w*)+\.[A-Z]\w*"


#: What libraries without a catalogue count in messages as well as in bytes.
_BATCH = "batch.size"


class ResourceCheck:
    """What was found in one resource: settings with a wrong name, settings with a wrong value."""

    __slots__ = ("names", "values")

    def __init__(self) -> None:
        self.names: list[tuple[Setting, Name]] = []
        self.values: list[tuple[Setting, Fault]] = []


_Found = tuple[Name | None, Fault | None]
_UNSEEN: _Found = (None, None)


class _Bench:
    """The verdicts on the keys and texts of one plane in one version, remembered."""

    __slots__ = ("_keys", "_seen", "metadata", "plane", "storage", "version")

    #: How many verdicts all of them hold.
    held = 0

    def __init__(self, plane: str, version: Version, storage: str, metadata: str) -> None:
        self.plane = plane
        self.version = version
        self.storage = storage
        self.metadata = metadata
        self._seen: dict[tuple[str, str | None, bool], _Found | None] = {}
        self._keys: dict[tuple[str, bool], tuple[Name | None, Place | None]] = {}

    def weigh(self, into: ResourceCheck, settings: dict[str, Setting], static: bool) -> None:
        seen = self._seen
        for key, setting in islice(settings.items(), MOST_JUDGED):
            identity = (key, setting.text, static)
            found = seen.get(identity, _UNSEEN)
            if found is _UNSEEN:
                found = self._judge(key, setting, static)
                if len(key) + len(setting.text or "") <= _LONGEST:
                    seen[identity] = found
                    _Bench.held += 1
            if found is not None:
                name, fault = found
                if name is not None:
                    into.names.append((setting, name))
                if fault is not None:
                    into.values.append((setting, fault))

    def _judge(self, key: str, setting: Setting, static: bool) -> _Found | None:
        known = self._keys.get((key, static))
        if known is None:
            known = self._named(key, static)
            if len(key) <= _LONGEST:
                self._keys[key, static] = known
                _Bench.held += 1
        name, where = known
        fault: Fault | None = None
        if where is not None and setting.text is not None:
            fault = values.verdict(where, self.version, setting.text)
        if fault is None and setting.text is not None:
            fault = implausible.of_plugin(self.plane, key, setting.text)
        return (name, fault) if name is not None or fault is not None else None

    def _named(self, key: str, static: bool) -> tuple[Name | None, Place | None]:
        """What is wrong with a name, and where its values are judged if nothing is."""
        name = names.verdict(
            self.plane,
            key,
            self.version,
            storage=self.storage,
            metadata=self.metadata,
            static=static,
        )
        if name is not None:
            return name, None
        return None, place(self.plane, key, self.storage, self.metadata)


#: Enough for any project; free texts of thousands of files shall not pile up, nor a long one.
_MOST_REMEMBERED, _LONGEST = 200_000, 500

_benches: dict[tuple[str, str | None, str, str], _Bench] = BoundedCache(1000)
_last: tuple[Resource, Version, ResourceCheck] | None = None


def assay(resource: Resource, version: Version) -> ResourceCheck:
    """What is wrong with the resource's own settings, static and dynamic."""
    global _last
    if _last is not None and _last[0] is resource and _last[1].identity == version.identity:
        return _last[2]
    found = ResourceCheck()
    plane = _plane(resource)
    if plane:
        _judge_all(found, resource, plane, version)
    elif resource.plane in _CLIENTS:
        found.values += _elsewhere(resource)
    for setting in resource.traits.periods:
        fault = implausible.of_plugin("framework", setting.key, setting.text or "")
        if fault is not None:
            found.values.append((setting, fault))
    _last = (resource, version, found)
    return found


def _elsewhere(resource: Resource) -> Iterator[tuple[Setting, Fault]]:
    """The numbers of a client of another library that read like another unit."""
    library = libraries.of(resource.dialect)
    own = (library.name,) if library.catalogue else ()
    settings = resource.settings
    if not own and _BATCH in settings:
        settings = {key: setting for key, setting in settings.items() if key != _BATCH}
    return implausible.of_library((*own, resource.plane), settings)


def _judge_all(found: ResourceCheck, resource: Resource, plane: str, version: Version) -> None:
    """What the tables of a plane say of all settings of a resource."""
    storage, metadata = "", ""
    if resource.kind in ("broker", "controller", "cluster"):
        storage = _prefix(resource, STORAGE_PREFIX)
        metadata = _prefix(resource, METADATA_PREFIX)
    identity = (plane, version.identity, storage, metadata)
    bench = _benches.get(identity)
    if bench is None or _Bench.held > _MOST_REMEMBERED:
        if _Bench.held > _MOST_REMEMBERED:
            _benches.clear()
            _Bench.held = 0
        bench = _benches[identity] = _Bench(plane, version, storage, metadata)
    bench.weigh(found, resource.settings, True)
    if resource.dynamic:
        bench.weigh(found, resource.dynamic, False)
    if resource.kind in _MAKERS:
        from kcheck.lexicon import undeclared

        found.values += undeclared.faults(plane, resource.settings, version)
    if plane in _SPELT and any("_" in key or "-" in key for key in resource.settings):
        _underscored(found, resource, plane)
    if found.values:
        found.values = _filled(resource, found.values)


def _underscored(into: ResourceCheck, resource: Resource, plane: str) -> None:
    """Keys as other libraries spell them, where Java's classes show that its client reads them."""
    settings = resource.settings
    classes = [settings[key].text or "" for key in _CLASSES if key in settings]
    framework = resource.traits.language.endswith(".properties.")
    java = framework or any(re.fullmatch(_CLASS, name) for name in classes)
    for key, setting in settings.items():
        # Spring's maps of client keys go to Java's client as they are.
        if not java and not (setting.name.startswith("spring.") and setting.name.endswith(key)):
            continue
        from kcheck.lexicon.unknown_names import underscored  # few spell theirs so

        name = underscored(plane, key)
        # Beside the right key it is the program's own.
        if name is not None and name.right[0] not in settings:
            into.names.append((setting, name))


def _plane(resource: Resource) -> str:
    """The plane whose tables judge the resource; empty where Java's tables say nothing of it."""
    if not libraries.of(resource.dialect).java:
        return ""
    plane, settings = resource.plane, resource.settings
    if plane == "producer" and any(key in settings for key in _CONSUMERS):
        return "client"
    if plane == "consumer" and any(key in settings for key in _PRODUCERS):
        return "client"
    return "connect-distributed" if plane == "worker" else plane


def _prefix(resource: Resource, known: tuple[str, str]) -> str:
    key, default = known
    setting = resource.settings.get(key)
    return (setting.text if setting else "") or default


def _filled(resource: Resource, found: list[tuple[Setting, Fault]]) -> list[tuple[Setting, Fault]]:
    """The faults without those of empty values where the file is a form to be filled in."""
    texts = [setting.text for setting in resource.settings.values()]
    if texts.count("") < _FORM or texts.count("") * 2 <= len(texts):
        return found
    return [(setting, fault) for setting, fault in found if setting.text != ""]
