"""What only the whole run can tell about its inputs: that there was nothing in them, which names
stand for several clusters, which ignores and which rows of the inventory were of no use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcheck import rules
from kcheck.circumstances import Circumstances
from kcheck.suppress import UNUSED, Ignores

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pyarrow as pa

    from kcheck.settings import Settings

_FEW = 5
#: The ``status`` of a unit that was linted, whatever was found.
AUDITED = "audited"


def remarks(
    settings: Settings, units: pa.Table, circumstances: Circumstances | None = None
) -> list[str]:
    """Sentences for the user; ``units`` is that table."""
    import pyarrow.compute as pc

    told = list(useless(settings, units, circumstances or Circumstances()))
    times = units["unit"].value_counts()
    names = times.field("values")
    twice = sorted(names.filter(pc.greater(times.field("counts"), 1)).to_pylist())
    if twice:
        told.append(
            f"several inputs have {listed(twice)}: their findings are reported together; audit them "
            "separately, or under other names"
        )
    return told


def useless(settings: Settings, units: pa.Table, circumstances: Circumstances) -> Iterator[str]:
    """The ``[[ignore]]`` entries that hid nothing in any unit, or have expired."""
    if not settings.ignores or not circumstances.use_ignores:
        return
    import pyarrow.compute as pc

    ignores = Ignores([], settings, rules.load(), circumstances)
    ignores.elsewhere(set(pc.list_flatten(units["ignored_by"]).to_pylist()))
    failed = pc.any(pc.not_equal(units["status"], AUDITED)).as_py()
    for document in ignores.remarks():
        for problem in document.problems:
            less = " in the audited part" if failed and problem.code == UNUSED else ""
            yield f"{document.path}:{problem.at[0]}: {problem.message}{less}"


def nothing(units: pa.Table) -> bool:
    """Whether no unit held a file of Kafka's, and none failed, which may have held one."""
    import pyarrow.compute as pc

    files = pc.add(units["files_read"], units["files_error"])
    told = pc.or_(pc.greater(files, 0), pc.not_equal(units["status"], AUDITED))
    return not pc.any(told).as_py()


def listed(names: Sequence[str], few: int = _FEW) -> str:
    """The first of some names, and how many there are more."""
    more = f" and {len(names) - few:,} more" if len(names) > few else ""
    return ", ".join(names[:few]) + more


def counted_rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"
