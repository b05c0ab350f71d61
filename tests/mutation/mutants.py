"""The mutants of a module: every comparison, boundary and guard in it, wrong by a little.

A mutant changes one expression:

- a comparison: ``<`` becomes ``<=`` and ``>=``, ``==`` becomes ``!=``, ``in`` becomes ``not in`` …
- a bound: a number becomes one more and one less, a version the next and the one before, and
  ``at_least`` becomes ``below``;
- a guard: a condition is negated or always true or (where it guards a return) always false, an
  operand of ``and`` and ``or`` or a ``not`` is dropped, and so is a filter of a comprehension.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

#: Releases of Kafka, and what is named in code where clients are older or newer than those.
RELEASES = (
    *("0.8", "0.9", "0.10", "0.10.1", "0.10.2", "0.11", "1.0", "1.1", "2.0", "2.1", "2.2", "2.3"),
    *("2.4", "2.5", "2.6", "2.7", "2.8", "3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7"),
    *("3.8", "3.9", "4.0", "4.1", "4.2", "4.3", "4.4", "4.5"),
)
_VERSION = re.compile(r"\d+\.\d+(\.\d+)?")

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_OPPOSITE = {"at_least": "below", "below": "at_least"}
_JUMPS = (ast.Return, ast.Continue, ast.Break, ast.Raise)

#: Puts an expression in the place of another one.
_Put = Callable[[ast.expr], None]


class Mutant:
    """One change to one function or one assignment of a module.

    ``within`` is the function's qualified name or the names that are assigned. ``before`` and
    ``after`` are code: the changed expression with as much around it as it takes to know it again,
    and ``number`` tells it from others in there that read the same. ``apply`` makes the change in
    the syntax tree that it was made from, for good; ``statement`` is the piece of the module to be
    compiled after that.
    """

    __slots__ = ("after", "apply", "before", "line", "module", "number", "statement", "within")

    def __init__(
        self,
        module: str,
        within: str,
        line: int,
        before: str,
        after: str,
        statement: ast.stmt,
        apply: Callable[[], None],
    ) -> None:
        self.module = module
        self.within = within
        self.line = line
        self.before = before
        self.after = after
        self.number = 1
        self.statement = statement
        self.apply = apply

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What it is known by: the same wherever in its module the function stands."""
        return self.module, self.within, self.before, self.after, self.number

    def __repr__(self) -> str:
        return f"{self.module}.py:{self.line} {self.within}: {self.before}  →  {self.after}"


def mutants(module: str, source: str) -> list[Mutant]:
    """All mutants of a module's functions and module-level values, in their order."""
    found: list[Mutant] = []
    for statement in ast.parse(source).body:
        for within, parts in _pieces(statement):
            found += _numbered(_Sites(module, within, statement, parts).found)
    return found


def _numbered(found: list[Mutant]) -> list[Mutant]:
    seen: dict[tuple[object, ...], int] = {}
    for mutant in found:
        number = seen[mutant.key] = seen.get(mutant.key, 0) + 1
        mutant.number = number
    return found


def _pieces(statement: ast.stmt) -> Iterator[tuple[str, list[ast.AST]]]:
    """What of a statement is mutated, under the name of the function or value it makes."""
    if isinstance(statement, ast.FunctionDef):
        yield statement.name, _parts(statement)
    elif isinstance(statement, ast.ClassDef):
        for part in statement.body:
            if isinstance(part, ast.FunctionDef):
                yield f"{statement.name}.{part.name}", _parts(part)
    elif isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if (name := ", ".join(map(ast.unparse, targets))) != "TYPE_CHECKING":
            yield name, [_only_value(statement)]


def _only_value(statement: ast.Assign | ast.AnnAssign) -> ast.AST:
    if isinstance(statement, ast.AnnAssign):
        statement.annotation = ast.Constant("…")
    return statement


def _parts(function: ast.FunctionDef) -> list[ast.AST]:
    """The defaults of a function's parameters and its body, without its documentation."""
    return [function.args, *function.body[1 if ast.get_docstring(function) is not None else 0 :]]


class _Sites:
    """Walks one piece and collects its mutants."""

    def __init__(self, module: str, within: str, statement: ast.stmt, parts: list[ast.AST]) -> None:
        self.module = module
        self.within = within
        self.statement = statement
        self.found: list[Mutant] = []
        self._seen: set[tuple[object, ...]] = set()
        for part in parts:
            self._visit(part, part)

    def _visit(self, node: ast.AST, around: ast.AST) -> None:
        """Mutate what is below a node; ``around`` is the expression to show a change in."""
        if isinstance(node, (ast.If, ast.While)):
            self._condition(node, jumps=isinstance(node, ast.If) and _only_jumps(node))
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                self._expression(value, _attribute(node, name), self._scope(node, value, around))
            elif isinstance(value, list):
                for i, part in enumerate(value):
                    if isinstance(part, ast.expr):
                        self._expression(part, _item(value, i), self._scope(node, part, around))
                    elif isinstance(part, ast.AST):
                        self._visit(part, part if isinstance(part, ast.stmt) else around)
            elif isinstance(value, ast.AST) and not isinstance(
                value, (ast.expr_context, ast.cmpop)
            ):
                self._visit(value, around)

    @staticmethod
    def _scope(parent: ast.AST, part: ast.expr, around: ast.AST) -> ast.AST:
        """A number alone says nothing: it is shown with what it is compared or called with."""
        if not isinstance(parent, ast.expr) or isinstance(parent, (ast.BoolOp, ast.JoinedStr)):
            return part
        if isinstance(parent, (ast.Compare, ast.Call, ast.BinOp, ast.Subscript)):
            return around if isinstance(around, (ast.BinOp, ast.Compare)) else parent
        if isinstance(parent, (ast.UnaryOp, ast.Slice)) and isinstance(around, ast.expr):
            return around
        return part

    def _expression(self, node: ast.expr, put: _Put, around: ast.AST) -> None:
        if isinstance(node, ast.Compare):
            self._comparison(node)
        elif isinstance(node, ast.BoolOp):
            self._operands(node, put)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._change(node, put, node.operand, node)
        elif isinstance(node, ast.IfExp):
            self._condition(node, jumps=False)
        elif isinstance(node, ast.Constant):
            for value in _beside(node.value):
                self._change(node, put, ast.Constant(value), around)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if opposite := _OPPOSITE.get(node.func.attr):
                name, function = node.func.attr, node.func
                self._alter(
                    node,
                    lambda: setattr(function, "attr", opposite),
                    lambda: setattr(function, "attr", name),
                )
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            self._filters(node)
        self._visit(node, around)

    def _comparison(self, node: ast.Compare) -> None:
        for i, op in enumerate(node.ops):
            for other in _COMPARISONS[type(op)]:
                self._alter(node, _setter(node.ops, i, other()), _setter(node.ops, i, op))

    def _operands(self, node: ast.BoolOp, put: _Put) -> None:
        if isinstance(node.op, ast.Or) and _is_empty(node.values[-1]):
            return
        for i in range(len(node.values)):
            rest = [value for j, value in enumerate(node.values) if j != i]
            short = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
            self._change(node, put, short, node)

    def _condition(self, node: ast.If | ast.While | ast.IfExp, jumps: bool) -> None:
        put = _attribute(node, "test")
        test = node.test
        if not isinstance(test, ast.UnaryOp) and not (
            isinstance(test, ast.Compare)
            and len(test.ops) == 1
            and not isinstance(test.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE))
        ):
            self._change(test, put, ast.UnaryOp(ast.Not(), test), test)
        if isinstance(node, ast.If):
            always = ast.Constant(not jumps)
            self._change(test, put, always, test)

    def _filters(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        for generator in node.generators:
            for i, test in enumerate(generator.ifs):
                self._change(test, _item(generator.ifs, i), ast.Constant(True), test)

    def _change(self, node: ast.expr, put: _Put, other: ast.expr, around: ast.AST) -> None:
        ast.copy_location(other, node)
        self._alter(around, lambda: put(other), lambda: put(node), at=node, whole=other)

    def _alter(
        self,
        around: ast.AST,
        apply: Callable[[], None],
        undo: Callable[[], None],
        at: ast.expr | None = None,
        whole: ast.expr | None = None,
    ) -> None:
        """Keep a change, shown as the code of ``around`` before and after it."""
        before = ast.unparse(around)
        if around is at and whole is not None:
            after = ast.unparse(whole)
        else:
            apply()
            after = ast.unparse(around)
            undo()
        place = at or around
        line = getattr(place, "lineno", 0)
        likeness = (line, getattr(place, "col_offset", 0), before, after)
        if likeness not in self._seen and before != after:
            self._seen.add(likeness)
            self.found.append(
                Mutant(self.module, self.within, line, before, after, self.statement, apply)
            )


def _only_jumps(node: ast.If) -> bool:
    """Whether it guards the rest: ``if …: return``, whatever is said before that."""
    return not node.orelse and isinstance(node.body[-1], _JUMPS)


def _is_empty(node: ast.expr) -> bool:
    """Whether it stands for nothing, so that ``… or ""`` is no condition but a value's default."""
    if isinstance(node, ast.Constant):
        return not node.value and not isinstance(node.value, bool)
    if isinstance(node, (ast.Tuple, ast.List)):
        return not node.elts
    return isinstance(node, ast.Dict) and not node.keys


def _beside(value: object) -> list[object]:
    """The neighbours of a number or a version; nothing for anything else."""
    if type(value) is int or type(value) is float:
        return [value + 1, value - 1]
    if isinstance(value, str) and _VERSION.fullmatch(value):
        if value in RELEASES:
            at = RELEASES.index(value)
            return list(RELEASES[max(at - 1, 0) : at] + RELEASES[at + 1 : at + 2])
        head, _, last = value.rpartition(".")
        return [f"{head}.{int(last) + 1}", *([f"{head}.{int(last) - 1}"] if int(last) else [])]
    return []


def _attribute(node: ast.AST, name: str) -> _Put:
    return lambda value: setattr(node, name, value)


def _item(values: list[ast.expr], i: int) -> _Put:
    return lambda value: values.__setitem__(i, value)


def _setter(ops: list[ast.cmpop], i: int, op: ast.cmpop) -> Callable[[], None]:
    return lambda: ops.__setitem__(i, op)
