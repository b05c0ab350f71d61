"""Problems that a format found in a file, as findings."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import SET, Document, Finding, Fix, Resource, Value


def findings(document: Document, code: str) -> Iterator[Finding]:
    """The problems of one code in a file, as findings; what several profiles share is told once."""
    told_of = set()
    for problem in document.problems:
        place = problem.message, problem.at
        if problem.code == code and place not in told_of:
            told_of.add(place)
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
