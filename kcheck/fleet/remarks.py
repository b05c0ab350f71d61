"""What only the whole run can tell about its inputs: that there was nothing in them, which names
stand for several clusters, which ignores and which rows of the inventory were of no use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from kcheck import rules
from kcheck.suppress import UNUSED, Ignores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kcheck.fleet.register import Register
    from kcheck.settings import Settings

_FEW = 5


def remarks(
    settings: Settings, units: Sequence[dict[str, Any]], known: Register | None
) -> list[str]:
    """Sentences for the user; ``units`` are rows of that table."""
    told = list(useless(settings, units))
    names = Counter(row["unit"] for row in units)
    twice = sorted(name for name, count in names.items() if count > 1)
    if twice:
        told.append(
            f"several inputs have {listed(twice)}: their findings are told as those of one; "
            "audit them apart, or under other names"
        )
    if known is not None:
        known.compare(names)
        told += known.remarks
    return told


def useless(settings: Settings, units: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The ``[[ignore]]`` entries that hid nothing in any unit, or have expired."""
    if not settings.ignores or not settings.use_ignores:
        return
    ignores = Ignores([], settings, rules.load())
    ignores.elsewhere({line for row in units for line in row["ignored_by"] or ()})
    failed = sum(row["status"] != "audited" for row in units)
    for document in ignores.remarks():
        for problem in document.problems:
            less = " in what could be audited" if failed and problem.code == UNUSED else ""
            yield f"{document.path}:{problem.at[0]}: {problem.message}{less}"


def nothing(units: Iterable[dict[str, Any]]) -> bool:
    """Whether no unit held a file of Kafka's, and none failed, which may have held one."""
    return not any(
        row["files_read"] or row["files_error"] or row["status"] != "audited" for row in units
    )


def listed(names: Sequence[str], few: int = _FEW) -> str:
    """The first of some names, and how many there are more."""
    more = f" and {len(names) - few:,} more" if len(names) > few else ""
    return ", ".join(names[:few]) + more


def counted_rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"
