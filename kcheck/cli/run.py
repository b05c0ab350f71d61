"""How every command ends: exit codes, what goes to which stream, no traceback for anybody."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from kcheck import share
from kcheck.cli.options import Options
from kcheck.settings import SettingsError

CLEAN, FOUND, BROKEN = 0, 1, 2


class Stop(Exception):
    """kcheck cannot do what it was asked: the message is for the user, the exit code is 2."""


def guarded(command: Callable[[Options], int], options: Options) -> int:
    """Run a command. Whatever goes wrong in it becomes one line on stderr and exit code 2."""
    try:
        with share.armed():
            return command(options)
    except (Stop, SettingsError) as refused:
        say(str(refused))
    except KeyboardInterrupt:
        say("interrupted")
    except Exception as error:
        if options.verbose:
            from traceback import format_exc

            note(format_exc())
        else:
            from kcheck.runner import fault

            say(f"internal error: {fault(error)} (-v shows more)")
    return BROKEN


def say(message: str) -> None:
    """One message on stderr, where everything goes that is not the report."""
    from kcheck import secrets
    from kcheck.report.printable import printable

    _write(2, f"kcheck: {printable(secrets.scrubbed(message, prose=True))}\n")


def note(text: str) -> None:
    """Lines on stderr, in which nothing of audited files gives orders."""
    from kcheck.report.printable import printable

    if text:
        _write(2, "\n".join(map(printable, text.removesuffix("\n").split("\n"))) + "\n")


def write(text: str) -> None:
    """A text on stdout, in which no command of a CI is left."""
    from kcheck.report.printable import broken

    _write(1, broken(text))


def write_report(text: str) -> None:
    """A report on stdout, with the commands of a CI that it means to give."""
    _write(1, text)


def write_bytes(data: bytes) -> None:
    """A file on stdout, byte for byte."""
    _write(1, data)


def save(path: str, text: str) -> None:
    """Put a report into a file, in one go. Raises Stop where that is not possible."""
    from kcheck import drafts

    try:
        drafts.write(path, _bytes(text))
    except OSError as error:
        raise Stop(f"cannot write {path}: {(error.strerror or str(error)).lower()}") from None


def _bytes(text: str) -> bytes:
    # A path that is not UTF-8 arrives as lone surrogates, which no encoding takes.
    return text.encode("utf-8", "backslashreplace")


def _write(descriptor: int, text: str | bytes) -> None:
    stream = sys.stdout if descriptor == 1 else sys.stderr
    if stream is None:
        return
    try:
        buffer = getattr(stream, "buffer", None)
        if buffer is None:
            stream.write(text if isinstance(text, str) else text.decode("utf-8", "replace"))
        else:
            stream.flush()
            buffer.write(_bytes(text) if isinstance(text, str) else text)
        stream.flush()
    except OSError as error:
        # Python would try once more, and complain, while it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
        # Who closes a pipe has read enough.
        if descriptor == 1 and not isinstance(error, BrokenPipeError):
            raise Stop(
                f"cannot write the report: {(error.strerror or str(error)).lower()}"
            ) from None
