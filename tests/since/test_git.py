"""Repositories of every kind, hostile ones among them: git tells, and nothing of theirs runs."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kcheck.__main__ import main
from kcheck.discover import Inputs
from kcheck.git import process
from kcheck.git import repository as asked
from kcheck.revision import Revision, renamed_since

TOPIC = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata: {name: NAME, labels: {strimzi.io/cluster: payments}}
spec:
  partitions: 6
  replicas: 3
  config:
    retention.ms: 604800000
"""
SERVER = """\
broker.id=1
zookeeper.connect=zk1:2181
log.dirs=/data/kafka
listeners=PLAINTEXT://k1:9092
log.retention.hours=168
"""
#: Whoever commits; no settings of the machine are asked.
WHO = {
    **{
        f"GIT_{who}_{what}": "a@b.c"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    },
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def git(folder: Path, *words: str, text: str = "") -> str:
    made = subprocess.run(
        ["git", "-C", str(folder), *words],
        input=text.encode(),
        capture_output=True,
        env={**os.environ, **WHO},
        check=True,
    )
    return made.stdout.decode().strip()


def write(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(text.encode())


def change(folder: Path, path: str, old: str, new: str) -> None:
    """Edit a file as it stands in the work tree, line ends and all."""
    data = (folder / path).read_bytes()
    assert old.encode() in data
    (folder / path).write_bytes(data.replace(old.encode(), new.encode()))


def built(folder: Path, *more: str) -> Path:
    """A repository with a broker and three topics in its first commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main", *more)
    for name in ("orders", "clicks", "refunds"):
        write(folder, f"topics/{name}.yaml", TOPIC.replace("NAME", name))
    write(folder, "broker/server.properties", SERVER)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    return folder


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    made = built(tmp_path / "here")
    monkeypatch.chdir(made)
    return made


Capture = pytest.CaptureFixture[str]


def since(capsys: Capture, ref: str = "main", code: int | None = None) -> set[tuple[str, str]]:
    """(rule, resource) of what is new since then."""
    got = main(["lint", "--since", ref, "--output", "json", "."])
    told = capsys.readouterr()
    assert got in ((0, 1) if code is None else (code,)), told.err
    found = json.loads(told.out)["findings"]
    return {(f["rule"], f["resource"]["name"]) for f in found if f["rule"].startswith("KC19")}


#: What the edits of ``edited`` do, whatever kind of repository it is.
DONE = {("KC1901", "orders"), ("KC1905", "clicks")}


def edited(folder: Path) -> None:
    change(folder, "topics/orders.yaml", "partitions: 6", "partitions: 3")
    git(folder, "mv", "topics/clicks.yaml", "topics/views.yaml")
    change(folder, "topics/views.yaml", "604800000", "86400000")


# -- every kind of repository -----------------------------------------------------------------


def test_a_repository(repository: Path, capsys: Capture) -> None:
    edited(repository)
    assert since(capsys) == DONE


def test_line_ends_of_another_system(repository: Path, capsys: Capture) -> None:
    write(repository, ".gitattributes", "* text=auto eol=crlf\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "crlf")
    for path in ("topics", "broker"):
        shutil.rmtree(repository / path)
    git(repository, "checkout", "-f", "main", "--", ".")
    assert b"\r\n" in (repository / "topics/orders.yaml").read_bytes()
    assert since(capsys) == set()
    edited(repository)
    assert since(capsys) == DONE


def test_files_that_are_kept_elsewhere(repository: Path, capsys: Capture) -> None:
    """Of LFS the repository holds a pointer, the work tree the file."""
    write(repository, ".gitattributes", "*.properties filter=lfs diff=lfs merge=lfs -text\n")
    data = SERVER.encode()
    pointer = (
        "version https://git-lfs.github.com/spec/v1\n"
        f"oid sha256:{hashlib.sha256(data).hexdigest()}\nsize {len(data)}\n"
    )
    write(repository, "broker/server.properties", pointer)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "lfs")
    git(repository, "mv", "broker/server.properties", "broker/one.properties")
    write(repository, "broker/one.properties", SERVER)
    edited(repository)
    assert since(capsys) == DONE
    assert renames(repository)["broker/server.properties"] == "broker/one.properties"


def test_a_submodule(repository: Path, tmp_path: Path, capsys: Capture) -> None:
    built(tmp_path / "other")
    git(
        repository,
        *("-c", "protocol.file.allow=always", "submodule", "add", "-q"),
        *(str(tmp_path / "other"), "shared"),
    )
    git(repository, "commit", "-qm", "a submodule")
    edited(repository)
    assert since(capsys) == DONE
    # And from within: its .git is a file that leads to the repository around it.
    os.chdir(repository / "shared")
    assert (repository / "shared/.git").is_file()
    edited(repository / "shared")
    assert since(capsys) == DONE


def test_another_work_tree(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    git(repository, "worktree", "add", "-q", "-b", "topic", str(tmp_path / "there"))
    monkeypatch.chdir(tmp_path / "there")
    edited(tmp_path / "there")
    git(tmp_path / "there", "commit", "-qam", "there")
    assert since(capsys) == DONE
    assert since(capsys, "HEAD") == set()
    assert since(capsys, "HEAD@{1}") == DONE
    # The index of the first work tree is not this one's.
    assert renames(tmp_path / "there", "main") == {"topics/clicks.yaml": "topics/views.yaml"}


def test_a_shallow_clone(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    git(repository, "tag", "old")
    write(repository, "notes.txt", "later")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "second")
    git(tmp_path, "clone", "-q", "--depth", "1", repository.as_uri(), "shallow")
    monkeypatch.chdir(tmp_path / "shallow")
    edited(tmp_path / "shallow")
    assert since(capsys, "origin/main") == DONE
    assert since(capsys, "@{upstream}") == DONE
    assert main(["lint", "--since", "old", "."]) == 2
    assert "commit not found; in a shallow clone" in capsys.readouterr().err


def partial(repository: Path, tmp_path: Path, what: str) -> Path:
    """A clone without what it does not need, of a repository whose orders once had 12 partitions."""
    change(repository, "topics/orders.yaml", "partitions: 6", "partitions: 12")
    git(repository, "commit", "-qam", "more")
    git(repository, "tag", "more")
    change(repository, "topics/orders.yaml", "partitions: 12", "partitions: 6")
    git(repository, "commit", "-qam", "as before")
    git(repository, "config", "uploadpack.allowFilter", "true")
    git(repository, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(tmp_path, "clone", "-q", f"--filter={what}", repository.as_uri(), "partial")
    return tmp_path / "partial"


@pytest.mark.parametrize("what", ["blob:none", "tree:0"])
def test_a_partial_clone(
    what: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    clone = partial(repository, tmp_path, what)
    monkeypatch.chdir(clone)
    edited(clone)
    assert since(capsys, "origin/main") == DONE
    # What is missing is not fetched; it is said, and how to have it.
    before = git(clone, "count-objects", "-v")
    assert main(["lint", "--since", "more", "."]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "partial clone" in told.err and "fetch" in told.err
    assert git(clone, "count-objects", "-v") == before
    git(clone, "diff", "--stat", "more")
    assert since(capsys, "more") == DONE


def test_another_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    made = built(tmp_path / "sha256", "--object-format=sha256")
    monkeypatch.chdir(made)
    edited(made)
    assert since(capsys) == DONE


def test_a_repository_without_any_commit(tmp_path: Path, capsys: Capture) -> None:
    git(tmp_path, "init", "-q")
    os.chdir(tmp_path)
    assert main(["lint", "--since", "HEAD", "."]) == 2
    assert "commit not found" in capsys.readouterr().err


def test_packed_refs_tags_and_short_names(repository: Path, capsys: Capture) -> None:
    first = git(repository, "rev-parse", "HEAD")
    git(repository, "tag", "-a", "v1", "-m", "one")
    git(repository, "pack-refs", "--all")
    git(repository, "gc", "-q")
    git(repository, "checkout", "-q", "-b", "topic")
    edited(repository)
    git(repository, "commit", "-qam", "edited")
    for ref in ("main", "v1", first[:10], "HEAD~1", "HEAD^", "topic~", "main@{0}"):
        assert since(capsys, ref) == DONE, ref


# -- what was renamed: as git itself tells it --------------------------------------------------


def renames(folder: Path, ref: str = "HEAD") -> dict[str, str]:
    os.chdir(folder)
    revision = Revision(Inputs(["."]), ref)
    try:
        return revision.renamed()
    finally:
        revision.close()


def as_git_tells(folder: Path, ref: str = "HEAD") -> dict[str, str]:
    words = ("--find-renames", "--diff-filter=R", "--name-status", "-z", ref, "--")
    told = git(folder, "-c", "diff.renameLimit=1000", "diff", *words).split("\0")
    return dict(zip(told[1::3], told[2::3], strict=False))


def _staged(at: Path) -> None:
    git(at, "mv", "topics/orders.yaml", "topics/sales.yaml")


def _staged_and_edited(at: Path) -> None:
    _staged(at)
    change(at, "topics/sales.yaml", "604800000", "1000")


def _staged_and_replaced(at: Path) -> None:
    _staged(at)
    write(at, "topics/sales.yaml", "nothing of the kind\n" * 40)


def _moved_only(at: Path) -> None:
    (at / "topics/orders.yaml").rename(at / "topics/sales.yaml")


def _meant_to_be_added(at: Path) -> None:
    _moved_only(at)
    git(at, "add", "-N", "topics/sales.yaml")


def _gone_again(at: Path) -> None:
    _staged(at)
    (at / "topics/sales.yaml").unlink()


def _a_folder(at: Path) -> None:
    git(at, "mv", "topics", "kafka")


def _into_a_deep_folder(at: Path) -> None:
    (at / "a/b/c").mkdir(parents=True)
    git(at, "mv", "topics/orders.yaml", "a/b/c/orders.yaml")
    write(at, "a/b.txt", "beside\n")
    write(at, "a-b", "sorted otherwise\n")
    git(at, "add", "-A")


def _a_folder_in_place_of_a_file(at: Path) -> None:
    git(at, "mv", "topics/orders.yaml", "orders.yaml")
    write(at, "topics/orders.yaml/x.txt", "x\n")


def _a_link_to_a_folder(at: Path) -> None:
    git(at, "mv", "topics", "kafka")
    (at / "topics").symlink_to("kafka")


def _odd_names(at: Path) -> None:
    git(at, "mv", "topics/orders.yaml", "topics/ö \n\t'\".yaml")


def _assumed_unchanged(at: Path) -> None:
    git(at, "update-index", "--assume-unchanged", "topics/clicks.yaml")
    (at / "topics/clicks.yaml").unlink()
    _staged(at)


def _sparse(at: Path) -> None:
    git(at, "sparse-checkout", "set", "--no-cone", "/broker/", "/new/")
    assert not (at / "topics/orders.yaml").exists()
    write(at, "new/orders.yaml", TOPIC.replace("NAME", "orders"))
    git(at, "add", "new")


def _split(at: Path) -> None:
    git(at, "update-index", "--split-index")
    _staged(at)


def _nothing(at: Path) -> None:
    pass


MOVES: list[Callable[[Path], None]] = [
    _nothing,
    _staged,
    _staged_and_edited,
    _staged_and_replaced,
    _moved_only,
    _meant_to_be_added,
    _gone_again,
    _a_folder,
    _into_a_deep_folder,
    _a_folder_in_place_of_a_file,
    _a_link_to_a_folder,
    _odd_names,
    _assumed_unchanged,
    _sparse,
    _split,
]


@pytest.mark.parametrize("move", MOVES, ids=lambda move: move.__name__.strip("_"))
def test_what_was_renamed_is_what_git_takes_for_it(
    move: Callable[[Path], None], repository: Path
) -> None:
    move(repository)
    told = as_git_tells(repository)
    assert renames(repository) == told
    assert bool(told) == (
        move not in (_nothing, _moved_only, _gone_again, _sparse, _staged_and_replaced)
    )


def test_renamed_since_the_baseline_was_committed(repository: Path) -> None:
    write(repository, "kcheck-baseline.jsonl", "")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "baseline")
    _staged(repository)
    git(repository, "commit", "-qm", "moved")
    os.chdir(repository / "topics")
    found = renamed_since(Inputs(["."]), "../kcheck-baseline.jsonl")
    assert found == {"orders.yaml": "sales.yaml"}


# -- repositories that want to run something -----------------------------------------------------


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """What a program of the repository would leave behind."""
    return tmp_path / "it-ran"


def trap(tmp_path: Path, marker: Path, then: str = "exec cat") -> str:
    program = tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\ntouch '{marker}'\n{then}\n")
    program.chmod(0o755)
    return str(program)


#: Settings of ``.git/config`` with which git runs a program; TRAP is one.
SETTINGS = {
    "filter.x.clean": "TRAP",
    "filter.x.smudge": "TRAP",
    "filter.x.process": "TRAP",
    "diff.x.textconv": "TRAP",
    "diff.x.command": "TRAP",
    "diff.external": "TRAP",
    "core.fsmonitor": "TRAP",
    "core.pager": "TRAP",
    "pager.ls-tree": "TRAP",
    "pager.log": "TRAP",
    "core.hooksPath": "HOOKS",
    "core.sshCommand": "TRAP",
    "core.askPass": "TRAP",
    "core.editor": "TRAP",
    "core.gitProxy": "TRAP",
    "core.alternateRefsCommand": "TRAP",
    "credential.helper": "!TRAP",
    "gpg.program": "TRAP",
    "log.showSignature": "true",
    "alias.ls-tree": "!TRAP",
    "alias.rev-parse": "!TRAP",
    "uploadpack.packObjectsHook": "TRAP",
    "interactive.diffFilter": "TRAP",
    "protocol.ext.allow": "always",
    "protocol.allow": "always",
}


@pytest.fixture
def hostile(repository: Path, tmp_path: Path, marker: Path) -> Path:
    """Every setting, attribute and hook that makes git run something, at once."""
    program = trap(tmp_path, marker)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in (
        *os.listdir(repository / ".git/hooks"),
        "reference-transaction",
        "post-index-change",
    ):
        for folder in (hooks, repository / ".git/hooks"):
            shutil.copy(program, folder / name.removesuffix(".sample"))
    write(repository, ".gitattributes", "* filter=x diff=x text=auto\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "attributes", "--no-verify")
    write(repository, ".git/info/attributes", "* filter=x diff=x\n")
    write(tmp_path, "included", f'[filter "x"]\n\tclean = {program}\n')
    edited(repository)
    with open(repository / ".git/config", "a", encoding="utf-8") as config:
        for key, value in {**SETTINGS, "include.path": str(tmp_path / "included")}.items():
            section, _, name = key.rpartition(".")
            head, _, sub = section.partition(".")
            sub = f' "{sub}"' if sub else ""
            text = value.replace("TRAP", program).replace("HOOKS", str(hooks))
            config.write(f"[{head}{sub}]\n\t{name} = {text}\n")
    # Files look as if they had changed since git looked at them.
    for path in repository.glob("*/*.*"):
        os.utime(path, (0, 0))
    marker.unlink(missing_ok=True)
    return repository


def test_the_trap_snaps(hostile: Path, marker: Path) -> None:
    """Otherwise the tests below would show nothing."""
    git(hostile, "diff", "--name-status", "HEAD", "--")
    assert marker.exists()


def test_nothing_of_the_repository_runs(hostile: Path, marker: Path, capsys: Capture) -> None:
    assert since(capsys) == DONE
    assert since(capsys, "main~1") == DONE
    assert main(["lint", "--context-since", "main", "topics/orders.yaml"]) in (0, 1, 2)
    assert main(["baseline", "create", "."]) == 0
    assert main(["lint", "--baseline", "kcheck-baseline.jsonl", "."]) in (0, 1)
    assert main(["baseline", "prune", "."]) == 0
    assert not marker.exists()


@pytest.mark.parametrize("how", ["ext", "ssh", "file", "helper", "vcs"])
def test_no_promisor_is_asked(
    how: str,
    repository: Path,
    tmp_path: Path,
    marker: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    clone = partial(repository, tmp_path, "blob:none")
    program = trap(tmp_path, marker, "exit 1")
    shutil.copy(program, tmp_path / "git-remote-trap")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    git(clone, "config", "protocol.allow", "always")
    git(clone, "config", "core.sshCommand", program)
    git(clone, "config", "remote.origin.uploadpack", program)
    url = {"ext": f"ext::{program}", "ssh": "ssh://nowhere/x", "helper": "trap::x"}
    if how in url:
        git(clone, "config", "remote.origin.url", url[how])
    if how == "vcs":
        git(clone, "config", "remote.origin.vcs", "trap")
    monkeypatch.chdir(clone)
    assert main(["lint", "--since", "more", "."]) == 2
    assert "partial clone" in capsys.readouterr().err
    assert not marker.exists()
    # git itself would have asked.
    subprocess.run(["git", "diff", "--stat", "more"], capture_output=True, check=False)
    assert marker.exists()


def test_a_program_called_git_in_the_repository(
    repository: Path, tmp_path: Path, marker: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    shutil.copy(trap(tmp_path, marker, "exit 1"), repository / "git")
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")
    assert main(["lint", "--since", "main", "--output", "json", "."]) in (0, 1)
    assert not marker.exists()


def test_the_environment_of_the_user_is_not_gits(
    repository: Path, tmp_path: Path, marker: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    edited(repository)
    program = trap(tmp_path, marker)
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SSH", "GIT_ASKPASS", "GIT_EDITOR"):
        monkeypatch.setenv(name, program)
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", program)
    assert since(capsys) == DONE
    assert not marker.exists()
    assert not (tmp_path / "trace").exists()


# -- repositories that do not end, or are none ---------------------------------------------------


def _fifo_of_an_object(at: Path) -> None:
    blob = git(at, "rev-parse", "HEAD:topics/orders.yaml")
    place = at / ".git/objects" / blob[:2] / blob[2:]
    place.unlink()
    os.mkfifo(place)


def _fifo_of_the_tree(at: Path) -> None:
    blob = git(at, "rev-parse", "HEAD^{tree}")
    place = at / ".git/objects" / blob[:2] / blob[2:]
    place.unlink()
    os.mkfifo(place)


def _fifo_of(name: str) -> Callable[[Path], None]:
    def make(at: Path) -> None:
        (at / ".git" / name).unlink(missing_ok=True)
        os.mkfifo(at / ".git" / name)

    return make


def _git_is_a_fifo(at: Path) -> None:
    shutil.rmtree(at / ".git")
    os.mkfifo(at / ".git")


def _git_is_empty(at: Path) -> None:
    shutil.rmtree(at / ".git")
    (at / ".git").mkdir()


def _leads_to_itself(at: Path) -> None:
    shutil.rmtree(at / ".git")
    (at / ".git").write_text("gitdir: .git\n")


def _broken_object(at: Path) -> None:
    blob = git(at, "rev-parse", "HEAD:topics/orders.yaml")
    place = at / ".git/objects" / blob[:2] / blob[2:]
    place.chmod(0o644)
    place.write_bytes(b"no zlib")


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (_fifo_of_an_object, "took longer"),
        (_fifo_of_the_tree, "took longer"),
        (_fifo_of("HEAD"), "not a git repository"),
        (_fifo_of("packed-refs"), ""),
        (_fifo_of("config"), ""),
        (_fifo_of("index"), ""),
        (_git_is_a_fifo, "not a git repository"),
        (_git_is_empty, "not a git repository"),
        (_leads_to_itself, "not a git repository"),
        (_broken_object, "does not contain topics/orders.yaml"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_no_repository_takes_the_machine(
    fault: Callable[[Path], None],
    said: str,
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    monkeypatch.setattr(process, "PATIENCE", 1.0)
    fault(repository)
    start = time.monotonic()
    code = main(["lint", "--since", "HEAD", "."])
    told = capsys.readouterr()
    assert time.monotonic() - start < 10
    assert "internal error" not in told.err
    if said:
        assert code == 2
        assert said in told.err
        assert told.err.count("\n") == 1


def test_a_tree_of_trees_without_end(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Ten folders of ten folders of ten folders …: 10^12 files in a dozen objects."""
    monkeypatch.setattr(asked, "_MOST", 1_000_000)
    tree = git(repository, "rev-parse", "HEAD:topics")
    for _ in range(12):
        tree = git(
            repository, "mktree", text="".join(f"040000 tree {tree}\tf{n}\n" for n in range(10))
        )
    commit = git(repository, "commit-tree", tree, "-m", "bomb")
    assert main(["lint", "--since", commit, "."]) == 2
    assert "printed more than" in capsys.readouterr().err


def test_a_huge_file_is_not_read_to_its_end(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    write(repository, "topics/zeros.yaml", "a: " + "0" * 12_000_000)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "zeros")
    edited(repository)
    assert since(capsys, "HEAD") == DONE
    revision = Revision(Inputs(["."]), "HEAD")
    try:
        sizes = {path: len(data) for path, data in revision}
        # Those that come after it are whole.
        assert sizes["topics/refunds.yaml"] == len(TOPIC.replace("NAME", "refunds"))
        assert sizes["topics/zeros.yaml"] < 12_000_000
    finally:
        revision.close()


def test_nothing_is_left_behind(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    room = tmp_path / "room"
    room.mkdir()
    monkeypatch.setenv("TMPDIR", str(room))
    edited(repository)
    before = {path: path.stat().st_mtime_ns for path in (repository / ".git").rglob("*")}
    assert since(capsys) == DONE
    assert main(["lint", "--since", "nowhere", "."]) == 2
    assert list(room.iterdir()) == []
    assert {path: path.stat().st_mtime_ns for path in (repository / ".git").rglob("*")} == before
