"""Regular files, read whole: nothing that waits for a writer, nothing without an end."""

from __future__ import annotations

import errno
import os
import stat

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


def read(path: str, most: int) -> bytes:
    """The bytes of a file of at most so many. Raises OSError, also for whatever is no file."""
    if path == os.devnull:
        return b""
    descriptor = os.open(path, _FLAGS)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "is not a regular file", path)
        parts: list[bytes] = []
        left = most + 1
        while left and (chunk := os.read(descriptor, min(left, 1 << 20))):
            parts.append(chunk)
            left -= len(chunk)
        if not left:
            raise OSError(errno.EFBIG, f"is larger than {most:,} bytes", path)
        return b"".join(parts)
    finally:
        os.close(descriptor)
