"""What a wheel holds of the package: its code at the same lines, without what nothing reads at run time.

hatchling calls the hook (pyproject.toml). Comments on lines of their own and docstrings become empty
lines, so that a traceback names the lines of the repository. The docstrings of rules and of their
families stay: ``kcheck explain`` and ``kcheck rules`` print them. An editable install has the files
themselves.
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


class Wheel(BuildHookInterface[Any]):
    """Puts the package's modules, shortened, and the facts into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root)
        self._folder = Path(tempfile.mkdtemp())
        for path in sorted((root / PACKAGE).rglob("*.py")):
            name = path.relative_to(root)
            target = self._folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(shortened(path.read_bytes(), is_family(name)))
            build_data["force_include"][str(target)] = name.as_posix()
        for name in facts(root):
            build_data["force_include"][str(root / name)] = f"{PACKAGE}/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            shutil.rmtree(self._folder)


def is_family(name: Path) -> bool:
    """Whether the file, by its path in the repository, is a family of rules."""
    return name.match(f"{PACKAGE}/rules/*/__init__.py")


def facts(root: Path) -> list[str]:
    """The fact files that are read at run time: the tables, not what makes them."""
    return sorted(
        path.relative_to(root).as_posix()
        for path in (root / FACTS).rglob("*")
        if path.is_file() and path.suffix not in (*LEFT_OUT, ".pyc")
    )


def shortened(source: bytes, family: bool = False) -> bytes:
    """The module with an empty line for each line that only a reader of the repository wants.

    ``family``: it is a package of rules, whose own docstring is printed.
    """
    tree = ast.parse(source)
    lines = source.split(b"\n")
    texts = set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr):
            # From its second line on: a line that begins inside a text is no comment.
            texts.update(range(node.lineno, node.end_lineno or 0))
        if (text := docstring(node)) is not None and not _is_printed(node, family):
            body = [] if isinstance(node, ast.Module) else node.body  # type: ignore[attr-defined]
            _blank(lines, text, alone=len(body) == 1)
    for at, line in enumerate(lines):
        if at not in texts and line.lstrip().startswith(b"#"):
            lines[at] = b""
    return b"\n".join(lines)


def docstring(node: ast.AST) -> ast.Expr | None:
    """The statement that is the node's docstring; None where it has none."""
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
        return None
    first = node.body[0] if ast.get_docstring(node) is not None else None
    return first if isinstance(first, ast.Expr) else None


def _is_printed(node: ast.AST, family: bool) -> bool:
    """Whether something prints the docstring: a rule's, a family's."""
    if isinstance(node, ast.FunctionDef):
        return any(
            isinstance(call, ast.Call) and ast.unparse(call.func) == "rule"
            for call in node.decorator_list
        )
    return family and isinstance(node, ast.Module)


def _blank(lines: list[bytes], text: ast.Expr, alone: bool) -> None:
    """Empty the docstring's lines, unless code stands in them; a body of nothing else keeps a word."""
    first, last = text.lineno - 1, (text.end_lineno or text.lineno) - 1
    beside = lines[first][: text.col_offset], lines[last][text.end_col_offset :]
    if any(part.strip() for part in beside):
        return
    lines[first : last + 1] = [b""] * (last + 1 - first)
    if alone:
        lines[first] = b" " * text.col_offset + b"..."
