"""``kcheck rules --coverage``: what answers each invariant and claim, as text, JSON or Markdown."""

from __future__ import annotations

from kcheck import coverage
from kcheck.cli import run, table
from kcheck.cli.run import Stop
from kcheck.report.printable import in_json
from kcheck.rule import Rule


def show(chosen: list[Rule], output: str) -> int:
    """Print the table for these rules; gives the exit code. Raises Stop where it is missing."""
    try:
        items, strays = coverage.counted(chosen)
    except FileNotFoundError as error:
        raise Stop(str(error)) from None
    if output == "json":
        from json import dumps

        run.write(in_json(dumps(_document(items, strays), indent=2, ensure_ascii=False)) + "\n")
    elif output == "markdown":
        run.write(_markdown(items))
    else:
        run.write(_text(items, strays))
    return run.CLEAN


def _of(items: list[coverage.Item], kind: str) -> list[coverage.Item]:
    return [item for item in items if item.kind == kind]


def _numbers(items: list[coverage.Item]) -> dict[str, int]:
    """How many items are answered in each way; an empty way is an open item."""
    return {way: sum(item.how == way for item in items) for way in (*coverage.WAYS, "")}


def _document(items: list[coverage.Item], strays: list[tuple[str, str, str]]) -> dict[str, object]:
    document: dict[str, object] = {"version": 1}
    for kind in coverage.KINDS:
        mine = _of(items, kind)
        ways = _numbers(mine)
        open_items = ways.pop("")
        document[f"{kind}s"] = {
            "total": len(mine),
            "by_test": sum(bool(item.tested) for item in mine),
            "ways": ways,
            "open": open_items,
            "items": [
                {
                    "id": item.id,
                    "words": item.words,
                    "how": item.how or None,
                    "rules": item.rules,
                    "answer": item.answer or None,
                }
                for item in mine
            ],
        }
    document["unknown"] = [{"rule": code, "kind": kind, "id": id} for code, kind, id in strays]
    return document


def _text(items: list[coverage.Item], strays: list[tuple[str, str, str]]) -> str:
    parts: list[str] = []
    for kind in coverage.KINDS:
        mine = _of(items, kind)
        ways = _numbers(mine)
        tested = sum(bool(item.tested) for item in mine)
        parts.append(
            f"{kind}s: {len(mine) - ways['']} of {len(mine)} answered; "
            f"{ways[coverage.RULE]} by a dedicated rule, {tested} by a rule and a test\n"
        )
    parts.extend(
        f"{code} covers the {kind} {id}, which is not listed\n" for code, kind, id in strays
    )
    for way, words in {"": "open", **coverage.WAYS}.items():
        rows = [(i.kind, i.id, i.answer, i.words) for i in items if i.how == way]
        if rows:
            parts.append(f"\n{words} ({len(rows)}):\n" + table.lines(rows, "  "))
    return "".join(parts)


def _markdown(items: list[coverage.Item]) -> str:
    parts = ["# What kcheck covers"]
    for kind in coverage.KINDS:
        mine = _of(items, kind)
        ways = _numbers(mine)
        rows = [f"| {words} | {ways[way]} |" for way, words in coverage.WAYS.items()]
        if ways[""]:
            rows.append(f"| open | {ways['']} |")
        parts.append(f"## {kind.capitalize()}s")
        parts.append("\n".join((f"| {len(mine)} {kind}s | |", "|---|---|", *rows)))
        parts.append(
            "\n".join(
                (
                    f"| {kind} | statement | how | answer |",
                    "|---|---|---|---|",
                    *(
                        f"| `{i.id}` | {i.words} | {i.how or 'open'} | {i.answer} |"
                        for i in sorted(
                            mine, key=lambda i: list(coverage.WAYS).index(i.how or "rule")
                        )
                    ),
                )
            )
        )
    return "\n\n".join(parts) + "\n"
