"""What is said where a file, a resource or a rule exceeds what kcheck goes through."""

from __future__ import annotations

from kcheck.model import MOST_JUDGED, SKIPPED, Document, Position, Problem, Resource

#: What follows from a file that is not read.
_UNREAD = "the file is not checked, and values that other files inherit from it are unknown"


def too_large(most: int) -> Problem:
    """A file of more than ``most`` bytes."""
    return Problem(
        f"the file exceeds {most:,} B and was not read",
        code="KC0005",
        consequence=_UNREAD,
        fix="split it, or exclude it in kcheck.toml",
    )


def too_many(resource: Resource) -> Problem:
    """A resource of more settings than are judged."""
    return Problem(
        f"{resource.kind} {resource.name} has {len(resource.settings):,} settings, of which only the "
        f"first {MOST_JUDGED:,} are checked individually",
        resource.at,
        code="KC0005",
        consequence="a wrong name or value among the others is not reported",
        fix="split it, or exclude it in kcheck.toml",
    )


def too_costly(path: str, taken: str) -> Document:
    """The document of a file that was given up while it was read: it took more than its share."""
    document = Document(path)
    document.status, document.reason = SKIPPED, f"exceeded {taken}"
    document.problems.append(
        Problem(
            f"reading the file exceeded {taken} and was aborted",
            code="KC0005",
            consequence=_UNREAD,
            fix="split it, or exclude it in kcheck.toml",
        )
    )
    return document


def unjudged(path: str, name: str, taken: str) -> Document:
    """What tells of a cluster that was given up while rules looked at it."""
    document = Document(path)
    document.problems.append(
        Problem(
            f"checking the file exceeded {taken}: cluster {name} and all later checks were aborted",
            code="KC0005",
            consequence="findings of rules that did not run are missing",
            fix="split the file, or exclude it in kcheck.toml",
        )
    )
    return document


def untold(path: str, at: Position, rule: str, most: int) -> Document:
    """What tells that a rule found more in a file than is told."""
    document = Document(path)
    document.problems.append(
        Problem(
            f"{rule} has more than {most:,} findings in this file, this is the next one",
            at,
            code="KC0005",
            consequence="the others are not reported",
            fix=f"fix the reported ones, exclude the file, or disable {rule} in kcheck.toml",
        )
    )
    return document
