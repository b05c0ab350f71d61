"""What is written takes its place in one go: neither a full disk nor a link loses a file."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kcheck import drafts
from kcheck.__main__ import main
from kcheck.report.page import PageFile

BROKER = "broker.id=1\nzookeeper.connect=zk1:2181\nlog.dirs=/data/kafka\nunclean.leader.election.enable=true\n"


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No file grows beyond a hundred bytes, as on a disk that is full."""
    # Python takes a module of which the limit kept a part for a whole one.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    signal.signal(signal.SIGXFSZ, handler)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "repo/server.properties").write_text(BROKER)
    monkeypatch.chdir(tmp_path / "repo")
    return tmp_path / "repo"


def test_a_file_and_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "report"
    drafts.write(str(path), b"one")
    os.chmod(path, 0o640)
    drafts.write(str(path), b"two")
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["report"]


def test_what_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "report"
    path.write_bytes(b"yesterday")
    with pytest.raises(TypeError), drafts.Draft(str(path)) as file:
        file.writelines([b"half of to", None])  # type: ignore[list-item]
    with pytest.raises(KeyError), PageFile(str(path), "page"):
        raise KeyError
    assert path.read_bytes() == b"yesterday"
    assert os.listdir(tmp_path) == ["report"]


FORMATS = [
    "text",
    "concise",
    "json",
    "jsonl",
    "sarif",
    "gitlab",
    "junit",
    "checkstyle",
    "markdown",
    "html",
]


@pytest.mark.parametrize("format", FORMATS)
def test_a_full_disk_leaves_the_report_of_yesterday(
    format: str, project: Path, full: None, capsys: pytest.CaptureFixture[str]
) -> None:
    report = project / "report"
    report.write_bytes(b"yesterday")
    # All rules that there are make more than fits.
    assert main(["lint", "--select", "all", "--output", f"{format}=report", "."]) == 2
    assert "cannot write report: file too large" in capsys.readouterr().err
    assert report.read_bytes() == b"yesterday"
    assert sorted(os.listdir(project)) == [".git", "report", "server.properties"]


def test_a_full_disk_leaves_the_baseline_and_the_files_to_fix(
    project: Path, full: None, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "kcheck-baseline.jsonl").write_bytes(b"")
    assert main(["baseline", "create", "--select", "all", "."]) == 2
    assert (project / "kcheck-baseline.jsonl").read_bytes() == b""
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    before = (project / "server.properties").read_bytes()
    assert main(["lint", "--fix", "--unsafe-fixes", "."]) == 2
    assert (project / "server.properties").read_bytes() == before
    assert "cannot write" in capsys.readouterr().err
    assert sorted(os.listdir(project)) == [".git", "kcheck-baseline.jsonl", "server.properties"]


def test_a_disk_that_is_full(project: Path, tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(room)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("no small disk without rights")
    try:
        report = room / "report"
        report.write_bytes(b"yesterday")
        try:
            (room / "filler").write_bytes(bytes(100_000))
        except OSError:
            pass
        assert main(["lint", "--quiet", "--output", f"html={report}", "."]) == 2
        assert report.read_bytes() == b"yesterday"
        assert sorted(os.listdir(room)) == ["filler", "report"]
    finally:
        subprocess.run(["umount", str(room)], check=True)


def test_devices_and_pipes_are_written_as_they_are(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", "--exit-zero", "--output", "json=/dev/null", "."]) == 0
    assert main(["lint", "--output", "json=/dev/full", "."]) == 2
    assert "cannot write /dev/full: no space left" in capsys.readouterr().err
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    made = subprocess.run(
        [sys.executable, "-m", "kcheck", "lint", "--quiet", "--output", "jsonl=/dev/stdout", "."],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(drafts.__file__).parent.parent)},
    )
    assert made.stdout.startswith(b'{"rule"'), made.stderr


def test_a_link_stays_one_and_leads_to_nothing_outside(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "real.json").write_text("old")
    (project / "link.json").symlink_to("real.json")
    assert main(["lint", "--exit-zero", "--quiet", "--output", "json=link.json", "."]) == 0
    assert (project / "link.json").is_symlink()
    assert (project / "real.json").read_text().startswith('{"version"')
    for target in (tmp_path / "precious", tmp_path / "not-there"):
        (tmp_path / "precious").write_text("precious")
        (project / "out.json").symlink_to(target)
        assert main(["lint", "--quiet", "--output", "json=out.json", "."]) == 2
        assert "to outside the repository" in capsys.readouterr().err
        (project / "out.json").unlink()
    assert (tmp_path / "precious").read_text() == "precious"
    assert not (tmp_path / "not-there").exists()


def test_a_fix_follows_no_link_out_of_the_repository(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path / "theirs.properties"
    outside.write_text(BROKER)
    (project / "server.properties").unlink()
    (project / "server.properties").symlink_to(outside)
    main(["lint", "--fix", "--unsafe-fixes", "."])
    assert outside.read_text() == BROKER


def test_a_folder_that_takes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report"
    path.write_bytes(b"a longer one than the next")

    def refused(*args: object, **more: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refused)
    drafts.write(str(path), b"short")
    monkeypatch.undo()
    assert path.read_bytes() == b"short"


def test_a_file_that_is_mounted_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report"
    path.write_bytes(b"a longer one than the next")

    def busy(*args: object) -> None:
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(os, "replace", busy)
    drafts.write(str(path), b"short")
    assert path.read_bytes() == b"short"
    assert os.listdir(tmp_path) == ["report"]
