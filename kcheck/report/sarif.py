"""``sarif``: SARIF 2.1.0, within what GitHub's code scanning takes."""

from __future__ import annotations

import json

from kcheck import HOME, __version__, examples
from kcheck.fingerprint import from_root
from kcheck.model import ERROR, INFO, SEVERITY_RANK, WARNING
from kcheck.report.links import url
from kcheck.report.printable import in_json
from kcheck.report.record import Records
from kcheck.report.run import Run
from kcheck.report.upgrades import words
from kcheck.rule import Rule, registered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {ERROR: "error", WARNING: "warning", INFO: "note"}

#: GitHub refuses a run with more results, shows that many of them, and refuses larger files.
MOST_RESULTS = 25_000
SHOWN_RESULTS = 5_000
MOST_BYTES = 10_000_000

#: Not ``primaryLocationLineHash``: GitHub's upload computes that from the line's text and
#: complains of every other value under this name.
FINGERPRINT = "kcheck/v1"


def render(run: Run, color: bool) -> str:
    return made(run, Records(run).placed())


def made(run: Run, records: list[dict[str, Any]]) -> str:
    """The SARIF text of these records; only the gravest of them where GitHub would refuse all."""
    kept = _gravest(records, MOST_RESULTS)
    while True:
        text = in_json(json.dumps(_log(run, kept, len(records)), ensure_ascii=False)) + "\n"
        if len(text) * 4 <= MOST_BYTES or _packed(text) <= MOST_BYTES or not kept:
            return text
        kept = _gravest(kept, len(kept) * 3 // 4)


def _gravest(records: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """At most so many records, the gravest, in the order in which they were."""
    if len(records) <= most:
        return records
    ranked = sorted(
        range(len(records)), key=lambda at: (-SEVERITY_RANK[records[at]["severity"]], at)
    )
    return [records[at] for at in sorted(ranked[:most])]


def _packed(text: str) -> int:
    import zlib

    return len(zlib.compress(text.encode("utf-8", "backslashreplace"), 6))


def _log(run: Run, records: list[dict[str, Any]], total: int) -> dict[str, Any]:
    codes = sorted({record["rule"] for record in records})
    places = {code: place for place, code in enumerate(codes)}
    known = {**registered(), **run.own}
    names = {record["rule"]: record["name"] for record in records}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "kcheck",
                        "version": __version__,
                        "semanticVersion": __version__,
                        "informationUri": HOME,
                        "rules": [_rule(code, names[code], known.get(code)) for code in codes],
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": not run.project.failures,
                        "toolExecutionNotifications": _notifications(run, len(records), total),
                    }
                ],
                "columnKind": "unicodeCodePoints",
                "results": [_result(record, places, run.prefix) for record in records],
            }
        ],
    }


def _notifications(run: Run, kept: int, total: int) -> list[dict[str, Any]]:
    told = [("error", failure) for failure in run.project.failures]
    if kept < total:
        told.append(
            (
                "warning",
                f"{total - kept:,} of {total:,} findings are omitted, the least severe ones, "
                "because code scanning rejects larger files",
            )
        )
    if kept > SHOWN_RESULTS:
        told.append(("note", f"code scanning shows {SHOWN_RESULTS:,} of {kept:,} results"))
    return [{"level": level, "message": _message(text)} for level, text in told]


def _rule(code: str, name: str, rule: Rule | None) -> dict[str, Any]:
    """What SARIF says of a rule: its documentation, as text and as Markdown."""
    summary = rule.summary if rule else name
    why = examples.explanation(rule) if rule else ""
    severity = rule.severity if rule else WARNING
    return {
        "id": code,
        "name": name,
        "shortDescription": _message(summary),
        "fullDescription": _message(why or summary),
        "help": {
            "text": f"{summary}\n\n{why}".strip(),
            "markdown": _markdown(code, name, summary, why, rule),
        },
        "helpUri": (rule.url if rule else "") or url(code),
        "defaultConfiguration": {"level": _LEVELS[severity]},
        "properties": {
            "tags": ["kafka", *([rule.family] if rule else [])],
            "problem.severity": "recommendation" if severity == INFO else severity,
        },
    }


def _markdown(code: str, name: str, summary: str, why: str, rule: Rule | None) -> str:
    parts = [f"**{code} {name}**: {summary}", why]
    if rule is not None:
        if rule.versions:
            parts.append(f"Versions: {rule.versions}")
        for example in examples.examples(rule):
            caption = f": {example.caption}" if example.caption else ""
            parts.append(f"{'Bad' if example.bad else 'Good'}{caption}")
            parts += (f"```\n# {file}\n{text}```" for file, text in example.files.items())
        parts.append(f"[Documentation]({rule.url or url(code)})")
    return "\n\n".join(part for part in parts if part)


def _result(record: dict[str, Any], places: dict[str, int], prefix: str) -> dict[str, Any]:
    sentences = [record["message"] + words(record), record["consequence"]]
    if record["fix"]:
        sentences.append(f"Fix: {record['fix']['text']}")
    result = {
        "ruleId": record["rule"],
        "ruleIndex": places[record["rule"]],
        "level": _LEVELS[record["severity"]],
        "message": _message("\n".join(part for part in sentences if part)),
        "locations": [{"physicalLocation": _place(record, prefix)}],
        "partialFingerprints": {FINGERPRINT: record["fingerprint"]},
        "properties": {
            "cluster": record["cluster"],
            "resource": f"{record['resource']['kind']} {record['resource']['name']}",
            "keys": record["keys"],
        },
    }
    if record.get("owners"):
        result["properties"]["owners"] = record["owners"]
    if "upgrade" in record:
        result["properties"]["upgrade"] = record["upgrade"]
    own = (record["path"], record["line"], record["column"])
    related = [
        item
        for item in record["evidence"]
        if item["path"] is not None and (item["path"], item["line"], item["column"]) != own
    ]
    if "repeats" in record:
        result["properties"]["repeats"] = record["repeats"]["fingerprint"]
    if related or "repeats" in record:
        near = [(_said(item), item) for item in related]
        if "repeats" in record:
            lead = record["repeats"]
            near.insert(0, (f"{lead['rule']}, same cause", lead))
        result["relatedLocations"] = [
            {
                "id": number,
                "message": _message(text),
                "physicalLocation": _place(item, prefix),
            }
            for number, (text, item) in enumerate(near, 1)
        ]
    return result


def _message(text: str) -> dict[str, str]:
    """A plain text: what SARIF would take for a link in it is none."""
    if "](" in text:
        text = text.replace("[", "\\[").replace("](", "\\] (")
    return {"text": text}


def _said(item: dict[str, Any]) -> str:
    name = f"{item['resource']['kind']} {item['resource']['name']}"
    if item["origin"] == "absent":
        return f"{item['key']} is not set on {name}"
    value = "" if item["value"] is None else f"={item['value']}"
    return f"{item['key']}{value} of {name} ({item['origin']})"


def _place(item: dict[str, Any], prefix: str) -> dict[str, Any]:
    """A location of one line: a pull request shows an alert only if all its lines changed."""
    from urllib.parse import quote

    region = {"startLine": item["line"], "startColumn": item["column"]}
    if item["end_line"] == item["line"]:
        region["endColumn"] = max(item["end_column"], item["column"])
    return {
        "artifactLocation": {"uri": quote(from_root(item["path"], prefix), safe="/")},
        "region": region,
    }
