"""What reports say of a finding that an upgrade brings: where on the way it comes, and since when."""

from __future__ import annotations

from kcheck.model import AFTER, BEFORE, CHANGES, DISAPPEARS, WITH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_WHEN = {
    BEFORE: "before the first restart",
    WITH: "automatic changes",
    AFTER: "after the last restart",
}


def heading(record: dict[str, Any], several: bool, others: Sequence[dict[str, Any]] = ()) -> str:
    """What the finding stands under: the stretch of the way and when to act on it.

    ``several`` says that the report is about several clusters, ``others`` are the findings that
    are reported with this one.
    """
    change = record["upgrade"]
    named = dict.fromkeys(
        cluster for one in (record, *others) for cluster in one.get("clusters", [one["cluster"]])
    )
    whose = f"{_few(list(named))}: " if several else ""
    if change["change"] == DISAPPEARS:
        return f"{whose}Findings that disappear"
    way = f"{change['side'].capitalize()} {change['from']} → {change['to']}"
    return f"{whose}{way}: {_WHEN[change['when']]}"


def _few(clusters: list[str]) -> str:
    first, *others = clusters
    return f"{first} and {len(others)} more" if others[1:] else " and ".join(clusters)


def words(record: dict[str, Any]) -> str:
    """``" (brokers, from 4.1, before the first restart)"``: whose upgrade makes it true, and when
    to act; nothing for other findings.
    """
    change = record.get("upgrade")
    if change is None:
        return ""
    return of_change(change["change"], change["side"], change["since"], change["when"])


def of_change(kind: str, side: str, since: str, when: str) -> str:
    """The same of the parts of a change."""
    phase = "" if kind == DISAPPEARS else f", {_WHEN[when]}"
    return f" ({side}, from {since}{phase})"


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
        (change["side"], change["from"], change["to"]),
        change["change"],
        change["when"],
        record["rule"],
        record["severity"],
        resource["kind"],
        record["message"].replace(name, ""),
        record["fix"]["text"] if record["fix"] else "",
    )
