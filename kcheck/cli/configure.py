"""Command line + settings file → the settings of a run."""

from __future__ import annotations

import os

from kcheck.cli import run
from kcheck.cli.options import Options
from kcheck.cli.run import Stop
from kcheck.settings import FACTS, ClusterSettings, Settings, SettingsError, find
from kcheck.version import parse


def configured(options: Options, start: str) -> Settings:
    """The settings for what lies at ``start``: the command line over the settings file.

    Raises Stop or SettingsError for what cannot be followed. Commands that lack an option are
    taken as if it was not given.
    """
    from_line = (
        words(options, "select"),
        words(options, "extend_select"),
        words(options, "ignore"),
    )
    preview = getattr(options, "preview", False)
    path = _file(options, start)
    added = words(options, "plugin")
    if path is None and not any(from_line) and not preview and not added:
        settings = Settings()
    else:
        settings = _with_rules(path, *from_line, preview, added)
    if settings.outside and not getattr(options, "allow_outside", False):
        for remark in settings.outside:
            run.say(f"{remark}; a later version will allow that only with --allow-outside")
    told = _cluster_settings(options)
    names = [fact.replace("_", "-") for fact in FACTS if getattr(told, fact)]
    fail_on: str = getattr(options, "fail_on", "")
    if fail_on:
        names.append("fail-on")
    origins = {**settings.origins, **{name: f"--{name}" for name in names}}
    gate: str = getattr(options, "gate", "")
    if gate:
        settings, origins = _gated(settings, gate), {**origins, "gate": "--gate"}
    if settings.gate is not None and settings.gate.fail_on:
        # What the gate says wins over what holds where there is none.
        settings = settings.but(fail_on=settings.gate.fail_on)
    return settings.but(told=told, fail_on=fail_on or settings.fail_on, origins=origins)


def _gated(settings: Settings, name: str) -> Settings:
    """The settings with the gate of that name. Raises Stop."""
    from kcheck import gates, registry

    try:
        return settings.but(gate=gates.named(name, settings.gates, registry.known(settings)))
    except KeyError as unknown:
        raise Stop(f"--gate: {unknown.args[0]}") from None


def require_rules(settings: Settings, changes: bool = True, upgrades: bool = False) -> None:
    """Raise Stop where no rule is left that this run could ask: it would find nothing for ever.

    ``changes`` says that it compares with an older state, ``upgrades`` with another version.
    """
    if settings.selected is None:
        return
    from kcheck import registry

    left = [rule for rule in registry.known(settings).values() if settings.enabled(rule)]
    if not left:
        origins = settings.origins
        who = [
            origins[name] if origins[name].startswith("--") else f"{origins[name]} ({name})"
            for name in ("select", "extend-select", "ignore")
            if name in origins
        ]
        raise Stop(f"no rule is left to run: see {' and '.join(who)}")
    if not changes and all(rule.family == "change" for rule in left):
        raise Stop(
            "no rule is left to run: those selected compare with an older state "
            "(--since REF or --since-state FILE)"
        )
    if not upgrades and all(rule.scopes == ("Upgrade",) for rule in left):
        raise Stop("no rule is left to run: those selected compare two versions (kcheck upgrade)")


def words(options: Options, name: str) -> tuple[str, ...]:
    """The words of a repeatable option whose values may hold several, parted by commas."""
    given = getattr(options, name, ())
    return tuple(word.strip() for text in given for word in text.split(",") if word.strip())


def _file(options: Options, start: str) -> str | None:
    """The settings file to read: a named one, none at all, or the nearest."""
    if options.isolated:
        if options.config:
            raise Stop("--isolated and --config are mutually exclusive")
        return None
    named: str = options.config or os.environ.get("KCHECK_CONFIG", "")
    if named:
        if not os.path.exists(named):
            source = "--config" if options.config else "KCHECK_CONFIG"
            raise SettingsError(f"{source} {named}: no such file")
        return named
    return find(start)


def _with_rules(
    path: str | None,
    select: tuple[str, ...],
    extend: tuple[str, ...],
    ignore: tuple[str, ...],
    preview: bool,
    added: tuple[str, ...],
) -> Settings:
    if added:
        from kcheck import plugins

        try:
            plugins.load(added)
        except plugins.PluginError as error:
            raise Stop(f"--plugin: {error}") from None
    if path is None and not (select or extend or ignore or preview):
        # All that is on by default, of which no more is loaded than runs.
        return Settings(plugins=added)
    from kcheck import rules, selection

    known = rules.load()
    layers: list[selection.Layer] = []
    settings = Settings()
    if path is not None:
        from kcheck import settings_file

        settings, layers = settings_file.load(path, known)
    if preview:
        extend = (*extend, "preview")
    layers.append(selection.Layer(select, extend, ignore))
    try:
        selected = selection.selected(layers, known)
    except selection.Unknown as unknown:
        raise Stop(f"{unknown}") from None
    given = (("select", select), ("extend-select", extend), ("ignore", ignore))
    return settings.but(
        selected=selected,
        plugins=(*settings.plugins, *added),
        origins={**settings.origins, **{name: f"--{name}" for name, words in given if words}},
    )


def _cluster_settings(options: Options) -> ClusterSettings:
    told = ClusterSettings()
    for fact in FACTS:
        text = getattr(options, fact, "")
        if text and fact.endswith("_version") and parse(text) is None:
            name = fact.replace("_", "-")
            raise Stop(f"--{name} must be a version such as 3.9, not {text}")
        setattr(told, fact, text)
    return told
