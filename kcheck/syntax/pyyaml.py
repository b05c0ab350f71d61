"""PyYAML, imported without the patterns of its own reader and resolver; its nodes are ours, too.

libyaml reads and kcheck resolves nothing, so that none of these patterns is ever used; to compile
them takes a fifth of the time of linting a small file. While PyYAML is imported its patterns are
put off until somebody uses one, which is all that changes, for whoever else uses it.
"""

from __future__ import annotations

import re
import sys

from kcheck.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Later:
    """A pattern that is compiled when it is first used."""

    __slots__ = ("_compile", "_made", "_told")

    def __init__(self, compile: Any, pattern: Any, flags: Any) -> None:
        self._compile = compile
        self._told = (pattern, flags)
        self._made: Any = None

    def __getattr__(self, name: str) -> Any:
        if self._made is None:
            self._made = self._compile(*self._told)
        return getattr(self._made, name)


def _taken() -> None:
    """Make PyYAML's kinds of nodes kinds of kcheck's, which adds no more than what they are."""
    from yaml import nodes as theirs

    for mine in (nodes.ScalarNode, nodes.MappingNode, nodes.SequenceNode):
        kind = getattr(theirs, mine.__name__)
        if not issubclass(kind, mine):
            kind.__bases__ = (*kind.__bases__, mine)


def _imported() -> None:
    if "yaml" in sys.modules:
        return
    compile = re.compile

    def later(pattern: Any, flags: Any = 0) -> Any:
        return _Later(compile, pattern, flags)

    re.compile = later
    try:
        import yaml  # noqa: F401
    finally:
        re.compile = compile


_imported()
_taken()
