"""kcheck's own rules: a folder per family, ``shared`` for what several families need."""

from __future__ import annotations

from collections.abc import Container, Iterable
from importlib import import_module

from kcheck.rule import Rule, registered
from kcheck.rules.index import KEYS, MODULES

_loaded: set[str] = set()

#: The modules with rules that look at what is called so.
_looking: dict[str, list[str]] = {}


def load() -> dict[str, Rule]:
    """All rules of kcheck by code, in the order of their codes."""
    _load(MODULES)
    return dict(sorted(registered().items()))


def about(scope: str) -> dict[str, frozenset[str]]:
    """The modules whose rules of that scope are about some keys alone, with these keys."""
    return {module: frozenset(keys.split()) for module, keys in KEYS.get(scope, {}).items()}


def looking_at(scope: str, but: Container[str] = ()) -> list[Rule]:
    """The rules that run on what is called ``scope``, in the order of their codes.

    Loads those modules alone that have any: a run over some topics needs the half of them. Modules
    in ``but`` are not loaded either.
    """
    if not _looking:
        for module, scopes in MODULES.items():
            for one in scopes.split():
                _looking.setdefault(one, []).append(module)
    _load(module for module in _looking.get(scope, ()) if module not in but)
    # First those of the scope, then in order: there are hundreds of rules.
    found = [(code, rule) for code, rule in registered().items() if scope in rule.scopes]
    return [rule for _, rule in sorted(found)]


def _load(modules: Iterable[str]) -> None:
    for module in modules:
        if module not in _loaded:  # even a module that is there is slow to import
            import_module(f"kcheck.rules.{module}")
            _loaded.add(module)
