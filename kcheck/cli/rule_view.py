"""One rule as ``kcheck explain`` and ``kcheck rules`` tell it, from its docstring and metadata."""

from __future__ import annotations

from collections.abc import Callable

from kcheck import claims
from kcheck.examples import examples, explanation
from kcheck.report.folding import NARROW, folded
from kcheck.report.links import url
from kcheck.rule import DEFAULT_SET, Rule


def text(rule: Rule, shows: list[str], heading: Callable[[str], str], columns: int = 0) -> str:
    """The documentation of a rule for a terminal; ``heading`` makes headings stand out.

    ``shows`` are the errors that what it finds may lead to. ``columns`` of a terminal, 0 where none
    is: prose is broken into lines for it, examples are not.
    """
    parts = [heading(f"{rule.code} {rule.name}") + f"\n{prose(rule.summary, columns)}"]
    parts += [prose(part, columns) for part in explanation(rule).split("\n\n")]
    about = [rule.severity, f"family {rule.family}"]
    if rule.set != DEFAULT_SET:
        about.append(f"disabled unless selected (--extend-select {rule.set})")
    if rule.broker_side:
        about.append("silent on managed services")
    parts.append(folded("; ".join(about), columns))

    def listed(title: str, words: str) -> str:
        return f"{heading(title)}: {folded(words, columns, begin=len(title) + 2, hang=4)}"

    if rule.versions:
        parts.append(listed("Versions", rule.versions))
    for title, files in blocks(rule):
        lines = [heading(folded(title, columns - 1, hang=4)) + ":"]
        for name, content in files.items():
            lines.append(f"    # {name}")
            lines.extend(f"    {line}".rstrip() for line in content.rstrip("\n").split("\n"))
        parts.append("\n".join(lines))
    if rule.options:
        lines = [f"{heading('Options')}, in kcheck.toml:"]
        parts.append("\n".join((*lines, *(f"    {line}" for line in option_lines(rule)))))
    if shows:
        parts.append(listed("Possible symptoms", ", ".join(shows)))
    if rule.refs:
        parts.append(listed("References", ", ".join(rule.refs)))
    parts.append(f"{heading('Suppress it')}: # kcheck: ignore[{rule.name}] reason")
    parts.append(rule.url or url(rule.code))
    return "\n\n".join(part for part in parts if part) + "\n"


def prose(paragraph: str, columns: int) -> str:
    """A paragraph of a docstring in lines for the terminal; a list keeps its own."""
    plain = paragraph.replace("``", "`")
    lines = plain.split("\n")
    if columns < NARROW or any(line.startswith((" ", "- ", "* ")) for line in lines):
        return plain
    return folded(" ".join(lines), columns)


def record(rule: Rule) -> dict[str, object]:
    """The rule as JSON has it."""
    return {
        "code": rule.code,
        "name": rule.name,
        "family": rule.family,
        "severity": rule.severity,
        "set": rule.set,
        "summary": rule.summary,
        "explanation": explanation(rule),
        "versions": rule.versions or None,
        "kafka": rule.kafka or None,
        "scopes": rule.looks_at,
        "options": rule.options,
        "references": list(rule.refs),
        "invariants": list(rule.invariants),
        "claims": list(claims.of(rule.code)),
        "url": rule.url or url(rule.code),
    }


def blocks(rule: Rule) -> list[tuple[str, dict[str, str]]]:
    """(heading, files) of every example."""
    return [
        (f"{'Bad' if e.bad else 'Good'}{f', {e.caption}' if e.caption else ''}", e.files)
        for e in examples(rule)
    ]


def option_lines(rule: Rule) -> list[str]:
    """The rule's table in kcheck.toml with every option at its default."""
    lines = [f"[rules.{rule.name}]"]
    for name, default in rule.options.items():
        lines.append(f"{name.replace('_', '-')} = {_toml(default)}")
    return lines


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (tuple, list, frozenset)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)
