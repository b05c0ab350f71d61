"""``kcheck.toml``, or ``[tool.kcheck]`` in ``pyproject.toml`` → settings, every mistake refused.

A setting that is misspelt and silently ignored protects nobody, so an unknown key, an unknown rule
and a wrong type end the run with the line and the nearest valid name.
"""

from __future__ import annotations

import os

from kcheck import __version__, globs, selection
from kcheck.model import SEVERITY_RANK
from kcheck.paths import git_root, inside, places
from kcheck.rule import Rule
from kcheck.selection import Layer
from kcheck.settings import (
    PYPROJECT,
    ClusterEntry,
    ClusterSettings,
    Ignore,
    Override,
    Settings,
    SettingsError,
    merged,
    read,
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


#: Patterns and tables cost more than text.
_MOST_BYTES = 250_000


def load(path: str, rules: dict[str, Rule]) -> tuple[Settings, list[Layer]]:
    """The settings of a file, over those of the one that it extends, and what each of them says
    about which rules run, the farthest first. Raises SettingsError.

    ``rules`` are those that there are; plugins and ``[[require]]`` entries add theirs.
    """
    return _load(path, rules, os.path.dirname(os.path.abspath(path)), ())


def _parsed(path: str, name: str) -> tuple[str, dict[str, object]]:
    """The text of a file and the tables in it."""
    data = read(path, name)
    if len(data) > _MOST_BYTES:
        raise SettingsError(f"{name}:1: larger than {_MOST_BYTES:,} B, the limit for settings")
    try:
        text = data.decode("utf-8-sig")
        return text, toml.load(text)
    except UnicodeDecodeError:
        raise SettingsError(f"{name}: not UTF-8") from None
    except toml.TomlError as error:
        raise SettingsError(f"{name}:{error.line}: not valid TOML: {error}") from None


def _target(path: str, extends: str, chain: tuple[str, ...], file: _File) -> str:
    """The file that the one at ``path`` extends."""
    target = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(path)), extends))
    if target in chain:
        raise file.fail(("extends",), f"extends {extends} is circular")
    if not os.path.isfile(target):
        fault = "is not a regular file" if os.path.exists(target) else "no such file"
        raise file.fail(("extends",), f"extends {extends}: {fault}")
    return target


def _load(
    path: str, rules: dict[str, Rule], folder: str, chain: tuple[str, ...]
) -> tuple[Settings, list[Layer]]:
    """``folder`` is where all patterns start: that of the first file, which extends the others."""
    name = os.path.relpath(path).replace(os.sep, "/")
    name = path if name.startswith("../") else name
    text, document = _parsed(path, name)
    section: tuple[str, ...] = ()
    if os.path.basename(path) == PYPROJECT:
        section = ("tool", "kcheck")
    file = _File(folder, name, text, section, rules)
    for key in section:
        inner = document.get(key)
        document = inner if isinstance(inner, dict) else {}
    wider: Settings | None = None
    layers: list[Layer] = []
    extends = document.get("extends")
    if isinstance(extends, str) and extends:
        chain = (*chain, os.path.abspath(path))
        target = _target(path, extends, chain, file)
        wider, layers = _load(target, rules, folder, chain)
    settings, layer = file.settings(document, wider.gates if wider is not None else {})
    if wider is not None and not inside(os.path.realpath(target), around := _around(folder)):
        told = f"{file.where(('extends',))}: extends {extends} is outside {around}"
        settings = settings.but(outside=(told,))
    if wider is not None:
        settings = _widened(settings, wider, document)
    return settings, [*layers, layer]


def _widened(settings: Settings, wider: Settings, said: dict[str, object]) -> Settings:
    """The settings with what those say that they extend; where both speak, the nearer win."""
    options = dict(settings.rule_options)
    for code, given in wider.rule_options.items():
        options[code] = {**given, **options.get(code, {})}
    return settings.but(
        cluster=merged(settings.cluster, wider.cluster),
        fail_on=settings.fail_on if "fail-on" in said else wider.fail_on,
        gate=settings.gate or wider.gate,
        gates={**wider.gates, **settings.gates},
        exclude=(*wider.exclude, *settings.exclude),
        excluded=_either(wider.excluded, settings.excluded),
        baseline=settings.baseline or wider.baseline,
        # What the wider settings insist on is not for these to give up.
        require_reason=settings.require_reason or wider.require_reason,
        not_ignorable=settings.not_ignorable | wider.not_ignorable,
        rule_severity={**wider.rule_severity, **settings.rule_severity},
        rule_origins={**wider.rule_origins, **settings.rule_origins},
        own={**wider.own, **settings.own},
        origins={**wider.origins, **settings.origins},
        rule_options=options,
        clusters=(*settings.clusters, *wider.clusters),
        overrides=(*wider.overrides, *settings.overrides),
        ignores=(*wider.ignores, *settings.ignores),
        plugins=(*wider.plugins, *settings.plugins),
        outside=(*settings.outside, *wider.outside),
    )


def _around(folder: str) -> str:
    """What settings may extend without being asked: what lies beside the repository, or in it."""
    here = os.path.realpath(folder)
    return os.path.dirname(git_root(here) or here)


def _either(one: globs.Match, other: globs.Match) -> globs.Match:
    return lambda path: one(path) or other(path)


class _File:
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
