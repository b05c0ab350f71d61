"""The wheel holds all that a run needs: installed elsewhere, or read as a zip, it lints."""

from __future__ import annotations

import io
import os
import runpy
import subprocess
import sys
import textwrap
import types
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from denser import denser

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


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel in a folder of its own; runs compile there what they need, once."""
    target = tmp_path_factory.mktemp("installed") / "site"
    words = ["install", "--quiet", "--no-deps", "--no-compile", "-t", target, wheel]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    return target


def test_installed(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "topics.yaml").write_text(_TOPIC)
    ran = lint([str(installed)], tmp_path)
    assert ran.returncode == 1
    assert "topic-name-charset" in ran.stdout or "KC06" in ran.stdout
    assert (installed / "kcheck" / "schemas" / "kafka" / "topic.tsv").exists()


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
def test_what_is_printed_is_in_the_wheel(installed: Path, tmp_path: Path, words: list[str]) -> None:
    """Its modules are shortened: no text that a command prints may go with that."""
    packed, checkout = (run([str(path)], tmp_path, *words) for path in (installed, ROOT))
    assert packed.stdout == checkout.stdout
    assert len(packed.stdout) > 1000


def test_lines_stay_where_they_are() -> None:
    source = """
    # a comment
    '''A module.

    # of text'''
    from __future__ import annotations

    from collections.abc import Callable, Iterator
    from typing import TYPE_CHECKING, Any

    if TYPE_CHECKING:
        # for whom
        from kcheck.graph import Node

    X: int = 1  # goes
    TEXT = '''
        # no comment
    '''
    PARTS = (
        # inside
        "# no comment",
        '"',  # goes "
    )
    Check = Callable[[], None]


    class Empty(Exception):
        '''Only a docstring,

        of two lines.'''


    class Row:
        cells: list[str]
        width: int = 0

        def size(self) -> int:
            total: int = len(self.cells)
            return total


    @rule("KC0001", "a-name")
    def printed(node: Node, *, least: int = 3) -> Iterator[Finding]:
        '''A rule.

        Bad: one'''
        # why
        return f'''{node}
    # no comment'''


    def called(
        one: tuple[str, ...],  # of what
        *others: str,
        key: Callable[[str], Any] | None = None,
    ) -> dict[str, list[str]]:
        '''A function.'''
        return {}
    """
    given = textwrap.dedent(source).encode()
    made = _hook()["shortened"](given, "kcheck/module.py").decode().split("\n")
    changed = {
        at: (old.strip(), new)
        for at, (old, new) in enumerate(zip(given.decode().split("\n"), made, strict=True), 1)
        if old != new.replace("\t", "    ")
    }
    assert changed == {
        2: ("# a comment", ""),
        3: ("'''A module.", ""),
        5: ("# of text'''", ""),
        8: (
            "from collections.abc import Callable, Iterator",
            "from collections.abc import Callable",
        ),
        9: ("from typing import TYPE_CHECKING, Any", ""),
        11: ("if TYPE_CHECKING:", ""),
        12: ("# for whom", ""),
        13: ("from kcheck.graph import Node", ""),
        15: ("X: int = 1  # goes", "X = 1"),
        20: ("# inside", ""),
        22: ("'\"',  # goes \"", "\t'\"',"),
        28: ("'''Only a docstring,", "\t..."),
        30: ("of two lines.'''", ""),
        37: ("def size(self) -> int:", "\tdef size(self):"),
        38: ("total: int = len(self.cells)", "\t\ttotal = len(self.cells)"),
        43: (
            "def printed(node: Node, *, least: int = 3) -> Iterator[Finding]:",
            "def printed(node: Node, *, least = 3):",
        ),
        44: ("'''A rule.", ""),
        46: ("Bad: one'''", ""),
        47: ("# why", ""),
        53: ("one: tuple[str, ...],  # of what", "\tone,"),
        54: ("*others: str,", "\t*others,"),
        55: ("key: Callable[[str], Any] | None = None,", "\tkey = None,"),
        56: (") -> dict[str, list[str]]:", "):"),
        57: ("'''A function.'''", ""),
    }
    compile("\n".join(made), "made", "exec")


@pytest.mark.parametrize(
    "source",
    [
        "def f(): '''A text.'''\n",
        "class C: '''A text.'''\n",
        "'''A text.'''; x = 1\n",
        "def f():\n\t'''A text.'''; return 1\n",
        "x = '''\n    # one\n''' + f'''{1}\n    # two\n{2}\n# three\n'''\n",
        "if TYPE_CHECKING:\n\tx = 1\nelse:\n\tx = 2\n",
        "def f():\n\tx: int\n",
    ],
)
def test_what_runs_and_comments_in_texts_stay(source: str) -> None:
    assert _hook()["shortened"](source.encode(), "kcheck/module.py") == source.encode()


def test_annotations_stay_where_they_are_asked_for() -> None:
    text = b"from __future__ import annotations\ndef f(version: bool = True) -> int: ...\n"
    shortened = _hook()["shortened"]
    assert shortened(text, "kcheck/cli/app.py") == text
    assert shortened(text, "kcheck/cli/run.py") == b"\ndef f(version = True): ...\n"


def test_a_family_of_rules_keeps_its_docstring() -> None:
    shortened = _hook()["shortened"]
    text = b"'''Keys: what they are.'''\n"
    assert shortened(text, "kcheck/rules/keys/__init__.py") == text
    assert shortened(text, "kcheck/rules/keys/keys.py") == b"\n"


def test_texts_of_rules_are_joined_by_code() -> None:
    hook = _hook()
    source = "@rule('KC0002', 'b')\ndef b(x):\n    '''B.\n\n    Why.'''\n    return x\n"
    texts = hook["rule_texts"](source.encode()) | {"KC0001": "A."}
    assert hook["joined"](texts) == "\fKC0001\nA.\fKC0002\nB.\n\nWhy."


def test_facts_are_in_the_wheel_and_their_makers_are_not() -> None:
    names = _hook()["facts"](ROOT)
    assert "schemas/kafka/topic.tsv" in names
    assert "schemas/errors/errors.yaml" in names
    assert not [name for name in names if name.endswith((".py", ".java"))]


def _cells(table: bytes) -> list[list[bytes]]:
    kept = [one for one in table.split(b"\n") if one and not one.startswith(b"# ")]
    return [one.split(b"\t") for one in kept]


def test_tables_in_the_wheel_have_the_rows_that_are_read() -> None:
    hook = _hook()
    tables = [name for name in hook["facts"](ROOT) if name.endswith(".tsv")]
    assert len(tables) > 50
    for name in tables:
        text = (ROOT / name).read_bytes()
        made = hook["rows"](text, name)
        assert b"\n# " not in made and not made.startswith(b"# "), name
        unread = name.startswith(hook["UNSOURCED"])
        header, *rows = _cells(text)
        if unread:
            assert header[-1] in (b"source", b"evidence"), name
            assert {len(row) for row in rows} == {len(header)}, name
        wanted = [row[:-1] + [b""] if unread else row for row in _cells(text)]
        assert _cells(made) == wanted, name


def test_compressed_anew_a_wheel_holds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """zopfli, which only a build has, writes what zlib writes, in fewer bytes."""
    shorter = types.ModuleType("zopfli.zlib")
    shorter.compress = lambda text: zlib.compress(text, 9)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "zopfli", types.ModuleType("zopfli"))
    monkeypatch.setitem(sys.modules, "zopfli.zlib", shorter)
    texts = {"a.py": b"x = 1\n" * 90, "p/ü.txt": Path(__file__).read_bytes(), "empty": b""}
    first = io.BytesIO()
    with zipfile.ZipFile(first, "w") as archive:
        for name, text in texts.items():
            kept = zipfile.ZipInfo(name, (2020, 2, 2, 0, 0, 0))
            kept.external_attr, kept.compress_type = 0o100644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(kept, text, compresslevel=1)
    made = denser(first.getvalue())
    assert len(made) < len(first.getvalue())
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == texts
        assert {(one.date_time, one.external_attr) for one in archive.infolist()} == {
            ((2020, 2, 2, 0, 0, 0), 0o100644 << 16)
        }
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        archive.writestr("a.py", b"x = 1\n")
    with pytest.raises(ValueError, match="compressed"):
        denser(stored.getvalue())


def _hook() -> dict[str, Any]:
    """The build's hook without hatchling, which only a build has."""
    stub = types.ModuleType("hatchling.builders.hooks.plugin.interface")
    stub.BuildHookInterface = {Any: object}  # type: ignore[attr-defined]
    names = [".".join(stub.__name__.split(".")[:end]) for end in range(1, 6)]
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setitem(sys.modules, name, stub)
        return runpy.run_path(str(ROOT / "ci" / "wheel_hook.py"))
