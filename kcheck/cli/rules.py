"""``kcheck rules``: the list, the reference, and what the rules cover."""

from __future__ import annotations

from kcheck import __version__, registry, selection
from kcheck.cli import run, table
from kcheck.cli.configure import configured, words
from kcheck.cli.options import Options
from kcheck.cli.rule_pages import body
from kcheck.cli.rule_view import prose, record
from kcheck.cli.run import Stop
from kcheck.cli.terminal import bold, terminal, width
from kcheck.report.folding import lines
from kcheck.report.printable import in_json, printable
from kcheck.rule import DEFAULT_SET, FAMILIES, PREVIEW, Rule


def rules(options: Options) -> int:
    """Print the rules; gives the exit code."""
    chosen = _chosen(options)
    if options.coverage:
        from kcheck.cli import coverage

        return coverage.show(chosen, options.output)
    if options.output == "json":
        from json import dumps

        run.write(
            in_json(dumps({"version": 1, "rules": [record(r) for r in chosen]}, indent=2)) + "\n"
        )
    elif options.output == "markdown":
        run.write(markdown(chosen))
    else:
        columns = width()
        run.write(_entries(chosen, columns) if columns else table.lines(map(_row, chosen)))
    return run.CLEAN


def _row(rule: Rule) -> tuple[str, ...]:
    kept = "" if rule.set == DEFAULT_SET else rule.set
    return rule.code, rule.name, rule.severity, kept, rule.summary


def _entries(chosen: list[Rule], columns: int) -> str:
    """The rules below the names of their families, each with its summary in lines of its own."""
    heads = table.apiece([_row(rule)[:-1] for rule in chosen], columns=columns)
    out: list[str] = []
    family = ""
    heading = bold if terminal("auto")[0] else str
    for rule, head in zip(chosen, heads, strict=True):
        digits = rule.code[2:4] if rule.code.startswith("KC") else ""
        named = f"KC{digits} {FAMILIES[digits]}" if digits in FAMILIES else "other rules"
        if named != family:
            out.append(("\n" if family else "") + f"{heading(named)}\n")
        family = named
        out.append(head)
        hang = " " * (len(rule.code) + 2)
        out += (
            f"{hang}{line}\n"
            for line in lines(printable(prose(rule.summary, 0)), *[columns - len(hang)] * 2)
        )
    return "".join(out)


def _chosen(options: Options) -> list[Rule]:
    known = registry.known(configured(options, "."))
    select, extend = words(options, "select"), words(options, "extend_select")
    ignore = words(options, "ignore")
    if options.preview:
        extend = (*extend, PREVIEW)
    layer = selection.Layer(select or (selection.ALL,), extend, ignore)
    try:
        on = selection.selected([layer], known)
    except selection.Unknown as unknown:
        raise Stop(str(unknown)) from None
    return [rule for code, rule in known.items() if code in on]


# -- the reference --------------------------------------------------------------------------


def markdown(chosen: list[Rule]) -> str:
    """The whole reference of these rules, family by family. The headings are what links point at."""
    parts = [
        "# Rules of kcheck",
        f"Written by `kcheck rules --output markdown` of kcheck {__version__}; the examples are "
        "what the tests execute. `--select` and `--ignore` take a code, a prefix such as `KC03`, "
        "a name or a family.",
    ]
    for digits, family in FAMILIES.items():
        members = [rule for rule in chosen if rule.code[2:4] == digits]
        if members:
            parts.append(f"## KC{digits} {family}")
            rows = [f"| `{r.code}` | [{r.name}](#{_anchor(r)}) | {_level(r)} |" for r in members]
            parts.append("\n".join(("| code | rule | severity |", "|---|---|---|", *rows)))
            parts.extend(_section(rule) for rule in members)
    return "\n\n".join(parts) + "\n"


def _anchor(rule: Rule) -> str:
    return f"{rule.code.lower()}-{rule.name}"


def _level(rule: Rule) -> str:
    return rule.severity if rule.set == DEFAULT_SET else f"{rule.severity}, in `{rule.set}`"


def _section(rule: Rule) -> str:
    parts = [f"### {rule.code} {rule.name}", f"**{rule.summary}** ({_level(rule)})", *body(rule)]
    return "\n\n".join(part for part in parts if part)
