"""What changes no finding: how lines end; and, where nothing is joined, what stands beside."""

from __future__ import annotations

import pytest
import relations

EXAMPLES = relations.projects()
#: What says of whom it is: files of brokers with their names, which nothing of another folder has.
_SHOP = {
    "docker-compose.yml": b"""services:
  broker:
    image: confluentinc/cp-kafka:7.6.0
    environment:
      KAFKA_BROKER_ID: 1
      KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
      KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://broker:9092
      KAFKA_LOG_RETENTION_HOUR: 24
"""
}


@pytest.mark.parametrize("part", range(4))
def test_ends_of_lines_change_nothing(part: int) -> None:
    of = [*relations.pairs(EXAMPLES)][part * 30 :: 120]
    assert len(of) > 20
    for name, files, other in of:
        expected, found = relations.as_windows(files, other)
        assert expected == found, name


def test_a_project_is_told_the_same_beside_another() -> None:
    for name, files in EXAMPLES[::60]:
        expected, found = relations.beside(_SHOP, files)
        own = {one for one in expected if one.path.startswith("shop/")}
        assert own
        assert own == {one for one in found if one.path.startswith("shop/")}, name


@pytest.mark.thorough
def test_ends_of_all_lines_change_nothing() -> None:
    for name, files, other in relations.pairs(EXAMPLES):
        expected, found = relations.as_windows(files, other)
        assert expected == found, name
