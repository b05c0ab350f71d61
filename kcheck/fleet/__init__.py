"""The fleet audit: a PySpark pipeline around the same engine that ``kcheck lint`` calls.

The only room that imports pyspark, pyarrow or pandas, and that late: a driver without them can
still say how to get them, and tasks load only what they use.

    units of work → lint (Arrow batches) → one tagged stream, written once
      → findings, errors, units, clusters, settings → rollups, drift, lifecycle → published run
"""
