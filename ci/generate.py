"""Everything in the repository that is derived from its code, written by one command.

    python ci/generate.py [--check]

In this order: the index of rule modules by scope (kcheck/rules/index.py), the reference of the rules
(kcheck/rules/README.md), and what rules say of their bad examples (tests/rules/said/), to be read
before it is committed. ``--check`` writes nothing, names what is not of today, and exits with 1.

Tables that are made from the jars of Kafka and from other projects have generators of their own in
``schemas/``, golden reports are written by ``KCHECK_UPDATE=1 pytest tests/test_fixtures.py``, and
surviving mutants by ``python tests/mutation/run.py --write``: each of them takes minutes, or a
reason.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / "kcheck" / "rules"


def index() -> str:
    """The modules that hold rules, in the order of their codes, each with the scopes of these."""
    found: list[tuple[str, str, set[str]]] = []
    for path in RULES.rglob("*.py"):
        codes: list[str] = []
        scopes: set[str] = set()
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and (code := _code(node)):
                codes.append(code)
                annotation = node.args.args[0].annotation
                scopes.update(map(str.strip, ast.unparse(annotation or node).split("|")))
        if codes:
            module = ".".join(path.relative_to(RULES).with_suffix("").parts)
            found.append((min(codes), module, scopes))
    lines = [
        f'    "{module}": "{" ".join(sorted(scopes))}",\n' for _, module, scopes in sorted(found)
    ]
    return (
        '"""The modules that hold rules, each with what these look at; written by ci/generate.py."""\n\n'
        "from __future__ import annotations\n\n"
        f"MODULES = {{\n{''.join(lines)}}}\n"
    )


def _code(function: ast.FunctionDef) -> str:
    """The code of a rule; "" for any other function."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "rule":
            (first, *_) = decorator.args
            return str(first.value) if isinstance(first, ast.Constant) else ""
    return ""


def reference() -> str:
    """The reference as the command prints it."""
    command = [sys.executable, "-m", "kcheck", "rules", "--output", "markdown"]
    return subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True, env=_environment()
    ).stdout


#: The files that are written whole.
FILES: dict[str, Callable[[], str]] = {
    "kcheck/rules/index.py": index,
    "kcheck/rules/README.md": reference,
}


def said(check: bool) -> bool:
    """Write, or compare, what rules say of their bad examples; whether it is as it was."""
    environment = _environment()
    if not check:
        environment["KCHECK_UPDATE"] = "1"
    command = [sys.executable, "-m", "pytest", "-q", "-k", "test_what_is_said"]
    ended = subprocess.run(
        [*command, "tests/rules/test_examples.py"], cwd=ROOT, env=environment, check=False
    )
    return ended.returncode == 0


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    stale: list[str] = []
    for name, made in FILES.items():
        path, text = ROOT / name, made()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text, encoding="utf-8")
            print(f"{name} written")
    if not said(check):
        stale.append("tests/rules/said")
    if check and stale:
        print(
            f"not of today: {', '.join(stale)}; python ci/generate.py writes them", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
