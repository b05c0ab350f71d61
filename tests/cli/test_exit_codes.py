"""Exit codes 0, 1 and 2, the two streams, and no traceback whatever happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from playground import CLEAN, FAULTY, WEAK, Project

from kcheck import engine, formats
from kcheck.rule import registered

SELECT = ("--select", "KC0301,KC0302")
ASSIGNED = '[[clusters]]\nname = "x"\npaths = ["other.yaml"]\n'
MINECRAFT = "level-name=world\nserver-port=25565\nmotd=hello\n"


@pytest.mark.parametrize(
    ("files", "args", "code"),
    [
        ({"topics.yaml": CLEAN}, ["."], 0),
        ({"topics.yaml": CLEAN}, [], 0),
        ({"kcheck.yaml": WEAK}, ["."], 0),
        ({"kcheck.yaml": WEAK}, ["--fail-on", "warning"], 1),
        ({"kcheck.yaml": WEAK}, ["--fail-on", "info", "kcheck.yaml"], 1),
        ({"kcheck.yaml": FAULTY}, ["."], 1),
        ({"kcheck.yaml": FAULTY}, ["--fail-on", "never"], 0),
        ({"kcheck.yaml": FAULTY}, ["--exit-zero"], 0),
        ({"kcheck.yaml": FAULTY}, ["--ignore", "KC0302"], 0),
        ({"kcheck.yaml": FAULTY}, ["--select", "listeners"], 0),
        ({"kcheck.yaml": FAULTY}, ["kcheck.yaml", "missing.yaml"], 2),
        ({"kcheck.yaml": FAULTY}, ["--exit-zero", "missing.yaml"], 2),
        ({"kcheck.yaml": CLEAN}, ["missing"], 2),
        ({"kcheck.yaml": CLEAN}, [""], 2),
        ({"kcheck.yaml": CLEAN}, ["/dev/null"], 2),
        ({"kcheck.yaml": CLEAN}, ["--context", "missing", "kcheck.yaml"], 2),
        ({"server.properties": MINECRAFT}, ["server.properties"], 0),
        ({"server.properties": MINECRAFT}, ["."], 2),
        ({"server.properties": MINECRAFT}, [".", "--allow-empty"], 0),
        ({"other.yaml": "a: [\n", "kcheck.yaml": CLEAN}, ["."], 0),
        ({"other.yaml": "a: [\n"}, ["other.yaml"], 1),
        ({"other.yaml": "a: [\n"}, ["other.yaml", "--force-exclude"], 0),
        ({"other.yaml": "a: [{{ b }}\n"}, ["other.yaml"], 0),
        ({"other.yaml": "a: [1]\n"}, ["other.yaml"], 0),
        ({"other.yaml": "a: [\n", "kcheck.toml": ASSIGNED}, ["."], 1),
        ({"README.md": "# kafka"}, ["."], 2),
        ({"README.md": "# kafka"}, ["README.md"], 0),
        ({"kcheck.yaml": "kcheck: 1\ntopics: [\n"}, ["."], 1),
        ({"kcheck.yaml": CLEAN}, ["--output", "xml"], 2),
        ({"kcheck.yaml": CLEAN}, ["--output", "json", "--output", "text"], 2),
        ({"kcheck.yaml": CLEAN}, ["--output", "json=", "."], 2),
        ({"kcheck.yaml": CLEAN}, ["--output", "json=no/such/folder.json"], 2),
        ({"kcheck.yaml": CLEAN}, ["--baseline", "missing.jsonl"], 2),
        ({"kcheck.yaml": CLEAN, "b.jsonl": "{"}, ["--baseline", "b.jsonl"], 2),
        ({"kcheck.yaml": CLEAN}, ["--baseline", "b", "--no-baseline"], 2),
        ({"kcheck.yaml": CLEAN}, ["--config", "missing.toml"], 2),
        ({"kcheck.yaml": CLEAN}, ["--config", "x", "--isolated"], 2),
        ({"kcheck.yaml": CLEAN, "kcheck.toml": "selekt = []"}, ["."], 2),
        ({"kcheck.yaml": CLEAN, "kcheck.toml": "selekt = []"}, [".", "--isolated"], 0),
        ({"kcheck.yaml": CLEAN}, ["--select", "KC99"], 2),
        ({"kcheck.yaml": CLEAN}, ["--kafka-version", "newest"], 2),
        ({"kcheck.yaml": CLEAN}, ["--min-severity", "error", "--fail-on", "warning"], 2),
        ({"kcheck.yaml": CLEAN}, ["--min-severity", "error", "--fail-on", "never"], 0),
        ({"kcheck.yaml": CLEAN}, ["-"], 2),
        ({"kcheck.yaml": CLEAN}, ["--stdin-filename", "x.yaml", "."], 2),
        ({"kcheck.yaml": CLEAN}, ["--exclude", "kcheck.yaml"], 2),
    ],
)
def test_exit_code(files: dict[str, str], args: list[str], code: int, project: Project) -> None:
    for path, text in files.items():
        project.file(path, text)
    result = project.run("lint", *args)
    assert result.code == code, result.err
    assert "Traceback" not in result.err
    if code == 2:
        assert "kcheck: " in result.err


def test_the_report_is_written_whatever_the_exit_code(project: Project) -> None:
    project.file("kcheck.yaml", FAULTY)
    result = project.run("lint", *SELECT, "--output", "json", "kcheck.yaml", "missing.yaml")
    assert result.code == 2
    report = json.loads(result.out)
    assert [f["rule"] for f in report["findings"]] == ["KC0302"]
    assert report["summary"]["files"] == {"read": 1, "passed-over": 0, "skipped": 0, "error": 1}
    assert "missing.yaml: does not exist" in result.err


def test_several_outputs_at_once(project: Project) -> None:
    project.file("kcheck.yaml", FAULTY)
    result = project.run(
        "lint",
        *SELECT,
        "--output",
        "sarif=out.sarif",
        "--output",
        "concise",
        "--output",
        "jsonl=out.jsonl",
    )
    assert result.code == 1
    assert result.out.startswith("kcheck.yaml:3:")
    assert json.loads((project.root / "out.sarif").read_text())["version"] == "2.1.0"
    assert json.loads((project.root / "out.jsonl").read_text())["rule"] == "KC0302"


def test_one_output_that_cannot_be_written_does_not_take_the_others_along(
    project: Project,
) -> None:
    project.file("kcheck.yaml", FAULTY)
    result = project.run("lint", "--output", "json=no/where.json", "--output", "concise")
    assert result.code == 2
    assert "no/where.json" in result.err
    assert "KC0302" in result.out


def test_a_clean_run_says_one_line_on_stderr_and_nothing_on_stdout(project: Project) -> None:
    project.file("topics.yaml", CLEAN)
    result = project.run("lint", "topics.yaml")
    assert (result.code, result.out) == (0, "")
    assert len(result.err.splitlines()) == 1
    assert project.run("lint", "-q", "topics.yaml").err == ""


def test_v_tells_what_is_left_out_and_which_settings_hold(project: Project) -> None:
    project.file("kcheck.toml", 'required-version = ">=0.1, <99.0"\n')
    project.file("topics.yaml", CLEAN)
    project.file("build/topics.yaml", CLEAN)
    err = project.run("lint", "-v").err
    assert "settings of kcheck.toml" in err
    assert "build: skipped: build output" in err
    assert "kcheck.toml: unrelated: no Kafka configuration" in err


def test_min_severity_hides_what_is_milder(project: Project) -> None:
    project.file("kcheck.yaml", WEAK)
    assert "KC0301" in project.run("lint", "--output", "concise").out
    assert project.run("lint", "--output", "concise", "--min-severity", "error").out == ""


def test_a_rule_that_raises_costs_its_findings_only(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(topic: object) -> object:
        raise ZeroDivisionError("boom")

    project.file("kcheck.yaml", FAULTY)
    project.run("lint")
    monkeypatch.setattr(registered()["KC0301"], "check", broken)
    result = project.run("lint", *SELECT, "--output", "json")
    assert result.code == 2
    assert [f["rule"] for f in json.loads(result.out)["findings"]] == ["KC0302"]
    assert "KC0301" in result.err and "ZeroDivisionError" in result.err
    assert "boom" not in result.err, "an exception may quote a secret"
    assert "Traceback" not in result.err


def test_a_format_that_raises_costs_its_file_only(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = formats.read

    def broken(path: str, data: bytes, lookup: object) -> object:
        if path == "a.yaml":
            raise KeyError("boom")
        return real(path, data, lookup)

    project.file("a.yaml", CLEAN)
    project.file("kcheck.yaml", FAULTY)
    monkeypatch.setattr(formats, "read", broken)
    result = project.run("lint", *SELECT, "--output", "json")
    assert result.code == 2
    report = json.loads(result.out)
    assert [f["rule"] for f in report["findings"]] == ["KC0302"]
    assert report["summary"]["files"]["error"] == 1
    assert result.err.count("a.yaml") == 1 and "KeyError" in result.err


def test_an_error_of_its_own_is_one_line_and_a_traceback_with_v(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> object:
        raise RuntimeError("boom")

    project.file("topics.yaml", CLEAN)
    monkeypatch.setattr(engine, "lint_project", broken)
    result = project.run("lint")
    assert result.code == 2
    assert len(result.err.splitlines()) == 1 and "RuntimeError" in result.err
    assert "Traceback" in project.run("lint", "-v").err


def test_standard_input(project: Project, stdin: Callable[[str], None]) -> None:
    project.file("conf/kcheck.yaml", CLEAN)
    stdin(FAULTY)
    arguments = ("--stdin-filename", "conf/kcheck.yaml", "--output", "concise")
    result = project.run("lint", "-", *SELECT, *arguments)
    assert result.code == 1
    assert result.out.startswith("conf/kcheck.yaml:3:")


def test_standard_input_stands_for_the_file_in_its_context(
    project: Project, stdin: Callable[[str], None]
) -> None:
    project.file("cluster.yaml", 'cluster: {name: core, kafka_version: "3.6", brokers: 3}\n')
    project.file("topics.yaml", CLEAN)
    stdin(CLEAN.replace("replication_factor: 3", "replication_factor: 9"))
    arguments = ("lint", "-", "--stdin-filename", "topics.yaml", "--output", "json")
    assert project.run(*arguments).code == 0
    stdin(CLEAN.replace("replication_factor: 3", "replication_factor: 9"))
    result = project.run(*arguments, "--context", ".")
    assert result.code == 1
    findings = json.loads(result.out)["findings"]
    assert {f["path"] for f in findings} == {"topics.yaml"}
    assert json.loads(result.out)["summary"]["files"]["read"] == 2


def run_in_shell(command: str, cwd: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command], cwd=str(cwd), capture_output=True, text=True, check=False
    )


def test_a_reader_that_goes_away_is_no_error(project: Project) -> None:
    many = "".join(
        f"  - {{name: t{n}, partitions: 6, replication_factor: 2, config: {{min.insync.replicas: 3}}}}\n"
        for n in range(3000)
    )
    project.file("kcheck.yaml", FAULTY.rpartition("  -")[0] + many)
    command = f"{sys.executable} -m kcheck lint -q | true; echo ${{PIPESTATUS[0]}}"
    done = run_in_shell(command, project.root)
    assert done.stderr == ""
    assert done.stdout == "1\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a full device")
def test_a_full_disk_is_told(project: Project) -> None:
    project.file("kcheck.yaml", FAULTY)
    done = run_in_shell(f"{sys.executable} -m kcheck lint -q > /dev/full", project.root)
    assert done.returncode == 2
    assert done.stderr == "kcheck: cannot write the report: no space left on device\n"


def test_a_path_that_is_not_utf_8_is_printed(project: Project) -> None:
    name = b"t\xff.yaml"
    try:
        with open(os.path.join(os.fsencode(project.root), name), "wb") as file:
            file.write(WEAK.encode())
    except OSError:
        pytest.skip("this file system wants UTF-8")
    for output in ("text", "concise", "json", "sarif", "github"):
        done = run_in_shell(f"{sys.executable} -m kcheck lint --output {output}", project.root)
        assert done.returncode == 0, done.stderr
        assert "KC0301" in done.stdout


def test_colour(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.file("kcheck.yaml", FAULTY)
    escape = "\x1b["
    assert escape not in project.run("lint").out, "a pipe gets no colour"
    assert escape in project.run("lint", "--color", "always").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert escape in project.run("lint").out
    assert escape not in project.run("lint", "--color", "never").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert escape not in project.run("lint").out, "NO_COLOR wins"
    assert escape in project.run("lint", "--color", "always").out, "who asks for it gets it"


def test_version_and_help(project: Project) -> None:
    from kcheck import __version__

    assert project.run("--version").out == f"kcheck {__version__}\n"
    assert project.run("-h").code == 0
    assert project.run("no-such-command").code == 2
