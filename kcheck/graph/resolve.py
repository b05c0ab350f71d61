"""One setting or default → one effective Value, typed by the catalogue of that version."""

from __future__ import annotations

from kcheck import catalogue, configdef
from kcheck.bounded_cache import BoundedCache
from kcheck.model import ABSENT, DEFAULT, SET, Resource, Setting, Value
from kcheck.version import Version

#: Broker keys that stand in for one another when the first is not set: (key, factor to its unit).
#: The finer unit wins; log.dirs beats log.dir (invariants: "other broker fallbacks").
STAND_INS: dict[str, tuple[tuple[str, int], ...]] = {
    "log.retention.ms": (("log.retention.minutes", 60_000), ("log.retention.hours", 3_600_000)),
    "log.roll.ms": (("log.roll.hours", 3_600_000),),
    "log.roll.jitter.ms": (("log.roll.jitter.hours", 3_600_000),),
    "log.dirs": (("log.dir", 1),),
    "log.flush.interval.ms": (("log.flush.scheduler.interval.ms", 1),),
    "advertised.listeners": (("listeners", 1),),
    "node.id": (("broker.id", 1),),
    "broker.id": (("node.id", 1),),
    "zookeeper.connection.timeout.ms": (("zookeeper.session.timeout.ms", 1),),
}


def scaled(value: object, factor: int) -> object:
    """The value in the finer unit; negative numbers are Kafka's special values and stay."""
    if factor == 1 or not isinstance(value, int) or isinstance(value, bool) or value < 0:
        return value
    return value * factor


def from_setting(
    key: str,
    setting: Setting,
    resource: Resource,
    plane: str,
    version: Version,
    origin: str = SET,
    factor: int = 1,
) -> Value:
    """The value that a setting gives to ``key``.

    Unknown where its text is, and where no version in question takes it: a number that Kafka
    refuses is told as such, and nothing follows from it.
    """
    if setting.text is None:
        return Value(key, resource, origin, None, setting=setting, from_key=setting.key)
    rows = catalogue.possible(plane, setting.key, version)
    if not rows:
        rows = catalogue.plane(plane).history(setting.key)[-1:]
    typed, wrong = _typed(rows, setting.text)
    return Value(
        key,
        resource,
        origin,
        setting.text,
        scaled(typed, factor),
        not wrong,
        setting,
        setting.key,
    )


#: Texts repeat: ten thousand topics hold a few dozen different values.
_conversions: dict[tuple[tuple[catalogue.Fact, ...], str], tuple[object, str]] = BoundedCache(
    10_000
)


def _typed(rows: tuple[catalogue.Fact, ...], text: str) -> tuple[object, str]:
    """The text as the newest of these facts reads it, and why all of them refuse it; remembered.

    Nobody changes a list that it gives.
    """
    found = _conversions.get((rows, text))
    if found is None:
        typed, wrong = configdef.convert(rows[-1].type if rows else "string", text)
        if not wrong and rows and all(configdef.refusal(row, text) for row in rows):
            typed, wrong = None, "is refused"
        found = _conversions[rows, text] = typed, wrong
    return found


def from_default(key: str, resource: Resource, plane: str, version: Version) -> Value:
    """The catalogue's default: known only if it is one and the same in every version in question.

    It is quoted from versions that the catalogue holds; of an older or newer one it is the nearest
    one's, and unknown where it is a version itself.
    """
    asked = (plane, key, version.identity)
    found = _defaults.get(asked)
    if found is None:
        rows = catalogue.possible(plane, key, version)
        if not rows:
            return Value(key, resource, ABSENT)
        found = _defaults[asked] = _default(rows)
        outside = version.known and not catalogue.held(version)
        if outside and found[0] == DEFAULT and any(map(catalogue.moving, rows)):
            found = _defaults[asked] = DEFAULT, None, None, False, ()
    origin, text, value, known, candidates = found
    since = catalogue.source(version) if origin == DEFAULT and (known or candidates) else None
    return Value(key, resource, origin, text, value, known, None, None, since, candidates)


#: A default without whose it is: origin, text, typed value, whether it is known, and candidates.
_Default = tuple[str, str | None, object, bool, tuple[object, ...]]

#: By plane, key and minor: every node asks for the same ones. Nobody changes a list in here.
_defaults: dict[tuple[str, str, str | None], _Default] = BoundedCache(50_000)


def _default(rows: tuple[catalogue.Fact, ...]) -> _Default:
    texts = list(dict.fromkeys(row.default for row in rows))
    if catalogue.REQUIRED in texts:
        return ABSENT, None, None, len(texts) == 1, ()
    typed = tuple(_default_value(row) for row in rows)
    if len(texts) > 1 or texts[0] == catalogue.PLATFORM:
        return DEFAULT, None, None, False, typed
    return DEFAULT, rows[0].default_text, typed[0], True, typed[:1]


def _default_value(row: catalogue.Fact) -> object:
    text = row.default_text
    return None if text is None else configdef.convert(row.type, text)[0]
