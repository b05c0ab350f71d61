"""Which rules run under some settings, looked up scope by scope when something is met."""

from __future__ import annotations

from collections.abc import Container

from kcheck import registry, rules
from kcheck.bounded_cache import BoundedCache
from kcheck.graph.nodes import Node
from kcheck.likeness import Enabled
from kcheck.rule import registered
from kcheck.settings import Settings


class Plan:
    """The rules that are on, looked up when something is met that they look at."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._by_scope: dict[str, list[Enabled]] = {}
        #: The same without modules of which nothing was met yet, and these with their keys.
        self._met: dict[str, list[Enabled]] = {}
        self._waiting: dict[str, dict[str, frozenset[str]]] = {}
        self._noted: dict[str, Enabled] | None = None

    def of(self, scope: str) -> list[Enabled]:
        """The rules that look at what is called so."""
        found = self._by_scope.get(scope)
        if found is None:
            found = self._by_scope[scope] = self._enabled(scope)
        return found

    def on(self, scope: str, node: Node) -> list[Enabled]:
        """The same, perhaps without such as are about keys that the node does not set."""
        waiting = self._waiting.get(scope)
        if waiting is None:
            waiting = self._waiting[scope] = rules.about(scope)
        met = [module for module, keys in waiting.items() if node.sets_any(keys)]
        for module in met:
            del waiting[module]
        found = None if met else self._met.get(scope)
        if found is None:
            found = self._met[scope] = self._enabled(scope, waiting)
        return found

    def _enabled(self, scope: str, but: Container[str] = ()) -> list[Enabled]:
        settings = self._settings
        return [
            (rule, settings.options(rule))
            for rule in registry.looking_at(scope, settings, but)
            if settings.enabled(rule)
        ]

    def noted(self, code: str) -> Enabled | None:
        """The rule that tells what a format noted under this code, if it is on."""
        if self._noted is None:
            self._noted = {pair[0].code: pair for pair in self.of("Note")}
        return self._noted.get(code)


#: By what decides which rules run, all that there are among it: whoever lints many projects alike
#: finds them once.
_plans: dict[tuple[object, ...], Plan] = BoundedCache(16)


def plan_of(settings: Settings) -> Plan:
    """The plan of these settings: the same one for all that let the same rules run."""
    if settings.rule_options or settings.own:
        return Plan(settings)
    known = tuple(registered().values())
    likeness = (settings.sets, settings.selected, settings.plugins, known)
    found = _plans.get(likeness)
    if found is None:
        found = _plans[likeness] = Plan(settings)
    return found
