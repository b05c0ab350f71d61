"""The footer never says that all is well without saying what it does not show."""

from __future__ import annotations

from made import Files, found, run

from kcheck import report
from kcheck.model import ERROR, FAILED, INFO, PASSED_OVER, SKIPPED, Document


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


def test_findings_are_counted_and_explained() -> None:
    url = "https://github.com/kcheck/kcheck/blob/main/docs/rules/KC0307.md"
    assert with_findings(ERROR, ERROR, INFO, fail_on="warning").splitlines() == [
        "Found 2 errors, 1 info of 1 cause in 1 file, 2 unrelated, 1 skipped, 1 unreadable; "
        "fails on: warning and above.",
        "Explained by kcheck explain RULE: KC0307.",
        f"  KC0307 {url}",
    ]


def test_links_stand_in_the_report_where_the_terminal_opens_them() -> None:
    assert "https://" not in with_findings(ERROR, links=True)
    assert "https://" not in with_findings(ERROR, formats=["json"])
    assert "https://" in with_findings(ERROR, formats=["json", "text"])


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
