"""A stand-in for ``score.lint``: kcheck without a process of its own, which takes half the time."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import chdir, redirect_stdout
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Any

from kcheck.__main__ import main

Files = list[dict[str, str]]


def linting_in(folder: Path) -> Callable[[list[str], Files], list[dict[str, Any]]]:
    """A function that lints files in new folders below that one, whatever the command is."""
    numbers = count()

    def lint(_command: list[str], files: Files) -> list[dict[str, Any]]:
        root = folder / str(next(numbers))
        for file in files:
            path = root / file["name"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file["content"], encoding="utf-8")
        with chdir(root), redirect_stdout(StringIO()) as out:
            main(["lint", "--output", "json", "."])
        found: list[dict[str, Any]] = json.loads(out.getvalue())["findings"]
        return found

    return lint
