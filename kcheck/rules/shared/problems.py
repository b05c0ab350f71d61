"""Problems that a format found in a file, as findings."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import SET, Document, Finding, Fix, Resource, Value


def findings(document: Document, code: str) -> Iterator[Finding]:
    """The problems of one code in a file, as findings."""
    for problem in document.problems:
        if problem.code == code:
            file = Resource("file", document.path, document.path, problem.at)
            told = problem.setting
            yield Finding(
                problem.message,
                file,
                () if told is None else (Value(told.key, file, SET, told.text, setting=told),),
                document.path,
                problem.at,
                problem.consequence,
                Fix(problem.fix, problem.edits, bool(problem.edits)) if problem.fix else None,
                problem.severity,
            )
