"""How ``kcheck explain`` prints a key: a paragraph for each plane, then who gives, takes and reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import fill

from kcheck import catalogue
from kcheck.catalogue import Fact
from kcheck.editor import weighing, words
from kcheck.explain.bounds import listed, takes
from kcheck.explain.keys import Change, Heir, InPlane, Key
from kcheck.lexicon.quantities import unit_of
from kcheck.report.printable import printable
from kcheck.rule import Rule

_COLUMNS = 80
#: The column in which what belongs to a label begins.
_LABEL = 14
_PLANES = {
    "connect-distributed": "distributed Connect worker",
    "connect-standalone": "standalone Connect worker",
    "source-connector": "source connector",
    "sink-connector": "sink connector",
    "topic-creation": "source connector's topic.creation.GROUP.",
    "mirror": "MirrorMaker 2",
    "mirror-source": "MirrorSourceConnector",
    "mirror-checkpoint": "MirrorCheckpointConnector",
    "mirror-heartbeat": "MirrorHeartbeatConnector",
    "client-metrics": "client metrics subscription",
    "remote-metadata": "remote log metadata manager (rlmm.config.)",
    "streams": "Streams",
    "quota": "user, client id and address",
}
_FLAGS = {
    "deprecated": "deprecated",
    "internal": "internal to Kafka: effective, but not public",
    "user": "of users",
    "client": "of client ids",
    "ip": "of addresses",
}
#: So many rules are told by name; ``--output json`` has all.
_MOST = 16


class Weighed:
    """A rule that weighs the key, or, with ``through``, a key that takes its value from it."""

    __slots__ = ("rule", "through")

    def __init__(self, rule: Rule, through: str) -> None:
        self.rule = rule
        self.through = through


def weighed(key: Key, known: dict[str, Rule]) -> list[Weighed]:
    """The rules that weigh the key, then those that do so through a key that takes it over."""
    heirs = [heir.key for heir in key.gives_to if heir.key != key.key]
    by_key = weighing.by_key(known, {key.key, *heirs})
    found = {rule.code: Weighed(rule, "") for rule in by_key.get(key.key, ())}
    for heir in heirs:
        for rule in by_key.get(heir, ()):
            found.setdefault(rule.code, Weighed(rule, heir))
    return list(found.values())


# -- text -----------------------------------------------------------------------------------------


def text(key: Key, rules: list[Weighed], heading: Callable[[str], str]) -> str:
    """Everything about the key, in paragraphs within the columns of a terminal."""
    parts = [heading(key.prefix + key.key) + "\n"]
    if key.prefix:
        outer = _PLANES.get(key.outer, key.outer)
        parts[0] += _wrapped(f"{key.key} with the prefix {key.prefix} ({outer})")
    parts.append(_wrapped(key.note) if key.note else "")
    parts += [_plane(plane, heading) for plane in key.planes]
    if not key.planes:
        parts.append("Not a key of any version from 2.8 on.\n")
    parts.append("".join(_line(label, told) for label, told in _around(key)))
    if rules:
        parts.append(_rules(rules, heading))
    return "\n".join(part for part in parts if part)


def _plane(plane: InPlane, heading: Callable[[str], str]) -> str:
    fact = plane.fact
    names = [_PLANES.get(name, name) for name in plane.planes]
    kind = words.TYPES.get(fact.type, fact.type)
    told = [_wrapped(f"{listed(names)}: {kind}")]
    told[0] = told[0].replace(listed(names), heading(listed(names)), 1)
    told.append(_line("default", _default(fact, fact.default)))
    if takes(fact):
        told.append(_line("valid", takes(fact)))
    mode = words.MODES.get(fact.mode, "")
    told.append(_line("effect", mode[:1].lower() + mode[1:] if mode else ""))
    told.append(_line("importance", fact.importance))
    told.append(_line("note", ", ".join(_FLAGS[f] for f in fact.flags if f in _FLAGS)))
    told.append(_line("versions", _versions(plane)))
    told += [_line("changed", _change(change, fact)) for change in plane.changes]
    return "".join(told)


def _versions(plane: InPlane) -> str:
    since = f"since Kafka {plane.since}" if plane.since else ""
    gone = f"removed in {plane.gone}" if plane.gone else ""
    told = ", ".join(word for word in (since, gone) if word)
    return told or f"all from {catalogue.oldest()} to {catalogue.newest()}"


def _default(fact: Fact, default: str) -> str:
    if default == catalogue.REQUIRED:
        return "none, required"
    if default == catalogue.NULL:
        return "not set"
    if default == catalogue.PLATFORM:
        return "depends on the machine"
    return words.shown(fact.key, fact.type, default[1:])


def _change(change: Change, fact: Fact) -> str:
    if change.what == "flag":
        return f"{change.since}: {change.now or f'no longer {change.was}'}"
    if change.what == "default":
        was, now = _default(fact, change.was), _default(fact, change.now)
    elif change.what == "valid":
        was, now = takes(fact, change.was) or "any", takes(fact, change.now) or "any"
    elif change.what == "mode":
        was, now = change.was, change.now
    else:
        was, now = (words.TYPES.get(kind, kind) for kind in (change.was, change.now))
    what = {"mode": "update"}.get(change.what, change.what)
    if was == now:
        # Another check of Kafka's own, which its name does not tell.
        return ""
    told = f"{change.since}: {what} {was}, then {now}"
    told += f": {change.effect}" if change.effect else ""
    return told + (f" ({change.source})" if change.source else "")


def _around(key: Key) -> list[tuple[str, str]]:
    """(label, what is told) of everything beside the planes."""
    found = [("instead", listed([part for part in pair if part])) for pair in key.successors]
    found += _inheritance(key)
    if key.denied:
        found.append(("rejected", f"by share consumers, since Kafka {key.denied}"))
    for plane, here, note in key.elsewhere:
        told = f"for a {plane} it is {listed(here.split(','))}" if here else f"not for a {plane}"
        found.append(("elsewhere", f"{told}: {note}" if note else told))
    found += _images(key)
    for where, since, instead in key.dropped:
        told = f"not passed on from {where}"
        told += f" since {since}" if since else ""
        found.append(("Strimzi", told + (f"; use {instead}" if instead else "")))
    for library, names, _relation, note in key.libraries:
        told = listed(list(names)) if names else "has no such key"
        found.append((library, f"{told}: {note}" if note else told))
    if key.spring:
        found.append(("Spring", listed(key.spring)))
    return found


def _inheritance(key: Key) -> Iterator[tuple[str, str]]:
    """Where the key takes its value from if it is not set, and which keys take theirs from it."""
    if key.takes_from:
        chain = ", then ".join(_heir(heir, key) for heir in key.takes_from)
        yield "inherits", f"if not set: {chain}"
    by_plane: dict[str, list[str]] = {}
    for heir in key.gives_to:
        by_plane.setdefault(heir.plane, []).append(_heir(heir, key))
    if "topic" in by_plane:
        yield "default of", f"topics that do not set {listed(by_plane['topic'])}"
    if "broker" in by_plane:
        yield "default of", f"{listed(by_plane['broker'])} if that is not set"


def _images(key: Key) -> Iterator[tuple[str, str]]:
    """The variables of images that set the key, and what images set it to by themselves."""
    for variable, images in key.variables.items():
        yield "variable", f"{variable} of {listed(images)}"
    by_value: dict[str, list[str]] = {}
    for image, value in key.preset:
        by_value.setdefault(value, []).append(image)
    for value, images in by_value.items():
        yield "image", f"{value or 'an empty value'} unless set, in {listed(images)}"


def _heir(heir: Heir, key: Key) -> str:
    told = f"{heir.key} of the brokers" if heir.plane == "broker" and _of_topic(key) else heir.key
    about: list[str] = []
    if heir.unit:
        # The finer key's unit is the other one.
        about.append(heir.unit if heir in key.takes_from else f"1 here is {heir.factor:,} there")
    if heir.versions:
        since, dash, until = heir.versions.partition("-")
        about.append(f"Kafka {since} to {until}" if until else f"Kafka {since}{dash and ' on'}")
    return told + (f" ({', '.join(about)})" if about else "")


def _of_topic(key: Key) -> bool:
    return any("topic" in plane.planes for plane in key.planes)


def _rules(rules: list[Weighed], heading: Callable[[str], str]) -> str:
    lines = [f"{heading('Rules that check it')}:\n"]
    for one in rules[:_MOST]:
        through = f" (through {one.through})" if one.through else ""
        lines.append(f"  {one.rule.code} {one.rule.name}{through}\n")
    if len(rules) > _MOST:
        codes = ",".join(one.rule.code for one in rules[_MOST:])
        lines.append(_wrapped(f"and {codes}", "  ", "  ", break_at=","))
    return "".join(lines)


def _line(label: str, told: str) -> str:
    """``  label   what is told``, on as many lines as it takes; nothing where nothing is told."""
    if not told:
        return ""
    return _wrapped(told, f"  {label:<{_LABEL - 2}} ", " " * (_LABEL + 1))


def _wrapped(told: str, first: str = "", rest: str = "", break_at: str = "") -> str:
    if break_at:
        told = told.replace(break_at, f"{break_at} ")
    return (
        fill(
            printable(told),
            _COLUMNS,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )
        + "\n"
    )


# -- JSON -----------------------------------------------------------------------------------------


def record(key: Key, rules: list[Weighed]) -> dict[str, object]:
    """The key as JSON has it, with the catalogue's own texts of defaults and bounds."""
    return {
        "name": key.prefix + key.key,
        "key": key.key,
        "prefix": key.prefix or None,
        "unit": unit_of(key.key) or None,
        "note": key.note or None,
        "covers": list(key.covers),
        "planes": [_plane_record(plane) for plane in key.planes],
        "inherits": [_heir_record(heir) for heir in key.takes_from],
        "gives_to": [_heir_record(heir) for heir in key.gives_to],
        "instead": [{"keys": keys, "note": note or None} for keys, note in key.successors],
        "not_for": [
            {"plane": plane, "keys": here.split(",") if here else [], "note": note or None}
            for plane, here, note in key.elsewhere
        ],
        "variables": key.variables,
        "preset": [{"image": image, "value": value} for image, value in key.preset],
        "strimzi": [
            {"where": where, "since": since or None, "instead": instead or None}
            for where, since, instead in key.dropped
        ],
        "libraries": [
            {"library": library, "keys": list(names), "relation": relation, "note": note or None}
            for library, names, relation, note in key.libraries
        ],
        "spring": key.spring,
        "refused_by_share_consumers": key.denied or None,
        "rules": [
            {
                "code": one.rule.code,
                "name": one.rule.name,
                "severity": one.rule.severity,
                "summary": one.rule.summary,
                "through": one.through or None,
            }
            for one in rules
        ],
    }


def _plane_record(plane: InPlane) -> dict[str, object]:
    return {
        "planes": plane.planes,
        "since": plane.since or None,
        "gone": plane.gone or None,
        "history": [
            {
                "since": fact.since,
                "until": fact.until,
                "type": fact.type,
                "default": fact.default_text,
                "required": fact.default == catalogue.REQUIRED,
                "valid": fact.valid or None,
                "importance": fact.importance or None,
                "update": fact.mode or None,
                "flags": fact.flags,
            }
            for fact in plane.history
        ],
        "changes": [
            {
                "since": change.since,
                "what": change.what,
                "was": change.was,
                "now": change.now,
                "effect": change.effect or None,
                "source": change.source or None,
            }
            for change in plane.changes
        ],
    }


def _heir_record(heir: Heir) -> dict[str, object]:
    return {
        "key": heir.key,
        "plane": heir.plane,
        "factor": heir.factor,
        "versions": heir.versions or None,
    }
