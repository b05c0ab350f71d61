"""What of a finding's values is marked in source lines, and what is told below them."""

from __future__ import annotations

from kcheck.model import ABSENT, DEFAULT, INHERITED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Mark:
    """A span of one line with what is to be said of it."""

    __slots__ = ("end", "label", "line", "primary", "start")

    def __init__(self, line: int, start: int, end: int | None, label: str, primary: bool) -> None:
        self.line = line
        self.start = start
        self.end = end
        self.label = label
        self.primary = primary


def sorted_out(
    record: dict[str, Any],
) -> tuple[dict[str, list[Mark]], list[tuple[str, str]]]:
    """Marks by path, the primary one's file first, and notes for values that stand nowhere."""
    primary = Mark(
        record["line"],
        record["column"] - 1,
        record["end_column"] - 1 if record["end_line"] == record["line"] else None,
        "",
        True,
    )
    marks = {record["path"]: [primary]}
    notes: list[tuple[str, str]] = []
    for position, item in enumerate(record["evidence"]):
        if item["path"] is None:
            notes.append(("note", _stated(item, record)))
            continue
        here = marks.setdefault(item["path"], [])
        label = _label(item, record, position == 0)
        start = item["column"] - 1
        same = next((m for m in here if (m.line, m.start) == (item["line"], start)), None)
        if same is not None and same.label in ("", label):
            same.label = label
            continue
        end = item["end_column"] - 1 if item["end_line"] == item["line"] else None
        here.append(Mark(item["line"], start, end, label, False))
    return marks, notes


def _owner(item: dict[str, Any], record: dict[str, Any]) -> str:
    """`` of topic orders`` where the value belongs to another resource than the finding."""
    resource = item["resource"]
    if resource == record["resource"]:
        return ""
    return f" of {resource['kind']} {resource['name']}"


def _label(item: dict[str, Any], record: dict[str, Any], first: bool) -> str:
    """What is said of a marked value; the message has told the first one, if nothing is special."""
    name = f"{item['key']}{_owner(item, record)}"
    renamed = item["from"] if item["from"] != item["key"] else ""
    if item["origin"] == ABSENT:
        return f"{name} is not set"
    if item["origin"] == INHERITED:
        source = f"{renamed} in " if renamed else ""
        return f"{name}, inherited from {source}{item['path']}:{item['line']}"
    if first and not renamed and item["resource"] == record["resource"]:
        return ""
    return f"{name}, set by {renamed}" if renamed else name


def by_version(record: dict[str, Any]) -> bool:
    """Whether the verdict may be another one in another version: a default, or a refusal."""
    return (
        record["severity"] == "error"
        or record["rule"].startswith("KC02")
        or any(item["origin"] == DEFAULT and item["kafka_version"] for item in record["evidence"])
    )


def _stated(item: dict[str, Any], record: dict[str, Any]) -> str:
    """A value that stands in no file, in words."""
    name, owner = item["key"], _owner(item, record)
    if "revision" in item:
        value = "not set" if item["value"] is None else item["value"]
        return f"{name}{owner} was {value} ({item['revision']})"
    if item["origin"] == DEFAULT:
        version = item["kafka_version"]
        # A client library that is not Java's has defaults of its own.
        whose = f"Kafka {version}" if version else "the client library"
        if item["value"] is None:
            return f"{name}{owner} is not set, its default differs in {whose}"
        return f"{name}={item['value']}{owner}, default of {whose}"
    return f"{name}{owner}: {item['value'] if item['value'] is not None else 'unknown'}"
