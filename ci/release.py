"""What a release is called, and what it says: ``python ci/release.py [--tag v0.1.0] [--notes FILE]``.

The version of the package is the one of its metadata and, where a tag is named, of the tag; then the
changelog has a section for it, which are the notes of the release. Exits with 1 where that is not so.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--tag", default="", help="of a release; without it nothing is released")
    parser.add_argument("--notes", type=Path, help="where the notes are written")
    given = parser.parse_args()
    version, faults = checked(ROOT, given.tag)
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        return 1
    if given.notes:
        heading = version if given.tag else "Unreleased"
        given.notes.write_text(section(_text(ROOT, "CHANGELOG.md"), heading), encoding="utf-8")
    print(version)
    return 0


def checked(root: Path, tag: str) -> tuple[str, list[str]]:
    """The version, and what does not fit it."""
    version = str(tomllib.loads(_text(root, "pyproject.toml"))["project"]["version"])
    faults = []
    if f'__version__ = "{version}"' not in _text(root, "kcheck/__init__.py"):
        faults.append(f"kcheck/__init__.py is not of version {version}")
    if tag and tag != f"v{version}":
        faults.append(f"the tag is {tag}, the version {version}")
    if tag and not section(_text(root, "CHANGELOG.md"), version):
        faults.append(f"CHANGELOG.md has no section [{version}]")
    return version, faults


def section(changelog: str, heading: str) -> str:
    """The text below ``## [heading]``; "" where there is none."""
    parts = re.split(r"(?m)^## \[([^\]\n]+)\][^\n]*\n", changelog)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    return found.get(heading, "").strip() + "\n" if found.get(heading, "").strip() else ""


def _text(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
