"""Directories that do not keep what is in them."""

from __future__ import annotations

import posixpath

_TEMPORARY = ("/tmp/", "/var/tmp/", "/dev/shm/", "/run/")


def temporary(path: str) -> bool:
    """Whether a directory or file is gone after a reboot, or after a cleanup by age."""
    return f"{posixpath.normpath(path)}/".startswith(_TEMPORARY)
