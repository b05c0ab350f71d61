"""Files that are written: beside their place first, then put there in one go.

Whatever happens in between, a full disk or a signal, the file that was there is still whole.
"""

from __future__ import annotations

import errno
import os
import stat

from kcheck.paths import git_root, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signal import Signals as Signal
    from types import TracebackType
    from typing import BinaryIO

    Signals = set[int | Signal]

#: Why a folder takes no new file, or does not let one take another's place, that may itself be
#: written: it is somebody else's, or the file is mounted alone.
_FIXED = (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV)


def write(path: str, data: bytes) -> None:
    """Put these bytes at the path. Raises OSError, and then nothing has changed."""
    with Draft(path) as file:
        file.write(data)


class Draft:
    """A file that takes its place when the context ends well; else nothing is left of it.

    A device or a pipe is written as it is. A link stays one: what it leads to is written, unless
    it leads out of the repository that holds it, which is not for a repository to decide. A file
    that has other names as well keeps them, and whose it is it stays.
    """

    def __init__(self, path: str) -> None:
        self._place = _place(path)
        self._draft = ""
        self._shortens = False
        #: Whether the file that was there has to be written itself, for nothing can take its place.
        self._same = False
        self._file: BinaryIO | None = None
        #: The signals that were held back before; None where none are.
        self._held: Signals | None = None

    def __enter__(self) -> BinaryIO:
        mode = _mode(self._place)
        if mode is not None and not stat.S_ISREG(mode):
            self._file = open(self._place, "wb")
            return self._file
        # Until the file is in its place, or gone, no signal comes: wherever else it came, it could be
        # between a step and what takes that back.
        self._held = _hold()
        try:
            return self._begun(mode)
        except BaseException:
            self._forget()
            _let_go(self._held)
            raise

    def _begun(self, mode: int | None) -> BinaryIO:
        folder = os.path.dirname(self._place)
        draft = os.path.join(folder, f".kcheck-{os.urandom(8).hex()}.tmp")
        try:
            # Nobody can have put a link there.
            opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except OSError as error:
            if mode is None or error.errno not in _FIXED:
                raise
            self._shortens = True
            self._file = open(self._place, "r+b")  # noqa: SIM115  __exit__ closes it
            return self._file
        self._draft = draft
        self._file = os.fdopen(opened, "wb")
        if mode is not None:
            self._same = not _alike(draft, self._place)
            os.chmod(draft, stat.S_IMODE(mode))
        return self._file

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._end(kind)
        finally:
            _let_go(self._held)

    def _end(self, kind: type[BaseException] | None) -> None:
        file, self._file = self._file, None
        assert file is not None
        try:
            if self._shortens and kind is None:
                file.truncate()
            file.close()
        except BaseException:
            self._forget()
            raise
        if kind is not None:
            self._forget()
        elif self._draft and self._same:
            self._copied()
        elif self._draft:
            try:
                os.replace(self._draft, self._place)
            except OSError as refused:
                if refused.errno not in _FIXED or _mode(self._place) is None:
                    self._forget()
                    raise
                self._copied()

    def _copied(self) -> None:
        """A file that is mounted alone is written where it is."""
        try:
            with open(self._draft, "rb") as draft, open(self._place, "r+b") as place:
                while chunk := draft.read(1 << 20):
                    place.write(chunk)
                place.truncate()
        finally:
            self._forget()

    def _forget(self) -> None:
        if self._draft:
            try:
                os.unlink(self._draft)
            except OSError:
                pass


def _hold() -> Signals | None:
    """Let signals that end the process wait; gives what waited before."""
    import signal  # costs more than most runs, which write nothing

    if not hasattr(signal, "pthread_sigmask"):
        return None
    return signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))


def _let_go(before: Signals | None) -> None:
    """Let come what waited meanwhile."""
    if before is not None:
        import signal

        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _place(path: str) -> str:
    """Where the file is that the path leads to. Raises OSError where that is not for us."""
    real = os.path.realpath(path)
    if os.path.islink(path) and not real.startswith("/dev/"):
        here = os.path.realpath(os.path.dirname(os.path.abspath(path)))
        root = git_root(here)
        if root is not None and not inside(real, root) and _regular(real):
            raise OSError(errno.EPERM, "is a link to outside the repository")
    # What a link of the system's own leads to may have no name: /dev/stdout is a pipe.
    return real if _regular(real) and _regular(path) else path


def _alike(draft: str, place: str) -> bool:
    """Whether a draft can take a file's place: it has one name, and its owner can be the draft's."""
    there, here = os.stat(place), os.stat(draft)
    if there.st_nlink > 1:
        return False
    if (there.st_uid, there.st_gid) == (here.st_uid, here.st_gid):
        return True
    try:
        os.chown(draft, there.st_uid, there.st_gid)
    except OSError:
        return False
    return True


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _regular(path: str) -> bool:
    """Whether a file is there, or none is."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return True
    except OSError:
        return False
