"""Arrow columns as a page's: without a Python object per row."""

from __future__ import annotations

from array import array

from kcheck.report.page import Columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pyarrow as pa

_CODES = {1: "B", 2: "H", 4: "I"}


def numbers(values: pa.Array | pa.ChunkedArray) -> array[int]:
    """Integers (booleans, too) in the smallest array that holds them; null is 0."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = pc.fill_null(pc.cast(one(values), pa.int64()), 0)
    most = pc.max(whole).as_py() or 0
    width = 1 if most < 0x100 else 2 if most < 0x10000 else 4
    exact = pc.cast(whole, {1: pa.uint8(), 2: pa.uint16(), 4: pa.uint32()}[width])
    made = array(_CODES[width])
    if len(exact):
        start = exact.offset * width
        made.frombytes(memoryview(exact.buffers()[1])[start : start + len(exact) * width])
    return made


def texts(into: Columns, name: str, values: pa.Array | pa.ChunkedArray) -> None:
    """A column of texts, in the order in which they come."""
    import pyarrow.compute as pc

    coded = pc.dictionary_encode(one(values), null_encoding="encode")
    into.strings(name, coded.dictionary.to_pylist(), numbers(coded.indices))


def table(
    rows: pa.Table | pa.StructArray, text: tuple[str, ...], number: tuple[str, ...]
) -> Columns:
    """Columns of a table, or of an array of structs, by their names.

    ``new=old`` takes the column ``old`` and calls it ``new``; a dot leads into a struct.
    """
    made = Columns(len(rows))
    for spec in text:
        name, _, source = spec.partition("=")
        texts(made, name, field(rows, source or name))
    for spec in number:
        name, _, source = spec.partition("=")
        made.numbers(name, numbers(field(rows, source or name)))
    return made


def field(rows: pa.Table | pa.StructArray, path: str) -> pa.Array:
    """A column; ``a.b`` is the field ``b`` of the structs in ``a``, null where they are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    first, *rest = path.split(".")
    found = rows[first] if isinstance(rows, pa.Table) else pc.struct_field(rows, first)
    for name in rest:
        found = pc.struct_field(one(found), name)
    return one(found)


def lists(values: pa.Array) -> tuple[array[int], pa.Array]:
    """A column of lists as the length of each, and all of their rows."""
    import pyarrow.compute as pc

    return numbers(pc.list_value_length(values)), one(pc.list_flatten(values))


def one(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The values as one array."""
    import pyarrow as pa

    if isinstance(values, pa.ChunkedArray):
        return values.combine_chunks() if values.num_chunks != 1 else values.chunk(0)
    return values
