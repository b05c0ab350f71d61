"""The wheel holds all that a run needs: installed elsewhere, or read as a zip, it lints."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import textwrap
import types
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent

_TOPIC = "topics:\n  - {name: a/b, partitions: 3, replication_factor: 3}\n"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT],
        check=True,
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
    )
    return next(folder.glob("*.whl"))


def run(path: list[str], folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = (
        f"import sys; sys.path[:0] = {path!r}; from kcheck.__main__ import main; sys.exit(main())"
    )
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
    )


def lint(path: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return run(path, folder, "lint", "--output", "concise", "topics.yaml")


def test_installed(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-compile",
            "-t",
            target,
        ]
        + [wheel],
        check=True,
    )
    (tmp_path / "topics.yaml").write_text(_TOPIC)
    ran = lint([str(target)], tmp_path)
    assert ran.returncode == 1
    assert "topic-name-charset" in ran.stdout or "KC06" in ran.stdout
    assert (target / "kcheck" / "schemas" / "kafka" / "topic.tsv").exists()


def test_from_a_zip(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "topics.yaml").write_text(_TOPIC)
    ran = lint([str(wheel)], tmp_path)
    assert ran.returncode == 1, ran.stderr
    assert "KC06" in ran.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("rules", "--output", "json"),
        ("rules", "--output", "markdown"),
        ("explain", "KC0307"),
        ("lint", "--help"),
        ("--help",),
    ],
    ids=" ".join,
)
def test_what_is_printed_is_in_the_wheel(wheel: Path, tmp_path: Path, words: list[str]) -> None:
    """Its modules are shortened: no text that a command prints may go with that."""
    packed, checkout = (run([str(path)], tmp_path, *words) for path in (wheel, ROOT))
    assert packed.stdout == checkout.stdout
    assert len(packed.stdout) > 1000


def test_lines_stay_where_they_are() -> None:
    hook = _hook()
    source = """
    # a comment
    '''A module.

    # of text'''
    X = 1  # stays
    TEXT = '''
    # no comment
    '''
    PARTS = (
        # inside
        "# no comment"
    )


    class Empty(Exception):
        '''Only a docstring,

        of two lines.'''


    @rule("KC0001")
    def printed(x):
        '''A rule.'''
        # why
        return f'''{x}
    # no comment'''


    def called():
        '''A function.'''
        return 1
    """
    given = textwrap.dedent(source).encode()
    made = hook["shortened"](given).decode().split("\n")
    changed = {
        at: (old, new)
        for at, (old, new) in enumerate(zip(given.decode().split("\n"), made, strict=True), 1)
        if old != new
    }
    assert changed == {
        2: ("# a comment", ""),
        3: ("'''A module.", ""),
        5: ("# of text'''", ""),
        11: ("    # inside", ""),
        17: ("    '''Only a docstring,", "    ..."),
        19: ("    of two lines.'''", ""),
        25: ("    # why", ""),
        31: ("    '''A function.'''", ""),
    }
    compile("\n".join(made), "made", "exec")


@pytest.mark.parametrize(
    "source",
    [
        "def f(): '''A text.'''\n",
        "class C: '''A text.'''\n",
        "'''A text.'''; x = 1\n",
        "def f():\n    '''A text.'''; return 1\n",
        "x = '''\n# one\n''' + f'''{1}\n# two\n{2}\n# three\n'''\n",
    ],
)
def test_code_beside_a_docstring_and_comments_in_texts_stay(source: str) -> None:
    assert _hook()["shortened"](source.encode()) == source.encode()


def test_a_family_of_rules_keeps_its_docstring() -> None:
    hook = _hook()
    text = b"'''Keys: what they are.'''\n"
    assert hook["shortened"](text, family=True) == text
    assert hook["shortened"](text) == b"\n"
    assert hook["is_family"](Path("kcheck/rules/keys/__init__.py"))
    assert not hook["is_family"](Path("kcheck/rules/keys/keys.py"))


def test_facts_are_in_the_wheel_and_their_makers_are_not() -> None:
    names = _hook()["facts"](ROOT)
    assert "schemas/kafka/topic.tsv" in names
    assert "schemas/errors/errors.yaml" in names
    assert not [name for name in names if name.endswith((".py", ".java"))]


def _hook() -> dict[str, Any]:
    """The build's hook without hatchling, which only a build has."""
    stub = types.ModuleType("hatchling.builders.hooks.plugin.interface")
    stub.BuildHookInterface = {Any: object}  # type: ignore[attr-defined]
    names = [".".join(stub.__name__.split(".")[:end]) for end in range(1, 6)]
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setitem(sys.modules, name, stub)
        return runpy.run_path(str(ROOT / "ci" / "wheel_hook.py"))
