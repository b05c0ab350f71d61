"""Reads a page back: its facts, its tables, and what is not data in it."""

from __future__ import annotations

import base64
import json
import re
import zlib
from array import array
from pathlib import Path
from typing import Any

_BLOCK = re.compile(
    r'<script type="application/x-kcheck" data-table="([a-z.]+)" data-rows="(\d+)">'
    r"([A-Za-z0-9+/=]*)</script>\n"
)


class Page:
    """``tables`` has the rows of each table, as dicts, its parts one after the other."""

    def __init__(self, path: Path) -> None:
        self.text = path.read_text("utf-8")
        self.tables: dict[str, list[dict[str, Any]]] = {}
        for name, rows, data in _BLOCK.findall(self.text):
            block = zlib.decompress(base64.b64decode(data))
            if name == "facts":
                self.facts = json.loads(block)
                continue
            found = _rows(block)
            assert len(found) == int(rows)
            self.tables.setdefault(name, []).extend(found)

    @property
    def shell(self) -> str:
        """The page without its data."""
        return _BLOCK.sub("", self.text)

    def findings(self) -> list[dict[str, Any]]:
        """Each finding with its cluster's name and its rule's code, and all that is told of it."""
        clusters, rules = self.tables["clusters"], self.tables["rules"]
        parts = (self.tables.get(f"findings{part}", []) for part in ("", ".text", ".more"))
        return [
            {
                **key,
                **text,
                **more,
                "cluster": clusters[key["cluster"]]["name"],
                "rule": rules[key["rule"]]["code"],
            }
            for key, text, more in zip(*parts, strict=True)
        ]


def _rows(block: bytes) -> list[dict[str, Any]]:
    length = int.from_bytes(block[:4], "little")
    return _table(json.loads(block[4 : 4 + length]), block[4 + length :])


def _table(header: dict[str, Any], data: bytes) -> list[dict[str, Any]]:
    return _unfolded(header["rows"], header["columns"], data)


def _unfolded(rows: int, columns: dict[str, Any], data: bytes) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [{} for _ in range(rows)]
    for name, column in columns.items():
        width = column["bytes"]
        values = array({1: "B", 2: "H", 4: "I"}[width])
        values.frombytes(data[column["at"] : column["at"] + rows * width])
        inner = _table(column, data) if "columns" in column else []
        start = 0
        for row, value in zip(made, values, strict=True):
            if "strings" in column:
                row[name] = column["strings"][value]
            elif "columns" in column:
                row[name] = inner[start : start + value]
                start += value
            else:
                row[name] = value
    return made
