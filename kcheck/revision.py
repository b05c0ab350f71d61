"""The inputs of a run as an older commit of their git repository has them.

Nothing is checked out. git is asked for the tree and the blobs; what a walk would not read today
is not read of that time either.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from kcheck.discover import Inputs
from kcheck.files import read_file
from kcheck.folder_names import FolderNames
from kcheck.formats import endings
from kcheck.git import Blobs, Git, GitError
from kcheck.left_out import BUILT, TOOLS, fixtures_in
from kcheck.paths import git_root

_LINK, _MODULE = "120000", "160000"
_MOST_LINKS = 10
#: git compares no more files that are gone with files that are new, to tell what was renamed.
_MOST_RENAMES = 1000
#: Folders within folders: a tree that is deeper is nobody's.
_DEEPEST = 200
#: What stands in the repository for a file that is kept elsewhere.
_POINTER = b"version https://git-lfs.github.com/spec/"


class NoCommit(GitError):
    """There is no such commit."""


class Revision:
    """The files of a commit that the inputs would read; iterate for (path, bytes) in their order.

    ``ref`` is any name of a commit. What was changed *since* it begins where this branch left it:
    the two commits' merge base, so that what others did there in the meantime is nobody's change.
    ``option`` is what asks for it. Raises GitError.

    ``missing`` are files of that time that were asked for and are not here.
    """

    def __init__(self, inputs: Inputs, ref: str, option: str = "--since") -> None:
        self._option = option
        root = git_root(os.path.abspath(inputs.root))
        if root is None:
            raise GitError(f"{option} requires a git repository")
        self._root = root
        self._inputs = inputs
        self._git = Git(root, option)
        try:
            self.commit = self._base(ref)
            self._blobs = self._tree()
            self._folders = FolderNames(self._blobs)
        except BaseException:
            self._git.close()
            raise
        self.missing: list[str] = []
        self._names: dict[str, str] | None = None
        self._reader: Blobs | None = None

    def _base(self, ref: str) -> str:
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        named = self._git.upstream() if "@{" in ref else {}
        commit = self._git.line(*words, **named)
        if not commit:
            raise NoCommit(
                f"{self._option} {ref}: commit not found; in a shallow clone, fetch it first"
            )
        return self._git.line("merge-base", commit, "HEAD") or commit

    def _tree(self) -> dict[str, tuple[str, str]]:
        """(mode, blob) of the commit's files by path."""
        found: dict[str, tuple[str, str]] = {}
        words = ("ls-tree", "-r", "-z", "--full-tree", self.commit)
        for entry in os.fsdecode(self._git.ask(*words)).split("\0"):
            about, _, path = entry.partition("\t")
            if path:
                mode, kind, blob = about.split()
                if kind == "blob":
                    found[path] = (mode, blob)
        return found

    # -- what there was ----------------------------------------------------------------------

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        files = sorted(self.names.items(), key=lambda item: _in_order(item[0]))
        entries = [self._blobs[path] for _, path in files]
        self._blob_reader().expect(blob for mode, blob in entries if mode != _LINK)
        for name, path in files:
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
        """The bytes of another file of that time, or the names in a folder; None for what was not."""
        if path.endswith("/"):
            return self._folders.of(self._place(path[:-1]))
        return self._bytes(self._place(path))

    def renamed(self) -> dict[str, str]:
        """Files that have another path today, by the names of both times.

        Today's files are those that git tracks. What stands in the index tells what a file is, so
        that no filter has to run over the work tree.
        """
        tracked: set[str] = set()
        new: dict[str, tuple[str, str]] = {}
        there = _Present(self._root)
        for path, mode, blob, stage, sparse in self._git.tracked():
            if mode == _MODULE or sparse or there(path):
                tracked.add(path)
                if stage == "0" and mode != _MODULE and path not in self._blobs:
                    new[path] = (mode, blob)
        gone = {path: entry for path, entry in self._blobs.items() if path not in tracked}
        gone, new = ({p: e for p, e in some.items() if _plain(p)} for some in (gone, new))
        if not gone or not new:
            return {}
        if len(new) <= _MOST_RENAMES:
            new = {path: self._as_it_is(path, *entry) for path, entry in new.items()}
        return {
            self._name(old): self._name(now)
            for old, now in self._git.renamed(gone, new, _MOST_RENAMES)
        }

    def _as_it_is(self, path: str, mode: str, blob: str) -> tuple[str, str]:
        """The file with its text of today, where that has no other form in the repository."""
        if mode == _LINK:
            return mode, blob
        data = self._blob(blob)
        if data is None or data.startswith(_POINTER) or b"\0" in data:
            return mode, blob
        try:
            today = read_file(os.path.join(self._root, path))
        except OSError:
            return mode, blob
        today = today.replace(b"\r\n", b"\n")
        if b"\0" in today or today == data.replace(b"\r\n", b"\n"):
            return mode, blob
        return mode, self._git.make(today)

    def last_change(self, path: str) -> str:
        """The last commit that changed the file; "" where none did."""
        return self._git.line("rev-list", "-1", "HEAD", "--", self._place(path))

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self._git.close()

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
            if fixtures_in(rest):
                continue
            if endings.takes(path.rpartition("/")[2]) and not self._inputs.excludes(name):
                yield name, path

    # -- git ---------------------------------------------------------------------------------

    def _bytes(self, path: str) -> bytes | None:
        named = path
        for _ in range(_MOST_LINKS):
            mode, blob = self._blobs.get(path, ("", ""))
            if not blob:
                return None
            data = self._blob(blob)
            if data is None:
                self.missing.append(named)
            if mode != _LINK or data is None:
                return data
            target = os.path.join(os.path.dirname(path), os.fsdecode(data))
            path = os.path.normpath(target).replace(os.sep, "/")
        return None

    def _blob(self, blob: str) -> bytes | None:
        return self._blob_reader().read(blob)

    def _blob_reader(self) -> Blobs:
        if self._reader is None:
            self._reader = self._git.blobs()
        return self._reader

    def whole(self) -> None:
        """Raises GitError where a file that was asked for is not here."""
        if self.missing:
            first = self._name(min(self.missing))
            count = len({*self.missing})
            what = first if count == 1 else f"{count:,} files (the first is {first})"
            where = "a partial clone" if self._git.partial else "the repository"
            raise GitError(
                f"{self._option}: {where} does not contain {what} of commit {self.commit[:12]}: fetch "
                f"first (git diff --stat {self.commit[:12]} does); kcheck does not fetch"
            )


class _Present:
    """Whether a path is that of a file of the work tree; each folder is listed once."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._folders: dict[str, tuple[set[str], set[str]]] = {}

    def __call__(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return name in self._listed(folder)[0]

    def _listed(self, folder: str) -> tuple[set[str], set[str]]:
        """The names of files and of folders in there; links are files, and lead nowhere."""
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = (set(), set())
            above, _, name = folder.rpartition("/")
            if not folder or (_plain(folder) and name in self._listed(above)[1]):
                try:
                    with os.scandir(os.path.join(self._root, folder)) as entries:
                        for entry in entries:
                            known[entry.is_dir(follow_symlinks=False)].add(entry.name)
                except OSError:
                    pass
        return known


def _plain(path: str) -> bool:
    """Whether the path stays below the folder where it starts, at a depth that files have."""
    folders = path.split("/")
    return len(folders) <= _DEEPEST and folders[0] != "" and ".." not in folders


def renamed_since(inputs: Inputs, file: str) -> dict[str, str]:
    """Files that have another path than when that file was last committed; none without git."""
    try:
        head = Revision(inputs, "HEAD")
    except GitError:
        return {}
    try:
        commit = head.last_change(file)
        if commit in ("", head.commit):
            return head.renamed()
    except GitError:
        return {}
    finally:
        head.close()
    try:
        then = Revision(inputs, commit)
    except GitError:
        return {}
    try:
        return then.renamed()
    except GitError:
        return {}
    finally:
        then.close()


def _in_order(name: str) -> tuple[tuple[int, str], ...]:
    """As a walk goes: names in order, files before the folders beside them."""
    *folders, file = name.split("/")
    return (*((1, folder) for folder in folders), (0, file))
