"""Whether what reads the output is a terminal, and what may be sent to one."""

from __future__ import annotations

import os
import sys


def terminal(asked: str) -> tuple[bool, bool]:
    """(colour, links) for ``--color``: auto, always or never.

    NO_COLOR and FORCE_COLOR count where nobody asked; links are for people in front of a screen.
    """
    screen = sys.stdout is not None and sys.stdout.isatty()
    if asked == "auto":
        if os.environ.get("NO_COLOR"):
            return False, False
        if os.environ.get("FORCE_COLOR"):
            return True, screen
        screen = screen and os.environ.get("TERM") != "dumb"
        return screen, screen
    return asked == "always", screen and asked == "always"


def width() -> int:
    """The columns of the terminal that reads the output; 0 where none does."""
    if sys.stdout is None or not sys.stdout.isatty():
        return 0
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return 0


def bold(text: str) -> str:
    return f"\x1b[1m{text}\x1b[0m"
