"""``kcheck.toml``, or ``[tool.kcheck]`` in ``pyproject.toml`` → settings, every mistake refused.

A setting that is misspelt and silently ignored protects nobody, so an unknown key, an unknown rule
and a wrong type end the run with the line and the nearest valid name.
"""

from __future__ import annotations

import os

from kcheck import globs, selection
from kcheck.graph.cluster import ClusterSettings
from kcheck.model import SEVERITY_RANK
from kcheck.rule import Rule
from kcheck.selection import Layer
from kcheck.settings import ClusterEntry, Ignore, Override, Settings, SettingsError, places
from kcheck.syntax import toml
from kcheck.version import parse

NAME = "kcheck.toml"
PYPROJECT = "pyproject.toml"
_SECTION = b"[tool.kcheck"

TEXT, NAMES, FLAG = "a text", "a list of texts", "true or false"
TABLE, TABLES = "a table", "a list of [[tables]]"
_WHOLE, _NUMBER = "a whole number", "a number"

#: Facts about a cluster: the key in the file, and what the graph calls it.
FACTS = {
    "kafka-version": "kafka_version",
    "client-version": "client_version",
    "environment": "environment",
    "service": "service",
}
ENVIRONMENTS = ("production", "development")
SERVICES = ("self-managed", "msk", "confluent-cloud", "event-hubs", "aiven", "redpanda", "other")

_FACTS = dict.fromkeys(FACTS, TEXT)
TOP = {
    "required-version": TEXT,
    **_FACTS,
    "select": NAMES,
    "extend-select": NAMES,
    "ignore": NAMES,
    "fail-on": TEXT,
    "exclude": NAMES,
    "baseline": TEXT,
    "require-reason": FLAG,
    "rules": TABLE,
    "overrides": TABLES,
    "clusters": TABLES,
}
CLUSTER = {"name": TEXT, "paths": NAMES, **_FACTS}
OVERRIDE = {"paths": NAMES, "ignore": NAMES, "severity": TABLE, **_FACTS}
IGNORE = {"rule": TEXT, "path": TEXT, "resource": TEXT, "until": TEXT, "reason": TEXT}
#: Keys of ``[rules.NAME]`` beside the rule's own options.
RULE = {"severity": TEXT, "ignorable": FLAG}


def find(start: str) -> str | None:
    """The settings file for a path: the nearest one at or above it, not above the git root."""
    folder = os.path.abspath(start)
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    while True:
        path = os.path.join(folder, NAME)
        if os.path.isfile(path):
            return path
        path = os.path.join(folder, PYPROJECT)
        if os.path.isfile(path) and _SECTION in _read(path, path):
            return path
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            return None
        folder = parent


def _read(path: str, name: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise SettingsError(f"{name}: {(error.strerror or str(error)).lower()}") from None


def load(path: str, rules: dict[str, Rule]) -> tuple[Settings, Layer]:
    """The settings of a file, and what it says about which rules run. Raises SettingsError."""
    name = os.path.relpath(path).replace(os.sep, "/")
    name = path if name.startswith("../") else name
    data = _read(path, name)
    try:
        text = data.decode("utf-8-sig")
        document = toml.load(text)
    except UnicodeDecodeError:
        raise SettingsError(f"{name}: not UTF-8") from None
    except toml.TomlError as error:
        raise SettingsError(f"{name}:{error.line}: not valid TOML: {error}") from None
    section: tuple[str, ...] = ()
    if os.path.basename(path) == PYPROJECT:
        section = ("tool", "kcheck")
    return _File(path, name, text, section, rules).settings(document)


class _File:
    """One settings file on its way into Settings; knows the line of everything in it."""

    def __init__(
        self, path: str, name: str, text: str, section: tuple[str, ...], rules: dict[str, Rule]
    ) -> None:
        self.name = name
        self.folder = os.path.dirname(os.path.abspath(path))
        self.rules = rules
        self.place = places(self.folder)
        self._text = text
        self._section = section
        self._lines: dict[toml.Place, int] | None = None

    def settings(self, document: dict[str, object]) -> tuple[Settings, Layer]:
        for key in self._section:
            inner = document.get(key)
            document = inner if isinstance(inner, dict) else {}
        # ``ignore`` is a list of rules and ``[[ignore]]`` a list of tables: TOML allows either.
        entries = _tables(document.get("ignore"))
        known = {**TOP, "ignore": TABLES} if entries else TOP
        self._check(document, known, (), "settings")
        self._required(document.get("required-version"))
        settings = Settings()
        settings.file = self.name
        settings.cluster = self._facts(document, ())
        settings.fail_on = self._one_of(
            document, (), "fail-on", (*reversed(SEVERITY_RANK), "never"), settings.fail_on
        )
        settings.exclude = self._names(document, "exclude")
        settings.excluded = self._matcher(settings.exclude)
        baseline = document.get("baseline")
        if baseline:
            settings.baseline = os.path.relpath(os.path.join(self.folder, str(baseline)))
        settings.require_reason = bool(document.get("require-reason"))
        self._rules(settings, document.get("rules"))
        for number, table in enumerate(_tables(document.get("clusters"))):
            settings.clusters.append(self._cluster(table, ("clusters", number)))
        for number, table in enumerate(_tables(document.get("overrides"))):
            settings.overrides.append(self._override(table, ("overrides", number)))
        for number, table in enumerate(entries):
            settings.ignores.append(self._ignore(table, ("ignore", number)))
        settings.origins = {
            key: self.where((key,))
            for key in document
            if key in TOP and TOP[key] not in (TABLE, TABLES)
        }
        return settings, Layer(
            self._selectors(document, "select"),
            self._selectors(document, "extend-select"),
            () if entries else self._selectors(document, "ignore"),
        )

    # -- what is wrong, and where -----------------------------------------------------------

    def line(self, place: toml.Place) -> int:
        if self._lines is None:
            self._lines = toml.lines(self._text)
        return toml.line_of(self._lines, (*self._section, *place))

    def where(self, place: toml.Place) -> str:
        return f"{self.name}:{self.line(place)}"

    def fail(self, place: toml.Place, message: str, word: str = "") -> SettingsError:
        """The error for a place; ``word`` is searched for below it: one element of a long list."""
        line = self.line(place)
        if word:
            for number, text in enumerate(self._text.split("\n")[line - 1 :], line):
                if f'"{word}"' in text or f"'{word}'" in text:
                    line = number
                    break
        return SettingsError(f"{self.name}:{line}: {message}")

    def _check(
        self, table: dict[str, object], known: dict[str, str], place: toml.Place, what: str
    ) -> None:
        for key, value in table.items():
            kind = known.get(key)
            if kind is None:
                near = selection.nearest(key, known)
                hint = f"did you mean {near}?" if near else "known are " + ", ".join(known)
                raise self.fail((*place, key), f"unknown key {key} in {what}; {hint}")
            if not _is(kind, value):
                raise self.fail((*place, key), f"{key} must be {kind}")

    def _one_of(
        self,
        table: dict[str, object],
        place: toml.Place,
        key: str,
        allowed: tuple[str, ...],
        default: str,
    ) -> str:
        value = table.get(key)
        if value is None:
            return default
        if value not in allowed:
            raise self.fail(
                (*place, key), f"{key} must be one of {', '.join(allowed)}, not {value}"
            )
        return str(value)

    def _needs(self, table: dict[str, object], place: toml.Place, *keys: str) -> None:
        for key in keys:
            if not table.get(key):
                raise self.fail(place, f"[[{place[0]}]] needs {key}")

    # -- the parts --------------------------------------------------------------------------

    def _names(self, table: dict[str, object], key: str) -> tuple[str, ...]:
        value = table.get(key)
        return tuple(map(str, value)) if isinstance(value, list) else ()

    def _codes(self, place: toml.Place, word: str) -> frozenset[str]:
        try:
            return selection.meant(word, self.rules)[1]
        except selection.Unknown as unknown:
            raise self.fail(place, str(unknown), word) from None

    def _selectors(self, table: dict[str, object], key: str) -> tuple[str, ...]:
        names = self._names(table, key)
        for word in names:
            self._codes((key,), word)
        return names

    def _facts(self, table: dict[str, object], place: toml.Place) -> ClusterSettings:
        self._one_of(table, place, "environment", ENVIRONMENTS, "")
        self._one_of(table, place, "service", SERVICES, "")
        for key in ("kafka-version", "client-version"):
            text = table.get(key)
            if text is not None and parse(str(text)) is None:
                raise self.fail((*place, key), f"{key} must be a version such as 3.9, not {text}")
        facts = ClusterSettings()
        for key, name in FACTS.items():
            setattr(facts, name, str(table.get(key) or ""))
        return facts

    def _required(self, wanted: object) -> None:
        from kcheck import __version__

        have = parse(__version__) or ()
        for part in str(wanted or "").split(","):
            operator = part.strip().rstrip("0123456789.")
            version = parse(part.strip()[len(operator) :])
            test = {
                ">=": lambda a, b: a >= b,
                ">": lambda a, b: a > b,
                "<=": lambda a, b: a <= b,
                "<": lambda a, b: a < b,
                "==": lambda a, b: a == b,
                "": lambda a, b: a == b,
            }.get(operator.strip())
            if part and (version is None or test is None):
                raise self.fail(
                    ("required-version",),
                    f'required-version must be like ">=0.1,<0.3", not {wanted}',
                )
            if version is not None and test is not None:
                length = max(len(have), len(version))
                if not test(_padded(have, length), _padded(version, length)):
                    raise self.fail(
                        ("required-version",),
                        f"these settings want kcheck {wanted}, this is {__version__}",
                    )

    def _rules(self, settings: Settings, tables: object) -> None:
        not_ignorable: set[str] = set()
        for word, table in tables.items() if isinstance(tables, dict) else ():
            place = ("rules", word)
            codes = self._codes(place, word)
            if not isinstance(table, dict):
                raise self.fail(place, f"[rules.{word}] must be a table")
            if len(codes) != 1:
                raise self.fail(place, f"[rules.{word}] must name one rule")
            rule = self.rules[next(iter(codes))]
            options = rule.options
            kinds = {key.replace("_", "-"): _kind(value) for key, value in options.items()}
            self._check(table, {**RULE, **kinds}, place, f"[rules.{word}]")
            severity = self._one_of(table, place, "severity", tuple(reversed(SEVERITY_RANK)), "")
            if severity:
                settings.rule_severity[rule.code] = severity
            if table.get("ignorable") is False:
                not_ignorable.add(rule.code)
            given = {
                key: _typed(options[key], table[key.replace("_", "-")])
                for key in options
                if key.replace("_", "-") in table
            }
            if given:
                settings.rule_options[rule.code] = given
            settings.rule_origins[rule.code] = self.where(place)
        settings.not_ignorable = frozenset(not_ignorable)

    def _cluster(self, table: dict[str, object], place: toml.Place) -> ClusterEntry:
        self._check(table, CLUSTER, place, "[[clusters]]")
        self._needs(table, place, "name", "paths")
        matches = self._matcher(self._names(table, "paths"))
        facts = self._facts(table, place)
        return ClusterEntry(str(table["name"]), matches, facts, self.where(place))

    def _override(self, table: dict[str, object], place: toml.Place) -> Override:
        self._check(table, OVERRIDE, place, "[[overrides]]")
        self._needs(table, place, "paths")
        ignored: set[str] = set()
        for word in self._names(table, "ignore"):
            ignored |= self._codes((*place, "ignore"), word)
        severity: dict[str, str] = {}
        given = table.get("severity")
        levels: dict[str, object] = given if isinstance(given, dict) else {}
        inside = (*place, "severity")
        for word in levels:
            level = self._one_of(levels, inside, word, tuple(reversed(SEVERITY_RANK)), "")
            severity.update(dict.fromkeys(self._codes((*inside, word), word), level))
        matches = self._matcher(self._names(table, "paths"))
        facts = self._facts(table, place)
        return Override(matches, facts, frozenset(ignored), severity, self.where(place))

    def _ignore(self, table: dict[str, object], place: toml.Place) -> Ignore:
        # TOML writes a date bare as well as in quotes.
        until = table.get("until")
        if until is not None and hasattr(until, "isoformat"):
            table = {**table, "until": str(until)}
        self._check(table, IGNORE, place, "[[ignore]]")
        self._needs(table, place, "rule", "path")
        text = {key: str(table.get(key, "")) for key in IGNORE}
        if text["until"] and not _is_date(text["until"]):
            raise self.fail(
                (*place, "until"), f"until must be a date such as 2027-01-31, not {text['until']}"
            )
        return Ignore(
            text["rule"],
            self._codes((*place, "rule"), text["rule"]),
            text["path"],
            self._matcher((text["path"],)),
            text["resource"],
            text["until"],
            text["reason"],
            self.name,
            self.line(place),
        )

    def _matcher(self, patterns: tuple[str, ...]) -> globs.Match:
        match = globs.matcher(patterns)
        place = self.place
        return lambda path: match(place(path))


def _tables(value: object) -> list[dict[str, object]]:
    if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
        return value
    return []


def _is(kind: str, value: object) -> bool:
    if kind == FLAG:
        return isinstance(value, bool)
    if kind == TABLE:
        return isinstance(value, dict)
    if kind == TABLES:
        return value == [] or bool(_tables(value))
    if kind == NAMES:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if kind == _WHOLE:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == _NUMBER:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, str)


def _kind(default: object) -> str:
    """What an option of a rule takes, told by its default."""
    if isinstance(default, bool):
        return FLAG
    if isinstance(default, int):
        return _WHOLE
    if isinstance(default, float):
        return _NUMBER
    return NAMES if isinstance(default, (tuple, list, frozenset)) else TEXT


def _typed(default: object, value: object) -> object:
    if isinstance(value, list):
        return frozenset(value) if isinstance(default, frozenset) else tuple(value)
    return float(value) if isinstance(default, float) and isinstance(value, int) else value


def _is_date(text: str) -> bool:
    from datetime import date

    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return len(text) == len("2027-01-31")


def _padded(version: tuple[int, ...], length: int) -> tuple[int, ...]:
    return (*version, *(0,) * (length - len(version)))
