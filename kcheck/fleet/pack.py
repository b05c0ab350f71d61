"""``kcheck pack``: trees and archives → one table with a row per unit, for repeated audits."""

from __future__ import annotations

from kcheck.fleet import gave_up, ingest, publish, schemas, work
from kcheck.fleet.audit import Plan, recipe
from kcheck.fleet.session import Session


def pack(session: Session, plan: Plan) -> int:
    """Write the table; gives the number of its rows. Raises work.Refused, or GaveUp."""
    inputs = work.opened(plan.paths, plan.settings, plan.depth)
    told = recipe(plan, inputs)
    units = ingest.with_facts(
        ingest.units(session.spark, inputs, told, session.slots(), plan.partitions), None
    )
    table = units.mapInArrow(ingest.packed(told), schemas.ddl(schemas.PACKED))
    with gave_up.told("pack"):
        out = publish.for_spark(plan.out)
        table.write.mode("error").option("compression", "zstd").parquet(out)
        return int(session.spark.read.parquet(out).count())
