"""The footer never says that all is well without saying what it does not show."""

from __future__ import annotations

from made import Files, found, run

from kcheck import fingerprint, report
from kcheck.model import ERROR, FAILED, INFO, PASSED_OVER, SKIPPED, Document, Fix


def with_findings(*severities: str, **more: object) -> str:
    files = Files(a_properties="acks=1\n")
    producer = files.resource("producer", "p", "a.properties")
    acks = files.set(producer, "acks", "1")
    findings = [found(f"m{n}", acks, severity=s) for n, s in enumerate(severities)]
    made = run(files, *findings, **more)
    for status in (PASSED_OVER, PASSED_OVER, SKIPPED, FAILED):
        document = Document("x")
        document.status = status
        made.project.documents.append(document)
    return report.footer(made)


def test_a_clean_run_says_what_was_hidden_and_not_read() -> None:
    assert with_findings(ignored=3, baselined=12) == (
        "Found nothing (3 ignored, 12 in baseline) in 1 file, 2 unrelated, 1 skipped, "
        "1 unreadable; fails on: error.\n"
    )


def test_findings_are_counted_and_explained_in_one_line() -> None:
    assert with_findings(ERROR, ERROR, INFO, fail_on="warning") == (
        "Found 2 errors, 1 info of 1 cause in 1 file, 2 unrelated, 1 skipped, 1 unreadable; "
        "fails on: warning and above. Explain: kcheck explain KC0307.\n"
    )


def test_the_footer_folds_where_the_terminal_ends() -> None:
    told = with_findings(ERROR, ERROR, INFO, width=60).splitlines()
    assert len(told) > 1
    assert all(len(line) <= 60 for line in told)
    assert all(line.startswith("  ") for line in told[1:])


def test_reports_with_a_link_for_each_finding_need_no_command() -> None:
    assert "kcheck explain" not in with_findings(ERROR, formats=["json"])
    assert "kcheck explain" in with_findings(ERROR, formats=["json", "text"])


def fixable(*fixes: tuple[str, bool], refused: bool = False) -> str:
    """The footer of findings with these edits, each of them safe or not."""
    files = Files(a_properties="acks=1\n")
    acks = files.set(files.resource("producer", "p", "a.properties"), "acks", "1")
    findings = [
        found(f"m{n}", acks, fix="set it", set_to=text) for n, (text, _) in enumerate(fixes)
    ]
    for finding, (_, safe) in zip(findings, fixes, strict=True):
        finding.fix = Fix("set it", finding.fix.edits, safe) if finding.fix else None
    marks = [fingerprint.of(finding) for finding in findings] if refused else ()
    return report.footer(run(files, *findings, refused=marks))


def test_what_can_be_fixed_is_counted() -> None:
    assert "; 1 fixable with --fix; fails" in fixable(("all", True))
    assert "; 2 fixable with --unsafe-fixes; fails" in fixable(("all", False), ("0", False))
    assert "; 1 fixable with --fix, 1 more with --unsafe-fixes; fails" in fixable(
        ("all", True), ("0", False)
    )
    assert "fixable" not in fixable(("all", True), refused=True)


def test_never() -> None:
    assert "; nothing fails the run." in with_findings(ERROR, fail_on="never")


def test_stale_entries_of_the_baseline() -> None:
    assert "1 entry of the baseline" in with_findings(stale=1)
    assert "2 entries of the baseline" in with_findings(stale=2)


def test_what_github_does_not_show() -> None:
    assert "GitHub" not in with_findings(*[ERROR] * 10, formats=["github"])
    assert "3 findings will not be shown" in with_findings(
        *[ERROR] * 11, *[INFO] * 12, formats=["github"]
    )


def test_fails() -> None:
    files = Files(a_properties="acks=1\n")
    acks = files.set(files.resource("producer", "p", "a.properties"), "acks", "1")
    for severity, fail_on, fails in (
        ("error", "error", True),
        ("warning", "error", False),
        ("warning", "warning", True),
        ("error", "info", True),
        ("error", "never", False),
    ):
        assert run(files, found("m", acks, severity=severity), fail_on=fail_on).fails is fails
