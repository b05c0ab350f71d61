"""Problems that a format found in a file, as findings."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import Document, Finding, Fix, Resource


def findings(document: Document, code: str) -> Iterator[Finding]:
    """The problems of one code in a file, as findings."""
    for problem in document.problems:
        if problem.code == code:
            yield Finding(
                problem.message,
                Resource("file", document.path, document.path, problem.at),
                (),
                document.path,
                problem.at,
                problem.consequence,
                Fix(problem.fix, problem.edits, bool(problem.edits)) if problem.fix else None,
                problem.severity,
            )
