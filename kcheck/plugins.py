"""Rules of other packages: installed entry points of the group ``kcheck.rules``, by their names.

Nothing is loaded that is not installed, and nothing unasked: the settings or the command line name
what takes part. An entry point is a module, or a function to call, that registers rules with
``kcheck.rule.rule`` under codes of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.rule import FAMILIES, registered

GROUP = "kcheck.rules"

_loaded: set[str] = set()
#: Why a plugin cannot take part: a module is imported only once, and tells nothing again.
_refused: dict[str, str] = {}


class PluginError(ValueError):
    """A plugin that cannot take part; the message says why."""


def load(names: Iterable[str]) -> None:
    """Load the plugins of these names, each once. Raises PluginError."""
    wanted = [name for name in dict.fromkeys(names) if name not in _loaded]
    if not wanted:
        return
    from importlib.metadata import entry_points

    from kcheck import rules

    rules.load()  # what a plugin registers is told from kcheck's own by being new
    there = {entry.name: entry for entry in entry_points(group=GROUP)}
    for name in wanted:
        if name not in there:
            known = ", ".join(sorted(there)) or "none is"
            raise PluginError(f"no plugin named {name} is installed ({known})")
        if name in _refused:
            raise PluginError(_refused[name])
        before = set(registered())
        try:
            plugin = there[name].load()
            if callable(plugin):
                plugin()
        except Exception as error:
            _forget(before)
            raise PluginError(
                f"plugin {name} cannot be loaded: {type(error).__name__}: {error}"
            ) from None
        ours = [code for code in registered() if code not in before and _is_ours(code)]
        if ours:
            _forget(before)
            _refused[name] = (
                f"plugin {name} uses a code reserved for kcheck's own families: {ours[0]}"
            )
            raise PluginError(_refused[name])
        _loaded.add(name)


def _forget(before: set[str]) -> None:
    rules = registered()
    for code in [code for code in rules if code not in before]:
        del rules[code]


def _is_ours(code: str) -> bool:
    return code.startswith("KC") and code[2:4] in FAMILIES
