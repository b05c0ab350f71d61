"""Which server of ksqlDB runs a file of statements, where its compose file lies in another folder."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.folder_names import FolderNames

PATH = "lab/volume/ksql/queries/tables.ksql"
TABLE = b"CREATE TABLE c (id VARCHAR) WITH (KAFKA_TOPIC='c', VALUE_FORMAT='JSON', KEY='id');\n"
MOUNTED = (
    "services:\n  ksql:\n    image: confluentinc/%s\n    volumes: [../../volume/ksql/queries:/q]\n"
)
OLD, NEW = MOUNTED % "cp-ksql-server:5.4.1", MOUNTED % "cp-ksqldb-server:7.4.0"


@pytest.mark.parametrize(
    ("others", "refused"),
    [
        ({"lab/stack/one/docker-compose.yml": OLD}, False),
        ({"lab/stack/docker-compose.yml": OLD}, False),
        ({"lab/stack/one/docker-compose.yml": OLD, "lab/stack/two/compose.yaml": OLD}, False),
        ({"lab/stack/one/docker-compose.yml": OLD, "lab/stack/two/compose.yaml": NEW}, True),
        ({"lab/stack/one/docker-compose.yml": NEW}, True),
        ({"lab/stack/one/docker-compose.yml": OLD.replace("queries", "other")}, True),
        ({}, True),
    ],
)
def test_compose_files_around_that_mount_the_folder(others: dict[str, str], refused: bool) -> None:
    files = {PATH: TABLE, **{name: text.encode() for name, text in others.items()}}
    names = FolderNames(files)

    def lookup(asked: str) -> bytes | None:
        return names.of(asked.rstrip("/")) if asked.endswith("/") else files.get(asked)

    assert bool(formats.read(PATH, TABLE, lookup).problems) == refused
