"""What an editor shows of a key: facts of ours in a few lines, and nothing of Kafka's texts."""

from __future__ import annotations

from kcheck import catalogue
from kcheck.catalogue import Fact
from kcheck.graph.resolve import STAND_INS
from kcheck.lexicon import name_faults, planes, quantities
from kcheck.rule import Rule
from kcheck.units import in_ms
from kcheck.version import Version

TYPES = {
    "int": "whole number (32 bits)",
    "long": "whole number (64 bits)",
    "short": "whole number (16 bits)",
    "double": "number",
    "boolean": "true or false",
    "string": "text",
    "list": "list, by commas",
    "class": "Java class",
    "password": "secret",
}
MODES = {
    "read-only": "Takes effect after a restart",
    "per-broker": "Can be updated dynamically, per broker",
    "cluster-wide": "Can be updated dynamically, per broker or cluster-wide",
    "dynamic-only": "Can only be set dynamically, not in a file",
}
#: A hint is no list.
_MOST_RULES = 8


def describe(plane: str, fact: Fact, version: Version, rules: list[Rule]) -> str:
    """One fact a line: what it is, its bounds, its history, what it falls back to, who weighs it."""
    lines = [_first(fact), *_bounds(fact), MODES.get(fact.mode, "")]
    lines.append(f"Importance: {fact.importance}" if fact.importance else "")
    lines += _history(plane, fact, version)
    if plane == "topic":
        lines.append(_fallback(fact, version))
    if plane == "broker":
        lines += _stands_in(fact)
    if "internal" in fact.flags:
        lines.append("Internal to Kafka: effective, but not public")
    for who in ("user", "client", "ip"):
        if who in fact.flags:
            lines.append({"user": "Of users", "client": "Of client ids", "ip": "Of addresses"}[who])
    if rules:
        named = [f"{rule.code} {rule.name}" for rule in rules[:_MOST_RULES]]
        more = len(rules) - len(named)
        named += [f"{more} more"] if more else []
        lines.append(f"Checked by kcheck's {', '.join(named)}")
    return "\n".join(line for line in lines if line)


def _first(fact: Fact) -> str:
    kind = TYPES.get(fact.type, fact.type)
    if fact.default == catalogue.REQUIRED:
        return f"{kind}; required, no default"
    if fact.default == catalogue.NULL:
        return f"{kind}; not set by default"
    if fact.default == catalogue.PLATFORM:
        return f"{kind}; the default depends on the machine"
    return f"{kind}; default {shown(fact.key, fact.type, fact.default_text or '')}"


def shown(key: str, kind: str, text: str) -> str:
    """A value with the unit that the key counts in."""
    if kind not in ("int", "long", "short"):
        return text or "empty"
    unit = quantities.unit_of(key)
    number = int(text)
    if unit == "ms" and number > 0:
        return in_ms(number)
    return quantities.in_unit(number, unit) if number > 0 else text


def _bounds(fact: Fact) -> list[str]:
    found: list[str] = []
    for word in fact.valid.split():
        low, dots, high = word.partition("..")
        if dots and fact.type in ("int", "long", "short"):
            least, most = (shown(fact.key, fact.type, b) if b else "" for b in (low, high))
            found.append(
                f"{least} to {most}"
                if least and most
                else f"At least {least}"
                if least
                else f"At most {most}"
            )
        elif dots:
            found.append(
                f"{low} to {high}"
                if low and high
                else f"At least {low}"
                if low
                else f"At most {high}"
            )
        elif word == "nonempty":
            found.append("Must not be empty")
        elif word == "noblank":
            found.append("No empty elements")
    return found


def _history(plane: str, fact: Fact, version: Version) -> list[str]:
    """Since when, until when, and other defaults of other versions."""
    history = catalogue.plane(plane).history(fact.key)
    first, last = history[0].since, history[-1].until
    lines: list[str] = []
    if first != catalogue.oldest():
        lines.append(f"Since Kafka {first}")
    minors = catalogue.minors()
    if last != catalogue.newest():
        place = planes.place(plane, fact.key)
        now = name_faults.successors(place) if place else ()
        gone = minors[minors.index(last) + 1]
        lines.append(f"Removed in Kafka {gone}" + (f"; see {', '.join(now)}" if now else ""))
    elif "deprecated" in fact.flags:
        place = planes.place(plane, fact.key)
        now = name_faults.successors(place) if place else ()
        lines.append("Deprecated" + (f"; see {', '.join(now)}" if now else ""))
    others: list[tuple[str, str, str]] = []
    for row in history:
        if row.default == fact.default or not row.default.startswith("="):
            continue
        text = shown(row.key, row.type, row.default_text or "")
        if others and others[-1][0] == text:
            others[-1] = (text, others[-1][1], row.until)
        else:
            others.append((text, row.since, row.until))
    for text, since, until in others:
        span = since if since == until else f"{since} to {until}"
        lines.append(f"Default in Kafka {span}: {text}")
    return lines


def _fallback(fact: Fact, version: Version) -> str:
    found = catalogue.topic_fallbacks(fact.key, version)
    if not found:
        return ""
    keys = ", then ".join(fallback.key for fallback in found)
    return f"A topic that does not set it inherits the brokers' {keys}"


def _stands_in(fact: Fact) -> list[str]:
    """The broker keys that stand in for this one, those it stands in for, and topics' keys."""
    lines = []
    others = [name for name, _ in STAND_INS.get(fact.key, ())]
    if others:
        lines.append(f"If it is not set: {', then '.join(others)}")
    for key, names_ in STAND_INS.items():
        if fact.key in [name for name, _ in names_] and key not in others:
            lines.append(f"Fallback of {key}")
    for topic_key in catalogue.topic_keys_with_fallback():
        if any(f.key == fact.key for f in catalogue.topic_fallbacks(topic_key, Version())):
            lines.append(f"Default of topics that do not set {topic_key}")
    return lines
