"""Paths as findings name them, and the folders that they are seen from."""

from __future__ import annotations

import os
from collections.abc import Callable


def relative(path: str) -> str:
    """The path as findings name it: relative to the working directory where it lies inside.

    The empty path stays empty, so that a shell variable that is not set does not mean everything.
    """
    if not path:
        return path
    clean = os.path.normpath(path).replace(os.sep, "/")
    if not os.path.isabs(clean):
        return clean
    here = os.getcwd().replace(os.sep, "/")
    if clean == here:
        return "."
    return clean.removeprefix(here.rstrip("/") + "/")


def project_root(path: str) -> str:
    """The git root above a path; without one the working directory, or the path's own folder."""
    here = os.path.abspath(path)
    if not os.path.isdir(here):
        here = os.path.dirname(here)
    found = git_root(here)
    if found is not None:
        return found
    working = os.getcwd()
    return working if inside(here, working) else here


def git_root(folder: str) -> str | None:
    """The nearest folder at or above this one that holds ``.git``."""
    while True:
        if os.path.exists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def inside(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def places(root: str) -> Callable[[str], str]:
    """A function that turns paths as findings name them into paths relative to ``root``."""
    here = os.getcwd()
    if here == root:
        return lambda path: path
    return lambda path: os.path.relpath(os.path.join(here, path), root).replace(os.sep, "/")
