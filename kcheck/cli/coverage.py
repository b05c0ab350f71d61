"""``kcheck rules --coverage``: what answers each invariant and claim, as text, JSON or Markdown."""

from __future__ import annotations

from kcheck import coverage
from kcheck.cli import answers, run, table
from kcheck.cli.run import Stop
from kcheck.counterexamples import Outcome, tried
from kcheck.report.printable import in_json
from kcheck.rule import Rule


def show(chosen: list[Rule], output: str) -> int:
    """Print the table for these rules, with their claims tried; gives the exit code.

    It is 1 where a claim is not answered as its entry says. Raises Stop where a table is missing.
    """
    try:
        items, strays = coverage.counted(chosen)
    except FileNotFoundError as error:
        raise Stop(str(error)) from None
    outcomes = _outcomes(items, {rule.code: rule for rule in chosen})
    if output == "json":
        from json import dumps

        document = _document(items, strays, outcomes)
        run.write(in_json(dumps(document, indent=2, ensure_ascii=False)) + "\n")
    elif output == "markdown":
        run.write(_markdown(items, outcomes))
    else:
        run.write(_text(items, strays, outcomes))
    return run.FOUND if any(map(_reason, outcomes.values())) else run.CLEAN


def _outcomes(items: list[coverage.Item], rules: dict[str, Rule]) -> dict[str, list[Outcome]]:
    """What came of the entries of each claim, as far as these rules and other commands go."""
    found: dict[str, list[Outcome]] = {}
    for item in items:
        for claim in item.claims:
            if claim.rule in rules:
                found.setdefault(item.id, []).append(tried(claim, rules[claim.rule]))
            elif claim.asked:
                found.setdefault(item.id, []).append(answers.told(claim))
    return found


def _line(outcomes: list[Outcome]) -> str:
    """The first line of what answers a claim; empty where nothing does."""
    return next((outcome.line for outcome in outcomes if not outcome.reason), "")


def _reason(outcomes: list[Outcome]) -> str:
    """Why a claim is missed; empty where it is not."""
    return next((outcome.reason for outcome in outcomes if outcome.reason), "")


def _of(items: list[coverage.Item], kind: str) -> list[coverage.Item]:
    return [item for item in items if item.kind == kind]


def _numbers(items: list[coverage.Item]) -> dict[str, int]:
    """How many items are answered in each way; an empty way is an open item."""
    return {way: sum(item.how == way for item in items) for way in (*coverage.WAYS, "")}


def _document(
    items: list[coverage.Item],
    strays: list[tuple[str, str, str]],
    outcomes: dict[str, list[Outcome]],
) -> dict[str, object]:
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
                    **_tried(item, outcomes),
                }
                for item in mine
            ],
        }
    document["unknown"] = [{"rule": code, "kind": kind, "id": id} for code, kind, id in strays]
    return document


def _tried(item: coverage.Item, outcomes: dict[str, list[Outcome]]) -> dict[str, object]:
    """What a claim's item has beside an invariant's."""
    if item.kind != coverage.CLAIM:
        return {}
    tried = outcomes.get(item.id, [])
    return {"found": _line(tried) or None, "missed": _reason(tried) or None}


def _text(
    items: list[coverage.Item],
    strays: list[tuple[str, str, str]],
    outcomes: dict[str, list[Outcome]],
) -> str:
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
    missed = [(id, _reason(tried)) for id, tried in outcomes.items() if _reason(tried)]
    if missed:
        parts.append(f"\nmissed ({len(missed)}):\n" + table.lines(missed, "  "))
    for way, words in {"": "open", **coverage.WAYS}.items():
        for kind in coverage.KINDS:
            rows = [
                (i.kind, i.id, i.answer, i.words, _line(outcomes.get(i.id, [])))
                for i in _of(items, kind)
                if i.how == way
            ]
            if rows:
                parts.append(f"\n{kind}s, {words} ({len(rows)}):\n" + table.lines(rows, "  "))
    return "".join(parts)


def _markdown(items: list[coverage.Item], outcomes: dict[str, list[Outcome]]) -> str:
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
                        f"| `{i.id}` | {i.words} | {i.how or 'open'} | {_cell(i, outcomes)} |"
                        for i in sorted(
                            mine, key=lambda i: list(coverage.WAYS).index(i.how or "rule")
                        )
                    ),
                )
            )
        )
    return "\n\n".join(parts) + "\n"


def _cell(item: coverage.Item, outcomes: dict[str, list[Outcome]]) -> str:
    tried = outcomes.get(item.id, [])
    reason, line = _reason(tried), _line(tried)
    if reason:
        return f"missed: {reason}"
    return f"{item.answer}: {line.replace('|', '¦')}" if line else item.answer
