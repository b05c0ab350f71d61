"""``kcheck partition``: what it prints, for people and programs, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playground import Project

COUNTED = """\
cluster: {name: payments, brokers: 3, config: {offsets.topic.num.partitions: 100}}
topics:
  - {name: orders, partitions: 7}
  - {name: growing}
"""


def test_keys_that_move(project: Project) -> None:
    result = project.run("partition", "alice", "bob", "größe", "--partitions", "12", "--to", "24")
    assert result.code == 0
    rows = [line.split() for line in result.out.splitlines()[2:6]]
    assert rows == [
        ["key", "partition", "of", "24"],
        ["alice", "9", "21", "moves"],
        ["bob", "6", "6"],
        ["größe", "8", "20", "moves"],
    ]
    assert "2 of 3 keys move; of all possible keys, 50% move." in " ".join(result.out.split())
    assert max(map(len, result.out.splitlines())) <= 80
    same = project.run("partition", "alice", "--partitions", "12", "--to", "12").out
    assert "No key moves" in same
    fewer = project.run("partition", "alice", "--partitions", "12", "--to", "6").out
    assert "a new topic" in " ".join(fewer.split())


def test_a_key_goes_elsewhere_by_another_client(project: Project) -> None:
    def place(*options: str) -> object:
        args = ("partition", "alice", "--partitions", "12", "--output", "json", *options)
        return json.loads(project.run(*args).out)["keys"][0]["partition"]

    assert place() == place("--partitioner", "murmur2_random") == 9
    assert place("--partitioner", "librdkafka") != 9
    assert place("--partitioner", "fnv1a") != place("--partitioner", "librdkafka")


@pytest.mark.parametrize(
    ("option", "written", "hexadecimal"),
    [("--int", "258", "00000102"), ("--long", "258", "0000000000000102")]
    + [("--hex", "0x00ff", "00ff"), ("--base64", "AP8=", "00ff")],
)
def test_encodings(project: Project, option: str, written: str, hexadecimal: str) -> None:
    args = ("--partitions", "5", "--output", "json")
    document = json.loads(project.run("partition", option, written, *args).out)
    assert document["keys"][0]["bytes"] == hexadecimal
    same = json.loads(project.run("partition", "--hex", hexadecimal, *args).out)
    assert same["keys"][0]["partition"] == document["keys"][0]["partition"]


def test_a_file_of_keys(project: Project) -> None:
    project.file("keys.txt", "hot\n" * 60 + "\n" + "".join(f"k{n}\n" for n in range(40)))
    args = ("partition", "--file", "keys.txt", "--partitions", "10")
    document = json.loads(project.run(*args, "--to", "15", "--output", "json").out)
    spread = document["spread"]
    assert (spread["records"], document["empty_lines"], len(document["keys"])) == (100, 1, 41)
    fullest = spread["partitions"][spread["fullest"]]
    assert fullest["hottest"][0] == {"key": "hot", "records": 60}
    assert spread["max_over_mean"] == pytest.approx(fullest["records"] / 10)
    assert {p["partition"] for p in spread["partitions"] if not p["records"]} == set(
        spread["empty"]
    )
    assert document["moving"]["share_of_all_keys"] == pytest.approx(2 / 3)
    text = " ".join(project.run(*args, "--to", "15").out.split())
    assert "100 records with 41 keys (1 empty line skipped)" in text
    assert "hot 60 (60%)" in text and "more partitions do not help" in text
    assert "With 15 partitions: 6.7 on average" in text
    assert "k39 " not in text and "k39 " in project.run(*args, "--all").out


def test_keys_from_standard_input(project: Project, stdin: Callable[[str], None]) -> None:
    stdin("1\n-5\n")
    args = ("partition", "--file", "-", "--int", "--partitions", "2", "--output", "json")
    document = json.loads(project.run(*args).out)
    assert [key["bytes"] for key in document["keys"]] == ["00000001", "fffffffb"]
    stdin("1\nx\n")
    assert "standard input:2: x is not a whole number" in project.run(*args).err


def test_coordinators(project: Project) -> None:
    project.file("kcheck.yaml", COUNTED)
    args = ("partition", "--group", "billing", "--transactional-id", "tx-1", "--output", "json")
    document = json.loads(project.run(*args).out)
    assert document["groups"][0] | {"origin": ""} == {
        "name": "billing",
        "topic": "__consumer_offsets",
        "partition": 9,
        "partitions": 50,
        "origin": "",
    }
    assert document["transactional_ids"][0]["topic"] == "__transaction_state"
    told = json.loads(project.run(*args, "--in", ".").out)
    assert (told["groups"][0]["partitions"], told["groups"][0]["origin"]) == (100, "kcheck.yaml:1")
    assert told["transactional_ids"] == document["transactional_ids"]
    assert "__consumer_offsets-9" in project.run("partition", "--group", "billing").out


def test_the_topics_own_number(project: Project) -> None:
    project.file("kcheck.yaml", COUNTED)
    args = ("partition", "a", "--in", ".", "--topic")
    assert project.run(*args, "orders").out.startswith("7 partitions")
    assert "did you mean orders?" in project.run(*args, "order").err
    assert "use --partitions" in project.run(*args, "growing").err
    assert "mutually exclusive" in project.run(*args, "orders", "--partitions", "3").err
    other = COUNTED.replace("payments", "other").replace("100", "50")
    project.file("other/kcheck.yaml", other)
    assert "--cluster" in project.run(*args, "orders").err
    assert project.run(*args, "orders", "--cluster", "other").code == 0
    assert "there are other, payments" in project.run(*args, "orders", "--cluster", "x").err


def test_brokers_that_disagree(project: Project) -> None:
    for number, partitions in ((1, 50), (2, 25)):
        project.file(
            f"server-{number}.properties",
            f"broker.id={number}\nzookeeper.connect=zk:2181\nlog.dirs=/data\n"
            f"offsets.topic.num.partitions={partitions}\n",
        )
    result = project.run("partition", "--group", "g", "--in", ".")
    assert result.code == 2
    assert "server-1.properties:4: 50, server-2.properties:4: 25" in result.err


@pytest.mark.parametrize(
    ("args", "wrong"),
    [
        ((), "name a KEY"),
        (("a",), "--partitions is required"),
        (("a", "--partitions", "0"), "a number from 1 to"),
        (("a", "--partitions", "3000000000"), "a number from 1 to"),
        (("a", "--partitions", "2", "--to", "x"), "--to must be a number"),
        (("1", "--partitions", "2", "--int", "--hex"), "are mutually exclusive"),
        (("a", "--topic", "t"), "--in PATH"),
        (("--file", "none", "--partitions", "2"), "cannot read none"),
        (("--file", "k", "--partitions", "2000000"), "supports at most"),
        (("--group", "g", "--in", "."), "no Kafka configuration"),
    ],
)
def test_what_it_refuses(project: Project, args: tuple[str, ...], wrong: str) -> None:
    project.file("k", "a\n")
    result = project.run("partition", *args)
    assert (result.code, result.out) == (2, "")
    assert wrong in result.err
