"""Which compose files are one project."""

from __future__ import annotations


def project_of(path: str) -> str:
    """The compose project of a file: an override belongs to the file that it overrides."""
    folder, slash, name = path.rpartition("/")
    return folder + slash + name.replace(".override.", ".")
