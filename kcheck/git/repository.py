"""git, asked about a repository that nobody vouches for: nothing of it runs, nothing is fetched.

The repository's settings are never read. git works in an empty repository of our own, made for
the run, which only borrows the objects, the refs and the index of the other: there is no filter,
no textconv, no hook, no file system monitor, no pager, no signature program, no remote and no
promisor that it could know of. Every call has a time limit and a limit on what it may answer.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator

from kcheck.git import folders
from kcheck.git import process as processes
from kcheck.git.blobs import Blobs
from kcheck.git.made import Made
from kcheck.git.process import GitError, Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

#: Bytes of one answer: a million files are named in half of it.
_MOST = 256_000_000
#: What the repository of our own borrows from the one that is asked: its refs and their history.
_SHARED = ("objects", "refs", "packed-refs", "shallow", "reftable")
_EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
#: Its settings. Nothing of them would be asked without the repository's own; they are a second wall.
_SETTINGS = f"""\
[core]
\trepositoryformatversion = 1
\tbare = true
\thooksPath = {os.devnull}
\tattributesFile = {os.devnull}
\texcludesFile = {os.devnull}
\tfsmonitor = false
\tquotePath = false
\tlogAllRefUpdates = false
[protocol]
\tallow = never
[submodule]
\trecurse = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
[extensions]
"""


class Git:
    """The repository whose work tree is at ``root``. Raises GitError, as all methods do.

    ``asker`` is what needs git, in the user's words. ``partial`` says that objects may be missing
    here because only a part was cloned. ``close`` ends it.
    """

    def __init__(self, root: str, asker: str) -> None:
        self._asker = asker
        self._folder, self._common = folders.located(root)
        self._root = root
        settings = folders.text(os.path.join(self._common, "config"))
        self.partial = bool(re.search(r"(?im)^\s*(?:partialclone|promisor)\s*=", settings))
        self.hash = folders.extension(settings, "objectformat", ("sha1", "sha256"))
        self._index = self._index_file()
        try:
            self._own = folders.created()
        except OSError as error:
            raise GitError(
                f"{asker} requires a folder for temporary files: {error.strerror}"
            ) from None
        try:
            self._furnish(folders.extension(settings, "refstorage", ("files", "reftable")))
        except OSError as error:
            self.close()
            raise GitError(f"{asker}: {root} is not a git repository: {error.strerror}") from None

    def close(self) -> None:
        folders.remove(self._own)

    # -- questions ---------------------------------------------------------------------------

    def ask(self, *words: str, **variables: str) -> bytes:
        """What git answers to one command; ``variables`` are more of its environment."""
        with open(os.path.join(self._own, "said"), "w+b") as said:
            process = self._started(words, variables, subprocess.DEVNULL, said)
            assert process.stdout is not None
            watch = Watch(process)
            try:
                with watch.patient(), process.stdout as pipe:
                    answer = pipe.read(_MOST + 1)
                    if len(answer) > _MOST:
                        raise GitError(f"git {words[0]} printed more than {_MOST // 1_000_000} MB")
                    process.wait()
            finally:
                watch.close()
                process.kill()
                process.wait()
            if watch.ended:
                raise GitError(f"git {words[0]} took longer than {processes.PATIENCE:.0f} s")
            if process.returncode:
                said.seek(0)
                raise GitError(self._reason(words[0], said.read(4096), process.returncode))
        return answer

    def line(self, *words: str, **variables: str) -> str:
        """The first line of an answer; "" where git refuses."""
        try:
            return os.fsdecode(self.ask(*words, **variables)).strip().partition("\n")[0]
        except GitError:
            return ""

    def blobs(self) -> Blobs:
        """A reader of blobs; it is closed on its own."""
        return Blobs(
            lambda: self._started(("cat-file", "--batch"), {}, subprocess.PIPE, subprocess.DEVNULL)
        )

    def tracked(self) -> Iterator[tuple[str, str, str, str, bool]]:
        """(path, mode, blob, stage, sparse) of the index; of sparse files no work tree is asked."""
        if not os.path.exists(self._index):
            return
        answer = os.fsdecode(self.ask("ls-files", "-v", "-s", "-z", "--full-name"))
        for entry in answer.split("\0"):
            about, _, path = entry.partition("\t")
            if path:
                tag, mode, blob, stage = about.split()
                yield path, mode, blob, stage, tag == "S" or tag.islower()

    def renamed(self, gone: Entries, new: Entries, most: int) -> Iterator[tuple[str, str]]:
        """(old path, new path) of what git takes for renamed; at most so many are compared.

        Both are paths with mode and blob; ``Made`` blobs are put where only this repository of our
        own sees them.
        """
        made = Made(os.path.join(self._own, "made"), self.hash)
        made.lend("../objects")
        trees = [made.tree({os.fsencode(p): entry for p, entry in e.items()}) for e in (gone, new)]
        words = (
            *("diff-tree", "--no-ext-diff", "--no-textconv", "-r", "-z"),
            *("--diff-filter=R", "--name-status", f"-l{most}"),
        )
        try:
            answer = self.ask(*words, "--find-renames", *trees, GIT_OBJECT_DIRECTORY=made.folder)
        except GitError:
            # A blob is not here: what is the same to the byte is known without any.
            exactly = "--find-renames=100%"
            answer = self.ask(*words, exactly, *trees, GIT_OBJECT_DIRECTORY=made.folder)
        told = answer.split(b"\0")
        for old, now in zip(told[1::3], told[2::3], strict=False):
            yield os.fsdecode(old), os.fsdecode(now)

    def make(self, data: bytes) -> str:
        """The name of a blob of these bytes, made for ``renamed``."""
        return Made(os.path.join(self._own, "made"), self.hash).blob(data)

    def upstream(self) -> dict[str, str]:
        """What ``@{upstream}`` needs of the repository's settings: names, no programs."""
        wanted = r"^(branch\..*\.(remote|merge|pushremote)|remote\..*\.(fetch|push)|push\.default)$"
        file = os.path.join(self._common, "config")
        try:
            folders.read(file)
            told = self.ask("config", "--no-includes", "-z", "--file", file, "--get-regexp", wanted)
        except (OSError, GitError):
            return {}
        pairs = [item.partition("\n")[::2] for item in os.fsdecode(told).split("\0") if item]
        remotes = {k.rpartition(".")[0] for k, _ in pairs if k.startswith("remote.")}
        # A remote without any address is none; to this one no protocol leads.
        pairs += [(f"{remote}.url", "none") for remote in sorted(remotes)]
        found = {"GIT_CONFIG_COUNT": str(len(pairs))}
        for number, (key, value) in enumerate(pairs):
            found[f"GIT_CONFIG_KEY_{number}"], found[f"GIT_CONFIG_VALUE_{number}"] = key, value
        return found

    # -- the repository of our own -----------------------------------------------------------

    def _furnish(self, refs: str) -> None:
        """Fill the folder of our own with what makes it a repository."""
        own = self._own
        for name in _SHARED:
            target = os.path.join(self._common, name)
            if os.path.exists(target):
                os.symlink(target, os.path.join(own, name))
        # HEAD and the like are those of the work tree, refs those of all work trees.
        for name in os.listdir(self._folder):
            if name.endswith("_HEAD") or name.startswith("sharedindex."):
                os.symlink(os.path.join(self._folder, name), os.path.join(own, name))
        os.mkdir(os.path.join(own, "logs"))
        for folder, name in ((self._folder, "logs/HEAD"), (self._common, "logs/refs")):
            if os.path.exists(os.path.join(folder, name)):
                os.symlink(os.path.join(folder, name), os.path.join(own, name))
        with open(os.path.join(own, "HEAD"), "wb") as file:
            file.write(folders.read(os.path.join(self._folder, "HEAD")))
        with open(os.path.join(own, "config"), "w", encoding="utf-8") as file2:
            file2.write(_SETTINGS)
            if self.hash != "sha1":
                file2.write(f"\tobjectFormat = {self.hash}\n")
            if refs != "files":
                file2.write(f"\trefStorage = {refs}\n")

    def _index_file(self) -> str:
        """The index; a hook is told another one, which is still the repository's."""
        told = os.environ.get("GIT_INDEX_FILE", "")
        if told:
            told = os.path.realpath(os.path.join(self._root, told))
            if told.startswith(os.path.realpath(self._folder) + os.sep):
                return told
        return os.path.join(self._folder, "index")

    def _started(
        self, words: Iterable[str], variables: dict[str, str], stdin: int, stderr: int | IO[bytes]
    ) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                ["git", "--no-pager", *words],
                # Where PATH holds a relative folder, it is none of the audited repository.
                cwd=self._own,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=self._environment(variables),
            )
        except OSError as error:
            if isinstance(error, FileNotFoundError):
                raise GitError(f"{self._asker} requires git, which is not in PATH") from None
            raise GitError(f"{self._asker} cannot run git: {error.strerror}") from None

    def _environment(self, more: dict[str, str]) -> dict[str, str]:
        kept = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "LD_LIBRARY_PATH")
        return {
            **{name: os.environ[name] for name in kept if name in os.environ},
            "HOME": self._own,
            "XDG_CONFIG_HOME": self._own,
            "LC_ALL": "C",
            "GIT_DIR": self._own,
            "GIT_INDEX_FILE": self._index,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_ATTR_GLOBAL": os.devnull,
            "GIT_ATTR_SOURCE": _EMPTY_TREE[self.hash],
            "GIT_NO_LAZY_FETCH": "1",
            # A list of protocols without any.
            "GIT_ALLOW_PROTOCOL": "",
            "GIT_PROTOCOL_FROM_USER": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "true",
            "SSH_ASKPASS": "true",
            "GIT_SSH_COMMAND": "false",
            "GIT_PAGER": "cat",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_LITERAL_PATHSPECS": "1",
            # One object that claims to be huge does not take the machine.
            "GIT_ALLOC_LIMIT": "512m",
            **more,
        }

    def _reason(self, command: str, said: bytes, code: int) -> str:
        # What git calls the repository is the folder of our own.
        words = said.decode("utf-8", "replace").replace(self._own, self._folder).strip()
        text = f"git {command} failed: {words.partition(chr(10))[0] or code}"
        if self.partial:
            text += " (a partial clone: fetch the missing objects first)"
        return text


Entries = dict[str, tuple[str, str]]
