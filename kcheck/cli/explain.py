"""``kcheck explain``: what a rule finds and why, from its own docstring and metadata."""

from __future__ import annotations

from collections.abc import Callable

from kcheck import selection
from kcheck.cli import run
from kcheck.cli.configure import configured
from kcheck.cli.options import Options
from kcheck.cli.run import Stop
from kcheck.cli.terminal import bold, terminal
from kcheck.examples import examples, explanation
from kcheck.report.record import url
from kcheck.rule import DEFAULT_SET, Rule


def explain(options: Options) -> int:
    """Print the documentation of one rule; gives the exit code."""
    rule = _asked(options.rule, configured(options, ".").known())
    color, _ = terminal(options.color)
    run.write(documentation(rule, bold if color else str))
    return run.CLEAN


def documentation(rule: Rule, heading: Callable[[str], str] = str) -> str:
    """All that there is to say of a rule; ``heading`` makes a text stand out."""
    parts = [heading(f"{rule.code} {rule.name}") + f"\n{rule.summary}", explanation(rule)]
    about = [rule.severity, f"family {rule.family}"]
    if rule.set != DEFAULT_SET:
        about.append(f"off unless selected (--extend-select {rule.set})")
    if rule.broker_side:
        about.append("silent on managed services")
    parts.append("; ".join(about))
    if rule.versions:
        parts.append(f"{heading('Versions')}: {rule.versions}")
    for title, files in blocks(rule):
        lines = [f"{heading(title)}:"]
        for name, text in files.items():
            lines.append(f"    # {name}")
            lines.extend(f"    {line}".rstrip() for line in text.rstrip("\n").split("\n"))
        parts.append("\n".join(lines))
    if rule.options:
        lines = [f"{heading('Options')}, in kcheck.toml:"]
        parts.append("\n".join((*lines, *(f"    {line}" for line in option_lines(rule)))))
    if rule.refs:
        parts.append(f"{heading('References')}: {', '.join(rule.refs)}")
    parts.append(f"{heading('Ignore it')}: # kcheck: ignore[{rule.name}] and the reason why")
    parts.append(rule.url or url(rule.code, rule.name))
    return "\n\n".join(part for part in parts if part) + "\n"


def _asked(word: str, known: dict[str, Rule]) -> Rule:
    """The one rule that the word names. Raises Stop with a hint."""
    try:
        exact, codes = selection.meant(word, known)
    except selection.Unknown as unknown:
        raise Stop(str(unknown)) from None
    if exact < selection.ONE:
        raise Stop(f"{word} means {len(codes)} rules: kcheck rules --select {word} lists them")
    return known[next(iter(codes))]


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
