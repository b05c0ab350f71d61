"""What Spring Boot binds below ``spring.kafka.``: from ``schemas/spring/boot.tsv``."""

from __future__ import annotations

import re

from kcheck import catalogue, data
from kcheck.formats.clients.application import TABLES
from kcheck.formats.pairs import relaxed
from kcheck.lexicon import suggest

#: The parts of ``spring.kafka.`` that are clients of their own.
GROUPS = ("consumer", "producer", "admin", "streams")

#: Names of so few letters have other names nearby.
_SHORT = 8
_DURATION = re.compile(r"([+-]?\d{1,18})\s*(ns|us|ms|s|m|h|d)?", re.IGNORECASE)
_ISO = re.compile(r"PT(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?", re.IGNORECASE)
_SIZE = re.compile(r"([+-]?\d{1,18})\s*(B|KB|MB|GB|TB)?", re.IGNORECASE)
_MILLIS = {"ms": 1, "": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_BYTES = {"": 1, "b": 1, "kb": 2**10, "mb": 2**20, "gb": 2**30, "tb": 2**40}


class Property:
    """One property: ``name`` as Spring writes it, Kafka's key ("" for none), what took its place.

    ``bound`` is false where no version in the table binds it any more.
    """

    __slots__ = ("bound", "key", "kind", "name", "now")

    def __init__(self, name: str, kind: str, key: str, bound: bool, now: str) -> None:
        self.name = name
        self.kind = kind
        self.key = key
        self.bound = bound
        self.now = now


_properties: dict[str, Property] = {}
_heads: set[str] = set()


def slip(form: str) -> str:
    """Spring's name of the property whose last part this relaxed name can only misspell; else ""."""
    group, dot, last = form.rpartition(".")
    found: list[tuple[int, str]] = []
    for known, one in properties().items():
        above, _, name = known.rpartition(".")
        if above != group or not one.bound or last == f"{name}s":
            continue
        most = 2 if len(name) > _SHORT else 1
        apart = suggest.distance(last, name, most)
        if 0 < apart <= most and last.rstrip("0123456789") != name:
            found.append((apart, one.name))
    found.sort()
    alone = bool(found) and (len(found) == 1 or found[0][0] < found[1][0])
    # Right below spring.kafka. stand an application's own names, too.
    alone = alone and (bool(dot) or len(last) > _SHORT)
    return found[0][1] if alone else ""


#: Whose properties people set at one another: of listeners and consumers, of templates and producers.
_BESIDE = {
    "consumer": ("listener",),
    "listener": ("consumer",),
    "producer": ("template",),
    "template": ("producer",),
    "": ("listener",),
}


def beside(form: str) -> str:
    """Spring's name of the property that this relaxed name has in the group beside it; else ""."""
    group, _, last = form.rpartition(".")
    found = (properties().get(f"{other}.{last}") for other in _BESIDE.get(group, ()))
    # A name of one word, such as concurrency, is the application's own as often.
    return next((one.name for one in found if one and one.bound and "-" in one.name), "")


def properties() -> dict[str, Property]:
    """All properties by their names in the relaxed form, ``spring.kafka.`` left out."""
    if not _properties:
        for name, _versions, kind, _default, key, flags in data.rows("spring/boot.tsv"):
            form = ".".join(map(relaxed, name.split(".")))
            bound = "unbound" not in flags.split()
            now = next((f[4:] for f in flags.split() if f.startswith("now=")), "")
            old = _properties.get(form)
            if old is not None:
                bound, key, now = bound or old.bound, key or old.key, now or old.now
                kind = kind if "unbound" not in flags else old.kind
            _properties[form] = Property(name, kind, key, bound, now)
    return _properties


def heads() -> frozenset[str]:
    """The first parts of all properties in the relaxed form, and of what holds any."""
    if not _heads:
        _heads.update(name.partition(".")[0] for name in properties())
        _heads.update(("properties", *GROUPS))
    return frozenset(_heads)


def text_of(kind: str, text: str | None) -> str | None:
    """The text that Kafka gets from one of Spring's types; None where it cannot be told."""
    if text is None:
        return None
    bare = text.strip()
    if kind == "duration":
        found = _DURATION.fullmatch(bare)
        if found and (found.group(2) or "").lower() in _MILLIS:
            return str(int(found.group(1)) * _MILLIS[(found.group(2) or "").lower()])
        iso = _ISO.fullmatch(bare)
        if iso and any(iso.groups()):
            hours, minutes, seconds = (int(part or 0) for part in iso.groups())
            return str(((hours * 60 + minutes) * 60 + seconds) * 1_000)
        return None
    if kind == "size":
        found = _SIZE.fullmatch(bare)
        return str(int(found.group(1)) * _BYTES[(found.group(2) or "").lower()]) if found else None
    if kind == "enum":
        return bare.lower().replace("-", "_")
    return text


#: What Streams takes from its serdes alone.
_OF_SERDES = re.compile(r"(key|value)\.(?:de)?serializer")


def meant(group: str, rest: list[str]) -> str:
    """Kafka's key that a name without Spring's ``properties`` reads like; "" for one of its own."""
    if group == "streams" and rest[0] in ("producer", "consumer", "admin") and len(rest) > 1:
        inner = rest[2:] if relaxed(rest[1]) == "properties" else rest[1:]
        key = meant(rest[0], inner) if inner else ""
        return f"{rest[0]}.{key}" if key else ""
    dotted = ".".join(rest).replace("-", ".").replace("_", ".")
    humps = re.sub(r"(?<=[a-z0-9])([A-Z])", r".\1", dotted).lower()
    for table in TABLES[group] if group else ("producer", "consumer"):
        plane = catalogue.plane(table)
        for key in (humps, f"{humps}.ms", f"{humps}.bytes", f"{humps}.config"):
            if key in plane and "." in key:
                serde = _OF_SERDES.fullmatch(key) if group == "streams" else None
                return f"default.{serde[1]}.serde" if serde else key
    return ""
