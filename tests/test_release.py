"""The release: what its workflow may do and in which order, what is built from, and what is told of it."""

from __future__ import annotations

import io
import json
import re
import sysconfig
import tarfile
import tomllib
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import image_check
import image_root
import pytest
import release
import sbom
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RELEASE = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
JOBS: dict[str, dict[str, Any]] = RELEASE["jobs"]

#: What each job may do beyond reading nothing; a new right has to be written down here.
RIGHTS = {
    "checks": {"contents": "read"},
    "test": {"contents": "read"},
    "build": {"contents": "read"},
    "image": {"contents": "read"},
    "provenance": {"attestations": "write", "id-token": "write"},
    "index": {"id-token": "write"},
    "registry": {
        "attestations": "write",
        "contents": "read",
        "id-token": "write",
        "packages": "write",
    },
    "announce": {"contents": "write"},
}
DRY, PUBLISHING = ("build", "image"), ("provenance", "index", "registry", "announce")


def jobs() -> list[tuple[str, dict[str, Any]]]:
    read = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in WORKFLOWS)
    return [found for workflow in read for found in workflow["jobs"].items()]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit_with_their_tag(path: Path) -> None:
    found = re.findall(r"uses: (\S+)([^\n]*)", path.read_text(encoding="utf-8"))
    assert found
    for use, behind in found:
        if not use.startswith("./"):
            assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", use), use
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", behind), use


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_one_tag_is_one_commit(path: Path) -> None:
    text = "".join(other.read_text(encoding="utf-8") for other in WORKFLOWS)
    pins = set(re.findall(r"uses: ([\w./-]+)@(\S+) # (\S+)", text))
    assert len({name for name, _, _ in pins}) == len(pins)


def test_no_job_may_do_more_than_it_needs() -> None:
    for path in WORKFLOWS:
        assert yaml.safe_load(path.read_text(encoding="utf-8"))["permissions"] == {}, path
    assert {name: job["permissions"] for name, job in jobs()} == RIGHTS


def test_what_is_published_was_tested_built_and_attested_first() -> None:
    def before(name: str) -> set[str]:
        needs = JOBS[name].get("needs", [])
        direct = {needs} if isinstance(needs, str) else set(needs)
        return direct.union(*(before(other) for other in direct))

    assert before("provenance") == {"test", "build", "image"}
    for name in ("index", "registry", "announce"):
        assert {"test", "build", "image", "provenance"} <= before(name)
    assert before("announce") == {"test", *DRY, *PUBLISHING} - {"announce"}


def test_only_a_tag_is_published_and_only_if_the_owner_says_so() -> None:
    assert set(JOBS) == {"test", *DRY, *PUBLISHING}
    for name in PUBLISHING:
        condition = JOBS[name]["if"]
        assert "startsWith(github.ref, 'refs/tags/v')" in condition, name
        assert "vars.KCHECK_PUBLISH == 'true'" in condition, name
        assert "||" not in condition
    assert all("if" not in JOBS[name] for name in DRY), "a dry run is for every change"
    # YAML reads "on" as true.
    assert set(RELEASE[True]) == {"push", "pull_request"}


def test_nobody_else_s_text_becomes_a_command_and_no_token_is_left_behind() -> None:
    for name, job in jobs():
        if "uses" in job:
            continue
        assert job["timeout-minutes"] <= 60, name
        for step in job["steps"]:
            assert "${{" not in step.get("run", ""), f"{name}: {step}"
            assert "secrets." not in json.dumps(step), name
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False, name


def test_what_a_job_takes_another_has_made() -> None:
    made = {
        step["with"]["name"]
        for job in JOBS.values()
        for step in job.get("steps", ())
        if "upload-artifact" in step.get("uses", "")
    }
    assert made == {"dist", "sbom", "image"}
    for job in JOBS.values():
        for step in job.get("steps", ()):
            if "download-artifact" in step.get("uses", ""):
                assert step["with"].get("name", "dist") in made


def test_the_scripts_of_the_workflow_are_there() -> None:
    runs = "\n".join(step.get("run", "") for _, job in jobs() for step in job.get("steps", ()))
    named = set(re.findall(r"(?<!\.)\bci/[\w.]+", runs))
    assert {"ci/build.py", "ci/image.py", "ci/bill.sh", "ci/push_image.sh"} <= named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def locked(name: str) -> dict[str, str]:
    text = (ROOT / "ci" / name).read_text(encoding="utf-8")
    return dict(re.findall(r"(?m)^([a-z0-9-]+)(?:\[[^\]]*\])?==(\S+)", text))


@pytest.mark.parametrize("name", ["locked.txt", "tools.txt"])
def test_each_locked_package_has_a_hash(name: str) -> None:
    entries = re.split(
        r"(?m)^(?=[a-z0-9-]+(?:\[[^\]]*\])?==)",
        (ROOT / "ci" / name).read_text(encoding="utf-8"),
    )[1:]
    assert len(entries) == len(locked(name))
    assert "(/" not in "".join(entries), "a path of the machine that resolved them"
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


def test_what_the_image_installs_is_what_kcheck_asks_for() -> None:
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = locked("locked.txt")
    for text in asked["dependencies"]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(versions[sbom.normal(requirement.name)]), text


# -- the bill of materials -------------------------------------------------------------------


def distribution(folder: Path, name: str, version: str, *lines: str) -> None:
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    head = (f"Metadata-Version: 2.4\nName: {name}", f"Version: {version}", *lines)
    (info / "METADATA").write_text("\n".join(head) + "\n", encoding="utf-8")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    distribution(
        folder,
        "kcheck",
        "0.1.0",
        "License-Expression: Apache-2.0",
        "Requires-Dist: Rich>=13",
        'Requires-Dist: pyspark>=4; extra == "spark"',
    )
    distribution(
        folder,
        "rich",
        "15.0.0",
        "License: MIT",
        "Requires-Dist: tree_sitter-hcl (>=1)",
        "Requires-Dist: absent",
    )
    classifier = "Classifier: License :: OSI Approved :: ISC License (ISCL)"
    distribution(folder, "Tree.Sitter-hcl", "1.2", "License: a text", classifier)
    return folder


def test_the_bill_lists_what_is_installed_and_what_needs_what(site: Path) -> None:
    bill = sbom.made(site)
    assert bill["metadata"]["component"]["purl"] == "pkg:pypi/kcheck@0.1.0"
    assert [(part["name"], part["purl"], part["licenses"]) for part in bill["components"]] == [
        ("rich", "pkg:pypi/rich@15.0.0", [{"license": {"id": "MIT"}}]),
        ("Tree.Sitter-hcl", "pkg:pypi/tree-sitter-hcl@1.2", [{"license": {"id": "ISC"}}]),
    ]
    assert bill["dependencies"] == [
        {"ref": "pkg:pypi/kcheck@0.1.0", "dependsOn": ["pkg:pypi/rich@15.0.0"]},
        {"ref": "pkg:pypi/rich@15.0.0", "dependsOn": ["pkg:pypi/tree-sitter-hcl@1.2"]},
        {"ref": "pkg:pypi/tree-sitter-hcl@1.2", "dependsOn": []},
    ]


def test_the_same_installation_gives_the_same_bill(site: Path) -> None:
    first = sbom.made(site)
    assert sbom.made(site) == first
    distribution(site, "mdurl", "0.1", "License: MIT")
    assert sbom.made(site)["serialNumber"] != first["serialNumber"]


def test_the_bill_of_this_environment_holds_each_distribution() -> None:
    packages = Path(sysconfig.get_path("purelib"))
    there = {(sbom.normal(one.name), one.version) for one in distributions(path=[str(packages)])}
    bill = sbom.made(packages)
    parts = [bill["metadata"]["component"], *bill["components"]]
    assert {(sbom.normal(part["name"]), part["version"]) for part in parts} == there
    assert {entry["ref"] for entry in bill["dependencies"]} == {part["bom-ref"] for part in parts}


def test_debian_s_packages_are_in_the_bill_of_an_image(site: Path, tmp_path: Path) -> None:
    status = tmp_path / "status.d"
    status.mkdir()
    (status / "zlib1g").write_text(
        "Package: zlib1g\nVersion: 1:1.3+really1\nArchitecture: arm64\nDescription: of\n lines: two\n"
    )
    part = sbom.made(site, status)["components"][-1]
    assert part["purl"] == "pkg:deb/debian/zlib1g@1%3A1.3%2Breally1?arch=arm64"


def test_a_folder_without_kcheck_has_no_bill(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="does not hold kcheck"):
        sbom.made(tmp_path)


# -- version, changelog, tag -----------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.1.0"\n')
    (tmp_path / "kcheck").mkdir()
    (tmp_path / "kcheck/__init__.py").write_text('__version__ = "0.1.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## [Unreleased]\n\n- more\n\n## [0.1.0] - 2027-01-01\n\n- first\n"
    )
    return tmp_path


def test_version_tag_and_changelog_agree(project: Path) -> None:
    assert release.checked(project, "v0.1.0") == ("0.1.0", [])
    assert release.checked(project, "") == ("0.1.0", [])
    assert release.checked(project, "v0.2.0")[1] == ["the tag is v0.2.0, the version 0.1.0"]
    (project / "kcheck/__init__.py").write_text('__version__ = "0.1.1"\n')
    (project / "CHANGELOG.md").write_text("## [Unreleased]\n")
    assert release.checked(project, "v0.1.0")[1] == [
        "kcheck/__init__.py is not of version 0.1.0",
        "CHANGELOG.md has no section [0.1.0]",
    ]


def test_the_notes_are_the_section_of_the_version(project: Path) -> None:
    text = (project / "CHANGELOG.md").read_text()
    assert release.section(text, "0.1.0") == "- first\n"
    assert release.section(text, "Unreleased") == "- more\n"
    assert release.section(text, "0.0.9") == ""


def test_this_checkout_has_one_version() -> None:
    assert release.checked(ROOT, "")[1] == []


# -- the image -------------------------------------------------------------------------------


def archive(path: Path, config: dict[str, Any], architecture: str = "amd64") -> Path:
    """An OCI archive that says this of itself, without layers."""
    blobs = {
        "index.json": {"manifests": [{"digest": "sha256:m"}]},
        "blobs/sha256/m": {"config": {"digest": "sha256:c"}},
        "blobs/sha256/c": {"architecture": architecture, "config": config},
    }
    with tarfile.open(path, "w") as tar:
        for name, value in blobs.items():
            data = json.dumps(value).encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


GOOD = {"User": "65532:65532", "WorkingDir": "/src", "Entrypoint": ["kcheck"]}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    binaries = tmp_path / "root/usr/bin"
    binaries.mkdir(parents=True)
    head = bytearray(20)
    head[:4], head[18] = b"\x7fELF", 62
    (binaries / "python").write_bytes(bytes(head))
    (binaries / "kcheck").write_text("#!/usr/bin/python -IB\n")
    return tmp_path / "root"


def test_an_image_as_it_should_be(root: Path, tmp_path: Path) -> None:
    assert image_check.looked_at(root, archive(tmp_path / "i.tar", GOOD), "amd64", False) == []


def test_an_image_that_is_not_what_it_should_be(root: Path, tmp_path: Path) -> None:
    (root / "usr/bin/sh").symlink_to("busybox")
    (root / "usr/bin/kcheck").chmod(0o4755)
    told = archive(tmp_path / "i.tar", {**GOOD, "User": "root"}, "arm64")
    assert image_check.looked_at(root, told, "arm64", False) == [
        "i.tar: usr/bin/python is not of arm64",
        "i.tar: shells: ['sh']",
        f"i.tar: {root}/usr/bin/kcheck runs as somebody else",
        "i.tar: User is 'root', not '65532:65532'",
    ]


def test_the_image_for_runners_must_have_a_shell(root: Path, tmp_path: Path) -> None:
    told = archive(tmp_path / "i.tar", {"User": "65532:65532", "WorkingDir": "/src"})
    assert image_check.looked_at(root, told, "amd64", True) == [
        "i.tar: shells: []",
        "i.tar: Cmd is None, not ['/bin/sh']",
    ]


def test_both_architectures_are_known_to_the_check() -> None:
    assert set(image_root.TRIPLETS) == set(image_check.PROCESSORS)
