"""Which rules there are in a run: kcheck's, plugins', and those that the settings make.

Rules are loaded when somebody asks for them, and those alone that have something to look at.
Settings may have come here from another process: what they name is loaded here, too.
"""

from __future__ import annotations

from collections.abc import Container

from kcheck import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.rule import Rule
    from kcheck.settings import Settings


def known(settings: Settings) -> dict[str, Rule]:
    """All rules that there are, by code, whether they run or not."""
    _load_plugins(settings)
    return {**rules.load(), **settings.own} if settings.own else rules.load()


def looking_at(scope: str, settings: Settings, but: Container[str] = ()) -> list[Rule]:
    """Of these rules those that run on what is called ``scope``; modules ``but`` are not loaded."""
    _load_plugins(settings)
    own = (rule for rule in settings.own.values() if scope in rule.scopes)
    return [*rules.looking_at(scope, but), *own]


def _load_plugins(settings: Settings) -> None:
    if settings.plugins:
        from kcheck import plugins

        plugins.load(settings.plugins)
