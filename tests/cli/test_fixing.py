"""``lint --fix``, ``--unsafe-fixes`` and ``--diff``, as a user meets them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest
from playground import Project

SLIPS = """\
# the big one
broker.id=1
zookeeper.connect=zk1:2181
log.dirs=/data/kafka
auto.create.topics.enable = yes
unclean.leader.election.enable=true
log.retention.hours=72 # three days
"""
SAFE = (
    SLIPS.replace("= yes", "= true")
    .replace("log.retention.hours=72 # three days", "# three days\nlog.retention.hours=72")
)  # fmt: skip


def test_safe_fixes(project: Project) -> None:
    path = project.file("server.properties", SLIPS)
    path.chmod(0o640)
    result = project.run("lint", "--fix", "--output", "concise", ".")
    assert path.read_text() == SAFE
    assert path.stat().st_mode & 0o777 == 0o640
    assert "KC0103" not in result.out
    assert "KC0306" in result.out
    assert "Fixed 2 findings in 1 file; 1 more with --unsafe-fixes.\n" in result.err
    assert result.code == 0
    again = project.run("lint", "--fix", ".")
    assert "Fixed 0 findings in 0 files" in again.err
    assert path.read_text() == SAFE


@pytest.mark.parametrize("options", [["--unsafe-fixes"], ["--fix", "--unsafe-fixes"]])
def test_unsafe_fixes(project: Project, options: list[str]) -> None:
    path = project.file("server.properties", SLIPS)
    project.run("lint", *options, ".")
    assert path.read_text() == SAFE.replace("enable=true", "enable=false")


def test_a_diff_changes_nothing_and_can_be_applied(project: Project) -> None:
    path = project.file("conf/server.properties", SLIPS)
    result = project.run("lint", "--diff", ".")
    assert path.read_text() == SLIPS
    assert result.code == 1
    subprocess.run(["git", "init", "-q", "."], cwd=project.root, check=True)
    subprocess.run(["git", "apply", "-"], input=result.out, text=True, cwd=project.root, check=True)
    assert path.read_text() == SAFE
    clean = project.run("lint", "--diff", ".")
    assert (clean.out, clean.code) == ("", 0)


def applied(project: Project, patch: str) -> None:
    """git takes the patch as it is."""
    subprocess.run(["git", "init", "-q", "."], cwd=project.root, check=True)
    subprocess.run(["git", "apply", "-"], input=patch, text=True, cwd=project.root, check=True)


def test_a_fix_beside_a_secret_is_left_out_of_the_patch_and_counted(project: Project) -> None:
    secret = "unclean.leader.election.enable=true\nssl.key.password=hunter2\n"
    path = project.file(
        "server.properties", SLIPS.replace("unclean.leader.election.enable=true\n", secret)
    )
    result = project.run("lint", "--diff", "--unsafe-fixes", ".")
    assert "unclean" not in "".join(x for x in result.out.splitlines() if x[:1] in "+-")
    assert "; withheld: 1 cannot be shown in a patch." in result.err
    applied(project, result.out)
    assert "auto.create.topics.enable = true" in path.read_text()
    assert secret in path.read_text()


@pytest.mark.parametrize("name", ["a b/c d.properties", "größe/server.properties"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_patch_of_any_file_applies(name: str, end: str, project: Project) -> None:
    text = SLIPS.replace("# the big one", "# größte").replace("\n", end).removesuffix(end)
    path = project.file(name, "")
    for encoding in ("utf-8", "latin-1"):
        path.write_bytes(text.encode(encoding))
        out = project.run("lint", "--diff", ".").out
        # What git gets is bytes; the harness may have replaced those of another encoding.
        if encoding == "utf-8":
            applied(project, out)
            assert "auto.create.topics.enable = true" in path.read_text()


def test_a_diff_in_colours(project: Project) -> None:
    project.file("server.properties", SLIPS)
    out = project.run("lint", "--diff", "--color", "always", ".").out
    assert "\x1b[31m-auto.create.topics.enable = yes\x1b[0m\n" in out
    assert "\x1b[32m+auto.create.topics.enable = true\x1b[0m\n" in out


def test_files_outside_the_folder_are_left_out_of_the_patch(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.file("server.properties", SLIPS)
    inner = project.file("inner/x.txt", "").parent
    monkeypatch.chdir(inner)
    result = project.run("lint", "--diff", "..")
    assert result.out == ""
    assert "cannot be shown in a patch" in result.err


def test_a_withheld_fix_has_its_reason_and_no_mark(project: Project) -> None:
    text = """\
cluster: {name: core, environment: production, brokers: 3, config: {min.insync.replicas: 1}}
topics:
  - {name: orders, partitions: 6, replication_factor: 3}
producers:
  - {name: checkout, topics: [orders], config: {acks: all}}
"""
    project.file("kcheck.yaml", text)
    before = project.run("lint", ".")
    assert "warning[KC0305 acks-all-min-isr-1] [unsafe fix]: " in before.out
    result = project.run("lint", "--unsafe-fixes", ".")
    assert "Fixed 0 findings in 0 files; withheld: 1 would " in result.err
    assert "warning[KC0305 acks-all-min-isr-1]: " in result.out
    assert "fixable" not in result.err


def test_a_misspelt_key_whose_right_one_is_set_goes(project: Project) -> None:
    text = SLIPS + "log.retention.minutes=1440\nlog.retention.minute=720\n"
    path = project.file("server.properties", text)
    project.run("lint", "--unsafe-fixes", "--select", "KC0101", ".")
    assert path.read_text() == text.replace("log.retention.minute=720\n", "")


def test_other_names_of_a_file_and_its_owner_stay(project: Project) -> None:
    path = project.file("server.properties", SLIPS)
    other = path.with_name("other.txt")
    other.hardlink_to(path)
    path.chmod(0o604)
    project.run("lint", "--fix", ".")
    assert other.read_text() == path.read_text() == SAFE
    assert path.stat().st_ino == other.stat().st_ino
    assert path.stat().st_mode & 0o777 == 0o604


def test_a_diff_shows_no_secret(project: Project) -> None:
    secret = "ssl.key.password=hunter2\n"
    project.file("server.properties", SLIPS.replace("log.dirs", f"{secret}log.dirs"))
    result = project.run("lint", "--diff", ".")
    assert "+auto.create.topics.enable = true" in result.out
    assert "hunter2" not in result.out
    # Nor is there a hole in what is to be applied.
    assert "[hidden]" not in result.out
    applied(project, result.out)


def test_a_fix_that_draws_another_finding_is_left_to_people(project: Project) -> None:
    text = """\
cluster: {name: core, environment: production, brokers: 3, config: {min.insync.replicas: 1}}
topics:
  - {name: orders, partitions: 6, replication_factor: 3}
producers:
  - {name: checkout, topics: [orders], config: {acks: all}}
"""
    path = project.file("kcheck.yaml", text)
    result = project.run("lint", "--unsafe-fixes", "--output", "concise", ".")
    assert "KC0305" in result.out
    assert path.read_text() == text


def test_what_is_ignored_or_known_is_not_fixed(project: Project) -> None:
    ignored = SLIPS.replace("auto.create", "# kcheck: ignore[KC0103]\nauto.create")
    path = project.file("server.properties", ignored)
    project.run("baseline", "create", ".")
    project.run("lint", "--fix", "--baseline", "kcheck-baseline.jsonl", ".")
    assert path.read_text() == ignored


def test_only_named_files_are_changed(project: Project) -> None:
    project.file(
        "kcheck.yaml", 'cluster: {name: core, brokers: 3, config: {log.segment.bytes: "1 "}}\n'
    )
    path = project.file("server.properties", SLIPS)
    project.file("other.properties", SLIPS.replace("id=1", "id=2"))
    project.run("lint", "--fix", "--context", ".", "other.properties")
    assert path.read_text() == SLIPS


def test_an_unused_ignore_goes(project: Project) -> None:
    text = "topics:\n  # kcheck: ignore[KC0303, KC0302] later\n  - {name: orders, partitions: 3}\n"
    path = project.file("kcheck.yaml", text)
    project.run("lint", "--fix", ".")
    assert path.read_text() == "topics:\n  - {name: orders, partitions: 3}\n"


def test_standard_input_comes_out_fixed(project: Project, stdin: Callable[[str], None]) -> None:
    stdin(SLIPS)
    result = project.run("lint", "--fix", "-", "--stdin-filename", "server.properties")
    assert result.out == SAFE
    stdin(SAFE)
    result = project.run("lint", "--fix", "-", "--stdin-filename", "server.properties")
    assert result.out == SAFE
    stdin(SLIPS)
    refused = project.run(
        "lint", "--fix", "-", "--stdin-filename", "server.properties", "--output", "json"
    )
    assert refused.code == 2
