"""Where a repository keeps its files, and a folder of our own for the run."""

from __future__ import annotations

import os
import re

from kcheck import regular

#: Bytes of a file of git's own that is read here: HEAD, the settings, what leads elsewhere.
_MOST_OWN = 1_000_000


# -- a folder for the run; ``tempfile`` and ``shutil`` cost more to load than git to ask -----------


def created() -> str:
    """A folder that is ours alone. Raises OSError."""
    named = (os.environ.get(name, "") for name in ("TMPDIR", "TEMP", "TMP"))
    room = next(filter(os.path.isdir, named), "/tmp")
    folder = os.path.join(os.path.abspath(room), f"kcheck-git-{os.urandom(8).hex()}")
    os.mkdir(folder, 0o700)
    return folder


def remove(folder: str) -> None:
    """Remove a folder with all in it; links are removed, never followed."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    remove(entry.path)
                else:
                    os.unlink(entry.path)
        os.rmdir(folder)
    except OSError:
        pass  # what is left there is empty files, and the system's to clean


# -- files of git's own -------------------------------------------------------------------------


def located(root: str) -> tuple[str, str]:
    """Where git keeps what is a work tree's own, and what it shares with other work trees."""
    folder = os.path.join(root, ".git")
    if not os.path.isdir(folder):
        folder = _led(folder, "gitdir:") or folder
    common = _led(os.path.join(folder, "commondir"), "")
    return folder, common or folder


def _led(file: str, prefix: str) -> str:
    """The folder to which a file of one line leads; "" where it does not."""
    line = text(file).partition("\n")[0].rstrip("\r")
    if not line.startswith(prefix) or not line:
        return ""
    path = os.path.join(os.path.dirname(file), line.removeprefix(prefix).strip())
    return os.path.normpath(path) if os.path.isdir(path) else ""


def text(file: str) -> str:
    try:
        return os.fsdecode(read(file))
    except OSError:
        return ""


def read(file: str) -> bytes:
    """The bytes of a file of git's own. Raises OSError, also where it is no file at all."""
    return regular.read(file, _MOST_OWN)


def extension(settings: str, name: str, known: tuple[str, ...]) -> str:
    """What the repository's settings say of how it is kept; the first that is known by default."""
    found = re.search(rf"(?im)^\s*{name}\s*=\s*\"?([a-z0-9]+)", settings)
    told = found.group(1).lower() if found else ""
    return told if told in known else known[0]
