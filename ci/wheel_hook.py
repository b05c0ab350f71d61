"""What a wheel holds of the package: its code at the same lines, without what nothing reads at run time.

hatchling calls the hook (pyproject.toml). What is left out becomes empty lines, so that a traceback
names the lines of the repository: docstrings, comments, annotations that nothing asks for, and what
only a type checker imports. A level of indentation is a tab. The docstrings of rules, which
``kcheck explain`` and ``kcheck rules`` print, stand in one text beside the facts; those of their
families stay. An editable install has the files themselves.
"""

from __future__ import annotations

import ast
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE, FACTS = "kcheck", "schemas"
#: What makes the facts, and what is for readers of the repository.
LEFT_OUT = (".py", ".java", ".md")
#: Tables whose last column says where a row comes from, which no command shows.
UNSOURCED = (
    *("schemas/clients/boms.tsv", "schemas/images/beside.tsv", "schemas/images/programs.tsv"),
    *("schemas/images/tools.tsv", "schemas/keys/prefixes.tsv", "schemas/keys/words.tsv"),
    *("schemas/names/", "schemas/services/", "schemas/strimzi/annotations.tsv"),
    "schemas/connectors/musts.tsv",
)
#: The docstrings of rules, where ``kcheck.rule`` looks for them.
TEXTS = "schemas/rules.txt"
#: Where annotations are asked for: typer reads its options from them; rules of other packages are
#: written against these modules; what PySpark makes of functions is its own affair.
ANNOTATED = (
    "kcheck/cli/app.py",
    "kcheck/cli/completion.py",
    "kcheck/rule.py",
    "kcheck/model/",
    "kcheck/fleet/",
)
#: Modules of names that only annotations need, as a rule; importing them does nothing else.
TYPES = ("__future__", "collections.abc", "typing")

#: A part of a module that goes, by line and byte of its beginning and end, and what comes instead.
Part = tuple[tuple[int, int], tuple[int, int], bytes]


class Wheel(BuildHookInterface[Any]):
    """Puts the package's modules, shortened, the texts of rules and the facts into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root)
        self._folder = Path(tempfile.mkdtemp())
        texts: dict[str, str] = {}
        for path in sorted((root / PACKAGE).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            target = self._folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            source = path.read_bytes()
            texts |= rule_texts(source)
            target.write_bytes(shortened(source, name))
            build_data["force_include"][str(target)] = name
        (self._folder / "texts").write_text(joined(texts), encoding="utf-8")
        build_data["force_include"][str(self._folder / "texts")] = f"{PACKAGE}/{TEXTS}"
        for name in facts(root):
            target = self._folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            held = (root / name).read_bytes()
            target.write_bytes(rows(held, name) if name.endswith(".tsv") else held)
            build_data["force_include"][str(target)] = f"{PACKAGE}/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            shutil.rmtree(self._folder)


def facts(root: Path) -> list[str]:
    """The fact files that are read at run time: the tables, not what makes them."""
    return sorted(
        path.relative_to(root).as_posix()
        for path in (root / FACTS).rglob("*")
        if path.is_file() and path.suffix not in (*LEFT_OUT, ".pyc")
    )


def rows(table: bytes, name: str) -> bytes:
    """A table as ``kcheck.data`` reads it: without comments, and without sources that nothing shows."""
    lines = [line for line in table.split(b"\n") if not line.startswith(b"# ")]
    if not name.startswith(UNSOURCED):
        return b"\n".join(lines)
    return b"\n".join(line[: line.rfind(b"\t") + 1] or line for line in lines)


def rule_texts(source: bytes) -> dict[str, str]:
    """The docstrings of the module's rules, by code."""
    if b"@rule(" not in source:
        return {}
    return {
        code: ast.get_docstring(node) or ""
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and (code := rule_code(node))
    }


def joined(texts: dict[str, str]) -> str:
    """The texts of rules as one, in the order of their codes, as ``kcheck.rule`` reads it."""
    return "".join(f"\f{code}\n{text}" for code, text in sorted(texts.items()))


def shortened(source: bytes, name: str) -> bytes:
    """The module with empty lines for what only a reader of the repository wants.

    ``name``: its path in the repository.
    """
    module = _Module(source, name)
    lines = source.split(b"\n")
    for (first, left), (last, right), instead in reversed(module.outermost()):
        rest = lines[last - 1][right:]
        lines[first - 1 : last] = [lines[first - 1][:left] + instead, *[b""] * (last - first)]
        lines[last - 1] += rest
    for at, line in enumerate(lines):
        if at not in module.texts:
            bare = line.lstrip(b" ")
            levels, beside = divmod(len(line) - len(bare), 4)
            lines[at] = b"\t" * levels + b" " * beside + bare if bare else b""
    return b"\n".join(lines)


class _Module(ast.NodeVisitor):
    """What goes of a module: ``gone``.

    ``texts``: the lines, from 0, that begin inside a text.
    """

    def __init__(self, source: bytes, name: str) -> None:
        self.gone: list[Part] = []
        self.texts = set[int]()
        self._lines = source.split(b"\n")
        self._annotated = name.startswith(ANNOTATED)
        self._family = Path(name).match(f"{PACKAGE}/rules/*/__init__.py")
        self._used = set[str]()
        self._imports: list[ast.ImportFrom] = []
        #: Whether annotations stay that Python would evaluate.
        self._asked = self._annotated
        tree = ast.parse(source)
        self.visit(tree)
        self._comments(tree)
        for node in self._imports:
            self._import(node)

    def outermost(self) -> list[Part]:
        """The parts in their order, without those that lie in others."""
        found: list[Part] = []
        for part in sorted(self.gone, key=lambda part: (part[0], part[1][0] * -1)):
            if not found or part[0] >= found[-1][1]:
                found.append(part)
        return found

    def visit_Module(self, node: ast.Module) -> None:
        if not self._family:
            self._docstring(node)
        for statement in node.body:
            if is_for_checkers(statement):
                self._cut(statement)
            else:
                self.visit(statement)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._docstring(node)
        for statement in node.body:
            # Fields are asked for: dataclasses, named tuples.
            if isinstance(statement, ast.AnnAssign):
                self._asked = True
                super().generic_visit(statement)
            else:
                self.visit(statement)
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._docstring(node)
        if not self._annotated:
            self._arguments(node)
            self._returned(node)
        else:
            self.visit(node.args)
            if node.returns:
                self.visit(node.returns)
        for part in (*node.decorator_list, *node.body):
            self.visit(part)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if self._annotated or node.value is None:
            self._asked = True
            self.generic_visit(node)
            return
        self.gone.append((_end(node.target), _end(node.annotation), b""))
        self.visit(node.target)
        self.visit(node.value)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module in TYPES:
            self._imports.append(node)

    def visit_Name(self, node: ast.Name) -> None:
        self._used.add(node.id)

    def _arguments(self, node: ast.FunctionDef) -> None:
        given = node.args
        named = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
        for argument in named:
            if argument is None or argument.annotation is None:
                continue
            if argument is named[0] and rule_code(node):  # its scope
                self._asked = True
                self.visit(argument.annotation)
                continue
            at = argument.lineno, argument.col_offset + len(argument.arg.encode())
            self.gone.append((at, _end(argument.annotation), b""))
        for value in (*given.defaults, *given.kw_defaults):
            if value:
                self.visit(value)

    def _returned(self, node: ast.FunctionDef) -> None:
        if node.returns is None:
            return
        line = self._lines[node.returns.lineno - 1]
        before = line[: line.rindex(b"->", 0, node.returns.col_offset)].rstrip()
        self.gone.append(((node.returns.lineno, len(before)), _end(node.returns), b""))

    def _docstring(self, node: ast.Module | ast.ClassDef | ast.FunctionDef) -> None:
        """A docstring goes, unless code stands in its lines; a body of nothing else keeps a word."""
        text = docstring(node)
        if text is None:
            return
        last, end = _end(text)
        beside = self._lines[text.lineno - 1][: text.col_offset], self._lines[last - 1][end:]
        if not any(part.strip() for part in beside):
            alone = len(node.body) == 1 and not isinstance(node, ast.Module)
            self.gone.append(
                ((text.lineno, text.col_offset), (last, end), b"..." if alone else b"")
            )

    def _comments(self, tree: ast.Module) -> None:
        """What follows a ``#`` that stands in no text."""
        quoted: dict[int, list[tuple[int, int]]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant | ast.JoinedStr):
                last, end = _end(node)
                self.texts.update(range(node.lineno, last))
                for line in range(node.lineno, last + 1):
                    start = node.col_offset if line == node.lineno else 0
                    size = end if line == last else len(self._lines[line - 1])
                    quoted.setdefault(line, []).append((start, size))
        for number, line in enumerate(self._lines, 1):
            at = line.find(b"#")
            while at >= 0 and any(start <= at < end for start, end in quoted.get(number, ())):
                at = line.find(b"#", at + 1)
            if at >= 0:
                before = len(line[:at].rstrip())
                self.gone.append(((number, before), (number, len(line)), b""))

    def _import(self, node: ast.ImportFrom) -> None:
        """An import of types goes as far as nothing is left that uses them."""
        if node.module == "__future__":
            kept = node.names if self._asked else []
        else:
            kept = [name for name in node.names if (name.asname or name.name) in self._used]
        if len(kept) < len(node.names):
            words = ast.unparse(ast.ImportFrom(node.module, kept, 0)) if kept else ""
            self._cut(node, words.encode())

    def _cut(self, statement: ast.stmt, instead: bytes = b"") -> None:
        self.gone.append(((statement.lineno, statement.col_offset), _end(statement), instead))


def docstring(node: ast.AST) -> ast.Expr | None:
    """The statement that is the node's docstring; None where it has none."""
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
        return None
    first = node.body[0] if ast.get_docstring(node, clean=False) is not None else None
    return first if isinstance(first, ast.Expr) else None


def rule_code(node: ast.FunctionDef) -> str:
    """The code of the rule that the function is; "" where it is none."""
    for call in node.decorator_list:
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "rule":
            return str(ast.literal_eval(call.args[0]))
    return ""


def is_for_checkers(node: ast.stmt) -> bool:
    """Whether only a type checker runs the statement."""
    return (
        isinstance(node, ast.If) and not node.orelse and ast.unparse(node.test) == "TYPE_CHECKING"
    )


def _end(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0
