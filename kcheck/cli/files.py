"""``kcheck files``: what kcheck makes of every file, or why it leaves it alone."""

from __future__ import annotations

from kcheck import engine
from kcheck.cli import run, table
from kcheck.cli.options import Options
from kcheck.cli.project import complain, opened
from kcheck.model import READ, Document
from kcheck.report.record import readable

#: A file may hold thousands of topics; a table names the first few.
_NAMED = 3


def files(options: Options) -> int:
    """Print one entry per input; gives the exit code."""
    settings, inputs = opened(options)
    project = engine.read_project(inputs, settings, inputs.lookup, inputs.named)
    documents = project.documents
    documents.extend(inputs.documents())
    documents.sort(key=lambda document: document.path)
    if options.output == "json":
        from json import dumps

        records = ",\n".join(dumps(record(d), ensure_ascii=False) for d in documents)
        run.write(f'{{"version": 1, "files": [\n{records}\n]}}\n')
    else:
        rows = [("file", "status", "format", "cluster", "what"), *map(_row, documents)]
        run.write(table.lines(rows))
    return complain(options, inputs, project)


def record(document: Document) -> dict[str, object]:
    """The contract's entry for a file.

    ``cluster`` is null where the file's resources belong to several; each names its own then.
    """
    clusters = _clusters(document)
    return {
        "path": readable(document.path),
        "format": document.format,
        "cluster": readable(clusters[0]) if len(clusters) == 1 else None,
        "resources": [
            {
                "kind": resource.kind,
                "name": readable(resource.name),
                **({"cluster": readable(resource.cluster or "")} if len(clusters) > 1 else {}),
            }
            for resource in document.resources
        ],
        "status": document.status,
        "reason": readable(document.reason) or None,
    }


def _clusters(document: Document) -> list[str]:
    return list(dict.fromkeys(r.cluster for r in document.resources if r.cluster))


def _row(document: Document) -> tuple[str, ...]:
    return (
        document.path,
        document.status,
        document.format or "",
        ", ".join(_clusters(document)),
        document.reason if document.status != READ else _resources(document),
    )


def _resources(document: Document) -> str:
    """``topic orders, topic payments``, or ``300 topics`` where there are many."""
    by_kind: dict[str, list[str]] = {}
    for resource in document.resources:
        by_kind.setdefault(resource.kind, []).append(resource.name)
    parts: list[str] = []
    for kind, names in by_kind.items():
        if len(names) > _NAMED:
            parts.append(f"{len(names):,} {kind}s")
        else:
            parts.extend(f"{kind} {name}" for name in names if name != document.path)
            parts.extend(kind for name in names if name == document.path)
    return ", ".join(parts)
