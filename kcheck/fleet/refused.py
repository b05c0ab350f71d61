"""Why an audit cannot use its output as asked."""

from __future__ import annotations

from kcheck.fleet import spark_errors


class Refused(Exception):
    """The output cannot be used as asked; the text says why."""


def reason(error: Exception) -> str:
    """What an error of Spark's says, in one line."""
    text = spark_errors.words(error, lambda task: []) or str(error)
    if "FileSystem" in text and ("not found" in text or "No FileSystem for scheme" in text):
        return f"{text}: Spark requires a jar for it (--conf spark.jars.packages=…)"
    return text
