"""The limits of a cluster as JSON, and the words that its text and Markdown share with it."""

from __future__ import annotations

import math

from kcheck import libraries, secrets
from kcheck.cli.show_view import facts_of
from kcheck.graph.cluster import Cluster
from kcheck.lexicon.quantities import unit_of
from kcheck.limits.assumptions import Assumed
from kcheck.limits.entry import CLASSES, FACTS, GROUPS, OVER, SOFT, TIGHT, Line
from kcheck.limits.format import BYTES, exact, share
from kcheck.limits.soft import bound
from kcheck.model import ABSENT, DEFAULT, INHERITED, Value
from kcheck.report.record import names_of, of_value
from kcheck.report.shown import named, safe
from kcheck.settings import Settings
from kcheck.wording import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: So many values with different origins are told of one key.
_FEW = 3


class View:
    """A cluster with its lines, and what is known of it as a whole."""

    def __init__(self, cluster: Cluster, lines: list[Line], settings: Settings) -> None:
        self.cluster = cluster
        self.lines = lines
        self.facts = facts_of(cluster, settings)

    def groups(self) -> list[tuple[str, list[Line]]]:
        """(title, lines) in the order of the catalogue."""
        return [
            (title, [line for line in self.lines if line.entry.group == name])
            for name, title in GROUPS.items()
        ]

    def heading(self) -> str:
        """What the figures hang on: version, brokers, environment, as far as it is known."""
        known = {name: value for name, value, _ in self.facts}
        version, brokers = known["kafka-version"], self.cluster.broker_count.number
        parts = [
            f"Kafka {version}" if version else "unknown Kafka version",
            count(int(brokers), "broker") if brokers >= 0 else "",
            count(len({id(t.resource) for t in self.cluster.topics}), "declared topic"),
            self.cluster.environment if self.cluster.environment != "unknown" else "",
        ]
        return ", ".join(filter(None, parts))

    def classes(self) -> list[tuple[str, str]]:
        """The classes of the lines, and what to do at a limit of each."""
        kinds = {line.entry.kind for line in self.lines}
        return [(name, words) for name, words in CLASSES.items() if name in kinds]

    def pressing(self) -> list[str]:
        """The limits that are over or tight, the worst first."""
        found = [line for line in self.lines if line.state in (OVER, TIGHT)]
        found.sort(key=lambda line: -line.part)
        return [f"{line.state}: {line.entry.title} ({share(line.part)})" for line in found]

    def assumed(self) -> list[Assumed]:
        """What the lines take for granted, each once, in the order of the table."""
        from kcheck.limits.assumptions import table

        found = {a.assumption.name: a for line in self.lines for a in line.assumed}
        return [found[name] for name in table() if name in found]

    def missing(self) -> list[tuple[str, list[str]]]:
        """(where to declare it, the limits that need it) of each fact that nobody tells."""
        found: dict[str, list[str]] = {}
        for name, where in FACTS.items():
            for line in self.lines:
                if name in line.missing:
                    found.setdefault(where, []).append(line.entry.title)
        return list(found.items())


def origin(value: Value) -> str:
    """Where a value comes from: ``topics.yaml:6``, ``default of Kafka 3.9`` …"""
    setting = value.setting
    if setting is not None:
        place = f"{setting.path}:{setting.at[0]}"
        if value.from_key != value.key:
            place += f" by {value.from_key}"
        return place + (", inherited" if value.origin == INHERITED else "")
    if value.origin == DEFAULT:
        library = libraries.of(value.resource.dialect).default_of
        if library:
            return f"default of {library}"
        version = value.kafka_version or ""
        return f"default of Kafka {version}" if version and "-" not in version else "default"
    return "not known" if value.origin == ABSENT else "command line"


def details(line: Line) -> list[str]:
    """What stands below a limit: source, own values with their origins, formula, notes."""
    parts = [line.source] if line.source else []
    if line.entry.kind == SOFT:
        if line.values:
            parts[-1:] = [f"{line.source}{_values(line)}"]
    else:
        parts += [f"{value.key} {_read(value)} ({origin(value)})" for _, value in line.values]
    if line.whose and line.used == line.used:
        parts.append(f"highest: {line.whose}")
    if line.formula:
        parts.append(line.formula)
    parts += line.notes
    if line.assumed:
        parts.append("assumes " + ", ".join(found.assumption.name for found in line.assumed))
    if line.missing:
        parts.append("unknown: " + ", ".join(FACTS[name] for name in line.missing))
    return parts


def at_the_wall(line: Line) -> str:
    """What happens at a limit that is over or tight, and how to get away from it; else ""."""
    if line.state not in (OVER, TIGHT):
        return ""
    told = [
        f"At the limit: {line.entry.wall}." if line.entry.wall else "",
        f"Remedy: {line.move}." if line.move else "",
    ]
    return " ".join(filter(None, told))


def _values(line: Line) -> str:
    """``(default of Kafka 3.9)``, or each value with whose it is and its origin."""
    if len(line.values) == 1:
        value = line.values[0][1]
        return _named(line, value) + f" ({origin(value)})"
    few = sorted(line.values, key=lambda pair: pair[1].number)[:_FEW]
    told = [
        f"{_shown(line, value)} of {whose}{_named(line, value)} ({origin(value)})"
        for whose, value in few
    ]
    rest = len(line.values) - len(few)
    return ": " + ", ".join(told) + (f", and {rest:,} more" if rest else "")


def _named(line: Line, value: Value) -> str:
    """The name that another library has for the key."""
    return f" as {value.key}" if value.key != line.source else ""


def _shown(line: Line, value: Value) -> str:
    if value.number == value.number:
        return exact(bound(line.source, value), line.entry.unit)
    return secrets.shown(value.key, value.text, *names_of(value)) or "?"


def _read(value: Value) -> str:
    """A fact as it is declared; a setting in its unit."""
    if value.number == value.number and unit_of(value.key) == "bytes":
        return exact(bound(value.key, value), BYTES)
    return secrets.shown(value.key, value.text, *names_of(value)) or "?"


def assumption_of(found: Assumed) -> tuple[str, str, str]:
    """(name, value with its unit, evidence or who says so)."""
    known = found.assumption
    said = found.value
    by = known.evidence if said is None else f"{origin(said)}; default {known.default}"
    # The text of a size or a rate has its own unit.
    unit = known.unit if known.kind == "number" else known.unit.partition(" ")[2]
    return known.name, f"{found.text} {unit}", by


# -- JSON -------------------------------------------------------------------------------------


def record(view: View) -> dict[str, Any]:
    """The cluster of ``--output json``: numbers as numbers, null where nothing is known."""
    return {
        "name": named(view.cluster.name),
        "facts": {
            key.replace("-", "_"): {"value": value, "from": where}
            for key, value, where in view.facts
        },
        "limits": [_line(line) for line in view.lines],
        "assumptions": [_assumption(found) for found in view.assumed()],
        "missing": [{"declare": where, "limits": titles} for where, titles in view.missing()],
    }


def _line(line: Line) -> dict[str, Any]:
    entry = line.entry
    return {
        "id": entry.id,
        "class": entry.kind,
        "group": entry.group,
        "title": entry.title,
        "unit": entry.unit or None,
        "limit": _number(line.limit),
        "unlimited": math.isinf(line.limit),
        "text": safe(line.limit_text),
        "used": _number(line.used),
        "used_is_least": line.least,
        "used_by": named(line.whose) if line.whose else None,
        "part": _number(line.part),
        "headroom": _number(line.limit - line.used),
        "state": line.state or None,
        "estimate": line.estimate,
        "default": line.default or None,
        "values": [{"of": named(whose) or None, **of_value(value)} for whose, value in line.values],
        "formula": line.formula or None,
        "assumptions": [found.assumption.name for found in line.assumed],
        "missing": [FACTS[name] for name in line.missing],
        "notes": [safe(note) for note in line.notes],
        "source": line.source or None,
        "at_the_limit": entry.wall or None,
        "move": line.move or None,
        "invariants": list(entry.invariants),
    }


def _number(number: float) -> float | int | None:
    if not math.isfinite(number):
        return None
    return int(number) if number == int(number) else number


def _assumption(found: Assumed) -> dict[str, Any]:
    known = found.assumption
    return {
        "name": known.name,
        "value": _number(found.number),
        "unit": known.unit,
        "words": known.words,
        "default": known.default,
        "evidence": known.evidence,
        "source": known.source,
        "from": origin(found.value) if found.value is not None else "default",
    }
