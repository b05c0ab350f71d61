"""``kcheck lint --fix`` and ``--diff``: make the fixes, look again, keep what holds.

A pass makes all fixes that do not touch one another and lints what comes of it. A fix that did not
take its finding away, or that brought a finding as grave, is taken back and left to people. Passes
go on until there is nothing left to do, so that a second run does nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from kcheck import discover, drafts, files, fingerprint, fixes, secrets
from kcheck.cli import run
from kcheck.cli.run import Stop
from kcheck.engine import Project
from kcheck.model import SEVERITY_RANK, Finding
from kcheck.paths import inside
from kcheck.report.printable import broken

#: Fixes that make room for others: more passes than this are a quarrel between two of them.
_PASSES = 10

#: (project, the findings of it that are told) of the files as they are so far.
Linted = tuple[Project, list[Finding]]


class Fixed:
    """What came of it: ``made`` fixes in ``texts``, the bytes by path, and the last ``project``."""

    def __init__(self, inputs: discover.Inputs, linted: Linted) -> None:
        self.inputs = inputs
        self.project, self.findings = linted
        self.texts: dict[str, bytes] = {}
        self.made: list[Finding] = []
        #: Fixes that were tried and taken back.
        self.refused: set[str] = set()


def fix(
    inputs: discover.Inputs,
    first: Linted,
    lint: Callable[[discover.Inputs], Linted],
    unsafe: bool,
) -> Fixed:
    """Make the fixes of the findings that are told, in memory; ``lint`` judges what comes of it."""
    state = Fixed(inputs, first)
    for _ in range(_PASSES):
        candidates = [
            finding
            for finding in fixes.chosen(state.findings, unsafe)
            if fingerprint.of(finding) not in state.refused and _ours(finding, inputs)
        ]
        if not candidates or not _pass(state, candidates, lint):
            break
    return state


def _ours(finding: Finding, inputs: discover.Inputs) -> bool:
    """Whether the fix stays within the files that were named."""
    paths = {edit.path for edit in finding.fix.edits} if finding.fix else {}
    return bool(paths) and all(inputs.reported(path) and _inside(path, inputs) for path in paths)


def _inside(path: str, inputs: discover.Inputs) -> bool:
    """Whether a file that a walk found lies in the project; a link may lead elsewhere."""
    if path in inputs.named_paths:
        return True
    return inside(os.path.realpath(path), os.path.realpath(inputs.root))


def _pass(
    state: Fixed, candidates: list[Finding], lint: Callable[[discover.Inputs], Linted]
) -> bool:
    """Make as many of these fixes as hold; whether any was made."""
    while candidates:
        texts, made = fixes.applied(candidates, state.inputs.source)
        skipped = {id(finding) for finding in made}
        state.refused |= {fingerprint.of(f) for f in candidates if id(f) not in skipped}
        if not made:
            return False
        inputs = state.inputs.renewed(texts)
        linted = lint(inputs)
        bad = _bad(made, state.project, linted[0])
        if not bad:
            state.inputs, (state.project, state.findings) = inputs, linted
            state.texts |= texts
            state.made += made
            return True
        state.refused |= {fingerprint.of(finding) for finding in bad}
        kept = {id(finding) for finding in bad}
        candidates = [finding for finding in made if id(finding) not in kept]
    return False


def _bad(made: list[Finding], before: Project, after: Project) -> list[Finding]:
    """The fixes that did not help, or that are to blame for something new."""
    now = {fingerprint.of(finding): finding for finding in after.findings}
    known = {fingerprint.of(finding) for finding in before.findings}
    bad = [finding for finding in made if _same(finding, now.get(fingerprint.of(finding)))]
    news = [finding for mark, finding in now.items() if mark not in known]
    edited = _edited(made)
    # No fix sets a key that its file sets elsewhere, however mild the finding on it.
    old = _twice(before)
    twice = {line for key, lines in _twice(after).items() if key not in old for line in lines}
    bad += [f for f in made if f not in bad and not twice.isdisjoint(edited[id(f)])]
    for finding in news:
        if not SEVERITY_RANK[finding.severity]:
            continue
        near = _lines(finding)
        paths = {path for path, _ in near}
        blamed = [f for f in made if not near.isdisjoint(edited[id(f)])]
        blamed = blamed or [f for f in made if any(path in paths for path, _ in edited[id(f)])]
        # Whatever nobody in particular is to blame for, everybody is.
        for one in blamed or made:
            if SEVERITY_RANK[finding.severity] >= SEVERITY_RANK[one.severity] and one not in bad:
                bad.append(one)
    return bad


def _same(finding: Finding, now: Finding | None) -> bool:
    return now is not None and now.message == finding.message


def _twice(project: Project) -> dict[tuple[str, str], set[tuple[str, int]]]:
    """The lines of keys that a file sets more than once, by path and key."""
    found: dict[tuple[str, str], set[tuple[str, int]]] = {}
    for document in project.documents:
        for resource in document.resources:
            for pair in resource.earlier:
                lines = {(setting.path, setting.at[0]) for setting in pair}
                found.setdefault((document.path, pair[0].key), set()).update(lines)
    return found


def _lines(finding: Finding) -> set[tuple[str, int]]:
    places = {(finding.path, finding.at[0])}
    for value in finding.evidence:
        if value.setting is not None:
            places.add((value.setting.path, value.setting.at[0]))
    return places


def _edited(made: list[Finding]) -> dict[int, set[tuple[str, int]]]:
    """The lines that each fix changed, by the finding's id, as they count afterwards."""
    edits = [edit for finding in made if finding.fix for edit in finding.fix.edits]
    more = [(edit.path, edit.at[0]) for edit in edits if edit.text.endswith("\n")]
    found: dict[int, set[tuple[str, int]]] = {}
    for finding in made:
        for edit in finding.fix.edits if finding.fix else ():
            line = edit.at[0] + sum(path == edit.path and at <= edit.at[0] for path, at in more)
            found.setdefault(id(finding), set()).add((edit.path, line))
    return found


# -- what is done with it ------------------------------------------------------------------------


def save(texts: dict[str, bytes], stdin: discover.Inputs | None) -> None:
    """Write the files, each in one go, with the rights that it had. Raises Stop.

    What came from standard input, as it is now in ``stdin``, goes to stdout, changed or not.
    """
    for path, data in sorted(texts.items()):
        if stdin is not None and stdin.added(path):
            continue
        try:
            drafts.write(path, data)
        except OSError as error:
            raise Stop(f"cannot write {path}: {files.words(error)}") from None
    if stdin is not None:
        run.write_bytes(b"".join(stdin.read(path) for path in stdin.files() if stdin.added(path)))


def diff(texts: dict[str, bytes], before: Callable[[str], bytes | None]) -> str:
    """The changes as one unified diff, which ``git apply`` and ``patch -p1`` take."""
    import difflib

    parts: list[str] = []
    for path, data in sorted(texts.items()):
        old, new = _shown(before(path) or b""), _shown(data)
        masks = {**_masked(old), **_masked(new)}
        around = 3
        while True:
            hunks = [*difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", n=around)]
            if not around or not any(line[1:] in masks or broken(line) != line for line in hunks):
                break
            # A secret that is nobody's change is not shown for the sake of the lines around it,
            # nor is what a CI would take for an order.
            around = 0
        for line in hunks:
            masked = line[:1] + masks[line[1:]] if line[1:] in masks else line
            end = "" if masked.endswith("\n") else "\n\\ No newline at end of file\n"
            parts.append(masked + end)
    return "".join(parts)


#: Lines are searched for secrets with so many of their neighbours.
_BLOCK = 512
_ABOVE = 64
#: From this length on a line is searched on its own, too.
_LONG = 2_000


def _masked(lines: list[str]) -> dict[str, str]:
    """The lines with secrets, and how they may be shown; what a line is part of says so, too."""
    found: dict[str, str] = {}
    bare = [line.rstrip("\n") for line in lines]
    for first in range(0, len(bare), _BLOCK):
        above = max(0, first - _ABOVE)
        read = secrets.spans_of_lines(bare, above, first + _BLOCK)
        for at in range(first, min(len(bare), first + _BLOCK)):
            spans = read[at - above]
            if spans or len(bare[at]) > _LONG:
                spans = secrets.merged(spans + secrets.spans(bare[at]))
            if spans:
                # A line of the same text elsewhere may hide more of it.
                known = found.get(lines[at])
                masked = secrets.replaced(lines[at], spans)
                found[lines[at]] = masked if known is None else min(known, masked, key=len)
    return found


def _shown(data: bytes) -> list[str]:
    """The lines with their ends; str.splitlines would find more of them."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def summary(state: Fixed, unsafe: bool, would: bool) -> str:
    """One line on what was fixed, or would be, and what is left."""
    count = len(state.made)
    left = [f for f in state.findings if f.fix is not None and f.fix.edits]
    waiting = sum(1 for f in left if not (unsafe or (f.fix is not None and f.fix.safe)))
    fixed = "Would fix" if would else "Fixed"
    text = f"{fixed} {_count(count, 'finding')} in {_count(len(state.texts), 'file')}"
    if waiting:
        text += f"; {waiting:,} more with --unsafe-fixes"
    return text + ".\n"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
