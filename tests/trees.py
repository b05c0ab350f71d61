"""Python's own trees of the modules of a checkout: parsed once for all tests that look at code."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path


@cache
def parsed(path: Path) -> ast.Module:
    """A module's tree, which several tests walk and none may change."""
    collects = gc.isenabled()
    # A tree is nothing but objects that stay: to look among them for garbage doubles the time.
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        if collects:
            gc.enable()


def below(node: ast.AST) -> list[ast.AST]:
    """The node and all nodes below it, as ``ast.walk`` yields them in another order and in half
    the time."""
    found: list[ast.AST] = []
    left = [node]
    while left:
        one = left.pop()
        found.append(one)
        for name in one._fields:
            held = getattr(one, name, None)
            if held.__class__ is list:
                left += [inner for inner in held if isinstance(inner, ast.AST)]
            elif isinstance(held, ast.AST):
                left.append(held)
    return found


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All nodes of a module."""
    return below(parsed(path))
