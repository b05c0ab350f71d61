"""Wheel and sdist, built twice and from each other, compared and looked into: ``--out FOLDER``.

The builds differ in folder, times, umask, time zone and locale; what comes of them may not. Needs
hatchling and zopfli in the Python that runs it.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from email import message_from_string
from pathlib import Path

import wheel_hook as hook
from denser import denser

ROOT = Path(__file__).resolve().parent.parent

#: What no archive holds, wherever it lies.
_LITTER = ("__pycache__", ".pyc", ".git/", ".venv", "_cache/", ".hypothesis", ".tmp")
#: In bytes. Most of it is code in a thousand files, each compressed alone: docs/development.md has the parts.
_LARGEST_WHEEL = 2_050_000
_METADATA = {
    "Name": "kcheck",
    "Requires-Python": ">=3.11",
    "License-Expression": "Apache-2.0",
    "License-File": "LICENSE",
    "Description-Content-Type": "text/markdown",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="where the archives are put")
    out: Path = parser.parse_args().out
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        first = _built(_copy(work / "one"), work / "dist-one", 0o022, "UTC", "C")
        second = _built(
            _copy(work / "other" / "name", old=True),
            work / "dist-two",
            0o077,
            "Asia/Tokyo",
            "C.UTF-8",
        )
        faults = _differences(first, second)
        with tarfile.open(first["sdist"]) as archive:
            archive.extractall(work / "sdist", filter="data")
        (unpacked,) = (work / "sdist").iterdir()
        again = _built(unpacked, work / "dist-three", 0o022, "UTC", "C", ("wheel",))
        faults += _differences({"wheel": first["wheel"]}, again)
        first["wheel"].write_bytes(denser(first["wheel"].read_bytes()))
        faults += _wheel(first["wheel"]) + _sdist(first["sdist"])
        for fault in faults:
            print(fault, file=sys.stderr)
        if not faults:
            out.mkdir(parents=True, exist_ok=True)
            for path in first.values():
                shutil.copy(path, out)
                print(f"{path.name}: {path.stat().st_size:,} bytes, sha256 {_digest(path)}")
    return 1 if faults else 0


def _copy(target: Path, old: bool = False) -> Path:
    """The checkout without what tools have put into it, in another folder; ``old``: of long ago."""
    ignored = shutil.ignore_patterns(
        ".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "audit"
    )
    shutil.copytree(ROOT, target, ignore=ignored)
    if old:
        for path in target.rglob("*"):
            os.utime(path, (1_000_000_000, 1_000_000_000))
    return target


def _built(
    source: Path,
    out: Path,
    umask: int,
    zone: str,
    locale: str,
    kinds: tuple[str, ...] = ("wheel", "sdist"),
) -> dict[str, Path]:
    environment = {**os.environ, "TZ": zone, "LC_ALL": locale, "PYTHONHASHSEED": str(umask)}
    targets = [word for kind in kinds for word in ("-t", kind)]
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", *targets, "-d", str(out)],
        cwd=source,
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: os.umask(umask) and None,
    )
    ends = {"wheel": ".whl", "sdist": ".tar.gz"}
    return {
        kind: next(path for path in out.iterdir() if path.name.endswith(ends[kind]))
        for kind in kinds
    }


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _differences(one: dict[str, Path], other: dict[str, Path]) -> list[str]:
    return [
        f"{kind}: two builds differ ({_digest(path)[:12]} and {_digest(other[kind])[:12]})"
        for kind, path in one.items()
        if _digest(path) != _digest(other[kind])
    ]


def _sources(*folders: str) -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def _text(name: str) -> bytes:
    path = ROOT / name
    return path.read_bytes() if path.exists() else b""


class _Run(ast.NodeTransformer):
    """A module as far as Python runs it, at its lines: ``text``, to be compared.

    Docstrings do not run, nor do annotations of functions and variables, unless something asks for
    them. ``types`` are the names that it imports for them, ``names`` those that it uses.
    """

    def __init__(self, source: bytes, name: str) -> None:
        self._asked = name.startswith(hook.ANNOTATED)
        self.types = set[str]()
        tree = ast.parse(source)
        self.names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        if any(getattr(node, "annotation", None) for node in ast.walk(tree)):
            self.names.add("__future__")
        self.text = ast.dump(self.visit(tree), include_attributes=True)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if text := hook.docstring(node):
            node.body.remove(text)  # type: ignore[attr-defined]
        elif (
            isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.unparse(node.body[0]) == "..."
        ):
            node.body = []
        super().generic_visit(node)
        for place in ("col_offset", "end_lineno", "end_col_offset"):
            # A body that was a docstring alone ends elsewhere; a level is one tab.
            if hasattr(node, place):
                setattr(node, place, 0)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [_Field(**vars(s)) if isinstance(s, ast.AnnAssign) else s for s in node.body]
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if not self._asked:
            node.returns = None
            for argument in ast.walk(node.args):
                if isinstance(argument, ast.arg) and not (
                    argument in node.args.args[:1] and hook.rule_code(node)
                ):
                    argument.annotation = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None or self._asked:
            return self.generic_visit(node)
        made = ast.Assign(targets=[node.target], value=node.value)
        return self.generic_visit(ast.copy_location(made, node))

    def visit_If(self, node: ast.If) -> ast.AST | None:
        return None if hook.is_for_checkers(node) else self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        if node.module not in hook.TYPES:
            return self.generic_visit(node)
        named = {name.asname or name.name for name in node.names}
        self.types |= {node.module} if node.module == "__future__" else named
        return None


class _Field(ast.AnnAssign):
    """A field of a class with its type, which dataclasses ask for."""


def _differs(name: str, wheel: bytes, ours: bytes) -> bool:
    """Whether Python runs something else of the wheel's module than of the repository's."""
    run, should = _Run(wheel, name), _Run(ours, name)
    return run.text != should.text or not (should.types & run.names) <= run.types


def _wheel(path: Path) -> list[str]:
    """What is wrong with the wheel: a file too many or too few, metadata, links that lead nowhere."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        (record,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = message_from_string(archive.read(record).decode())
        faults = [
            f"wheel: {name} is not the repository's code"
            for name in sorted(names)
            if name.endswith(".py") and _differs(name, archive.read(name), _text(name))
        ]
    if path.stat().st_size > _LARGEST_WHEEL:
        faults.append(f"wheel: {path.stat().st_size:,} bytes, more than {_LARGEST_WHEEL:,}")
    wanted = {name for name in _sources("kcheck") if name != "kcheck/rules/README.md"}
    wanted |= {f"kcheck/{name}" for name in (*hook.facts(ROOT), hook.TEXTS)}
    inside = {name for name in names if ".dist-info/" not in name}
    faults += [f"wheel lacks {name}" for name in sorted(wanted - inside)]
    faults += [f"wheel holds {name}" for name in sorted(inside - wanted)]
    faults += [f"wheel holds {name}" for name in names if any(sign in name for sign in _LITTER)]
    for key, value in _METADATA.items():
        if metadata[key] != value:
            faults.append(f"metadata: {key} is {metadata[key]!r}, not {value!r}")
    version = (ROOT / "kcheck/__init__.py").read_text().split('__version__ = "')[1].split('"')[0]
    if metadata["Version"] != version:
        faults.append(
            f"metadata: version {metadata['Version']}, but kcheck --version says {version}"
        )
    return faults


def _sdist(path: Path) -> list[str]:
    """What is wrong with the sdist: it has to hold all that builds and tests need."""
    with tarfile.open(path) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers()}
    needed = _sources("kcheck", "schemas", "tests", "fixtures") | {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "SECURITY.md",
        "action.yml",
        "PKG-INFO",
    }
    faults = [f"sdist lacks {name}" for name in sorted(needed - names)]
    return faults + [
        f"sdist holds {name}" for name in names if any(sign in name for sign in _LITTER)
    ]


if __name__ == "__main__":
    raise SystemExit(main())
