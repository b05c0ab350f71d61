"""The inputs of a run as an older commit of their git repository has them.

Nothing is checked out. git is asked for the tree and the blobs; what a walk would not read today
is not read of that time either.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

from kcheck import formats
from kcheck.discover import Inputs
from kcheck.left_out import BUILT, TOOLS
from kcheck.paths import git_root

_LINK = "120000"
_MOST_LINKS = 10


class RevisionError(ValueError):
    """The commit cannot be had; the message says why."""


class NoCommit(RevisionError):
    """There is no such commit."""


class Revision:
    """The files of a commit that the inputs would read; iterate for (path, bytes) in their order.

    ``ref`` is any name of a commit. What was changed *since* it begins where this branch left it:
    the two commits' merge base, so that what others did there in the meantime is nobody's change.
    ``option`` is what asks for it. Raises RevisionError.
    """

    def __init__(self, inputs: Inputs, ref: str, option: str = "--since") -> None:
        self._option = option
        root = git_root(os.path.abspath(inputs.root))
        if root is None:
            raise RevisionError(f"{option} compares with a commit, and this is no git repository")
        self._root = root
        self._inputs = inputs
        self.commit = self._base(ref)
        self._blobs: dict[str, tuple[str, str]] = {}
        for entry in self._git("ls-tree", "-r", "-z", "--full-tree", self.commit).split(b"\0"):
            about, _, path = entry.partition(b"\t")
            mode, kind, blob = about.decode().split() if path else ("", "", "")
            if kind == "blob":
                self._blobs[os.fsdecode(path)] = (mode, blob)
        self._names: dict[str, str] | None = None
        self._reader: subprocess.Popen[bytes] | None = None

    def _base(self, ref: str) -> str:
        wanted = f"{ref}^{{commit}}"
        self._git("rev-parse", "--git-dir")  # a repository that git does not trust says so here
        commit = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
        if not commit:
            raise NoCommit(
                f"{self._option} {ref}: no such commit here; in a shallow clone it has to be fetched first"
            )
        return self._ask("merge-base", commit, "HEAD") or commit

    # -- what there was ----------------------------------------------------------------------

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        for name, path in sorted(self.names.items(), key=lambda item: _in_order(item[0])):
            data = self._bytes(path)
            if data is not None:
                yield name, data

    @property
    def names(self) -> dict[str, str]:
        """The files by the name that findings give them, with their path in the tree."""
        if self._names is None:
            self._names = {}
            for asked in self._inputs.asked:
                self._names.update(self._below(asked))
        return self._names

    def reported(self, path: str) -> bool:
        """Whether the file was among what is named today."""
        return any(path == asked or self._under(path, asked) for asked in self._inputs.named_paths)

    def _under(self, path: str, asked: str) -> bool:
        if asked == ".":
            return not path.startswith(("../", "/"))
        return path.startswith(f"{asked.rstrip('/')}/")

    def lookup(self, path: str) -> bytes | None:
        """The bytes of another file of that time; None where there was none."""
        return self._bytes(self._place(path))

    def renamed(self) -> dict[str, str]:
        """Files that have another path today, by the names of both times."""
        told = self._git(
            "diff",
            *("--no-ext-diff", "--no-textconv", "--find-renames", "--diff-filter=R"),
            *("--name-status", "-z", self.commit, "--"),
        ).split(b"\0")
        found: dict[str, str] = {}
        for old, new in zip(told[1::3], told[2::3], strict=False):
            found[self._name(os.fsdecode(old))] = self._name(os.fsdecode(new))
        return found

    def last_change(self, path: str) -> str:
        """The last commit that changed the file; "" where none did."""
        return self._ask("log", "-1", "--format=%H", "--", os.path.abspath(path))

    def close(self) -> None:
        if self._reader is not None:
            for pipe in (self._reader.stdin, self._reader.stdout):
                if pipe is not None:
                    pipe.close()
            self._reader.wait()

    # -- names and places --------------------------------------------------------------------

    def _place(self, name: str) -> str:
        """The path in the tree of what findings call so."""
        path = os.path.relpath(os.path.abspath(name), self._root)
        return "" if path == "." else path.replace(os.sep, "/")

    def _name(self, path: str) -> str:
        return os.path.relpath(os.path.join(self._root, path)).replace(os.sep, "/")

    def _below(self, asked: str) -> Iterator[tuple[str, str]]:
        """(name, path) of what a walk from there would have read, or of the file itself."""
        place = self._place(asked)
        if place in self._blobs:
            yield asked, place
            return
        prefix = f"{place}/" if place else ""
        shipped = [
            path.removesuffix("bin/kafka-server-start.sh")
            for path in self._blobs
            if path.endswith("/bin/kafka-server-start.sh") and path.startswith(prefix)
        ]
        for path in self._blobs:
            if not path.startswith(prefix):
                continue
            rest = path[len(prefix) :]
            name = rest if asked == "." else f"{asked.rstrip('/')}/{rest}"
            folders = rest.split("/")[:-1]
            if any(f in TOOLS or f in BUILT or f.startswith("..") for f in folders):
                continue
            if any(path.startswith(f"{folder}config/") for folder in shipped if folder != prefix):
                continue
            if formats.modules_for(path.rpartition("/")[2]) and not self._inputs.excludes(name):
                yield name, path

    # -- git ---------------------------------------------------------------------------------

    def _bytes(self, path: str) -> bytes | None:
        for _ in range(_MOST_LINKS):
            mode, blob = self._blobs.get(path, ("", ""))
            if not blob:
                return None
            data = self._blob(blob)
            if mode != _LINK:
                return data
            target = os.path.join(os.path.dirname(path), os.fsdecode(data))
            path = os.path.normpath(target).replace(os.sep, "/")
        return None

    def _blob(self, blob: str) -> bytes:
        if self._reader is None:
            self._reader = subprocess.Popen(
                [*_GIT, "-C", self._root, "cat-file", "--batch"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=_environment(),
            )
        reader = self._reader
        assert reader.stdin is not None and reader.stdout is not None
        reader.stdin.write(f"{blob}\n".encode())
        reader.stdin.flush()
        size = int(reader.stdout.readline().split()[-1])
        data = reader.stdout.read(size)
        reader.stdout.read(1)
        return data

    def _ask(self, *words: str) -> str:
        """The first line of git's answer; "" where it refuses."""
        try:
            return self._git(*words).decode().strip().partition("\n")[0]
        except RevisionError:
            return ""

    def _git(self, *words: str) -> bytes:
        try:
            done = subprocess.run(
                [*_GIT, "-C", self._root, *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=_environment(),
                check=False,
            )
        except FileNotFoundError:
            raise RevisionError(f"{self._option} needs git, and there is none in PATH") from None
        if done.returncode:
            reason = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
            raise RevisionError(f"git {words[0]} failed: {reason or done.returncode}")
        return done.stdout


def renamed_since(inputs: Inputs, file: str) -> dict[str, str]:
    """Files that have another path than when that file was last committed; none without git."""
    try:
        head = Revision(inputs, "HEAD")
        commit = head.last_change(file)
        return (Revision(inputs, commit) if commit else head).renamed()
    except RevisionError:
        return {}


#: No program that a repository's settings may name is run for the sake of a look at it.
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.quotepath=false")


def _environment() -> dict[str, str]:
    return {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


def _in_order(name: str) -> tuple[tuple[int, str], ...]:
    """As a walk goes: names in order, files before the folders beside them."""
    *folders, file = name.split("/")
    return (*((1, folder) for folder in folders), (0, file))
