"""libyaml's reader as PyYAML gives it: all of YAML, for texts that are not plain.

It composes the nodes; the resolver that would turn ``1e3`` or ``yes`` into something else is switched
off, which is also half of the time saved. Nodes are PyYAML's own.
"""

from __future__ import annotations

import operator

from kcheck.syntax import pyyaml  # noqa: F401  before PyYAML itself

import yaml  # isort: skip

from kcheck.model import Problem
from kcheck.syntax.nodes import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from yaml.nodes import Node as Composed

if yaml.__with_libyaml__:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]

    class _Composer(CParser):
        """libyaml's parser and composer, with no resolver behind them."""

        def resolve(self, kind: object, value: object, implicit: object) -> str:
            return ""

        # Called with two values, and with none, for every node: what is written in C and does
        # nothing of note is called in a fourth of the time of a function of Python.
        descend_resolver = operator.is_
        ascend_resolver = tuple
else:  # pragma: no cover - PyYAML without libyaml: the same nodes, some sixteen times slower
    from yaml.composer import Composer
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class _Composer(Reader, Scanner, Parser, Composer):  # type: ignore[no-redef]
        """PyYAML's own parser and composer, with no resolver behind them."""

        def __init__(self, stream: bytes) -> None:
            Reader.__init__(self, stream)
            Scanner.__init__(self)
            Parser.__init__(self)
            Composer.__init__(self)

        def resolve(self, kind: object, value: object, implicit: object) -> str:
            return ""

        def descend_resolver(self, node: object, index: object) -> None:
            return

        def ascend_resolver(self) -> None:
            return


def documents(data: bytes) -> tuple[list[Node], Problem | None]:
    """All documents of a file up to the first error; an anchor may be defined again."""
    found, problem = _composed(_Composer, data)
    if problem is not None and problem.message.endswith("second occurrence"):
        found, problem = _composed(_reusing(), data)
    return found, problem


def _reusing() -> type:
    """PyYAML's own composer, which is slow, made to take the last definition of an anchor."""
    from yaml.composer import Composer
    from yaml.events import AliasEvent
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class Reusing(Reader, Scanner, Parser, Composer):
        def __init__(self, stream: bytes) -> None:
            Reader.__init__(self, stream)
            Scanner.__init__(self)
            Parser.__init__(self)
            Composer.__init__(self)

        def compose_node(self, parent: Composed | None, index: int) -> Composed | None:
            if not self.check_event(AliasEvent):
                self.anchors.pop(self.peek_event().anchor, None)  # type: ignore[no-untyped-call]
            node: Composed | None = super().compose_node(parent, index)
            return node

        def resolve(self, kind: object, value: object, implicit: object) -> str:
            return ""

        def descend_resolver(self, node: object, index: object) -> None:
            return

        def ascend_resolver(self) -> None:
            return

    return Reusing


def _composed(composing: type, data: bytes) -> tuple[list[Node], Problem | None]:
    found: list[Node] = []
    try:
        composer = composing(data)
        while composer.check_node():
            node = composer.get_node()
            if node is not None:
                found.append(node)
    except yaml.reader.ReaderError as error:
        offset = error.position if isinstance(error.position, int) else 0
        line = data[:offset].count(b"\n") + 1
        column = offset - (data[:offset].rfind(b"\n") + 1) + 1
        return found, Problem(
            f"not readable as YAML text: {error.reason}", (line, column, line, column)
        )
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        words = [word for word in (error.context, error.problem) if word]
        return found, Problem("not valid YAML: " + ", ".join(words), (line, column, line, column))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return found, Problem(f"not valid YAML: {error}")
    return found, None
