"""What a run's manifest tells of its tables, counted while they are written: a query of its own has
a price, however few rows there are.
"""

from __future__ import annotations

from kcheck.fleet import lifecycle
from kcheck.fleet.store import Staging
from kcheck.model import SEVERITY_RANK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

_GRAVEST = tuple(reversed(SEVERITY_RANK))
_ALL = "all"


class Counted:
    """Writes tables and counts their rows: a few numbers, whatever the size of the fleet."""

    def __init__(self, staging: Staging) -> None:
        self._staging = staging
        self._told: dict[str, dict[str, int]] = {}

    def write(self, name: str, frame: DataFrame) -> None:
        """Write a table."""
        from pyspark.sql import Observation
        from pyspark.sql import functions as F

        counted = _counted(name)
        if counted is None:
            self._staging.write(name, frame)
            return
        seen = Observation()
        columns = [F.count("*").alias(_ALL)]
        columns += [F.count_if(which).alias(label) for label, which in counted.items()]
        self._staging.write(name, frame.observe(seen, *columns))
        self._told[name] = {label: int(count) for label, count in seen.get.items()}

    def totals(self, units: pa.Table) -> dict[str, Any]:
        """The numbers for the manifest; ``units`` is that table."""
        import pyarrow.compute as pc

        findings, states = self._told["findings"], self._told["lifecycle"]
        ended = {status: pc.equal(units["status"], status) for status in ("audited", "failed")}
        return {
            "units": {status: pc.sum(which).as_py() or 0 for status, which in ended.items()},
            "clusters": pc.sum(units["clusters"]).as_py() or 0,
            "bytes": pc.sum(units["bytes"]).as_py() or 0,
            "findings": {severity: findings[severity] for severity in _GRAVEST},
            "new": {severity: findings[f"new {severity}"] for severity in _GRAVEST},
            "lifecycle": {name: states[name] for name in lifecycle.STATUSES if states[name]},
            "errors": self._told["errors"][_ALL],
            "failures": self._told["errors"]["fatal"],
            "strays": self._told["drift"][_ALL],
        }


def _counted(name: str) -> dict[str, Column] | None:
    """Which rows of a table are counted beside all, by the name of the count; None: no row is."""
    from pyspark.sql import functions as F

    if name == "findings":
        new = F.col("status") == lifecycle.NEW
        grave = {severity: F.col("severity") == severity for severity in _GRAVEST}
        return grave | {f"new {severity}": new & which for severity, which in grave.items()}
    if name == "lifecycle":
        return {status: F.col("status") == status for status in lifecycle.STATUSES}
    if name == "errors":
        return {"fatal": F.col("fatal")}
    if name == "drift":
        return {}
    return None
