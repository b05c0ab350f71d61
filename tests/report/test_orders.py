"""Nothing of an audited file gives orders: not to a terminal, not to a CI, not to a program."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from kcheck import report
from kcheck.__main__ import main
from kcheck.report.printable import broken, in_json, printable

ORDERS = [
    "::error::x",
    "::set-output name=a::b",
    "::add-mask::k",
    "::stop-commands::token",
    "##[error]x",
    "##[set-env name=A]b",
    "##vso[task.setvariable variable=a]b",
    "##VSO[task.complete]",
    "##teamcity[buildStatus status='SUCCESS']",
]
#: As a CI finds orders in a line, wherever they stand.
ORDER = re.compile(r"::[a-z-]+::|::[a-z-]+\s.*::|##\[|##(?i:vso|teamcity)\[")
ROOT = str(Path(report.__file__).parent.parent.parent)


@pytest.mark.parametrize("order", ORDERS)
def test_an_order_is_broken_up(order: str) -> None:
    for text in (order, f"  {order}", f"a: {order} b", f"x\t{order}", order + order):
        assert not ORDER.search(printable(text)), text
        assert len(broken(text)) == len(text)
        held = json.dumps({text: [text]}, ensure_ascii=False)
        assert not ORDER.search(in_json(held))
        assert json.loads(in_json(held)) == {text: [text]}


@pytest.mark.parametrize(
    "text",
    [
        "listeners=PLAINTEXT://[::]:9092",
        "[::1]:9092",
        "2001:db8::a1:9092",
        "fe80::a:1",
        "[2001:db8::face]:9092",
        "org.acme.Util::method()",
        "## heading",
        "###",
        "::",
        "https://a/b",
    ],
)
def test_what_is_none_stays(text: str) -> None:
    assert printable(text) == text == in_json(text)


def test_json_holds_no_control_and_no_lone_surrogate() -> None:
    text = "\udce9 \x7f \x9b31m \u202e \u2028 é 😀"
    held = in_json(json.dumps(text, ensure_ascii=False))
    assert json.loads(held) == text.replace("\udce9", "?")
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202e\u2028\ud800-\udfff]", held)


def hostile(folder: Path) -> None:
    """Orders wherever a file has room for a text, its name among them."""
    (folder / ".git").mkdir()
    for number, order in enumerate(ORDERS):
        name = order.replace("/", "")
        topic = {
            "name": f"{order} \x1b[31m\u202e [a](http://b.c)",
            "partitions": 1,
            "replication_factor": 1,
            "config": {"retention.ms": f"{order}\n{order}", f"reten.{order}": "1"},
        }
        cluster = {"name": f"{order} {number}", "environment": "production", "brokers": 3}
        (folder / f"{number} {name}.yaml").write_text(
            f"cluster: {json.dumps(cluster)}\ntopics:\n  - {json.dumps(topic)}\n"
        )
        (folder / f"server-{number}.properties").write_text(
            f"broker.id=1\nzookeeper.connect=zk1:2181\nlog.dirs=/d\n{order}\nlog.retention.hours={order}\n"
            f"  listenrs = {order} [a](http://b.c)\nunclean.leader.election.enable=true # {order}\n"
        )
    (folder / "\udce9 broken.yaml").write_text("topics: [\n")
    (folder / "CODEOWNERS").write_text("* @::error::x ##[a]\n")
    (folder / "kcheck.toml").write_text(
        '[[require]]\ncode = "ORG001"\nname = "##[x] ::a::"\non = "topic"\nkey = "partitions"\n'
        'min = 3\nmessage = "::error::m [a](http://b.c)"\nbreaks = "##vso[x]"\nfix = "::a b::"\n'
    )


def run(folder: Path, *args: str) -> tuple[str, str]:
    """What a command writes to both streams, which have the encoding and errors of a process."""
    out, err = io.BytesIO(), io.BytesIO()
    with (
        chdir(folder),
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(io.TextIOWrapper(out, "utf-8", "strict", write_through=True)) as said,
        redirect_stderr(
            io.TextIOWrapper(err, "utf-8", "backslashreplace", write_through=True)
        ) as told,
    ):
        patch.setenv("GITHUB_ACTIONS", "true")
        main([*args])
        said.flush()
        told.flush()
    return out.getvalue().decode("utf-8"), err.getvalue().decode("utf-8")


def run_alone(folder: Path, *args: str) -> tuple[str, str]:
    """The same of a process of its own."""
    made = subprocess.run(
        [sys.executable, "-m", "kcheck", *args],
        capture_output=True,
        cwd=folder,
        check=False,
        env={**os.environ, "PYTHONPATH": ROOT, "GITHUB_ACTIONS": "true"},
    )
    return made.stdout.decode("utf-8"), made.stderr.decode("utf-8")


COMMANDS = [
    ("lint", "--select", "all", "--statistics", "."),
    ("lint", "--diff", "--unsafe-fixes", "."),
    ("lint", "-v", "--output", "concise", "nowhere ::error::x", "."),
    ("lint", "--config", "##[x]", "."),
    ("lint", "--since", "::error::x", "."),
    ("files", "-v"),
    ("files", "--output", "json"),
    ("show", "."),
    ("show", "--output", "json", "."),
    ("config", "."),
    ("config", "--output", "json", "."),
    ("limits", "."),
    ("limits", "--output", "json", "."),
    ("limits", "--output", "markdown", "."),
    ("explain", "ORG001"),
    ("baseline", "create", "--baseline", "##[x].jsonl", "."),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("hostile")
    hostile(made)
    return made


def spoken(text: str) -> list[str]:
    """The lines with orders, or with what a terminal takes for one."""
    return [
        line
        for line in text.split("\n")
        if ORDER.search(line) or re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", line)
    ]


def test_a_process_of_its_own_says_the_same(folder: Path) -> None:
    for command in (COMMANDS[0], COMMANDS[2], COMMANDS[6]):
        assert run_alone(folder, *command) == run(folder, *command)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:3]))
def test_no_command_passes_an_order_on(command: tuple[str, ...], folder: Path) -> None:
    out, err = run(folder, *command)
    if command[1] == "--diff":
        out = out.replace("\x1b", "")  # a patch is byte for byte what it changes
    lines = [line for line in out.split("\n") if not line.startswith(("::group::", "::endgroup::"))]
    assert spoken("\n".join(lines)) == []
    assert [
        line[9:]
        for line in out.split("\n")
        if line.startswith("::group::") and ORDER.search(line[9:])
    ] == []
    assert spoken(err) == []


@pytest.mark.parametrize("format", sorted({*report.FORMATS} - {"github", "html"}))
def test_no_format_passes_an_order_on(format: str, folder: Path) -> None:
    out, err = run(folder, "lint", "--select", "all", "--output", format, ".")
    lines = [line for line in out.split("\n") if not line.startswith(("::group::", "::endgroup::"))]
    assert len(out) > 5000, err
    assert spoken("\n".join(lines)) == []


def test_annotations_give_their_own_orders_alone(folder: Path) -> None:
    out, _ = run(folder, "lint", "--select", "all", "--output", "github", ".")
    for line in filter(None, out.split("\n")):
        match = re.fullmatch(r"::(error|warning|notice) title=[^:]*::(.*)", line)
        assert match, line
        assert not ORDER.search(match.group(2))
        assert not re.search(r"##(vso|teamcity)?\[", line, re.IGNORECASE)


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        found = [value["text"]] if isinstance(value.get("text"), str) else []
        return found + [
            text for key, inner in value.items() if key != "help" for text in _texts(inner)
        ]
    return [text for inner in value for text in _texts(inner)] if isinstance(value, list) else []


def test_no_message_of_sarif_links_anywhere(folder: Path) -> None:
    out, _ = run(folder, "lint", "--select", "all", "--output", "sarif", ".")
    texts = _texts(json.loads(out))
    assert any("http://b.c" in text for text in texts)
    assert [text for text in texts if re.search(r"(?<!\\)\[[^\]]*\]\(", text) or "](" in text] == []


def test_a_fault_of_our_own_is_told_the_same_way(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*args: object) -> None:
        raise RuntimeError("::error::x \x1b[31m")

    (tmp_path / "a.yaml").write_text("topics: []\n")
    monkeypatch.setattr("kcheck.cli.lint.lint", fails)
    for more in ((), ("-v",)):
        assert main(["lint", *more, str(tmp_path)]) == 2
        told = capsys.readouterr().err
        assert "RuntimeError" in told
        assert spoken(told) == []
