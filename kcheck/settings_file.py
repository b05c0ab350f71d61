"""``kcheck.toml``, or ``[tool.kcheck]`` in ``pyproject.toml`` → settings, every mistake refused.

A setting that is misspelt and silently ignored protects nobody, so an unknown key, an unknown rule
and a wrong type end the run with the line and the nearest valid name.
"""

from __future__ import annotations

import os

from kcheck import globs
from kcheck.paths import git_root, inside
from kcheck.rule import Rule
from kcheck.selection import Layer
from kcheck.settings import (
    PYPROJECT,
    Settings,
    SettingsError,
    merged,
    read,
)
from kcheck.settings_tables import SettingsTables
from kcheck.syntax import toml

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


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


def _target(path: str, extends: str, chain: tuple[str, ...], file: SettingsTables) -> str:
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
    file = SettingsTables(folder, name, text, section, rules)
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
