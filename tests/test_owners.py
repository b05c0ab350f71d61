"""CODEOWNERS, as GitHub and GitLab read it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kcheck.__main__ import main
from kcheck.owners import PLACES, Owners, load

GITHUB = """\
# whose is what
*            @acme/platform
*.properties @acme/jvm   # a comment
/topics/     @acme/data @ann
docs/*       docs@example.com
apps/billing/
with\\ blank/ @ann
"""
GITLAB = """\
* @all

[Data][2] @data
topics/
topics/legacy @bob

^[Security]
*.properties @sec
"""


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("kcheck.yaml", ["@acme/platform"]),
        ("deep/server.properties", ["@acme/jvm"]),
        ("topics/a/b.yaml", ["@acme/data", "@ann"]),
        ("eu/topics/a.yaml", ["@acme/platform"]),
        ("docs/a.yaml", ["docs@example.com"]),
        ("docs/a/b.yaml", ["@acme/platform"]),
        # A pattern without owners takes the file from everybody.
        ("apps/billing/a.yaml", []),
        ("with blank/a.yaml", ["@ann"]),
    ],
)
def test_the_last_pattern_wins(path: str, owners: list[str]) -> None:
    assert Owners(GITHUB).of(path) == owners


def test_sections_add_up() -> None:
    owners = Owners(GITLAB)
    assert owners.of("topics/a.yaml") == ["@all", "@data"]
    assert owners.of("topics/legacy/a.properties") == ["@all", "@bob", "@sec"]


def test_where_it_lies(tmp_path: Path) -> None:
    assert load(str(tmp_path)) is None
    for place in reversed(PLACES):
        path = tmp_path / place
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"* @{place}\n")
        owners = load(str(tmp_path))
        assert owners is not None and owners.of("x") == [f"@{place}"]


def test_findings_name_their_owners(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "CODEOWNERS").write_text("/conf/ @acme/data\n")
    (tmp_path / "conf").mkdir()
    faulty = "broker.id=1\nzookeeper.connect=zk:2181\nauto.create.topics.enable=yes\n"
    (tmp_path / "conf" / "server.properties").write_text(faulty)
    monkeypatch.chdir(tmp_path / "conf")
    main(["lint", "--output", "json", "."])
    assert json.loads(capsys.readouterr().out)["findings"][0]["owners"] == ["@acme/data"]
    main(["lint", "--color", "never", "."])
    assert "= owner: @acme/data" in capsys.readouterr().out
    main(["lint", "--statistics", "."])
    assert "1  @acme/data  1 error" in capsys.readouterr().out
