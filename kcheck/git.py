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
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from kcheck import formats, regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

#: Seconds that one answer may take: the largest public repositories need a tenth of it.
PATIENCE = 60.0
#: Bytes of one answer: a million files are named in half of it.
_MOST = 256_000_000
#: Bytes of a file of git's own that is read here: HEAD, the settings, what leads elsewhere.
_MOST_OWN = 1_000_000

#: So many blobs are asked for before the first is read; their names fit into a pipe.
_AHEAD = 64

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


class GitError(ValueError):
    """git cannot tell; the message says why."""


class Git:
    """The repository whose work tree is at ``root``. Raises GitError, as all methods do.

    ``asker`` is what needs git, in the user's words. ``partial`` says that objects may be missing
    here because only a part was cloned. ``close`` ends it.
    """

    def __init__(self, root: str, asker: str) -> None:
        self._asker = asker
        self._folder, self._common = _folders(root)
        self._root = root
        settings = _text(os.path.join(self._common, "config"))
        self.partial = bool(re.search(r"(?im)^\s*(?:partialclone|promisor)\s*=", settings))
        self.hash = _extension(settings, "objectformat", ("sha1", "sha256"))
        self._index = self._index_file()
        try:
            self._own = _new_folder()
        except OSError as error:
            raise GitError(
                f"{asker} needs a folder for temporary files: {error.strerror}"
            ) from None
        try:
            self._furnish(_extension(settings, "refstorage", ("files", "reftable")))
        except OSError as error:
            self.close()
            raise GitError(f"{asker}: {root} is no git repository: {error.strerror}") from None

    def close(self) -> None:
        _removed(self._own)

    # -- questions ---------------------------------------------------------------------------

    def ask(self, *words: str, **variables: str) -> bytes:
        """What git answers to one command; ``variables`` are more of its environment."""
        with open(os.path.join(self._own, "said"), "w+b") as said:
            process = self._started(words, variables, subprocess.DEVNULL, said)
            assert process.stdout is not None
            watch = _Watch(process)
            try:
                with watch.patient(), process.stdout as pipe:
                    answer = pipe.read(_MOST + 1)
                    if len(answer) > _MOST:
                        raise GitError(f"git {words[0]} says more than {_MOST // 1_000_000} MB")
                    process.wait()
            finally:
                watch.close()
                process.kill()
                process.wait()
            if watch.ended:
                raise GitError(f"git {words[0]} took longer than {PATIENCE:.0f} s")
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
            _own_file(file)
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
            file.write(_own_file(os.path.join(self._folder, "HEAD")))
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
                raise GitError(f"{self._asker} needs git, and there is none in PATH") from None
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
            text += " (a partial clone: what is missing has to be fetched first)"
        return text


Entries = dict[str, tuple[str, str]]


class Blobs:
    """Reads blobs by name, one after another, in one process of git.

    Those that are ``expected`` are asked for ahead, so that neither side waits for the other.
    """

    def __init__(self, start: Callable[[], subprocess.Popen[bytes]]) -> None:
        self._start = start
        self._process: subprocess.Popen[bytes] | None = None
        self._watch: _Watch | None = None
        self._coming: Iterator[str] = iter(())
        #: What git was asked for and has not answered yet, in this order.
        self._asked: deque[str] = deque()
        #: What was answered before somebody wanted it.
        self._kept: dict[str, bytes | None] = {}

    def expect(self, blobs: Iterable[str]) -> None:
        """These will be read in this order; others may be read in between."""
        self._coming = iter(blobs)

    def read(self, blob: str) -> bytes | None:
        """The bytes, cut off where no file would be read further; None where it is not here.

        Raises GitError for a blob that takes too long.
        """
        if self._kept and blob in self._kept:
            return self._kept.pop(blob)
        if not self._asked or (self._asked[0] != blob and blob not in self._asked):
            self._more()
            if blob not in self._asked:
                self._ask([blob])
        while True:
            if len(self._asked) < _AHEAD // 2:
                self._more()
            data = self._answer()
            # One that ended git is not asked for once more.
            answered = self._asked.popleft()
            if answered == blob:
                return data
            self._kept[answered] = data

    def _more(self) -> None:
        if len(self._kept) < _AHEAD:
            self._ask([*islice(self._coming, _AHEAD)])

    def _ask(self, blobs: list[str]) -> None:
        self._asked.extend(blobs)
        if blobs and self._process is not None:
            self._write(blobs)

    def _write(self, blobs: Iterable[str]) -> None:
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write("".join(f"{blob}\n" for blob in blobs).encode())
            self._process.stdin.flush()
        except OSError:
            pass  # it is over, which the next answer tells

    def _answer(self) -> bytes | None:
        """git's answer to the first question that is open."""
        if self._process is None:
            self._process = self._start()
            self._watch = _Watch(self._process)
            self._write(self._asked)
        process, watch = self._process, self._watch
        assert process.stdout is not None and watch is not None
        data: bytes | None = None
        ends = False
        with watch.patient():
            about = process.stdout.readline().split()
            if len(about) == 3 and about[1] == b"blob":
                size = int(about[2])
                most = formats.MAX_BYTES + 1
                data = process.stdout.read(min(size, most))
                # The rest of a huge one is nothing to wait for.
                ends = size > most or len(data) < size
                if len(data) < min(size, most):
                    data = None
                elif not ends:
                    process.stdout.read(1)
            else:
                ends = about[1:] != [b"missing"]
        if ends:
            self._end()
        if watch.ended:
            raise GitError(f"git cat-file took longer than {PATIENCE:.0f} s")
        return data

    def close(self) -> None:
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    pass
        process.wait()
        if self._watch is not None:
            self._watch.close()


class _Watch:
    """Ends a process that lets its reader wait for too long."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.ended = False
        self._process = process
        self._until = 0.0
        self._over = threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def patient(self) -> _Watch:
        """A context in which the process has so long and no longer."""
        return self

    def __enter__(self) -> None:
        self._until = time.monotonic() + PATIENCE

    def __exit__(self, *error: object) -> None:
        self._until = 0.0

    def close(self) -> None:
        self._over.set()

    def _look(self) -> None:
        while not self._over.wait(min(1.0, PATIENCE / 4)):
            until = self._until
            if until and time.monotonic() > until:
                self.ended = True
                self._process.kill()
                return


class Made:
    """Objects of our own, in a folder that only the repository of our own reads."""

    def __init__(self, folder: str, hash: str) -> None:
        self.folder = folder
        self._hash = hash

    def lend(self, other: str) -> None:
        """Let what is in another folder of objects, seen from this one, be here as well."""
        os.makedirs(os.path.join(self.folder, "info"), exist_ok=True)
        with open(os.path.join(self.folder, "info", "alternates"), "w", encoding="utf-8") as file:
            file.write(f"{other}\n")

    def blob(self, data: bytes) -> str:
        return self._put("blob", data)

    def tree(self, files: dict[bytes, tuple[str, str]]) -> str:
        """The tree of these paths, each with its mode and its blob."""
        folders: dict[bytes, dict[bytes, tuple[str, str]]] = {}
        entries: dict[bytes, bytes] = {}
        for path, (mode, blob) in files.items():
            name, slash, rest = path.partition(b"/")
            if slash:
                folders.setdefault(name, {})[rest] = (mode, blob)
            else:
                entries[name] = mode.encode() + b" " + name + b"\0" + bytes.fromhex(blob)
        for name, inside in folders.items():
            there = bytes.fromhex(self.tree(inside))
            # Names of folders sort as if they ended with a slash.
            entries[name + b"/"] = b"40000 " + name + b"\0" + there
        return self._put("tree", b"".join(entries[name] for name in sorted(entries)))

    def _put(self, kind: str, data: bytes) -> str:
        import hashlib
        import zlib

        whole = f"{kind} {len(data)}\0".encode() + data
        name = hashlib.new(self._hash, whole, usedforsecurity=False).hexdigest()
        folder = os.path.join(self.folder, name[:2])
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name[2:]), "wb") as file:
            file.write(zlib.compress(whole, 1))
        return name


# -- a folder for the run; ``tempfile`` and ``shutil`` cost more to load than git to ask -----------


def _new_folder() -> str:
    """A folder that is ours alone. Raises OSError."""
    named = (os.environ.get(name, "") for name in ("TMPDIR", "TEMP", "TMP"))
    room = next(filter(os.path.isdir, named), "/tmp")
    folder = os.path.join(os.path.abspath(room), f"kcheck-git-{os.urandom(8).hex()}")
    os.mkdir(folder, 0o700)
    return folder


def _removed(folder: str) -> None:
    """Remove a folder with all in it; links are removed, never followed."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    _removed(entry.path)
                else:
                    os.unlink(entry.path)
        os.rmdir(folder)
    except OSError:
        pass  # what is left there is empty files, and the system's to clean


# -- files of git's own -------------------------------------------------------------------------


def _folders(root: str) -> tuple[str, str]:
    """Where git keeps what is a work tree's own, and what it shares with other work trees."""
    folder = os.path.join(root, ".git")
    if not os.path.isdir(folder):
        folder = _led(folder, "gitdir:") or folder
    common = _led(os.path.join(folder, "commondir"), "")
    return folder, common or folder


def _led(file: str, prefix: str) -> str:
    """The folder to which a file of one line leads; "" where it does not."""
    line = _text(file).partition("\n")[0].rstrip("\r")
    if not line.startswith(prefix) or not line:
        return ""
    path = os.path.join(os.path.dirname(file), line.removeprefix(prefix).strip())
    return os.path.normpath(path) if os.path.isdir(path) else ""


def _text(file: str) -> str:
    try:
        return os.fsdecode(_own_file(file))
    except OSError:
        return ""


def _own_file(file: str) -> bytes:
    """The bytes of a file of git's own. Raises OSError, also where it is no file at all."""
    return regular.read(file, _MOST_OWN)


def _extension(settings: str, name: str, known: tuple[str, ...]) -> str:
    """What the repository's settings say of how it is kept; the first that is known by default."""
    found = re.search(rf"(?im)^\s*{name}\s*=\s*\"?([a-z0-9]+)", settings)
    told = found.group(1).lower() if found else ""
    return told if told in known else known[0]
