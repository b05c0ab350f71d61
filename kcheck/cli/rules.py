"""``kcheck rules``: the list, the reference, and what the rules cover."""

from __future__ import annotations

from kcheck import __version__, coverage, selection
from kcheck.cli import run, table
from kcheck.cli.configure import configured, words
from kcheck.cli.documented import blocks, option_lines, record
from kcheck.cli.options import Options
from kcheck.cli.run import Stop
from kcheck.examples import explanation
from kcheck.rule import DEFAULT_SET, FAMILIES, PREVIEW, Rule


def rules(options: Options) -> int:
    """Print the rules; gives the exit code."""
    chosen = _chosen(options)
    if options.coverage:
        return _coverage(chosen, options.output)
    if options.output == "json":
        from json import dumps

        run.write(dumps({"version": 1, "rules": [record(r) for r in chosen]}, indent=2) + "\n")
    elif options.output == "markdown":
        run.write(markdown(chosen))
    else:
        run.write(
            table.lines(
                [
                    (
                        rule.code,
                        rule.name,
                        rule.severity,
                        "" if rule.set == DEFAULT_SET else rule.set,
                        rule.summary,
                    )
                    for rule in chosen
                ]
            )
        )
    return run.CLEAN


def _chosen(options: Options) -> list[Rule]:
    known = configured(options, ".").known()
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
    parts = [f"### {rule.code} {rule.name}", f"**{rule.summary}** ({_level(rule)})"]
    parts.append(explanation(rule))
    if rule.versions:
        parts.append(f"Versions: {rule.versions}.")
    for heading, files in blocks(rule):
        parts.append(f"{heading}:")
        for name, text in files.items():
            fence = "~~~" if "```" in text else "```"
            parts.append(f"{fence}{_language(name)}\n# {name}\n{text}{fence}")
    if rule.options:
        lines = "\n".join(option_lines(rule))
        parts.append(f"Options, in `kcheck.toml`:\n\n```toml\n{lines}\n```")
    if rule.refs:
        parts.append(f"References: {', '.join(rule.refs)}.")
    return "\n\n".join(part for part in parts if part)


def _language(name: str) -> str:
    ending = name.rpartition(".")[2]
    return {"yaml": "yaml", "yml": "yaml", "properties": "properties", "json": "json"}.get(
        ending, ""
    )


# -- coverage -------------------------------------------------------------------------------


def _coverage(chosen: list[Rule], output: str) -> int:
    try:
        items, strays = coverage.counted(chosen)
    except FileNotFoundError as error:
        raise Stop(str(error)) from None
    if output == "json":
        from json import dumps

        document: dict[str, object] = {"version": 1}
        for kind in coverage.KINDS:
            mine = [item for item in items if item.kind == kind]
            document[f"{kind}s"] = {
                "total": len(mine),
                "by_rule": sum(bool(item.rules) for item in mine),
                "by_test": sum(bool(item.tested) for item in mine),
                "covered": {item.id: item.rules for item in mine if item.rules},
                "missing": [item.id for item in mine if not item.rules],
                "due": sum(item.due for item in mine),
                "due_missing": [item.id for item in mine if item.due and not item.tested],
            }
        document["unknown"] = [{"rule": code, "kind": kind, "id": id} for code, kind, id in strays]
        run.write(dumps(document, indent=2) + "\n")
        return run.CLEAN
    for kind in coverage.KINDS:
        mine = [item for item in items if item.kind == kind]
        by_rule = sum(bool(item.rules) for item in mine)
        by_test = sum(bool(item.tested) for item in mine)
        due = [item for item in mine if item.due]
        done = sum(bool(item.tested) for item in due)
        run.write(
            f"{kind}s: {by_rule} of {len(mine)} covered by a rule, {by_test} by a rule and a test; "
            f"{done} of {len(due)} that are due\n"
        )
    for code, kind, id in strays:
        run.write(f"{code} covers the {kind} {id}, which is not in the list\n")
    for title, rows in (
        ("due and not covered", [(i.kind, i.id, "", i.words) for i in items if _missing(i)]),
        ("covered", [(i.kind, i.id, ", ".join(i.rules), i.words) for i in items if i.rules]),
        ("not covered", [(i.kind, i.id, "", i.words) for i in items if not i.rules]),
    ):
        if rows:
            run.write(f"\n{title}:\n" + table.lines(rows, "  "))
    return run.CLEAN


def _missing(item: coverage.Item) -> bool:
    return item.due and not item.tested
