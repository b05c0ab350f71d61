"""A family is a folder: its rules lie there, and need nothing of another one but ``shared``."""

from __future__ import annotations

import ast
from pathlib import Path

from trees import nodes

from kcheck import rules
from kcheck.rule import FAMILIES

FOLDER = Path(rules.__file__).resolve().parent
MODULES = sorted(p for p in FOLDER.glob("*/*.py") if p.stem != "__init__")


def test_a_rule_lies_in_the_folder_of_its_family() -> None:
    for rule in rules.load().values():
        assert rule.check.__module__.split(".")[2] == rule.family, rule.code


def test_every_folder_is_a_family_and_says_what_it_is_about() -> None:
    folders = {path.name for path in FOLDER.iterdir() if (path / "__init__.py").exists()}
    assert folders == {*FAMILIES.values(), "shared"}
    for number, family in FAMILIES.items():
        module = ast.parse((FOLDER / family / "__init__.py").read_text(encoding="utf-8"))
        assert (ast.get_docstring(module) or "").startswith(f"KC{number}: ")


def test_a_module_needs_no_other_family() -> None:
    for path in MODULES:
        assert_needs_no_other_family(path)


def assert_needs_no_other_family(path: Path) -> None:
    needed = {
        node.module.split(".")[2]
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom)
        and node.module is not None
        and node.module.startswith("kcheck.rules.")
    }
    assert needed <= {path.parent.name, "shared"}, path
    if path.parent.name == "shared":
        assert needed <= {"shared"}, path
