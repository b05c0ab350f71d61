"""What reports say of a finding that an upgrade brings: where on the way it comes, and since when."""

from __future__ import annotations

from kcheck.model import AFTER, BEFORE, CHANGES, DISAPPEARS, WITH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WHEN = {
    BEFORE: "before the first restart",
    WITH: "automatic changes",
    AFTER: "after the last restart",
}


def heading(record: dict[str, Any], several: bool) -> str:
    """What the finding stands under: the stretch of the way and when to act on it.

    ``several`` says that the report is about several clusters.
    """
    change = record["upgrade"]
    whose = f"{record['cluster']}: " if several else ""
    if change["change"] == DISAPPEARS:
        return f"{whose}Findings that disappear"
    way = f"{change['side'].capitalize()} {change['from']} → {change['to']}"
    return f"{whose}{way}: {_WHEN[change['when']]}"


def words(record: dict[str, Any]) -> str:
    """``" (brokers, from 4.1)"``: whose upgrade makes it true; nothing for other findings."""
    change = record.get("upgrade")
    if change is None:
        return ""
    return f" ({change['side']}, from {change['since']})"


def since(record: dict[str, Any]) -> str:
    """The same under a heading that names the side already."""
    change = record["upgrade"]
    return words(record) if change["change"] == DISAPPEARS else f" (from {change['since']})"


def previous(record: dict[str, Any]) -> str:
    """What the rule has said so far, where it has said something else."""
    change = record["upgrade"]
    before = change["previous"]
    if change["change"] != CHANGES or before is None:
        return ""
    if before["severity"] != record["severity"]:
        return f"{before['severity']} before"
    return f"before: {before['message']}"


def alike(record: dict[str, Any]) -> tuple[object, ...]:
    """What findings have in common that are told in one: all but the resource and the place."""
    change, resource = record["upgrade"], record["resource"]
    name = f"{resource['kind']} {resource['name']}"
    return (
        change["stage"],
        change["change"],
        change["when"],
        record["rule"],
        record["severity"],
        resource["kind"],
        record["message"].replace(name, ""),
        record["fix"]["text"] if record["fix"] else "",
    )
