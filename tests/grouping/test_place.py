"""What a path says of the place that a file is for."""

from __future__ import annotations

import pytest

from kcheck.grouping.place import lesson


@pytest.mark.parametrize(
    "path",
    ["examples/kafka/kafka.yaml", "lab-12/oauth/kafka.yaml", "docs/Tutorial_2/kafka.yaml"],
)
def test_a_folder_of_lessons_is_one(path: str) -> None:
    assert lesson(path)


@pytest.mark.parametrize(
    "path", ["kafka.yaml", "prod/kafka.yaml", "demo.yaml", "gitlab/kafka.yaml", "labels/kafka.yaml"]
)
def test_other_folders_and_files_are_none(path: str) -> None:
    assert not lesson(path)
