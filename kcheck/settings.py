"""What a run is told: which rules, which severities, which clusters, what to leave out."""

from __future__ import annotations

import os

from kcheck import regular
from kcheck.globs import Match, nothing
from kcheck.rule import DEFAULT_SET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypedDict, TypeVar, Unpack

    from kcheck.gates import Gate
    from kcheck.rule import Rule

    _Entry = TypeVar("_Entry", "ClusterEntry", "Override", "Ignore")

    class Said(TypedDict, total=False):
        """The attributes of Settings, each with its type: see there what they mean."""

        told: ClusterSettings
        cluster: ClusterSettings
        sets: tuple[str, ...]
        selected: frozenset[str] | None
        fail_on: str
        gate: Gate | None
        gates: Mapping[str, Gate]
        exclude: tuple[str, ...]
        excluded: Match
        baseline: str
        require_reason: bool
        rule_severity: Mapping[str, str]
        rule_options: Mapping[str, dict[str, object]]
        rule_origins: Mapping[str, str]
        not_ignorable: frozenset[str]
        clusters: tuple[ClusterEntry, ...]
        overrides: tuple[Override, ...]
        ignores: tuple[Ignore, ...]
        own: Mapping[str, Rule]
        plugins: tuple[str, ...]
        origins: Mapping[str, str]
        file: str
        outside: tuple[str, ...]


#: What settings say of rules that nobody speaks of.
_NOTHING: Mapping[str, Any] = {}


class SettingsError(ValueError):
    """Settings that kcheck cannot follow; the message says where and what may have been meant."""


class ClusterSettings:
    """What the command line or kcheck.toml says of a cluster; empty text where it says nothing.

    ``facts`` are others of those that a declaration may hold, each with its text and what that
    means: ``brokers``, ``tenants``, ``ram`` …
    """

    __slots__ = ("client_version", "environment", "facts", "kafka_version", "service")

    def __init__(
        self,
        kafka_version: str = "",
        environment: str = "",
        service: str = "",
        client_version: str = "",
    ) -> None:
        self.kafka_version = kafka_version
        self.environment = environment
        self.service = service
        self.client_version = client_version
        self.facts: dict[str, tuple[str, object]] = {}


class ClusterEntry:
    """One ``[[clusters]]`` entry: the files that belong to a cluster, and facts about it.

    ``where`` is the file and line of the entry.
    """

    __slots__ = ("facts", "matches", "name", "where")

    def __init__(self, name: str, matches: Match, facts: ClusterSettings, where: str) -> None:
        self.name = name
        self.matches = matches
        self.facts = facts
        self.where = where


class Override:
    """One ``[[overrides]]`` entry: what is different for some paths.

    ``ignored`` are codes of rules, ``severity`` maps codes to severities.
    """

    __slots__ = ("facts", "ignored", "matches", "severity", "where")

    def __init__(
        self,
        matches: Match,
        facts: ClusterSettings,
        ignored: frozenset[str],
        severity: dict[str, str],
        where: str,
    ) -> None:
        self.matches = matches
        self.facts = facts
        self.ignored = ignored
        self.severity = severity
        self.where = where


class Ignore:
    """One ``[[ignore]]`` entry: findings that somebody decided to live with.

    ``codes`` are the rules it covers; ``matches`` takes the path of a finding as findings name
    it; an empty ``resource`` covers all resources, else it is a name or ``kind name``. ``until``
    is an ISO date or "". ``file`` and ``line`` say where the entry stands.
    """

    __slots__ = ("codes", "file", "line", "matches", "path", "reason", "resource", "rule", "until")

    def __init__(
        self,
        rule: str,
        codes: frozenset[str],
        path: str,
        matches: Match,
        resource: str,
        until: str,
        reason: str,
        file: str,
        line: int,
    ) -> None:
        self.rule = rule
        self.codes = codes
        self.path = path
        self.matches = matches
        self.resource = resource
        self.until = until
        self.reason = reason
        self.file = file
        self.line = line


class Settings:
    """What the command line and kcheck.toml say, merged. They are final: ``but`` makes others.

    The engine asks only the methods; everything is answered per path, because ``[[overrides]]``
    hang on it. Which rules there are says ``registry``, what a run looks at ``Circumstances``.
    """

    #: What the command line says of every cluster: it wins over everything.
    told: ClusterSettings
    #: What the settings file says of every cluster.
    cluster: ClusterSettings
    sets: tuple[str, ...] = (DEFAULT_SET,)
    #: The codes of the rules that run, where somebody selected any; else ``sets`` decides.
    selected: frozenset[str] | None = None
    fail_on: str = "error"
    #: Which findings fail the run beside those of ``fail_on``; None: no others.
    gate: Gate | None = None
    #: The gates that the settings file has, by name.
    gates: Mapping[str, Gate] = _NOTHING
    exclude: tuple[str, ...] = ()
    excluded: Match
    baseline: str = ""
    require_reason: bool = False
    rule_severity: Mapping[str, str] = _NOTHING
    rule_options: Mapping[str, dict[str, object]] = _NOTHING
    #: Where ``[rules.NAME]`` stands, by code.
    rule_origins: Mapping[str, str] = _NOTHING
    #: Codes of rules that no comment and no ``[[ignore]]`` may silence.
    not_ignorable: frozenset[str] = frozenset()
    clusters: tuple[ClusterEntry, ...] = ()
    overrides: tuple[Override, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    #: The rules that ``[[require]]`` entries make, by code.
    own: Mapping[str, Rule] = _NOTHING
    #: Names of the plugins that take part.
    plugins: tuple[str, ...] = ()
    #: Where each merged value was said.
    origins: Mapping[str, str] = _NOTHING
    #: The settings file as messages name it; "" where there is none.
    file: str = ""
    #: What is extended from beyond the repository's surroundings, in words for the user.
    outside: tuple[str, ...] = ()

    def __init__(self, told: ClusterSettings | None = None, /, **said: Unpack[Said]) -> None:
        """``said`` is what differs from a run without any settings."""
        self._take(
            {"told": told or ClusterSettings(), "cluster": ClusterSettings(), "excluded": nothing}
        )
        self._take(said)

    def but(self, **said: Unpack[Said]) -> Settings:
        """The same settings but for what is said here."""
        made = object.__new__(Settings)
        vars(made).update(vars(self))
        made._take(said)
        return made

    def _take(self, said: Said) -> None:
        unknown = said.keys() - Settings.__annotations__.keys()
        if unknown:
            raise TypeError(f"no such settings: {', '.join(sorted(unknown))}")
        vars(self).update(said)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"settings are final, {name} too: but() makes others")

    def enabled(self, rule: Rule) -> bool:
        """Whether the rule runs at all."""
        if self.selected is None:
            return rule.set in self.sets
        return rule.code in self.selected

    def severity(self, rule: Rule, path: str, severity: str) -> str | None:
        """The severity of a finding of this rule there; None where it is ignored."""
        severity = self.rule_severity.get(rule.code, severity)
        for override in self.overrides:
            if rule.code in override.ignored or rule.code in override.severity:
                if not override.matches(path):
                    continue
                if rule.code in override.ignored:
                    return None
                severity = override.severity[rule.code]
        return severity

    def options(self, rule: Rule) -> dict[str, object]:
        """The values of the rule's options that differ from their defaults."""
        return self.rule_options.get(rule.code, {})

    def seen_from(self, lead: str) -> Settings:
        """The same for paths that start in another folder, to which ``lead`` leads from here."""
        if lead in ("", "."):
            return self
        from copy import copy

        def there(matches: Match) -> Match:
            if matches is nothing:
                return nothing
            return lambda path: matches(_below(lead, path))

        def moved(entry: _Entry) -> _Entry:
            made = copy(entry)
            made.matches = there(entry.matches)
            return made

        return self.but(
            excluded=there(self.excluded),
            clusters=tuple(map(moved, self.clusters)),
            overrides=tuple(map(moved, self.overrides)),
            ignores=tuple(map(moved, self.ignores)),
        )

    def cluster_of(self, path: str) -> str | None:
        """The name of the cluster that the settings assign the file to."""
        for entry in self.clusters:
            if entry.matches(path):
                return entry.name
        return None

    def cluster_settings(self, name: str | None, path: str) -> ClusterSettings:
        """What the settings say of the cluster with that name, or that holds that path.

        For each fact the first layer wins that says something.
        """
        if not self.clusters and not self.overrides:
            return merged(self.told, self.cluster)
        return merged(*(facts for _, facts in self.layers(name, path)))

    def layers(self, name: str | None, path: str) -> list[tuple[str, ClusterSettings]]:
        """Who says something of a cluster, and what, the strongest first: the command line, the
        cluster's own entry, the last override for the path, then what holds for all."""
        return [
            ("command line", self.told),
            *((entry.where, entry.facts) for entry in self.clusters if entry.name == name),
            *((o.where, o.facts) for o in reversed(self.overrides) if o.matches(path)),
            (self.file, self.cluster),
        ]


def _below(lead: str, path: str) -> str:
    # A folder keeps the slash at its end, by which patterns tell it from a file.
    whole = f"{lead}/{path}"
    return os.path.normpath(whole) if path.startswith("..") else whole


def merged(*layers: ClusterSettings) -> ClusterSettings:
    """For each fact what the first layer says that says something."""

    def first(fact: str) -> str:
        for layer in layers:
            text: str = getattr(layer, fact)
            if text:
                return text
        return ""

    found = ClusterSettings(*map(first, FACTS))
    for layer in reversed(layers):
        if layer.facts:
            found.facts = {**found.facts, **layer.facts}
    return found


#: The facts about a cluster, in the order of ClusterSettings' parameters.
FACTS = ("kafka_version", "environment", "service", "client_version")


NAME = "kcheck.toml"
PYPROJECT = "pyproject.toml"
_SECTION = b"[tool.kcheck"
#: The largest settings file: nobody wrote a larger one.
_MOST = 2_000_000


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
        if os.path.isfile(path) and _SECTION in read(path, path):
            return path
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            return None
        folder = parent


def read(path: str, name: str) -> bytes:
    """The bytes of a settings file, which messages call ``name``. Raises SettingsError."""
    try:
        return regular.read(path, _MOST)
    except OSError as error:
        raise SettingsError(f"{name}: {(error.strerror or str(error)).lower()}") from None
