"""One setting or default → one effective Value, typed by the catalogue of that version."""

from __future__ import annotations

from kcheck import catalogue
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
    """The value that a setting gives to ``key``; unknown where its text is, or is no such type."""
    if setting.text is None:
        return Value(key, resource, origin, None, setting=setting, from_key=setting.key)
    fact = catalogue.fact(plane, setting.key, version)
    if fact is None:
        history = catalogue.plane(plane).history(setting.key)
        fact = history[-1] if history else None
    typed, wrong = _typed(fact.type if fact else "string", setting.text)
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
_conversions: dict[tuple[str, str], tuple[object, str]] = {}
_MOST_REMEMBERED = 10_000


def _typed(kind: str, text: str) -> tuple[object, str]:
    """``catalogue.convert``, remembered. Nobody changes a list that it gives."""
    found = _conversions.get((kind, text))
    if found is None:
        if len(_conversions) >= _MOST_REMEMBERED:
            _conversions.clear()
        found = _conversions[kind, text] = catalogue.convert(kind, text)
    return found


def from_default(key: str, resource: Resource, plane: str, version: Version) -> Value:
    """The catalogue's default: known only if it is one and the same in every version in question."""
    rows = catalogue.possible(plane, key, version)
    texts = list(dict.fromkeys(row.default for row in rows))
    since = version.text or f"{catalogue.oldest()}-{catalogue.newest()}"
    if not rows or catalogue.REQUIRED in texts:
        return Value(key, resource, ABSENT, None, known=bool(rows) and len(texts) == 1)
    typed = [_default_value(row) for row in rows]
    if len(texts) > 1 or texts[0] == catalogue.PLATFORM:
        return Value(
            key, resource, DEFAULT, None, None, False, kafka_version=since, candidates=tuple(typed)
        )
    return Value(
        key,
        resource,
        DEFAULT,
        rows[0].default_text,
        typed[0],
        True,
        kafka_version=since,
        candidates=(typed[0],),
    )


def _default_value(row: catalogue.Fact) -> object:
    text = row.default_text
    return None if text is None else catalogue.convert(row.type, text)[0]
