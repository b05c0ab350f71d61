"""The columns of a table (see ``schemas``) as Spark and Arrow write them down.

A type is a name, a list of one type (array), a dict of one (map), or a tuple of columns (struct).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa


def ddl(columns: object) -> str:
    """The columns as Spark's DDL: ``rule string, keys array<string>, …``."""
    return ", ".join(f"`{name}` {ddl_of(kind)}" for name, kind in _pairs(columns))


def ddl_of(kind: object) -> str:
    """One type as Spark's DDL."""
    if isinstance(kind, str):
        return kind
    if isinstance(kind, list):
        return f"array<{ddl_of(kind[0])}>"
    if isinstance(kind, dict):
        return "".join(f"map<{ddl_of(key)}, {ddl_of(value)}>" for key, value in kind.items())
    return "struct<" + ", ".join(f"`{name}`: {ddl_of(inner)}" for name, inner in _pairs(kind)) + ">"


def arrow(columns: object) -> pa.Schema:
    """The columns as Arrow's schema."""
    import pyarrow as pa

    return pa.schema([pa.field(name, _arrow(kind)) for name, kind in _pairs(columns)])


def _arrow(kind: object) -> pa.DataType:
    import pyarrow as pa

    if isinstance(kind, str):
        made: pa.DataType = {
            "string": pa.string,
            "int": pa.int32,
            "bigint": pa.int64,
            "double": pa.float64,
            "boolean": pa.bool_,
            "binary": pa.binary,
        }[kind]()
        return made
    if isinstance(kind, list):
        return pa.list_(_arrow(kind[0]))
    if isinstance(kind, dict):
        ((key, value),) = kind.items()
        return pa.map_(_arrow(key), _arrow(value))
    return pa.struct([pa.field(name, _arrow(inner)) for name, inner in _pairs(kind)])


def _pairs(columns: Any) -> list[tuple[str, Any]]:
    return [(name, kind) for name, kind in columns]


def names(columns: object) -> list[str]:
    return [name for name, _ in _pairs(columns)]
