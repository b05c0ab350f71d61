"""``html``: one page for one run of lint, which needs nothing else (see ``report/page``)."""

from __future__ import annotations

import io
from array import array
from collections.abc import Iterable

from kcheck import __version__
from kcheck.model import FAILED, SEVERITY_RANK
from kcheck.report.labels import labelled
from kcheck.report.page import PART, Columns, Page, narrow
from kcheck.report.record import Records
from kcheck.report.run import Run, moment
from kcheck.report.shown import safe
from kcheck.report.source import Sources
from kcheck.report.upgrades import words
from kcheck.rule import family_of, registered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kcheck.graph.cluster import Traits
    from kcheck.model import Finding

    Record = dict[str, Any]

#: So many findings are in a page, the gravest.
MOST = 200_000


def render(run: Run, color: bool) -> str:
    known = Records(run)
    made = [(f, labelled(r, f)) for f, r in zip(run.findings, known.all(), strict=True)]
    made.sort(key=lambda pair: (-SEVERITY_RANK[pair[1]["severity"]], pair[1]["rule"]))
    records = [record for _, record in made]
    shown = records[:MOST]
    clusters = _Rows(_counted(records, "cluster", run), "cluster")
    rules = _Rows(_counted(records, "rule", None), "rule")
    out = io.BytesIO()
    page = Page(out, "kcheck lint")
    page.table("clusters", _clusters(clusters, run, records))
    page.table("rules", _rules(rules, run, records))
    if len(clusters.names) > 1:
        page.table("heat", _heat(clusters, rules, records))
    errors = [d for d in run.project.documents if d.status == FAILED]
    if errors:
        page.table("errors", _errors(errors))
    keys = Columns(len(shown))
    keys.numbers("cluster", clusters.of(shown))
    keys.numbers("rule", rules.of(shown))
    keys.numbers("severity", array("B", (SEVERITY_RANK[r["severity"]] for r in shown)))
    keys.numbers("new", array("B", bytes(len(shown))))
    keys.numbers("lead", _leads(run, [finding for finding, _ in made[:MOST]]))
    keys.texts("seen", [""] * len(shown))
    keys.texts("id", [record["fingerprint"] for record in shown])
    lines = _Lines(run, known)
    for first in range(0, len(shown), PART):
        part = shown[first : first + PART]
        page.table("findings.text", _text(part))
        page.table("findings.more", _more(part, lines.of(made[first : first + len(part)])))
    page.table("findings", keys)
    page.facts(_facts(run, len(records), len(clusters.names), len(errors)))
    return out.getvalue().decode()


def _leads(run: Run, findings: list[Finding]) -> array[int]:
    """For each row that of the finding which leads its cause; the page folds the others under it."""
    rows = {id(finding): row for row, finding in enumerate(findings)}
    leads = list(range(len(findings)))
    for cause in run.causes:
        lead = rows.get(id(cause.lead))
        for finding in cause.findings:
            row = rows.get(id(finding))
            if lead is not None and row is not None:
                leads[row] = lead
    return narrow(leads)


def _facts(run: Run, findings: int, clusters: int, errors: int) -> dict[str, Any]:
    return {
        "title": f"New since {run.since}" if run.since else "Kafka configuration",
        "tool": {"name": "kcheck", "version": __version__},
        "run": None,
        "previous": None,
        "started": f"{moment()}Z",
        "seconds": None,
        "inputs": [f"{run.files()['read']:,} files"],
        "findings": run.severities(),
        "new": dict.fromkeys(SEVERITY_RANK, 0),
        "lifecycle": None,
        "failed": 0,
        "elsewhere": "kcheck lint --output json",
        "totals": {"findings": findings, "errors": errors},
        "heat_clusters": clusters,
        "opens": "findings",
    }


class _Lines:
    """The source lines of places in findings and their evidence, as they may be shown."""

    def __init__(self, run: Run, records: Records) -> None:
        self._sources = Sources(run)
        self._records = records

    def of(self, made: list[tuple[Finding, Record]]) -> dict[int, _Line]:
        """The line of each record and of each of their evidence that has one, by its ``id``."""
        found: dict[int, _Line] = {}
        for finding, record in made:
            near = self._records.secrets_near(finding)
            for place in (record, *record["evidence"]):
                if place["path"] is not None:
                    found[id(place)] = self._line(place, near)
        return found

    def _line(self, place: Record, near: list[str]) -> _Line:
        start = place["column"] - 1
        shown = self._sources.shown(place["path"], place["line"], start, near)
        if shown is None or not shown.text.strip():
            return _NO_LINE
        end = place["end_column"] - 1 if place["end_line"] == place["line"] else None
        first, width = shown.extent(start, end)
        return shown.text, first, width


#: The text of a line, and the first column and the width of what is marked in it.
_Line = tuple[str, int, int]
_NO_LINE: _Line = ("", 0, 0)


class _Rows:
    """Names in the order of their rows, with what was counted of each."""

    def __init__(self, counts: dict[str, list[int]], field: str) -> None:
        self._field = field
        self.counts = counts
        # The worst first: errors, then warnings, then infos.
        self.names = sorted(counts, key=lambda name: (*(-n for n in counts[name][::-1]), name))
        if field == "rule":
            self.names.sort()
        self._rows = {name: row for row, name in enumerate(self.names)}

    def row(self, record: Record) -> int:
        return self._rows[record[self._field]]

    def of(self, records: list[Record]) -> array[int]:
        return narrow([self.row(record) for record in records])


def _traits(run: Run) -> list[Traits]:
    """What is known of each cluster, judged by whatever process."""
    return [*(cluster.traits() for cluster in run.project.clusters), *run.project.traits]


def _counted(records: list[Record], field: str, run: Run | None) -> dict[str, list[int]]:
    """How many findings of each severity, from info up; clusters without any count, too."""
    counts: dict[str, list[int]] = {}
    for traits in _traits(run) if run is not None else ():
        counts[traits[0]] = [0, 0, 0]
    for record in records:
        of = counts.setdefault(record[field], [0, 0, 0])
        of[SEVERITY_RANK[record["severity"]]] += 1
    return counts


def _clusters(rows: _Rows, run: Run, records: list[Record]) -> Columns:
    known = {traits[0]: traits for traits in sorted(_traits(run))}
    owners: dict[str, dict[str, None]] = {}
    for record in records:
        owners.setdefault(record["cluster"], {}).update(dict.fromkeys(record.get("owners", ())))
    told = [known.get(name, (name, "", "", "", 0, 0)) for name in rows.names]
    made = Columns(len(rows.names))
    made.texts("name", rows.names)
    made.texts("owner", [" ".join(owners.get(name, ())) for name in rows.names])
    for at, field in enumerate(("environment", "version", "service"), 1):
        made.texts(field, [str(traits[at]) for traits in told])
    made.texts("region", [""] * len(rows.names))
    made.texts("status", ["audited"] * len(rows.names))
    made.numbers("brokers", narrow(traits[4] for traits in told))
    made.numbers("topics", narrow(traits[5] for traits in told))
    _numbers(made, rows)
    made.numbers("strays", narrow([0] * len(rows.names)))
    return made


def _numbers(made: Columns, rows: _Rows) -> None:
    for severity, rank in SEVERITY_RANK.items():
        made.numbers(severity, narrow(rows.counts[name][rank] for name in rows.names))
    made.numbers("new", narrow([0] * len(rows.names)))


def _rules(rows: _Rows, run: Run, records: list[Record]) -> Columns:
    known, named = {**registered(), **run.own}, {record["rule"]: record for record in records}
    where: dict[str, set[str]] = {}
    for record in records:
        where.setdefault(record["rule"], set()).add(record["cluster"])
    made = Columns(len(rows.names))
    made.texts("code", rows.names)
    made.texts("name", [named[code]["name"] for code in rows.names])
    made.texts("family", [family_of(code) for code in rows.names])
    made.texts("summary", [known[code].summary if code in known else "" for code in rows.names])
    made.texts("url", [named[code]["url"] for code in rows.names])
    gravest = (max(rank for rank in range(3) if rows.counts[code][rank]) for code in rows.names)
    made.numbers("severity", narrow(gravest))
    _numbers(made, rows)
    made.numbers("resolved", narrow([0] * len(rows.names)))
    made.numbers("clusters", narrow(len(where[code]) for code in rows.names))
    return made


def _heat(clusters: _Rows, rules: _Rows, records: list[Record]) -> Columns:
    counts: dict[tuple[int, int, int], int] = {}
    for record in records:
        place = (clusters.row(record), rules.row(record), SEVERITY_RANK[record["severity"]])
        counts[place] = counts.get(place, 0) + 1
    cells = sorted(counts)
    made = Columns(len(cells))
    for at, name in enumerate(("cluster", "rule", "severity")):
        made.numbers(name, narrow(cell[at] for cell in cells))
    made.numbers("count", narrow(counts[cell] for cell in cells))
    made.numbers("new", narrow([0] * len(cells)))
    return made


def _errors(documents: list[Any]) -> Columns:
    made = Columns(len(documents))
    made.numbers("cluster", narrow([0] * len(documents)))
    made.numbers("fatal", narrow([0] * len(documents)))
    made.texts("path", [document.path for document in documents])
    made.texts("stage", ["read"] * len(documents))
    made.texts("error", ["not read"] * len(documents))
    made.texts("reason", [safe(document.reason) for document in documents])
    return made


def _text(records: list[Record]) -> Columns:
    made = Columns(len(records))
    made.texts("message", [record["message"] + words(record) for record in records])
    made.texts("path", [record["path"] for record in records])
    made.texts("kind", [record["resource"]["kind"] for record in records])
    made.texts("resource", [record["resource"]["name"] for record in records])
    made.texts("keys", [", ".join(record["keys"]) for record in records])
    _places(made, records)
    return made


def _sourced(made: Columns, items: list[Record], lines: dict[int, _Line]) -> None:
    told = [lines.get(id(item), _NO_LINE) for item in items]
    made.texts("source", [text for text, _, _ in told])
    made.numbers("mark", narrow(first for _, first, _ in told))
    made.numbers("marked", narrow(width for _, _, width in told))


def _more(records: list[Record], lines: dict[int, _Line]) -> Columns:
    made = Columns(len(records))
    _sourced(made, records, lines)
    made.texts("consequence", [record["consequence"] for record in records])
    fixes = [record["fix"] or {"text": "", "safe": None, "edits": []} for record in records]
    made.texts("kafka", [record["kafka"] for record in records])
    made.texts("inferred", [record.get("inferred") for record in records])
    made.texts("fix", [fix["text"] for fix in fixes])
    made.numbers("safe", narrow(2 if fix["safe"] is None else int(fix["safe"]) for fix in fixes))
    evidence = [item for record in records for item in record["evidence"]]
    inner = Columns(len(evidence))
    for field in ("key", "value", "origin", "from", "path", "kafka_version"):
        inner.texts(field, [item[field] for item in evidence])
    inner.texts("kind", [item["resource"]["kind"] for item in evidence])
    inner.texts("resource", [item["resource"]["name"] for item in evidence])
    _sourced(inner, evidence, lines)
    _places(inner, evidence)
    made.lists("evidence", narrow(len(record["evidence"]) for record in records), inner)
    edits = [edit for fix in fixes for edit in fix["edits"]]
    inner = Columns(len(edits))
    for field in ("path", "text"):
        inner.texts(field, [edit[field] for edit in edits])
    _places(inner, edits)
    made.lists("edits", narrow(len(fix["edits"]) for fix in fixes), inner)
    others = [other for record in records for other in record.get("also", ())]
    inner = Columns(len(others))
    for field in ("rule", "name", "message", "path"):
        inner.texts(field, [other[field] for other in others])
    _places(inner, others)
    made.lists("also", narrow(len(record.get("also", ())) for record in records), inner)
    return made


def _places(made: Columns, items: Iterable[Record]) -> None:
    items = list(items)
    for field in ("line", "column"):
        made.numbers(field, narrow(item[field] or 0 for item in items))
