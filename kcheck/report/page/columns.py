"""Tables as a page carries them: by column, texts told once, numbers as narrow as they can be.

A block is: the length of its header (4 bytes, little-endian), the header (JSON, padded with spaces
to a multiple of 4), the numbers of all columns back to back, each column padded likewise. The
header is ``{"rows": n, "columns": {name: column}}``; a column is one of

    {"bytes": 1|2|4, "at": offset}                        numbers, unsigned
    {"strings": […], "bytes": …, "at": …}                 texts: an index into strings
    {"columns": {…}, "rows": n, "bytes": …, "at": …}      lists: how many rows each row has

where ``at`` counts from the end of the header. A string may be null.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterable, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CODES = {1: "B", 2: "H", 4: "I"}


def narrow(values: Iterable[int]) -> array[int]:
    """Numbers from 0 to 2**32 - 1 in the smallest array that holds them."""
    wide = array("I", values)
    most = max(wide, default=0)
    return wide if most > 0xFFFF else array(_CODES[1] if most < 0x100 else _CODES[2], wide)


class Columns:
    """The columns of one block, or of the rows inside of another's."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self._columns: dict[str, tuple[array[int], dict[str, Any], Columns | None]] = {}

    def numbers(self, name: str, values: array[int]) -> None:
        self._put(name, values, {})

    def strings(self, name: str, strings: Sequence[str | None], index: array[int]) -> None:
        """Texts by their places in ``strings``."""
        self._put(name, index, {"strings": list(strings)})

    def texts(self, name: str, values: Iterable[str | None]) -> None:
        """Texts as they come; equal ones are told once."""
        places: dict[str | None, int] = {}
        index = narrow([places.setdefault(value, len(places)) for value in values])
        self.strings(name, list(places), index)

    def lists(self, name: str, lengths: array[int], inner: Columns) -> None:
        """Rows within rows: ``lengths`` tells how many of ``inner`` each row has."""
        self._put(name, lengths, {}, inner)

    def _put(
        self, name: str, values: array[int], told: dict[str, Any], inner: Columns | None = None
    ) -> None:
        if len(values) != self.rows:
            raise ValueError(f"column {name} has {len(values)} values for {self.rows} rows")
        self._columns[name] = (values, told, inner)

    def encoded(self) -> bytes:
        """The block."""
        data = bytearray()
        header = json.dumps(
            self._header(data), ensure_ascii=False, separators=(",", ":"), check_circular=False
        ).encode("utf-8")
        header += b" " * (-len(header) % 4)
        return len(header).to_bytes(4, "little") + header + bytes(data)

    def _header(self, data: bytearray) -> dict[str, Any]:
        columns = {}
        for name, (values, told, inner) in self._columns.items():
            columns[name] = {"bytes": values.itemsize, "at": len(data), **told}
            if sys.byteorder == "big":
                values = values[:]
                values.byteswap()
            data += values.tobytes()
            data += bytes(-len(data) % 4)
            if inner is not None:
                columns[name] |= inner._header(data)
        return {"rows": self.rows, "columns": columns}
