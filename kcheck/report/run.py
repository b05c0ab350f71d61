"""A finished run as the reports see it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kcheck.model import ERROR, INFO, SEVERITY_RANK, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kcheck.causes import Cause as Common
    from kcheck.engine import Project
    from kcheck.gates import Gate
    from kcheck.model import Document
    from kcheck.report.beside import Cause
    from kcheck.rule import Rule

#: ``--fail-on never``: no finding fails the run.
NEVER = "never"


def moment() -> str:
    """Now, in UTC, as reports tell it that have to; SOURCE_DATE_EPOCH makes them reproducible."""
    import os
    import time

    told = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = float(told) if told.isdecimal() else time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def unread(documents: list[Document]) -> list[Document]:
    """The documents with keys that were not read; a patch is read by its kustomization."""
    covered = {
        path
        for document in documents
        for path in (document.extent.covers if document.kustomize is not None else ())
    }
    return [one for one in documents if one.unread and one.path not in covered]


def counts(finding: Finding, fail_on: str, gate: Gate | None) -> bool:
    """Whether a finding fails a run of that severity and gate."""
    if gate is not None:
        return gate.counts(finding, fail_on)
    return _grave(finding.severity, fail_on)


def _grave(severity: str, fail_on: str) -> bool:
    return fail_on != NEVER and SEVERITY_RANK[severity] >= SEVERITY_RANK[fail_on]


def repeats(lead: Finding) -> list[Finding]:
    """What a finding stands for at other lines than its own, each rule and line once."""
    seen = {(lead.path, lead.at[0], lead.code)}
    kept = []
    for other in lead.also:
        place = (other.path, other.at[0], other.code)
        own = other.path == lead.path and other.at[0] == lead.at[0]
        if not own and place not in seen:
            seen.add(place)
            kept.append(other)
    return kept


def no_source(path: str) -> bytes | None:
    return None


#: What ``lint --fix`` does with the edits of a finding, and what it needs ``--unsafe-fixes`` for.
SAFE, UNSAFE = "fix", "unsafe fix"


class Run:
    """What all formats print: findings that are shown, counts of what is not, where text comes from.

    ``read_source`` gives the bytes of an input file for its source lines, None where it cannot.
    ``baselined`` findings were hidden by a baseline, ``stale`` entries of it hid nothing.
    ``prefix`` leads from the repository's root to the working directory (``""``: they are the
    same). ``gate`` names rules whose findings fail the run beside those of ``fail_on``. ``formats`` are those of this run, ``links`` says that the reader is a terminal which
    opens links, ``width`` how many columns it has (0: no terminal, so that no line is broken), ``fold`` that GitHub's log folds groups. ``known`` findings were there already in
    the older state that ``since`` names. ``root`` is the repository's folder, where CODEOWNERS may
    say whose a file is; "" asks for no owners. ``own`` are rules that the settings make.
    ``withheld`` findings have no end in the named files, None where there is no context.
    ``named`` tells the named files; None: all are. ``refused`` are the fingerprints of findings
    whose edits this run has tried in vain.
    """

    __slots__ = (
        "_causes",
        "baselined",
        "fail_on",
        "findings",
        "fold",
        "formats",
        "gate",
        "ignored",
        "known",
        "links",
        "named",
        "own",
        "prefix",
        "project",
        "read_source",
        "refused",
        "root",
        "since",
        "stale",
        "width",
        "withheld",
    )

    def __init__(
        self,
        project: Project,
        read_source: Callable[[str], bytes | None] = no_source,
        *,
        findings: list[Finding] | None = None,
        fail_on: str = ERROR,
        gate: Gate | None = None,
        ignored: int | None = None,
        baselined: int = 0,
        stale: int = 0,
        prefix: str = "",
        formats: Iterable[str] = (),
        links: bool = False,
        width: int = 0,
        fold: bool = False,
        since: str = "",
        known: int = 0,
        root: str = "",
        own: Mapping[str, Rule] | None = None,
        withheld: int | None = None,
        named: Callable[[str], bool] | None = None,
        refused: Iterable[str] = (),
    ) -> None:
        self.project = project
        self.read_source = read_source
        self.findings = project.findings if findings is None else findings
        self.fail_on = fail_on
        self.gate = gate
        self._causes: list[Common] | None = None
        self.ignored = project.ignored if ignored is None else ignored
        self.baselined = baselined
        self.stale = stale
        self.prefix = prefix
        self.formats = tuple(formats)
        self.links = links
        self.width = width
        self.fold = fold
        self.since = since
        self.known = known
        self.root = root
        self.own = own or {}
        self.withheld = withheld
        self.named = named
        self.refused = frozenset(refused)

    def parted(self) -> tuple[list[Finding], list[Cause]]:
        """The findings that are told each, and the causes that stand for those beside the named files."""
        if self.named is None or not self.findings:
            return self.findings, []
        from kcheck.report.beside import parted

        return parted(self, self.named)

    @property
    def causes(self) -> list[Common]:
        """What the findings have in common, worked out once."""
        if self._causes is None:
            from kcheck.causes import causes

            self._causes = causes(self.findings)
        return self._causes

    def counts(self, finding: Finding) -> bool:
        """Whether the finding fails the run: by its severity, or by its rule and the gate."""
        return counts(finding, self.fail_on, self.gate)

    def by_gate(self, severity: str, code: str) -> bool:
        """Whether it is the gate alone that makes such a finding fail the run."""
        gate = self.gate
        return (
            gate is not None
            and not _grave(severity, self.fail_on)
            and code in gate.rules
            and severity != INFO
        )

    def mark(self, record: dict[str, Any]) -> str:
        """``SAFE`` or ``UNSAFE`` for the record of a finding that has edits; "" for others.

        An upgrade makes no edits.
        """
        fix = record["fix"]
        if not fix or not fix["edits"] or "upgrade" in record:
            return ""
        if record["fingerprint"] in self.refused:
            return ""
        return SAFE if fix["safe"] else UNSAFE

    @property
    def fails(self) -> bool:
        """Whether a finding fails the run."""
        return any(map(self.counts, self.findings))

    @property
    def repeats(self) -> int:
        """How many findings are repeated at other lines, where they are not counted."""
        return sum(len(repeats(finding)) for finding in self.findings if finding.also)

    def severities(self) -> dict[str, int]:
        """How many findings are shown of each severity, the gravest first."""
        counts = dict.fromkeys(reversed(SEVERITY_RANK), 0)
        for finding in self.findings:
            counts[finding.severity] += 1
        return counts

    @property
    def unread(self) -> int:
        """How many files have keys of Kafka's in a form that kcheck does not read."""
        return len(unread(self.project.documents))

    def files(self) -> dict[str, int]:
        """How many files were read, passed over, skipped, or could not be read."""
        counts = {"read": 0, "passed-over": 0, "skipped": 0, "error": 0}
        for document in self.project.documents:
            counts[document.status] += 1
        return counts
