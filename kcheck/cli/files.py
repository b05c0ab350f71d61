"""``kcheck files``: what kcheck makes of every file, or why it leaves it alone."""

from __future__ import annotations

from kcheck import engine
from kcheck.cli import run, table
from kcheck.cli.options import Options
from kcheck.cli.project import complain, opened
from kcheck.cli.run import Stop
from kcheck.cli.terminal import width
from kcheck.formats import unread
from kcheck.grouping.homes import Home, Homes
from kcheck.model import READ, WORDS, Document, Resource
from kcheck.paths import relative
from kcheck.report.labels import suffix
from kcheck.report.printable import in_json, printable
from kcheck.report.run import unread as unread_of
from kcheck.report.shown import named, readable, safe
from kcheck.wording import count

#: A file may hold thousands of topics; a table names the first few.
_NAMED = 3


def files(options: Options) -> int:
    """Print one entry per input; gives the exit code."""
    pair: tuple[str, ...] = ()
    if options.why:
        pair = tuple(map(relative, options.paths))
        if len(pair) != 2:
            raise Stop("--why requires two files: kcheck files --why A B")
        options.paths = (".",)
    settings, inputs = opened(options)
    project = engine.read_project(inputs, settings, inputs.lookup, inputs.named)
    documents = project.documents
    for document in documents:
        data = inputs.lookup(document.path) if document.status == READ else None
        if data is not None:
            unread.settle(document, data)
    unread.settle_variables(documents)
    documents.extend(inputs.documents(searched=True))
    documents.sort(key=lambda document: document.path)
    if options.unread:
        left = [one for one in documents if one.extent.left_out and not one.unread]
        documents = sorted([*unread_of(documents), *left], key=lambda document: document.path)
    if pair:
        run.write(why(pair, documents, project.homes))
        return complain(options, inputs, project)
    if options.output == "json":
        from json import dumps

        records = ",\n".join(dumps(record(d, project.homes), ensure_ascii=False) for d in documents)
        run.write(in_json(f'{{"version": 1, "files": [\n{records}\n]}}\n'))
    elif options.unread:
        run.write(places(documents))
    else:
        more = ("why",) if options.verbose else ()
        rows = [
            ("file", "status", "format", "cluster", "what", *more),
            *(_row(d, project.homes, bool(more)) for d in documents),
        ]
        run.write(_table(rows, width()))
    return complain(options, inputs, project)


def _table(rows: list[tuple[str, ...]], columns: int) -> str:
    """A row for each file: with its path, or on a terminal below the folder that it is in."""
    if not columns:
        return table.lines(rows)
    told = [rows[0], *((f"  {path.rpartition('/')[2]}", *rest) for path, *rest in rows[1:])]
    head, *below = table.apiece(told, columns=columns)
    out = [head]
    before = ""
    for (path, *_), row in zip(rows[1:], below, strict=True):
        folder = printable(path.rpartition("/")[0] or ".") + "/"
        if folder != before:
            out.append(f"{folder}\n")
        before = folder
        out.append(row)
    return "".join(out)


def record(document: Document, homes: Homes) -> dict[str, object]:
    """The contract's entry for a file.

    ``cluster`` is null where the file's resources belong to several; each names its own then, and
    one that is in several of them all of these. ``joins`` says why they are there.
    """
    known = homes.of(document.path)
    ids = list(dict.fromkeys(home.id for home in known))
    of: dict[int, list[Home]] = {}
    for home in known:
        for resource in home.resources:
            of.setdefault(id(resource), []).append(home)
    return {
        "path": readable(document.path),
        "format": document.format,
        "cluster": named(known[0].cluster) if len(ids) == 1 else None,
        "cluster_id": named(ids[0]) if len(ids) == 1 else None,
        "joins": [_join(home, homes) for home in known],
        "resources": [
            {
                "kind": resource.kind,
                "name": named(resource.name),
                **(_own(of.get(id(resource), [])) if len(ids) > 1 else {}),
            }
            for resource in document.resources
        ],
        "status": document.status,
        "reason": safe(document.reason) or None,
        **_unread(document),
    }


def _unread(document: Document) -> dict[str, object]:
    """The keys that were not read, where there are any."""
    found = [{"key": safe(key.name), "line": key.line} for key in document.unread]
    off = [{"key": safe(key.name), "line": key.line} for key in document.extent.left_out]
    return {**({"unread": found} if found else {}), **({"left_out": off} if off else {})}


def places(documents: list[Document]) -> str:
    """``path:line: key`` for all that was not read, and how much it is."""
    lines: list[str] = []
    for document in documents:
        path = safe(document.path)
        lines += [f"{path}:{key.line}: {safe(key.name)}" for key in document.unread]
        lines += [
            f"{path}:{key.line}: {safe(key.name)} (left out by the variables)"
            for key in document.extent.left_out
        ]
    number = len([document for document in documents if document.unread])
    total = sum(len(document.unread) for document in documents)
    lines.append(f"{count(total, 'key')} of Kafka not read, in {count(number, 'file')}.")
    return "".join(f"{line}\n" for line in lines)


def _own(homes: list[Home]) -> dict[str, object]:
    """The cluster of one resource of a file; all of them where it is in several."""
    if not homes:
        return {"cluster": "", "cluster_id": ""}
    first: dict[str, object] = {
        "cluster": named(homes[0].cluster),
        "cluster_id": named(homes[0].id),
    }
    if len(homes) > 1:
        first["clusters"] = [named(home.id) for home in homes]
    return first


def _join(home: Home, homes: Homes) -> dict[str, object]:
    """Why resources are in a cluster, or in none that has brokers."""
    if home.unjoined is not None:
        return {
            "cluster_id": named(home.id),
            "evidence": None,
            "reason": home.unjoined.reason,
            "text": safe(home.unjoined.text),
            "candidates": [named(homes.id_of(group)) for group in home.unjoined.candidates],
        }
    return {
        "cluster_id": named(home.id),
        "evidence": home.join.kind,
        "text": safe(home.join.text) or None,
    }


def why(pair: tuple[str, ...], documents: list[Document], homes: Homes) -> str:
    """Why two files are of one cluster, or are not. Raises Stop for a file that is not there."""
    known = {document.path: document for document in documents}
    lines: list[str] = []
    for path in pair:
        document = known.get(path)
        if document is None:
            raise Stop(f"{path} is not among the files of this run")
        if document.status != READ or not homes.of(path):
            lines.append(f"{path}: {_status(document)}: {document.reason or 'in no cluster'}")
        lines += (f"{path}: {line}" for line in _reasons(path, homes))
    ids = [{home.id for home in homes.of(path)} for path in pair]
    if not all(ids):
        lines.append("A file that was not read is in no cluster.")
    elif shared := ids[0] & ids[1]:
        lines.append(f"Both are in cluster {', '.join(sorted(shared))}.")
    else:
        lines.append("They are in different clusters, so no rule compares them.")
    return "".join(f"{safe(line)}\n" for line in lines)


def _reasons(path: str, homes: Homes) -> list[str]:
    """One line for each cluster that a file has part in: its id and the evidence."""
    return list(dict.fromkeys(f"{home.id}: {home.sentence()}" for home in homes.of(path)))


def _row(document: Document, homes: Homes, reasons: bool) -> tuple[str, ...]:
    clusters = dict.fromkeys(home.cluster for home in homes.of(document.path))
    more = (safe("; ".join(_reasons(document.path, homes))),) if reasons else ()
    return (
        document.path,
        _status(document),
        document.format or "",
        ", ".join(map(named, clusters)),
        _what(document),
        *more,
    )


def _status(document: Document) -> str:
    """The status in text: ``unrelated`` for JSON's ``passed-over``."""
    return WORDS[document.status]


def _what(document: Document) -> str:
    """The resources of a file and what was not read in it, or why it was not read."""
    if document.status != READ:
        return safe(document.reason)
    return "; ".join(filter(None, (_resources(document), safe(document.reason))))


def _resources(document: Document) -> str:
    """``topic orders, topic payments``, or ``300 topics`` where there are many."""
    by_kind: dict[str, list[Resource]] = {}
    for resource in document.resources:
        by_kind.setdefault(resource.kind, []).append(resource)
    parts: list[str] = []
    for kind, ones in by_kind.items():
        if len(ones) > _NAMED:
            parts.append(f"{len(ones):,} {kind}s")
        else:
            own = [one for one in ones if one.name != document.path]
            parts.extend(f"{kind} {named(one.name)}{suffix(one)}" for one in own)
            parts.extend(kind + suffix(one) for one in ones if one.name == document.path)
    return ", ".join(parts)
