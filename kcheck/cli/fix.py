"""``kcheck lint --fix`` and ``--diff``: make the fixes, look again, keep what holds.

A pass makes all fixes that do not touch one another and lints what comes of it. A fix that did not
take its finding away, or that brought a finding as grave, is taken back and left to people. Passes
go on until there is nothing left to do, so that a second run does nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from kcheck import discover, drafts, files, fingerprint, fixes
from kcheck.cli import patch, run
from kcheck.cli.run import Stop
from kcheck.engine import Project
from kcheck.model import SEVERITY_RANK, Finding
from kcheck.paths import inside
from kcheck.report.folding import folded

#: Fixes that make room for others: more passes than this are a quarrel between two of them.
_PASSES = 10

#: Why an edit is not made.
_UNLIKE = "written in a form that cannot be edited"
_VAIN = "would not resolve the finding"
_TWICE = "would set a key twice"
_ELSEWHERE = "in a file that was not named"
_UNSHOWN = "cannot be shown in a patch"

#: (project, the findings of it that are told) of the files as they are so far.
Linted = tuple[Project, list[Finding]]


class Fixed:
    """What came of it: ``made`` fixes in ``texts``, the bytes by path, and the last ``project``."""

    def __init__(self, inputs: discover.Inputs, linted: Linted) -> None:
        self.inputs = inputs
        self.project, self.findings = linted
        self.texts: dict[str, bytes] = {}
        self.made: list[Finding] = []
        #: Why fixes were taken back, by the fingerprints of their findings.
        self.refused: dict[str, str] = {}


def fix(
    inputs: discover.Inputs,
    first: Linted,
    lint: Callable[[discover.Inputs], Linted],
    unsafe: bool,
    refused: Mapping[str, str] | None = None,
) -> Fixed:
    """Make the fixes of the findings that are told, in memory; ``lint`` judges what comes of it.

    ``refused`` are fixes that are not to be made, and why.
    """
    state = Fixed(inputs, first)
    state.refused.update(refused or {})
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
        unmade = (finding for finding in candidates if id(finding) not in skipped)
        state.refused.update((fingerprint.of(finding), _UNLIKE) for finding in unmade)
        if not made:
            return False
        inputs = state.inputs.renewed(texts)
        linted = lint(inputs)
        reasons = _bad(made, state.project, linted[0])
        bad = [finding for finding in made if id(finding) in reasons]
        if not bad:
            state.inputs, (state.project, state.findings) = inputs, linted
            state.texts |= texts
            state.made += made
            return True
        state.refused.update((fingerprint.of(finding), reasons[id(finding)]) for finding in bad)
        candidates = [finding for finding in made if id(finding) not in reasons]
    return False


def _bad(made: list[Finding], before: Project, after: Project) -> dict[int, str]:
    """Why fixes did not help, or what new they are to blame for, by the ``id`` of their finding."""
    now = {fingerprint.of(finding): finding for finding in after.findings}
    known = {fingerprint.of(finding) for finding in before.findings}
    bad = {id(f): _VAIN for f in made if _same(f, now.get(fingerprint.of(f)))}
    news = [finding for mark, finding in now.items() if mark not in known]
    edited = _edited(made)
    # No fix sets a key that its file sets elsewhere, however mild the finding on it.
    old = _twice(before)
    twice = {line for key, lines in _twice(after).items() if key not in old for line in lines}
    for one in made:
        if not twice.isdisjoint(edited[id(one)]):
            bad.setdefault(id(one), _TWICE)
    for finding in news:
        if not SEVERITY_RANK[finding.severity]:
            continue
        near = _lines(finding)
        paths = {path for path, _ in near}
        blamed = [f for f in made if not near.isdisjoint(edited[id(f)])]
        blamed = blamed or [f for f in made if any(path in paths for path, _ in edited[id(f)])]
        # Whatever nobody in particular is to blame for, everybody is.
        for one in blamed or made:
            if SEVERITY_RANK[finding.severity] >= SEVERITY_RANK[one.severity]:
                bad.setdefault(id(one), f"would cause {finding.code}")
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


def patched(
    inputs: discover.Inputs,
    first: Linted,
    lint: Callable[[discover.Inputs], Linted],
    unsafe: bool,
) -> tuple[Fixed, patch.Patch]:
    """The fixes that a patch can make, and the patch. What it would have to leave out is not made."""
    refused: dict[str, str] = {}
    for _ in range(_PASSES):
        state = fix(inputs, first, lint, unsafe, refused)
        made = patch.of(state.texts, inputs.source)
        blamed = _unshown(state.made, made.left_out)
        if not blamed:
            break
        refused.update((fingerprint.of(finding), _UNSHOWN) for finding in blamed)
    return state, made


def _unshown(made: list[Finding], left_out: Mapping[str, list[tuple[int, int]]]) -> list[Finding]:
    """The fixes whose lines no patch may show; all of a file where none of them is at fault."""
    blamed: list[Finding] = []
    for path, lines in left_out.items():
        here = [
            (finding, {edit.at[0] - 1 for edit in finding.fix.edits if edit.path == path})
            for finding in made
            if finding.fix and any(edit.path == path for edit in finding.fix.edits)
        ]
        near = [f for f, at in here if any(a <= line <= b for line in at for a, b in lines)]
        blamed += near or [finding for finding, _ in here]
    return blamed


def summary(state: Fixed, unsafe: bool, would: bool, columns: int = 0) -> str:
    """What was fixed, or would be, what is left, and why: one line, folded for a terminal."""
    count = len(state.made)
    left = [f for f in state.findings if f.fix is not None and f.fix.edits]
    withheld: dict[str, int] = {}
    waiting = 0
    for finding in left:
        if not (unsafe or (finding.fix is not None and finding.fix.safe)):
            waiting += 1
            continue
        reason = state.refused.get(fingerprint.of(finding), "")
        if not reason and not _ours(finding, state.inputs):
            reason = _ELSEWHERE
        if reason:
            withheld[reason] = withheld.get(reason, 0) + 1
    fixed = "Would fix" if would else "Fixed"
    text = f"{fixed} {_count(count, 'finding')} in {_count(len(state.texts), 'file')}"
    if waiting:
        text += f"; {waiting:,} more with --unsafe-fixes"
    if withheld:
        why = ", ".join(f"{number:,} {reason}" for reason, number in withheld.items())
        text += f"; withheld: {why}"
    return folded(text + ".", columns, hang=2) + "\n"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
