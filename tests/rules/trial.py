"""A rule's examples as its command reads them, and what the rule says of each.

Beside the examples of its docstring a rule may have further cases in ``cases/MODULE.txt``: bounds
and their neighbours, and silent cases that a reader of the documentation can do without. They are
written as in a docstring, below a line ``== CODE``; a block without a file's name is a
``kcheck.yaml``. A case without any lines is one of the docstring's examples with a change, which
its caption tells: ``Good: as bad 1 with brokers: 3 → brokers: 4 + acks: all → acks: "1"``. What is
changed stands there once; ``↵`` is the end of a line. A caption of a rule on upgrades that ends
with ``(--only clients)`` leaves the brokers as they are, as the command does with that option.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from kcheck import catalogue
from kcheck.changes import Before, look
from kcheck.circumstances import Circumstances
from kcheck.engine import Project, lint_project
from kcheck.examples import Example, blocks, examples
from kcheck.model import Edit, Finding, Value
from kcheck.rule import Rule
from kcheck.settings import Settings
from kcheck.upgrade import upgrade_project

CASES = Path(__file__).resolve().parent / "cases"
_VARIATION = re.compile(r"as (?P<kind>bad|good) (?P<number>\d+) with (?P<changes>.+)")


def module_of(rule: Rule) -> str:
    """The module that a rule is written in, below its package: ``durability.acks``."""
    return rule.check.__module__.removeprefix("kcheck.rules.")


def examples_of(rule: Rule) -> list[Example]:
    """The examples of a rule's docstring and then its further cases."""
    documented = examples(rule)
    further = _further(module_of(rule)).get(rule.code, ())
    return [*documented, *(_varied(case, documented) for case in further)]


def _varied(case: Example, documented: list[Example]) -> Example:
    """A case with its files, where its caption tells of which example it is a variation."""
    told = _VARIATION.fullmatch(case.caption)
    if case.files or told is None:
        return case
    bad = told["kind"] == "bad"
    files = [one for one in documented if one.bad is bad][int(told["number"]) - 1].files
    for change in told["changes"].replace("↵", "\n").split(" + "):
        old, _, new = (f"{change} " if change.endswith("→") else change).partition(" → ")
        (path,) = (path for path, text in files.items() if old in text)
        assert files[path].count(old) == 1, f"{old} is not the only one: {case.caption}"
        files = {**files, path: files[path].replace(old, new)}
    return Example(case.bad, case.caption, files)


@cache
def _further(module: str) -> dict[str, list[Example]]:
    path = CASES / f"{module.replace('.', '/')}.txt"
    if not path.exists():
        return {}
    lines: dict[str, list[str]] = {}
    code = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            code = line[3:].split()[0]
            assert code not in lines, f"{path.name} has two parts for {code}"
            lines[code] = []
        elif code:
            lines[code].append(line)
    return {code: blocks(part, "kcheck.yaml") for code, part in lines.items()}


def cases_without_rule(rules: dict[str, Rule]) -> set[tuple[str, str]]:
    """The parts of the files of further cases that no rule of that module claims."""
    have = {(module_of(rule), rule.code) for rule in rules.values()}
    files = (
        ".".join(path.relative_to(CASES).with_suffix("").parts) for path in CASES.rglob("*.txt")
    )
    there = {(module, code) for module in files for code in _further(module)}
    return there - have


#: The day on which the examples are tried.
NOW = Circumstances(today="2026-06-01")


def opened(files: dict[str, bytes]) -> Callable[[str], bytes | None]:
    """Files as a run opens them: behind a slash the names in a folder."""

    def look(path: str) -> bytes | None:
        if not path.endswith("/"):
            return files.get(path)
        folder = "" if path == "./" else path
        inside = {
            name[len(folder) :].partition("/")[0] for name in files if name.startswith(folder)
        }
        return "\n".join(sorted(inside)).encode() if inside else None

    return look


def looked_at(
    rule: Rule,
    files: dict[str, bytes],
    settings: Settings,
    version: str = "",
    side: str = "",
) -> Project:
    """The files as the rule's command reads them: rules on upgrades see one to the newest.

    It begins at the version that the files tell, unless another one is given; ``side`` is all
    that is upgraded, if not both. Rules on changes see what lies in ``before`` beside what lies in
    ``after``.
    """
    if rule.family == "change":
        old, new = (
            {path.removeprefix(at): data for path, data in files.items() if path.startswith(at)}
            for at in ("before/", "after/")
        )
        before = Before(
            lint_project(sorted(old.items()), settings, opened(old), circumstances=NOW), "main"
        )
        return lint_project(
            sorted(new.items()),
            settings,
            opened(new),
            also=lambda project, runner: look(before, project, runner),
            circumstances=NOW,
        )
    if rule.scopes == ("Upgrade",):
        newest = catalogue.newest()
        return upgrade_project(
            sorted(files.items()),
            settings,
            newest,
            version,
            side,
            lookup=opened(files),
            circumstances=NOW,
        )
    return lint_project(sorted(files.items()), settings, opened(files), circumstances=NOW)


def tried(rule: Rule, example: Example, *, alone: bool = False) -> Project:
    """The example, linted with all rules or with this one ``alone``."""
    settings = Settings(sets=("default", "advice", "preview"))
    if alone:
        settings = settings.but(selected=frozenset({rule.code}))
    files = {name: text.encode() for name, text in example.files.items()}
    side = "clients" if example.caption.endswith("(--only clients)") else ""
    return looked_at(rule, files, settings, side=side)


def said(rule: Rule, project: Project) -> str:
    """All that the rule says there, a few lines per finding; empty where it is silent."""
    return "".join(_text(finding) for finding in project.findings if finding.code == rule.code)


def _text(finding: Finding) -> str:
    line, column = finding.at[:2]
    parts = [f"{finding.path}:{line}:{column} {finding.severity}: {finding.message}"]
    parts += [f"  because {_seen(value)}" for value in finding.evidence]
    if finding.consequence:
        parts.append(f"  breaks {finding.consequence}")
    if finding.fix:
        parts.append(f"  {'safe fix' if finding.fix.safe else 'fix'} {finding.fix.text}")
        parts += [f"  edit {_made(edit)}" for edit in finding.fix.edits]
    if finding.change:
        parts.append(f"  {finding.change.kind} {finding.change.when} {finding.change.since}")
    return "\n".join(parts) + "\n"


def _seen(value: Value) -> str:
    setting = value.setting
    where = f" at {setting.path}:{setting.at[0]}" if setting else ""
    return f"{value.key}={value.text}{where}"


def _made(edit: Edit) -> str:
    return f"{edit.path}:{edit.at[0]}:{edit.at[1]} {edit.old!r} becomes {edit.text!r}"
