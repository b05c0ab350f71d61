"""The running package as a zip, for executors that have no kcheck."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress


def zipped(folder: str) -> str:
    """A zip of the running package with its facts, named by its content; gives its path."""
    import zipfile

    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    archive = os.path.dirname(package)
    if os.path.isfile(archive):
        # Python reads the package out of an archive (``--py-files``), which goes on as it is.
        with open(archive, "rb") as file:
            digest = hashlib.sha256(file.read())
        return shutil.copy(archive, os.path.join(folder, f"kcheck-{digest.hexdigest()[:12]}.zip"))
    found: list[tuple[str, str]] = [*_files(package, "kcheck")]
    beside = os.path.join(os.path.dirname(package), "schemas")
    if not os.path.isdir(os.path.join(package, "schemas")) and os.path.isdir(beside):
        # A checkout keeps the facts beside the package, an installed one in it.
        found += _files(beside, "kcheck/schemas")
    digest = hashlib.sha256()
    for path, name in found:
        with open(path, "rb") as file:
            # Of the sources alone: what Python compiles comes and goes.
            digest.update(name.encode() + b"\0" + hashlib.sha256(file.read()).digest())
    target = os.path.join(folder, f"kcheck-{digest.hexdigest()[:12]}.zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, name in found:
            packed.write(path, name)
            _add_compiled(packed, path, name)
    return target


def _files(folder: str, name: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(os.listdir(folder)):
        path, inside = os.path.join(folder, entry), f"{name}/{entry}"
        if entry == "__pycache__":
            continue
        if os.path.isdir(path):
            yield from _files(path, inside)
        elif entry.endswith((".py", ".tsv", ".json", ".html", ".js", ".css", ".md")):
            yield path, inside


def _add_compiled(archive: object, path: str, name: str) -> None:
    """Beside a module what Python made of it: a zip cannot keep that by itself.

    Another Python on an executor does not take it and compiles the source.
    """
    import importlib.util
    import zipfile

    if path.endswith(".py") and isinstance(archive, zipfile.ZipFile):
        compiled = importlib.util.cache_from_source(path)
        with suppress(OSError):
            archive.write(compiled, name + "c")
