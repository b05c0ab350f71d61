"""A fleet with a bomb in every third cluster, beside archives that are bombs, and one at the top of
the tree: each is told where it is, no audit ends, and the others are judged as if there were none.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import make_bombs as bombs
import pytest

from kcheck.fleet import pack
from kcheck.fleet.audit import Plan
from kcheck.fleet.session import Session
from kcheck.settings import Settings

from .conftest import audited, printed, records, table

HEALTHY = 2 * len(bombs.IN_FOLDERS)
#: What a bomb may take here, seconds and MiB.
SECONDS, MEGABYTES = 4, 512


@pytest.fixture(scope="module")
def healthy(fleet: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generated clusters, without any bomb."""
    root = tmp_path_factory.mktemp("healthy") / "fleet"
    root.mkdir()
    names = sorted(path.name for path in (fleet / "fleet").iterdir())
    for name in names[:HEALTHY]:
        shutil.copytree(fleet / "fleet" / name, root / name)
    return root


@pytest.fixture(scope="module")
def bombed(healthy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with bombs in folders among them, in archives, and at the top."""
    root = tmp_path_factory.mktemp("bombed") / "fleet"
    shutil.copytree(healthy, root)
    for name, write in bombs.IN_FOLDERS.items():
        (root / name).mkdir()
        write(root / name)
    for name, write_archive in bombs.ARCHIVES.items():
        write_archive(root / name)
    bombs.aliases(root)
    return root


@pytest.fixture(scope="module")
def packed(spark: Session, bombed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = tmp_path_factory.mktemp("packed") / "fleet.parquet"
    plan = Plan((str(bombed),), str(at), Settings(), seconds=SECONDS, megabytes=MEGABYTES)
    pack.pack(spark, plan)
    return at


#: Bombs that end no unit: what is in them is bounded where it is read.
HARMLESS = ("aliases", "depth", "line", "loops", "product")
#: What is told of the others.
TOLD = (
    "took longer than",
    "used more than",
    "contains more than",
    "unpacks to more than",
    "differ",
)
#: Archives that hold a healthy cluster beside what is odd.
WHOLE = {"links.zip": "linked", "outside.tar": "out"}


def test_no_bomb_ends_an_audit(
    spark: Session, healthy: Path, bombed: Path, packed: Path, tmp_path: Path
) -> None:
    alone = audited(spark, [str(healthy)], tmp_path / "alone")
    expected = printed(records(table(alone.folder, "findings")))
    assert expected
    own = {path.name for path in healthy.iterdir()}
    for way, path in (("tree", bombed), ("packed", packed)):
        began = time.monotonic()
        outcome = audited(spark, [str(path)], tmp_path / way, seconds=SECONDS, megabytes=MEGABYTES)
        assert time.monotonic() - began < 240, way
        found = [row for row in table(outcome.folder, "findings") if row["unit"] in own]
        assert printed(records(found)) == expected, way
        status = {row["unit"]: row["status"] for row in table(outcome.folder, "units")}
        errors = table(outcome.folder, "errors")
        fatal = {row["unit"]: row["reason"] for row in errors if row["fatal"]}
        assert {unit for unit, said in status.items() if said == "failed"} == set(fatal)
        assert outcome.broken
        for name in bombs.IN_FOLDERS:
            assert name in status, (way, name)
            if name in HARMLESS:
                assert name not in fatal, (way, name, fatal[name])
        for name in bombs.ARCHIVES:
            assert (name in fatal) != (name in WHOLE), (way, name)
        for reason in fatal.values():
            assert any(words in reason for words in TOLD), (way, reason)
        # A name that leads out of an archive stays in it, and so does a link.
        assert not list(tmp_path.rglob("escaped*"))
        shown = [row["path"] for row in errors if row["unit"] == "line"]
        assert shown == ["line/server.properties"]
