"""The tables of one settings file, checked and turned into settings; every mistake is refused."""

from __future__ import annotations

import os

from kcheck import __version__, globs, selection
from kcheck.model import SEVERITY_RANK
from kcheck.paths import places
from kcheck.rule import Rule
from kcheck.selection import Layer
from kcheck.settings import (
    ClusterEntry,
    ClusterSettings,
    Ignore,
    Override,
    Settings,
    SettingsError,
)
from kcheck.settings_keys import (
    CLUSTER,
    ENVIRONMENTS,
    FACTS,
    GATE,
    IGNORE,
    OVERRIDE,
    REQUIRE,
    RULE,
    SERVICES,
    TABLE,
    TABLES,
    TOP,
    is_a,
    is_date,
    kind_of,
    meets,
    spelled,
    tables_in,
    typed,
)
from kcheck.syntax import toml
from kcheck.version import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kcheck.gates import Gate
    from kcheck.settings import Said


class SettingsTables:
    """One settings file on its way into Settings; knows the line of everything in it."""

    def __init__(
        self, folder: str, name: str, text: str, section: tuple[str, ...], rules: dict[str, Rule]
    ) -> None:
        self.name = name
        self.folder = folder
        self.rules = rules
        self.place = places(self.folder)
        self._text = text
        self._section = section
        self._lines: dict[toml.Place, int] | None = None

    def settings(
        self, document: dict[str, object], gates: Mapping[str, Gate]
    ) -> tuple[Settings, Layer]:
        """``gates`` are those of the settings that these extend."""
        # ``ignore`` is a list of rules and ``[[ignore]]`` a list of tables: TOML allows either.
        entries = tables_in(document.get("ignore"))
        known = {**TOP, "ignore": TABLES} if entries else TOP
        self._check(document, known, (), "settings")
        self._required(document.get("required-version"))
        # In this order: rules may be a plugin's, or the file's own.
        said: Said = {"file": self.name, "plugins": self._plugins(document)}
        own: dict[str, Rule] = {}
        origins: dict[str, str] = {}
        for number, table in enumerate(tables_in(document.get("require"))):
            made = self._require(table, ("require", number))
            own[made.code] = self.rules[made.code] = made
            origins[made.code] = self.where(("require", number))
        said["own"] = own
        said["cluster"] = self._facts(document, ())
        said["fail_on"] = self._one_of(
            document, (), "fail-on", (*reversed(SEVERITY_RANK), "never"), Settings.fail_on
        )
        said["exclude"] = self._names(document, "exclude")
        said["excluded"] = self._matcher(said["exclude"], ("exclude",))
        baseline = document.get("baseline")
        if baseline:
            said["baseline"] = os.path.relpath(os.path.join(self.folder, str(baseline)))
        said["require_reason"] = bool(document.get("require-reason"))
        self._rules(said, origins, document.get("rules"))
        self._gates(said, document, dict(gates))
        said["clusters"] = tuple(
            self._cluster(table, ("clusters", number))
            for number, table in enumerate(tables_in(document.get("clusters")))
        )
        said["overrides"] = tuple(
            self._override(table, ("overrides", number))
            for number, table in enumerate(tables_in(document.get("overrides")))
        )
        said["ignores"] = tuple(
            self._ignore(table, ("ignore", number)) for number, table in enumerate(entries)
        )
        said["origins"] = {
            key: self.where((key,))
            for key in document
            if key in TOP and TOP[key] not in (TABLE, TABLES)
        }
        return Settings(**said), Layer(
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
                hint = f"did you mean {near}?" if near else "known keys are " + ", ".join(known)
                raise self.fail((*place, key), f"unknown key {key} in {what}; {hint}")
            if not is_a(kind, value):
                near = spelled(kind, value)
                hint = f": write {key} = {near}" if near else ""
                raise self.fail((*place, key), f"{key} must be {kind}{hint}")

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
                raise self.fail(place, f"[[{place[0]}]] requires {key}")

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
        if not wanted:
            return
        verdict = meets(__version__, str(wanted))
        if verdict is None:
            message = f'required-version must be like ">=0.1,<0.3", not {wanted}'
        elif verdict:
            return
        else:
            message = f"these settings require kcheck {wanted}, but this is {__version__}"
        raise self.fail(("required-version",), message)

    def _rules(self, said: Said, origins: dict[str, str], tables: object) -> None:
        """Add what ``[rules.NAME]`` tables say, and to ``origins`` where they do."""
        not_ignorable: set[str] = set()
        severities: dict[str, str] = {}
        changed: dict[str, dict[str, object]] = {}
        for word, table in tables.items() if isinstance(tables, dict) else ():
            place = ("rules", word)
            codes = self._codes(place, word)
            if not isinstance(table, dict):
                raise self.fail(place, f"[rules.{word}] must be a table")
            if len(codes) != 1:
                raise self.fail(place, f"[rules.{word}] must name one rule")
            rule = self.rules[next(iter(codes))]
            options = rule.options
            kinds = {key.replace("_", "-"): kind_of(value) for key, value in options.items()}
            self._check(table, {**RULE, **kinds}, place, f"[rules.{word}]")
            severity = self._one_of(table, place, "severity", tuple(reversed(SEVERITY_RANK)), "")
            if severity:
                severities[rule.code] = severity
            if table.get("ignorable") is False:
                not_ignorable.add(rule.code)
            given = {
                key: typed(options[key], table[key.replace("_", "-")])
                for key in options
                if key.replace("_", "-") in table
            }
            if given:
                changed[rule.code] = given
            origins[rule.code] = self.where(place)
        said["rule_severity"], said["rule_options"] = severities, changed
        said["rule_origins"], said["not_ignorable"] = origins, frozenset(not_ignorable)

    def _gates(self, said: Said, document: dict[str, object], known: dict[str, Gate]) -> None:
        """Add the gates that the file has, and the one that it chooses."""
        tables, chosen = document.get("gates"), document.get("gate")
        if not (tables or chosen):
            return
        from kcheck import gates

        made: dict[str, Gate] = {}
        for name, table in tables.items() if isinstance(tables, dict) else ():
            place = ("gates", name)
            if not isinstance(table, dict):
                raise self.fail(place, f"[gates.{name}] must be a table")
            self._check(table, GATE, place, f"[gates.{name}]")
            fail_on = self._one_of(table, place, "fail-on", (*reversed(SEVERITY_RANK), "never"), "")
            codes: set[str] = set()
            if extends := str(table.get("extends") or ""):
                base = self._gate((*place, "extends"), extends, known)
                codes, fail_on = {*base.rules}, fail_on or base.fail_on
            for word in self._names(table, "rules"):
                codes |= self._codes((*place, "rules"), word)
            for word in self._names(table, "except"):
                codes -= self._codes((*place, "except"), word)
            made[name] = known[name] = gates.Gate(name, frozenset(codes), fail_on)
        said["gates"] = made
        if chosen:
            said["gate"] = self._gate(("gate",), str(chosen), known)

    def _gate(self, place: toml.Place, name: str, known: dict[str, Gate]) -> Gate:
        from kcheck import gates

        try:
            return gates.named(name, known, self.rules)
        except KeyError as unknown:
            raise self.fail(place, unknown.args[0]) from None

    def _plugins(self, document: dict[str, object]) -> tuple[str, ...]:
        names = self._names(document, "plugins")
        if names:
            from kcheck import plugins
            from kcheck.rule import registered

            try:
                plugins.load(names)
            except plugins.PluginError as error:
                raise self.fail(("plugins",), str(error)) from None
            self.rules.update(registered())
        return names

    def _require(self, table: dict[str, object], place: toml.Place) -> Rule:
        from kcheck import require

        self._check(table, REQUIRE, place, "[[require]]")
        self._needs(table, place, "code", "on", "key")
        code = str(table["code"])
        letters = code.rstrip("0123456789")
        if not (letters and letters != code and letters.isascii() and letters.isalpha()):
            raise self.fail((*place, "code"), f"code must be like ORG001, not {code}")
        if not letters.isupper() or (letters == "KC" and not code.startswith("KC9")):
            raise self.fail((*place, "code"), f"{code} is reserved: use your own prefix, or KC9…")
        name = str(table.get("name") or code.lower())
        taken = next((r for r in self.rules.values() if r.code == code or r.name == name), None)
        if taken is not None:
            raise self.fail(place, f"{taken.code} {taken.name} already exists")
        self._one_of(table, place, "severity", tuple(reversed(SEVERITY_RANK)), "")
        self._one_of(table, place, "environment", ENVIRONMENTS, "")
        try:
            return require.rule(table, self._globs(table, "names", place))
        except require.Wrong as wrong:
            raise self.fail((*place, wrong.key), str(wrong)) from None

    def _cluster(self, table: dict[str, object], place: toml.Place) -> ClusterEntry:
        self._check(table, CLUSTER, place, "[[clusters]]")
        self._needs(table, place, "name", "paths")
        matches = self._matcher(self._names(table, "paths"), (*place, "paths"))
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
        matches = self._matcher(self._names(table, "paths"), (*place, "paths"))
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
        if text["until"] and not is_date(text["until"]):
            raise self.fail(
                (*place, "until"), f"until must be a date such as 2027-01-31, not {text['until']}"
            )
        return Ignore(
            text["rule"],
            self._codes((*place, "rule"), text["rule"]),
            text["path"],
            self._matcher((text["path"],), (*place, "path")),
            text["resource"],
            text["until"],
            text["reason"],
            self.name,
            self.line(place),
        )

    def _globs(self, table: dict[str, object], key: str, place: toml.Place) -> globs.Match:
        return self._match(self._names(table, key), (*place, key))

    def _match(self, patterns: tuple[str, ...], place: toml.Place) -> globs.Match:
        try:
            return globs.matcher(patterns)
        except globs.GlobError as error:
            raise self.fail(place, str(error), error.pattern) from None

    def _matcher(self, patterns: tuple[str, ...], place: toml.Place) -> globs.Match:
        match = self._match(patterns, place)
        if match is globs.nothing:
            return match
        seen_from = self.place
        return lambda path: match(seen_from(path))
