"""Reads the fact files in ``schemas/``: from a checkout, an installed wheel, or a zip."""

from __future__ import annotations

import os
import sys

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def read(name: str) -> str:
    """The text of ``schemas/<name>``. Raises FileNotFoundError where there is none.

    A wheel holds ``schemas`` inside the package, a checkout beside it. The package's own loader
    is asked first because it also reads from a zip on ``sys.path``.
    """
    loader = sys.modules[__package__ or "kcheck"].__spec__.loader  # type: ignore[union-attr]
    for folder in (
        os.path.join(_PACKAGE, "schemas"),
        os.path.join(os.path.dirname(_PACKAGE), "schemas"),
        # A zip answers only to the path under which it was imported, which may be relative.
        os.path.join(os.path.dirname(__file__), "schemas"),
    ):
        path = os.path.join(folder, *name.split("/"))
        try:
            data: bytes = loader.get_data(path)  # type: ignore[union-attr]
        except (OSError, AttributeError):
            continue
        return data.decode("utf-8")
    raise FileNotFoundError(f"kcheck was installed without its fact file schemas/{name}")


def rows(name: str) -> list[list[str]]:
    """The rows of a tab-separated fact file, comment lines and the header left out."""
    lines = [line for line in read(name).split("\n") if line and not line.startswith("# ")]
    return [line.split("\t") for line in lines[1:]]


def numbered(name: str) -> list[tuple[int, list[str]]]:
    """The same with the number of each row's line, for tables that reject a row."""
    lines = enumerate(read(name).split("\n"), 1)
    kept = [(at, line) for at, line in lines if line and not line.startswith("# ")]
    return [(at, line.split("\t")) for at, line in kept[1:]]
