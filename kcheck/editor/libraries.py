"""The schema of a client library's own keys."""

from __future__ import annotations

from kcheck import dialects
from kcheck.dialects import SAME, Library, Property
from kcheck.editor import numbers
from kcheck.editor.values import Schema, in_any_case
from kcheck.editor.words import shown
from kcheck.version import Version

_SCOPES = {"producer": "Of producers", "consumer": "Of consumers", "admin": "Of admin clients"}
_TYPES = {
    "int": "whole number",
    "double": "number",
    "boolean": "true or false",
    "string": "text",
    "list": "list",
    "callback": "set by the program",
    "code": "set by the program",
    "": "depends on the program",
}


def schema(name: str, version: Version) -> Schema:
    """The JSON Schema of what clients of that library take; an unknown version is the newest."""
    library = dialects.library(name)
    assert library is not None, name
    minor = library.clamp(version) or library.newest
    meant: dict[str, str] = {}
    for java, (relation, here, note) in library.java.items():
        for key in here if relation == SAME or note else ():
            meant.setdefault(key, f"Java's {java}" + (f": {note}" if note else ""))
    properties: dict[str, Schema] = {}
    for key in sorted(library):
        rows = library.possible(key, Version(minor))
        if rows and rows[0].type != "callback":
            properties[key] = _property(library, rows, meant.get(key, ""))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{name} {minor}: client",
        "type": "object",
        "properties": properties,
        "additionalProperties": True,
    }


def _property(library: Library, rows: tuple[Property, ...], meant: str) -> Schema:
    row = rows[-1]
    defaults = {one.default: one.scope for one in rows}
    lines = [_first(row)] if len(defaults) == 1 else []
    for one in rows if len(defaults) > 1 else ():
        lines.append(f"{_SCOPES[one.scope]}: {_first(one)}")
    if row.bounds:
        low, high = row.bounds
        lines.append(f"{low:,.0f} to {high:,.0f}")
    if len(rows) == 1 and row.scope in _SCOPES:
        lines.append(_SCOPES[row.scope])
    lines.append(f"Importance: {row.importance}" if row.importance else "")
    lines.append(f"The same as {row.alias}" if row.alias else "")
    first = library.history(row.key)[0].since
    lines.append(f"Since {library.name} {first}" if first != library.oldest else "")
    lines.append(meant)
    found: Schema = {"description": "\n".join(line for line in lines if line)}
    found.update(_values(row))
    text = row.default_text
    if text is not None and len(defaults) == 1:
        value, wrong = library.convert(row.type, text)
        if not wrong and value not in (float("inf"), []):
            found["default"] = text if isinstance(value, list) else value
    if "deprecated" in row.flags:
        found["deprecated"] = True
    return found


def _first(row: Property) -> str:
    kind = _TYPES[row.type]
    if row.default == "code":
        return kind
    if row.default_text is None:
        return f"{kind}; not set by default"
    key = row.key.replace("_", ".")
    kind_of_number = "int" if row.type == "int" else ""
    return f"{kind}; default {shown(key, kind_of_number, row.default_text)}"


def _values(row: Property) -> Schema:
    if row.type == "int" and row.bounds:
        low, high = map(int, row.bounds)
        pattern = numbers.whole(low, high)
        if "word:all" in row.valid.split():
            pattern = f"(?:{pattern}|all)"
        bounds: Schema = {"type": ["integer", "string"], "minimum": low, "maximum": high}
        return bounds | {"pattern": f"^{pattern}$"}
    if row.type == "double" and row.bounds:
        return {"type": ["number", "string"], "minimum": row.bounds[0], "maximum": row.bounds[1]}
    if row.type == "boolean":
        return {
            "type": ["boolean", "string"],
            "pattern": "^(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[TtFf01])$",
        }
    if row.words and row.type != "list":
        words = "|".join(map(in_any_case, row.words))
        return {"anyOf": [{"enum": [*row.words]}, {"type": "string", "pattern": f"^(?:{words})$"}]}
    return {}


#: What ``kcheck schema`` offers beside Kafka's planes.
LIBRARIES = dialects.LIBRARIES
