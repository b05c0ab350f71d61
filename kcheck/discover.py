"""Named paths → sources: which files a run reads, in which order, and why others are left out.

A named file is always read (``force_exclude`` makes excludes win); a folder is walked. Nothing is
raised for what a tree may hold: unreadable, dangling, endless and odd things are counted with a
reason. ``.gitignore`` is not honoured: what is deployed and not committed is configuration too.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from kcheck import formats
from kcheck.bounded_cache import BoundedCache
from kcheck.files import Files, words
from kcheck.formats import endings
from kcheck.globs import Match, nothing
from kcheck.left_out import BUILT, PACKED, TOOLS, UNSUPPORTED, may_configure, shipped
from kcheck.model import FAILED, PASSED_OVER, SKIPPED, Document
from kcheck.paths import inside, project_root, relative

#: So many folders in one may be a cluster each, which several processes can share.
MANY = 16
#: A text has no NUL among so many bytes.
_HEAD = 4_096


class Inputs(Files):
    """The sources of a run; iterate to read them, each once, in a fixed order.

    ``left`` lists what is not read as (path, status, reason), and is complete only after the
    iteration. ``missing`` are named paths that do not exist or cannot be read. ``context`` paths
    are read like the others, but ``reported`` is false for the files found there only.
    """

    def __init__(
        self,
        paths: Iterable[str],
        context: Iterable[str] = (),
        excluded: Match = nothing,
        force_exclude: bool = False,
        given: dict[str, bytes] | None = None,
    ) -> None:
        self.left: list[tuple[str, str, str]] = []
        self.missing: list[tuple[str, str]] = []
        #: Whether only folders were named, so that finding nothing in them is a mistake.
        self.only_folders = True
        #: Walked folders that have many folders in them.
        self.fans: list[str] = []
        self._paths = [relative(path) for path in paths]
        self._context = [relative(path) for path in context]
        self._excluded = excluded
        self._force = force_exclude
        self._seen: set[str] = set()
        self._named: set[str] | None = None
        self._files: list[str] | None = None
        #: Whether a folder is among the paths: else a file stands without what belongs to it.
        self.walks = any(os.path.isdir(path) for path in (*self._paths, *self._context))
        #: Files that no walk finds, in place of what lies at their paths.
        self._added = tuple(given or ())
        first = next(iter((*self._paths, *self._context)), ".")
        super().__init__(project_root(first), "", given)

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        read = self.read
        for path in self.files():
            try:
                data = read(path)
            except OSError as error:
                self.lose(path, words(error))
            else:
                yield path, data

    def files(self) -> list[str]:
        """The paths of all that is to be read, in that order; the walk is made once."""
        if self._files is None:
            self._files = list(self._added)
            self._find(self._files)
        return self._files

    def _find(self, found: list[str]) -> None:
        if self._added:
            self._seen.update(self._added)
            self.only_folders = False
        for path in self._paths:
            self._start(path, True, found)
        if self._context:
            self._named = set(self._seen)
            for path in self._context:
                self._start(path, False, found)

    def plain(self) -> Files:
        """Their files without the walk: what another process needs to read them."""
        return Files(self.root, self._base, self._given)

    def reported(self, path: str) -> bool:
        """Whether findings in that file are told: it was named, or is in a named folder."""
        return self._named is None or path in self._named

    def named(self, path: str) -> bool:
        """Whether somebody named that file; a hook, which forces excludes, names whatever changed."""
        return not self._force and (path in self._added or path in self._paths)

    @property
    def named_paths(self) -> tuple[str, ...]:
        """The files and folders that were named, context aside."""
        return (*self._added, *self._paths)

    @property
    def asked(self) -> tuple[str, ...]:
        """All files and folders that are looked into."""
        return (*self.named_paths, *self._context)

    def excludes(self, path: str) -> bool:
        """Whether a walk leaves the file out because somebody says so."""
        return self._excluded(path)

    def added(self, path: str) -> bool:
        """Whether the file came from standard input."""
        return path in self._added

    def renewed(self, texts: dict[str, bytes]) -> Inputs:
        """The same inputs with other bytes in some of their files, to be read once more."""
        other = Inputs(self._paths, self._context, self._excluded, self._force)
        other.root, other._real_root = self.root, self._real_root
        other._added = self._added
        other._given = {**self._given, **texts}
        return other

    def documents(self, searched: bool = False) -> list[Document]:
        """One document for every input that was not read; ``searched``: with what of Kafka's stands in
        those of no supported format.
        """
        found: list[Document] = []
        for path, status, reason in self.left:
            document = Document(path)
            document.status, document.reason = status, reason
            if searched and reason == UNSUPPORTED and may_configure(path):
                self._search(document)
            found.append(document)
        return found

    def _search(self, document: Document) -> None:
        data = self.source(document.path)
        if data and b"\0" not in data[:_HEAD] and formats.speaks(data):
            from kcheck.formats.unread import mention  # few files of other formats speak of Kafka

            mention(document, data)

    def lose(self, path: str, reason: str) -> None:
        """Note that what is to be read cannot be read."""
        self.left.append((path, FAILED, reason))
        if path in self._paths or path in self._context:
            self.missing.append((path, reason))

    # -- walking ----------------------------------------------------------------------------

    def _start(self, path: str, named: bool, found: list[str]) -> None:
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            self.lose(path, words(error))
            return
        if stat.S_ISDIR(mode):
            self._walk("" if path == "." else path, path, found)
            return
        if named:
            self.only_folders = False
        if path in self._seen:
            return
        self._seen.add(path)
        if not stat.S_ISREG(mode):
            reason = "not a regular file; - reads standard input"
            self.left.append((path, FAILED, reason))
            if named:
                self.missing.append((path, reason))
        elif self._force and (reason := self._never(path)):
            self.left.append((path, SKIPPED, reason))
        else:
            found.append(path)

    def _never(self, path: str) -> str:
        """Why a walk would not have come to this file; "" if it would."""
        if self._excluded(path):
            return "excluded"
        folder = ""
        for part in path.split("/")[:-1]:
            if part in TOOLS or part in BUILT:
                return BUILT.get(part, "internal to a tool")
            why = shipped(folder, (part,)).get(part) if folder else ""
            if why:
                return why
            folder = f"{folder}{part}/"
        return ""

    def _walk(self, folder: str, opened: str, found: list[str], whole: bool = True) -> None:
        """Find all files under a folder: names in order, files before the folders beside them.

        Iterative, because a tree may be deeper than Python's stack. Who names an unpacked Kafka
        itself (``whole``) means its configuration; one inside a larger tree is a vendored copy.
        """
        stack = [(folder, opened, "")]
        while stack:
            below: list[tuple[str, str, str]] = []
            self._folder(*stack.pop(), whole, found, below)
            whole = False
            stack.extend(reversed(below))

    def _folder(  # noqa: C901
        self,
        folder: str,
        opened: str,
        inherited: str,
        whole: bool,
        found: list[str],
        below: list[tuple[str, str, str]],
    ) -> None:
        """Find the files of one folder; the folders in it that are to be walked go into ``below``."""
        seen, left, excluded = self._seen, self.left, self._excluded
        modules_for, takes = endings.modules_for, endings.takes
        prefix = f"{folder}/" if folder and folder != "/" else folder
        try:
            with os.scandir(opened) as listing:
                entries = sorted(listing, key=_name)
        except OSError as error:
            self.lose(folder or ".", words(error))
            return
        samples: dict[str, str] = {}
        if not whole:
            samples = shipped(self._at(prefix), {entry.name for entry in entries})
        for entry in entries:
            name = entry.name
            path = prefix + name
            kind = "file" if _plain(entry) else self._kind(entry, path)
            if kind == "file":
                if path in seen:
                    continue
                seen.add(path)
                if not takes(name):
                    left.append((path, PASSED_OVER, PACKED.get(name, UNSUPPORTED)))
                elif inherited or (excluded is not nothing and excluded(path)):
                    left.append((path, SKIPPED, inherited or "excluded"))
                else:
                    found.append(path)
            elif kind == "folder":
                if name in TOOLS or name.startswith(".."):
                    # ``..2024_01_01`` is how Kubernetes mounts what the plain names link to.
                    continue
                # With the slash, so that ``old/**`` spares the walk through ``old``.
                away = excluded(path) or excluded(path + "/")
                reason = BUILT.get(name) or ("excluded" if away else "")
                if reason:
                    left.append((path, SKIPPED, reason))
                    continue
                if modules_for(name):
                    left.append((path, SKIPPED, "a folder, though named like a file"))
                below.append((path, self._at(path), samples.get(name) or inherited))
        if len(below) >= MANY:
            self.fans.append(folder)

    def _kind(self, entry: os.DirEntry[str], path: str) -> str:
        """``file`` or ``folder`` for what is to be read; "" for the rest, which it records."""
        try:
            if entry.is_dir(follow_symlinks=False):
                return "folder"
            if not entry.is_symlink():
                self.left.append((path, SKIPPED, "not a regular file"))
                return ""
            # A linked folder would be read twice, or for ever, or lead out of the project.
            if entry.is_dir():
                self.left.append((path, SKIPPED, "a link to a folder"))
            elif not entry.is_file():
                self.left.append((path, SKIPPED, "a dangling link"))
            elif not inside(os.path.realpath(self._at(path)), self._real_root):
                self.left.append((path, SKIPPED, "a link to outside the project"))
            else:
                return "file"
        except OSError as error:
            self.left.append((path, FAILED, words(error)))
        return ""


class Part(Inputs):
    """One folder of a larger walk, read alone as that walk would read it.

    ``path`` is what findings call the folder; a relative one starts at ``base``, wherever this
    process works. ``root`` bounds what may be looked up. With ``flat`` only the files directly
    in the folder are read; ``below`` then lists the folders beside them. With ``whole`` the
    folder is where the walk starts. Parts of one walk share ``listings``: they look into the same
    folders above them.
    """

    def __init__(
        self,
        path: str,
        base: str,
        root: str,
        excluded: Match = nothing,
        *,
        flat: bool = False,
        whole: bool = False,
        listings: BoundedCache | None = None,
    ) -> None:
        super().__init__((), excluded=excluded)
        Files.__init__(self, root, base, listings=listings)
        self.path = path
        self.below: list[str] = []
        self._flat = flat
        self._whole = whole

    def _find(self, found: list[str]) -> None:
        folder = "" if self.path == "." else self.path
        opened = self._at(self.path)
        if not self._flat:
            self._walk(folder, opened, found, self._whole)
            return
        below: list[tuple[str, str, str]] = []
        self._folder(folder, opened, "", True, found, below)
        self.below = [path for path, _, _ in below]

    def level(self, folder: str) -> tuple[list[str], list[str]]:
        """The files of one folder that a walk would read, and the folders that it would go into;
        of an unpacked Kafka none. To be asked once for each folder.
        """
        files: list[str] = []
        below: list[tuple[str, str, str]] = []
        self._folder(folder, self._at(folder or "."), "", not folder, files, below)
        folders = [path for path, _, why in below if not why]
        return files, folders if len(folders) == len(below) else []


def _plain(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file(follow_symlinks=False)
    except OSError:
        return False


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name
