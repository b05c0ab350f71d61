"""Everything in the repository that is derived from its code, written by one command.

    python ci/generate.py [--check]

In this order: the index of rule modules by scope (kcheck/rules/index.py), the page of each rule and
their index (docs/rules/), the names of services in the schemas of declarations and settings, and what
rules say of their bad examples (tests/rules/said/), to be read before it is committed. ``--check`` writes nothing, names what is not of today, and exits with 1.

Tables that are made from the jars of Kafka and from other projects have generators of their own in
``schemas/``, golden reports are written by ``KCHECK_UPDATE=1 pytest tests/test_fixtures.py``, and
surviving mutants by ``python tests/mutation/run.py --write``: each of them takes minutes, or a
reason.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / "kcheck" / "rules"
INDEX = "kcheck/rules/index.py"
PAGES = "docs/rules"
SCHEMAS = ("schemas/kcheck.schema.json", "schemas/settings.schema.json")


def index() -> str:
    """The modules that hold rules, in the order of their codes, each with the scopes of these.

    And by scope those all of whose rules of that scope are about some keys, with these keys.
    """
    found: list[tuple[str, str, set[str]]] = []
    about: dict[str, dict[str, set[str] | None]] = {}
    for path in RULES.rglob("*.py"):
        codes: list[str] = []
        scopes: set[str] = set()
        module = ".".join(path.relative_to(RULES).with_suffix("").parts)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and (code := _code(node)):
                codes.append(code)
                annotation = node.args.args[0].annotation
                keys = _keys(node)
                for scope in map(str.strip, ast.unparse(annotation or node).split("|")):
                    scopes.add(scope)
                    known = about.setdefault(scope, {}).setdefault(module, set())
                    about[scope][module] = known | keys if known is not None and keys else None
        if codes:
            found.append((min(codes), module, scopes))
    lines = [
        f'    "{module}": "{" ".join(sorted(scopes))}",\n' for _, module, scopes in sorted(found)
    ]
    return (
        '"""The modules that hold rules, each with what these look at; written by ci/generate.py."""\n\n'
        "from __future__ import annotations\n\n"
        f"MODULES = {{\n{''.join(lines)}}}\n\n"
        "#: The modules whose rules of a scope are about some keys alone, and these, by scope.\n"
        "KEYS = {\n"
        + "".join(
            f'    "{scope}": {{\n'
            + "".join(f'        "{name}": "{" ".join(sorted(keys))}",\n' for name, keys in narrow)
            + "    },\n"
            for scope, modules in sorted(about.items())
            if (narrow := [(name, keys) for name, keys in sorted(modules.items()) if keys])
        )
        + "}\n"
    )


def _keys(function: ast.FunctionDef) -> set[str]:
    """The keys of which something must be set for the rule; none if that does not stand there."""
    for decorator in function.decorator_list:
        for given in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if given.arg == "on" and isinstance(given.value, ast.Tuple):
                keys = [ast.literal_eval(key) for key in given.value.elts if _literal(key)]
                return set(keys) if len(keys) == len(given.value.elts) else set()
    return set()


def _literal(key: ast.expr) -> bool:
    return isinstance(key, ast.Constant)


def _code(function: ast.FunctionDef) -> str:
    """The code of a rule; "" for any other function."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "rule":
            (first, *_) = decorator.args
            return str(first.value) if isinstance(first, ast.Constant) else ""
    return ""


def pages() -> dict[str, str]:
    """The pages of the rules, and what keeps the anchors of the one page that they were."""
    sys.path.insert(0, str(ROOT))
    from kcheck import rules
    from kcheck.cli.rule_pages import Reference

    reference = Reference(rules.load())
    found = {f"{PAGES}/{name}": text for name, text in reference.pages().items()}
    return {**found, "kcheck/rules/README.md": reference.stub()}


def schemas() -> dict[str, str]:
    """The schemas in which a service is named, with the names of today."""
    found: dict[str, str] = {}
    for name in SCHEMAS:
        schema = json.loads((ROOT / name).read_text(encoding="utf-8"))
        _name_services(schema)
        found[name] = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    return found


def _name_services(node: object, service: bool = False) -> None:
    from kcheck.services import NAMES

    if isinstance(node, dict):
        if service and "enum" in node:
            node["enum"] = [*NAMES, *([None] if None in node["enum"] else [])]
        if service and str(node.get("title", "")).startswith("one of "):
            node["title"] = f"one of {', '.join(NAMES)}"
        for key, value in node.items():
            _name_services(value, service or key == "service")
    elif isinstance(node, list):
        for value in node:
            _name_services(value, service)


def differing(files: dict[str, str]) -> list[str]:
    """Those of the files that are there with another text, or are not."""
    return [
        name
        for name, text in files.items()
        if not (ROOT / name).exists() or (ROOT / name).read_text(encoding="utf-8") != text
    ]


def left_over(files: dict[str, str]) -> list[str]:
    """The pages of rules that are gone."""
    there = (f"{PAGES}/{path.name}" for path in sorted((ROOT / PAGES).glob("*.md")))
    return [name for name in there if name not in files]


def write(files: dict[str, str], names: list[str]) -> None:
    for name in names:
        path = ROOT / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(files[name], encoding="utf-8")
    if names:
        print(f"{len(names):,} files written, from {names[0]} on")


def said(check: bool) -> bool:
    """Write, or compare, what rules say of their bad examples; whether it is as it was."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if not check:
        environment["KCHECK_UPDATE"] = "1"
    command = [sys.executable, "-m", "pytest", "-q", "-k", "test_what_is_said"]
    ended = subprocess.run(
        [*command, "tests/rules/test_examples.py"], cwd=ROOT, env=environment, check=False
    )
    return ended.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    scopes = {INDEX: index()}
    old = differing(scopes)
    if not check:
        # Before the pages: the rules are loaded by it.
        write(scopes, old)
    files = {**pages(), **schemas()}
    other, gone = differing(files), left_over(files)
    old += other + gone
    if not check:
        write(files, other)
        for name in gone:
            (ROOT / name).unlink()
    if not said(check):
        old.append("tests/rules/said")
    if check and old:
        print(f"not of today: {', '.join(old)}; python ci/generate.py writes them", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
