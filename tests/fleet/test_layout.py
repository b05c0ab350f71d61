"""Which folders are units of work, on disk and in archives; no Spark."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from kcheck import engine
from kcheck.fleet import archives, layout, work
from kcheck.settings import Settings

BROKER = "broker.id={0}\nzookeeper.connect=zk.{1}:2181\nlisteners=PLAINTEXT://b{0}.{1}:9092\n"
QUORUM = (
    "process.roles=broker,controller\nnode.id={0}\ncontroller.listener.names=CONTROLLER\n"
    "controller.quorum.voters=1@b1.{1}:9093,2@b2.{1}:9093\n"
    "listeners=PLAINTEXT://b{0}.{1}:9092,CONTROLLER://b{0}.{1}:9093\n"
)
DECLARED = "kcheck: 1\ncluster: {{name: {1}, brokers: {0}}}\n"
TOPICS = "topics: [{name: orders, partitions: 3, replication_factor: 3}]\n"
PRODUCER = (
    "bootstrap.servers=b1.{1}:9092\nacks=all\nclient.id=checkout\n"
    "key.serializer=org.apache.kafka.common.serialization.StringSerializer\n"
)


def flat(where: str, name: str) -> dict[str, str]:
    return {
        f"{where}/kcheck.yaml": DECLARED.format(3, name),
        f"{where}/topics/all.yaml": TOPICS,
        f"{where}/clients/checkout.properties": PRODUCER.format(0, name),
    }


def by_plane(where: str, name: str) -> dict[str, str]:
    return {
        f"{where}/brokers/server.properties": BROKER.format(1, name),
        f"{where}/clients/checkout.properties": PRODUCER.format(0, name),
        f"{where}/topics/all.yaml": TOPICS,
    }


def by_node(where: str, name: str) -> dict[str, str]:
    return {
        f"{where}/one/server.properties": QUORUM.format(1, name),
        f"{where}/two/server.properties": QUORUM.format(2, name),
    }


A, B, C = flat, by_plane, by_node

#: What → (files, the units).
CASES: dict[str, tuple[dict[str, str], list[tuple[str, str]]]] = {
    "a folder per cluster": (
        {**A("a", "a"), **B("b", "b"), **C("c", "c")},
        [("a", "tree"), ("b", "tree"), ("c", "tree")],
    ),
    "regions": (
        {**A("eu/a", "ea"), **B("eu/b", "eb"), **B("us/a", "ua"), **C("us/c", "uc")},
        [("eu/a", "tree"), ("eu/b", "tree"), ("us/a", "tree"), ("us/c", "tree")],
    ),
    "environments, then regions": (
        {
            **B("dev/eu/a", "dea"),
            **B("dev/eu/b", "deb"),
            **B("prod/eu/a", "pea"),
            **B("prod/eu/b", "peb"),
            **B("prod/us/a", "pua"),
            **B("prod/us/b", "pub"),
        },
        [
            ("dev/eu/a", "tree"),
            ("dev/eu/b", "tree"),
            ("prod/eu/a", "tree"),
            ("prod/eu/b", "tree"),
            ("prod/us/a", "tree"),
            ("prod/us/b", "tree"),
        ],
    ),
    "a region with one cluster beside a region": (
        {**B("eu/a", "ea"), **B("eu/b", "eb"), **B("us/c", "uc")},
        [("eu/a", "tree"), ("eu/b", "tree"), ("us/c", "tree")],
    ),
    "folders that are none, and files of others": (
        {**B("eu/a", "ea"), **B("eu/b", "eb"), "eu/README.md": "", "eu/docs/x.md": "", "x.csv": ""}
        | B("us/a", "ua"),
        [("eu/a", "tree"), ("eu/b", "tree"), ("us/a", "tree")],
    ),
    "one that speaks for all below it": (
        {
            **B("eu/a", "ea"),
            **B("eu/b", "eb"),
            "eu/kcheck.yaml": DECLARED.format(6, "eu"),
            **B("us/a", "ua"),
        },
        [("eu", "tree"), ("us", "tree")],
    ),
    "loose files on the way": (
        {**B("eu/a", "ea"), **B("eu/b", "eb"), "eu/x.yaml": "a: 1\n", "y.yaml": "b: 1\n"},
        [("", "flat"), ("eu", "flat"), ("eu/a", "tree"), ("eu/b", "tree")],
    ),
    "one cluster by plane": (B("x", "x"), [("x", "tree")]),
    "clusters without brokers": (
        {f"{name}/topics.yaml": TOPICS for name in "abc"},
        [("a", "tree"), ("b", "tree"), ("c", "tree")],
    ),
    "an unpacked Kafka": (
        {
            "kafka/bin/kafka-server-start.sh": "",
            "kafka/config/server.properties": BROKER.format(0, "sample"),
            "kafka/one/server.properties": BROKER.format(1, "one"),
            "kafka/two/server.properties": BROKER.format(2, "two"),
            **B("b", "b"),
        },
        [("b", "tree"), ("kafka", "tree")],
    ),
}


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@pytest.mark.parametrize("what", CASES)
def test_units_of_a_folder(tmp_path: Path, what: str) -> None:
    files, expected = CASES[what]
    write(tmp_path, files)
    units = work.opened([str(tmp_path)], Settings()).units
    assert [(unit.ref, unit.place) for unit in units] == [
        (f or ".", place) for f, place in expected
    ]


@pytest.mark.parametrize("what", [what for what in CASES if what != "an unpacked Kafka"])
def test_units_of_an_archive(tmp_path: Path, what: str) -> None:
    files, expected = CASES[what]
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    tree = archives.Memory({path: text.encode() for path, text in files.items()})
    assert list(layout.units(tree)) == expected
    found = {
        unit: {name for name, *_ in files}
        for unit, _, files in archives.units(str(tmp_path / "x.zip"))
    }
    assert sorted(found) == sorted(folder or "x" for folder, _ in expected)
    inside = set().union(*found.values())
    assert {path for path in files if path not in inside} <= {
        "eu/docs/x.md",
        "eu/README.md",
        "x.csv",
    }
    assert sum(map(len, found.values())) == len(inside)


@pytest.mark.parametrize("files", [B("x", "x"), C("x", "x")])
def test_an_input_that_is_one_cluster_in_several_folders_is_one_project(
    tmp_path: Path, files: dict[str, str]
) -> None:
    write(tmp_path, files)
    (unit,) = work.opened([str(tmp_path / "x")], Settings()).units
    assert (unit.name, unit.place, unit.ref) == ("x", "whole", "x")


def test_the_depth_can_be_told(tmp_path: Path) -> None:
    write(tmp_path, {**B("eu/a", "ea"), "eu/b/t.yaml": TOPICS, "eu/kcheck.yaml": "kcheck: 1\n"})
    tree = layout.Disk(str(tmp_path), Settings().excluded)
    assert list(layout.units(tree)) == [("eu", "tree")]

    def units(depth: int) -> list[tuple[str, str]]:
        return list(layout.units(layout.Disk(str(tmp_path), Settings().excluded), depth))

    assert units(0) == [("", "whole")]
    assert units(1) == [("eu", "tree")]
    assert units(2) == [("eu", "flat"), ("eu/a", "tree"), ("eu/b", "tree")]


def test_what_only_was_packed_is_no_part_of_the_paths(tmp_path: Path) -> None:
    def packed(files: dict[str, str]) -> list[tuple[str, str, list[str]]]:
        with zipfile.ZipFile(tmp_path / "dump.zip", "w") as archive:
            for path, text in files.items():
                archive.writestr(path, text)
        found = archives.units(str(tmp_path / "dump.zip"))
        return [(unit, top, sorted(str(name) for name, *_ in files)) for unit, top, files in found]

    both = {"fleet/a/server.properties": BROKER.format(1, "a")}
    assert packed(both) == [("fleet", "fleet", ["fleet/a/server.properties"])]
    both["fleet/b/server.properties"] = BROKER.format(2, "b")
    assert packed(both) == [
        ("a", "a", ["a/server.properties"]),
        ("b", "b", ["b/server.properties"]),
    ]
    alone = {"server.properties": BROKER.format(1, "a"), "t/topics.yaml": TOPICS}
    assert packed(alone) == [("dump", "dump", ["dump/server.properties", "dump/t/topics.yaml"])]


def test_folders_that_look_the_same_are_looked_into_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        write(tmp_path, B(f"c{number:02d}", f"c{number:02d}"))
    looked: list[object] = []
    read = engine.read_project

    def counted(*args: object) -> engine.Project:
        looked.append(args)
        return read(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "read_project", counted)
    assert len(list(layout.units(layout.Disk(str(tmp_path), Settings().excluded)))) == 30
    # The input, and one for all folders.
    assert len(looked) == 2
