"""KC00: what kcheck could not read, and what it read otherwise than meant."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import ERROR, Document, Finding, Fix, Resource
from kcheck.rule import rule


def told(document: Document, code: str) -> Iterator[Finding]:
    """The problems of one code that the formats met in a file."""
    for problem in document.problems:
        if problem.code == code:
            yield Finding(
                problem.message,
                Resource("file", document.path, document.path, problem.at),
                (),
                document.path,
                problem.at,
                problem.consequence,
                Fix(problem.fix) if problem.fix else None,
                problem.severity,
            )


@rule("KC0001", "unreadable-file", ERROR)
def unreadable_file(document: Document) -> Iterator[Finding]:
    """A file that should hold Kafka configuration cannot be parsed.

    What stands before the broken place is still read where the format allows it; the rest of the
    run goes on.

    Bad:
        --- kcheck.yaml
        kcheck: 1
        topics: [
    Good:
        --- kcheck.yaml
        kcheck: 1
        topics: []
    """
    yield from told(document, "KC0001")


@rule("KC0007", "malformed-declaration", ERROR)
def malformed_declaration(document: Document) -> Iterator[Finding]:
    """A declaration does not have the shape that kcheck reads.

    Kafka's own keys stand under ``config``; everything else has the names that
    ``schemas/kcheck.schema.json`` lists. What cannot be understood is not used.

    Bad:
        --- kcheck.yaml
        kcheck: 1
        topics:
          - {name: orders, partition: 3}
    Good:
        --- kcheck.yaml
        kcheck: 1
        topics:
          - {name: orders, partitions: 3}
    """
    yield from told(document, "KC0007")
