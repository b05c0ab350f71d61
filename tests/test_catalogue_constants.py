"""Constants of the catalogue: what is compiled into Kafka, by version."""

from __future__ import annotations

import pytest

from kcheck.catalogue import constant
from kcheck.version import UNKNOWN, Version


@pytest.mark.parametrize(
    ("name", "version", "value"),
    [
        ("time-index-entry-size", "2.8", 12),
        ("time-index-entry-size", "4.4", 12),
        ("fetch-session-cache-shards", "3.7", None),
        ("fetch-session-cache-shards", "3.8", 8),
        ("max-records-per-user-op", "3.4", None),
        ("max-records-per-user-op", "3.5.2", 10_000),
        ("max-partitions-per-batch", "5.1", 10_000),
        ("no-such-constant", "3.9", None),
    ],
)
def test_by_version(name: str, version: str, value: int | None) -> None:
    assert constant(name, Version(version)) == value


def test_unknown_version_gives_what_all_versions_with_the_constant_share() -> None:
    assert constant("max-records-per-user-op", UNKNOWN) == 10_000
    assert constant("no-such-constant", UNKNOWN) is None
