"""``kcheck config``: which settings apply to one file, and where each was said."""

from __future__ import annotations

import os

from kcheck import registry
from kcheck.cli import run, table
from kcheck.cli.configure import configured
from kcheck.cli.options import Options
from kcheck.cli.run import Stop
from kcheck.paths import relative
from kcheck.report.printable import in_json, printable
from kcheck.rule import Rule
from kcheck.settings import FACTS, Settings

_DEFAULT = "default"


def config(options: Options) -> int:
    """Print the settings for one path; gives the exit code."""
    path: str = options.path or "."
    if not os.path.exists(path):
        raise Stop(f"{path}: does not exist")
    settings = configured(options, path)
    path = relative(path)
    merged = _merged(settings, path)
    states = [_state(settings, rule, path) for rule in registry.known(settings).values()]
    if options.output == "json":
        from json import dumps

        run.write(
            in_json(
                dumps(
                    {
                        "version": 1,
                        "path": path,
                        "file": settings.file or None,
                        "settings": {
                            key: {"value": value, "origin": origin} for key, value, origin in merged
                        },
                        "rules": states,
                    },
                    indent=2,
                    ensure_ascii=False,
                )
            )
            + "\n"
        )
        return run.CLEAN
    run.write(f"{printable(path)}: {printable(settings.file) or 'no settings file'}\n")
    run.write(table.lines([(key, _text(value), origin) for key, value, origin in merged], "  "))
    on = sum(bool(state["on"]) for state in states)
    run.write(f"{on} of {len(states)} rules are enabled here\n")
    run.write(table.lines([row for state in states if (row := _changed_row(state))], "  "))
    return run.CLEAN


def _merged(settings: Settings, path: str) -> list[tuple[str, object, str]]:
    """(key, value, where it was said) of everything but the rules."""
    name = settings.cluster_of(path)
    entry = next((e for e in settings.clusters if e.name == name), None)
    found: list[tuple[str, object, str]] = []
    if entry is not None:
        found.append(("cluster", name, entry.where))
    layers = settings.layers(name, path)
    for fact in FACTS:
        key = fact.replace("_", "-")
        where, facts = next(((w, f) for w, f in layers if getattr(f, fact)), ("", None))
        if facts in (settings.told, settings.cluster):
            where = settings.origins.get(key, where)
        value = getattr(facts, fact) if facts else None
        found.append((key, value, where or "not set; read from the files if they state it"))
    for key, value in (
        ("fail-on", settings.fail_on),
        ("gate", settings.gate.name if settings.gate else None),
        ("exclude", list(settings.exclude)),
        ("baseline", settings.baseline or None),
        ("require-reason", settings.require_reason),
        ("plugins", list(settings.plugins)),
    ):
        found.append((key, value, settings.origins.get(key, _DEFAULT)))
    return found


def _state(settings: Settings, rule: Rule, path: str) -> dict[str, object]:
    severity = settings.severity(rule, path, rule.severity)
    on = settings.enabled(rule)
    where = ""
    for override in settings.overrides:
        if override.matches(path) and (
            rule.code in override.ignored or rule.code in override.severity
        ):
            where = override.where
    where = where or settings.rule_origins.get(rule.code, "")
    if not on and rule.set == "default":
        where = settings.origins.get("ignore") or settings.origins.get("select", "")
    if on and rule.set != "default":
        where = settings.origins.get("extend-select") or settings.origins.get("select", "")
    return {
        "code": rule.code,
        "name": rule.name,
        "set": rule.set,
        "on": on and severity is not None,
        "severity": severity or rule.severity,
        "default_severity": rule.severity,
        "options": {**rule.options, **settings.options(rule)},
        "origin": where or _DEFAULT,
    }


def _changed_row(state: dict[str, object]) -> tuple[str, ...]:
    """A row for a rule that is not as it is by default; nothing for the others."""
    if state["origin"] == _DEFAULT:
        return ()
    return (
        str(state["code"]),
        str(state["name"]),
        str(state["severity"]) if state["on"] else "off",
        str(state["origin"]),
    )


def _text(value: object) -> str:
    if value is None or value == []:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
