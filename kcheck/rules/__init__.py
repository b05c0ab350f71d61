"""kcheck's own rules: a folder per family, ``shared`` for what several families need."""

from __future__ import annotations

from collections.abc import Container, Iterable
from importlib import import_module

from kcheck.rule import Rule, registered
from kcheck.rules.index import KEYS, MODULES

_loaded: set[str] = set()


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
    _load(
        module
        for module, scopes in MODULES.items()
        if scope in scopes.split() and module not in but
    )
    return [rule for _, rule in sorted(registered().items()) if scope in rule.scopes]


def _load(modules: Iterable[str]) -> None:
    for module in modules:
        if module not in _loaded:  # even a module that is there is slow to import
            import_module(f"kcheck.rules.{module}")
            _loaded.add(module)
