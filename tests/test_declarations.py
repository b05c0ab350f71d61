"""Our own YAML: what it declares, what is wrong with it and where, and that nothing breaks it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml as pyyaml
from hypothesis import example, given
from hypothesis import strategies as st

from kcheck import formats, units
from kcheck.formats.declarations import declared, entries
from kcheck.formats.declarations import shape as declaration_shape
from kcheck.formats.declarations.errors import explained
from kcheck.model import FAILED, PASSED_OVER, READ, Document
from kcheck.syntax import yaml

SCHEMA = json.loads(
    (Path(__file__).resolve().parent.parent / "schemas" / "kcheck.schema.json").read_text()
)


def read(text: str, path: str = "kcheck.yaml") -> Document:
    return formats.read(path, text.encode(), {}.get)


def wrong(text: str) -> list[tuple[str, int, int]]:
    document = read(text)
    return [(p.message, p.at[0], p.at[1]) for p in document.problems if p.code == "KC0007"]


def test_the_whole_of_it() -> None:
    document = read("""\
kcheck: 1
cluster:
  name: payments
  kafka_version: "4.1.2"
  client_version: 3.9
  environment: production
  service: self-managed
  brokers: [{id: 1, rack: a, config: {num.io.threads: 8}, host: {ram: 64GiB}}, {id: 2}]
  config: {min.insync.replicas: 2}
  dynamic_config: {log.cleaner.threads: 2}
  host: {ram: 64GiB, heap: 6GiB, cores: 16, nic: 10Gbit/s, disks: 4, disk_size: 2TiB, disk_rate: 250MB/s,
         nofile: 100000, vm.max_map_count: 262144}
  tenants: 1
  assumptions: {partition_rate: 20MB/s, election_time: 0.5ms, nic_use: 0.7, tls_memory: 64KiB}
topics:
  - name: orders
    partitions: 12
    replication_factor: 3
    current_partitions: 6
    config: {max.message.bytes: 5242880}
    keyed: true
    ordering: key
    produce_rate: 20MB/s
    consume_rate: 40000000
    record_size: 1KB
    max_record_size: 900 KB
    compression_ratio: 0.3
producers:
  - name: checkout
    topics: [orders, "orders-*"]
    instances: 12
    client: {library: librdkafka, version: "2.3"}
    config: {acks: "1"}
consumers:
  - {config: {group.id: billing}}
streams:
  - {name: joiner, topics: [a, b], writes: [c], copartitioned: [a, b]}
quotas:
  - {client_id: batch-loader, consumer_byte_rate: 10MB/s}
""")
    assert document.problems == []
    assert document.status == READ
    named = [(r.kind, r.name) for r in document.resources]
    assert named == [
        ("cluster", "payments"),
        ("broker", "1"),
        ("broker", "2"),
        ("topic", "orders"),
        ("producer", "checkout"),
        ("consumer", "billing"),
        ("streams", "joiner"),
        ("quota", "client_id=batch-loader"),
    ]
    cluster, broker, _, topic, producer, _, streams, quota = document.resources
    assert cluster.facts["nic"].amount == 1_250_000_000
    assert cluster.facts["ram"].amount == 64 * 2**30
    assert cluster.facts["brokers"].amount == 2
    assert cluster.facts["assumptions.partition_rate"].amount == 20_000_000
    assert cluster.facts["assumptions.election_time"].amount == 0.5
    assert cluster.facts["assumptions.tls_memory"].amount == 65_536
    assert cluster.facts["client_version"].text == "3.9"
    assert cluster.dynamic["log.cleaner.threads"].text == "2"
    assert broker.settings["broker.rack"].text == "a"
    assert topic.facts["replication.factor"].amount == 3
    assert topic.facts["keyed"].amount is True
    assert topic.facts["compression_ratio"].amount == 0.3
    assert topic.facts["max_record_size"].amount == 900_000
    assert topic.settings["max.message.bytes"].at == (20, 33, 20, 40)
    assert producer.dialect == "librdkafka"
    assert producer.traits.topics == ("orders", "orders-*")
    assert streams.traits.copartitioned == ("a", "b")
    assert quota.settings["consumer_byte_rate"].text == "10000000"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("topics:\n  - {name: a, partition: 3}",
         [("unknown key partition in a topic; did you mean partitions?", 3, 15)]),
        ("topics:\n  - {name: a, replication-factor: 3}",
         [("unknown key replication-factor in a topic; did you mean replication_factor?", 3, 15)]),
        ("topics:\n  - {name: a, retention.ms: 3}",
         [("unknown key retention.ms in a topic: Kafka's keys go under config", 3, 15)]),
        ("topics:\n  - {partitions: 3}", [("a topic requires a name", 3, 5)]),
        ("topics:\n  - {}", [("a topic requires a name", 3, 5)]),
        ("topics:\n  - a", [("a topic must be a mapping, not a", 3, 5)]),
        ("topics:\n  -\n  - {name: a}", [("a topic must be a mapping, not nothing", 3, 4)]),
        ("cluster: {assumptions: {nic_use: -1, partition_rte: 5}}",
         [("nic_use must be a number from 0 up, not -1", 2, 34),
          ("unknown key partition_rte in a mapping of assumptions to values; did you mean partition_rate?", 2, 38)]),
        ("cluster: {assumptions: {election_time: long, tls_memory: 5MB/s}}",
         [("election_time must be a duration such as 5ms, not long", 2, 40),
          ("tls_memory must be a size such as 64GiB, not 5MB/s", 2, 58)]),
        ("topics: {a: {}}", [("topics must be a list of topics, not a mapping", 2, 9)]),
        ("topics:\n  - {name: a, partitions: many}",
         [("partitions must be a whole number, not many", 3, 27)]),
        ("topics:\n  - {name: a, partitions: 1.5}",
         [("partitions must be a whole number, not 1.5", 3, 27)]),
        ("topics:\n  - {name: a, partitions: [1]}",
         [("partitions must be a whole number, not a list", 3, 27)]),
        ("topics:\n  - {name: a, keyed: maybe}", [("keyed must be true or false, not maybe", 3, 22)]),
        ("topics:\n  - {name: a, ordering: some}",
         [("ordering must be one of key, total, none, not some", 3, 25)]),
        ("topics:\n  - {name: a, config: {x: {y: 1}}}",
         [("x must be a plain value, not a mapping", 3, 27)]),
        ("topics:\n  - {name: a, config: [x]}",
         [("config must be a mapping of Kafka keys to values, not a list", 3, 23)]),
        ("topics:\n  - {name: [a]}", [("name must be a plain text, not a list", 3, 12)]),
        ("cluster: {environment: prod}",
         [("environment must be production or development, not prod", 2, 24)]),
        ("cluster: {brokers: three}",
         [("brokers must be a number of brokers, or a list of them, not three", 2, 20)]),
        ("cluster: {brokers: [3, {rak: a}]}",
         [("a broker must be a mapping, not 3", 2, 21),
          ("unknown key rak in a broker; did you mean rack?", 2, 25)]),
        ("cluster: [a]", [("cluster must be a cluster, not a list", 2, 10)]),
        ("cluster: {host: {ram: much}}", [("ram must be a size such as 64GiB, not much", 2, 23)]),
        ("cluster: {host: {ram: 10Gbit/s}}",
         [("ram must be a size such as 64GiB, not 10Gbit/s", 2, 23)]),
        ("cluster: {host: {swap: 1}}",
         [("unknown key swap in the host facts, which has ram, heap, cores, nic, disks, "
           "disk_size, disk_rate, nofile, vm.max_map_count", 2, 18)]),
        ("producers:\n  - {topics: orders}",
         [("topics must be a list of names, not orders", 3, 14)]),
        ("producers:\n  - {client: {lib: java}}",
         [("unknown key lib in the client library, which has library, version", 3, 15)]),
        ("quotas:\n  - {user: [a]}", [("user must be a plain text, not a list", 3, 12)]),
        ("topic: []",
         [("unknown key topic in a declaration; did you mean topics?", 2, 1)]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_once_where_it_stands(
    text: str, expected: list[tuple[str, int, int]]
) -> None:
    assert wrong(f"kcheck: 1\n{text}\n") == expected


def test_another_version_of_the_format_is_refused() -> None:
    assert wrong("kcheck: 2\n") == [("kcheck must be 1, the version of this format, not 2", 1, 9)]


def test_what_is_right_beside_it_is_still_used() -> None:
    document = read("kcheck: 1\ntopics:\n  - {name: a, partitions: 3, bogus: 1}\n  - b\n")
    assert len(document.problems) == 2
    assert document.resources[0].facts["partitions"].amount == 3
    assert document.status == READ


def test_what_a_template_fills_in_is_unknown_and_not_wrong() -> None:
    text = 'kcheck: 1\ntopics:\n  - {name: a, partitions: "{{ n }}", keyed: "${K}"}\n'
    document = read(text)
    assert document.problems == []
    assert all(fact.amount is None for fact in document.resources[0].facts.values())
    assert [m for m, *_ in wrong(text.replace("}\n", ", bogus: 1}\n"))] == [
        "unknown key bogus in a topic, which has "
        + ", ".join(SCHEMA["$defs"]["topic"]["properties"])
    ]


def test_a_secret_in_the_wrong_place_is_not_told() -> None:
    (told,) = wrong("kcheck: 1\ntopics:\n  - {name: a, password: hunter2}\n")
    assert "hunter2" not in told[0]


def test_without_jsonschema_our_own_words_have_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "jsonschema", None)
    assert wrong("kcheck: 1\ntopics: [{name: a, partitions: many, keyed: x, bogus: 1}, b]\n") == [
        ("partitions must be a whole number", 2, 32),
        ("keyed must be true or false", 2, 45),
        ("unknown key bogus in a topic", 2, 48),
        ("an entry of topics must be a mapping", 2, 59),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "topics: [a, b]",
        "topics: {a: 1}",
        "topics: [{name: a, replicas: 3}]",
        "cluster: {name: a, region: b}",
        "producers: {kafka: x}",
        "topics: [{name: a}]\nservices: {}",
        "{}",
        "[]",
        "",
    ],
)
def test_files_of_others_are_left_alone(text: str) -> None:
    assert read(text, "topics.yaml").status == PASSED_OVER


def test_the_marker_makes_any_file_ours() -> None:
    assert read("kcheck: 1\nservices: {}\n", "x.yaml").format == "kcheck-yaml"


def test_an_empty_declaration() -> None:
    for text in ("", "kcheck: 1\n", "kcheck: 1\ntopics: []\ncluster:\n"):
        document = read(text)
        assert document.problems == []


def test_a_broken_file_keeps_what_stands_before() -> None:
    document = read("topics: [{name: a, partitions: 1}]\n---\ntopics: [\n")
    assert [r.name for r in document.resources] == ["a"]
    assert [p.code for p in document.problems] == ["KC0001"]
    assert document.status == READ
    assert read("kcheck: 1\ntopics: [\n").status == FAILED


def test_a_mistake_that_is_made_very_often_is_told_a_hundred_times() -> None:
    text = "topics:\n" + "  - {name: a, partition: 1}\n" * 1_000
    told = wrong(f"kcheck: 1\n{text}")
    assert len(told) == 101
    assert told[0] == ("unknown key partition in a topic; did you mean partitions?", 3, 15)
    assert told[-1] == ("900 more errors in this file, this is the next one", 103, 15)


class TestBombs:
    def test_aliases_of_aliases(self) -> None:
        levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
        levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
        bomb = "\n".join(levels)
        document = read(f"kcheck: 1\n{bomb}\ntopics: *a11\nbogus: 1\n")
        assert document.problems
        assert all(len(p.message) < 300 for p in document.problems)

    def test_a_list_of_one_large_entry_many_times(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert entries.MOST_SETTINGS == 500_000
        monkeypatch.setattr(entries, "MOST_SETTINGS", 50_000)
        config = ", ".join(f"k{n}: {n}" for n in range(1_000))
        text = f"kcheck: 1\ntopics: [&t {{name: a, config: {{{config}}}}}{', *t' * 60}]\n"
        document = read(text)
        assert [p.message for p in document.problems] == ["it declares more than 50,000 settings"]

    def test_depth(self) -> None:
        for text in ("[" * 5_000, "kcheck: 1\ntopics: " + "[" * 900 + "]" * 900):
            assert read(text).problems

    def test_numbers_that_are_none(self) -> None:
        nines = "9" * 5_000
        for value in (nines, f"{nines}GiB", "nan", "inf", "-inf", "1e999", "-5GiB", "٣", "1_000"):
            text = f"kcheck: 1\ncluster: {{tenants: '{value}', host: {{ram: '{value}'}}}}\n"
            messages = [message for message, *_ in wrong(text)]
            assert any(message.startswith("tenants must be") for message in messages), value


#: Values that a careful, a careless and a hostile author might write.
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**12),
    st.floats(-1e200, 1e200) | st.sampled_from([float("nan"), float("inf")]),
    st.sampled_from(
        ["64GiB", "20MB/s", "10Gbit/s", "1.5", "+3", "-1", "", "key", "production", "msk", "x y",
         "{{ t }}", "${T}", "true", "True", "yes", "1e3", ".5", "5.", "0x10", "1:2", "~", "#", "😀"]
    ),
    st.text(max_size=6),
)  # fmt: skip
WORDS = st.one_of(
    st.sampled_from(
        [
            *SCHEMA["properties"],
            *{key for d in SCHEMA["$defs"].values() for key in d.get("properties", {})},
            "retention.ms",
            "<<",
            "bogus",
        ]
    ),
    st.text(max_size=4),
)
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


def entry(kind: str) -> st.SearchStrategy[Any]:
    known = SCHEMA["$defs"][kind]["properties"]
    keys = st.sampled_from([*known, "bogus"])
    values = st.one_of(
        SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(WORDS, SCALARS, max_size=2)
    )
    return st.dictionaries(keys, values, max_size=4)


SECTIONS = {
    "cluster": entry("cluster"),
    "topics": st.lists(entry("topic"), max_size=2),
    "producers": st.lists(entry("producer"), max_size=2),
    "consumers": st.lists(entry("consumer"), max_size=2),
    "streams": st.lists(entry("application"), max_size=2),
    "connectors": st.lists(entry("connector"), max_size=2),
    "groups": st.lists(entry("group"), max_size=2),
    "quotas": st.lists(entry("quota"), max_size=2),
}
DECLARATIONS = st.fixed_dictionaries(
    {"kcheck": st.just(1)}, optional={key: value | TREES for key, value in SECTIONS.items()}
)


@given(DECLARATIONS)
@example({"kcheck": 1, "topics": [{"name": "a", "partitions": "3"}]})
@example({"kcheck": 1, "cluster": {"host": {"nic": "10Gbit/s", "ram": 1.5}}})
def test_checker_and_schema_agree(declaration: dict[str, Any]) -> None:
    """Who follows the schema in an editor is not told off by kcheck, and the other way round."""
    text = pyyaml.safe_dump(declaration, allow_unicode=True)
    document = read(text)
    ours = [p for p in document.problems if p.code == "KC0007"]
    nodes, _ = yaml.documents(text.encode())
    theirs = explained(nodes)
    assert {p.at for p in ours} == {at for _, at, _ in theirs}
    # YAML 1.1 knows more line ends than editors do.
    lines = text.replace("\x85", "\n").replace("\u2028", "\n").replace("\u2029", "\n").split("\n")
    for problem in ours:
        line, column, end_line, _ = problem.at
        assert 1 <= line <= end_line <= len(lines) + 1
        assert 1 <= column <= len(lines[line - 1]) + 2
    assert len({(p.message, p.at) for p in ours}) == len(ours)


@given(TREES)
def test_no_tree_breaks_the_reader(tree: Any) -> None:
    read(pyyaml.safe_dump({"kcheck": 1, "topics": tree, "cluster": tree}, allow_unicode=True))


@given(
    st.lists(
        st.sampled_from(
            ["kcheck: 1", "topics:", "cluster:", "- ", "  ", "\n", "name: a", "&x ", "*x", "<<: *x",
             "{", "}", "[", "]", ", ", ": ", "'", '"', "|", ">", "#", "---\n", "\t", "\u2028", "\x00", "é"]
        ),
        max_size=25,
    ).map("".join)
)  # fmt: skip
def test_no_text_breaks_the_reader(text: str) -> None:
    document = read(text)
    assert document.status in (READ, PASSED_OVER, FAILED)


@given(st.binary(max_size=60))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    formats.read("kcheck.yaml", b"kcheck: 1\n" + data, {}.get)


def test_the_schema_lists_the_facts_that_are_read() -> None:
    defs = SCHEMA["$defs"]
    assert set(defs["topic"]["properties"]) == {*declared.TOPIC_FACTS, "config"}
    assert set(defs["host"]["properties"]) == set(declared.HOST_FACTS)
    assert set(defs["broker"]["properties"]) == {*declared.BROKER_FACTS, "config", "host"}
    assert set(defs["cluster"]["properties"]) == {
        *declared.CLUSTER_FACTS,
        *("brokers", "config", "dynamic_config", "host", "assumptions"),
    }
    assert set(defs["assumptions"]["properties"]) == set(declared.assumption_kinds())
    for kind in ("producer", "application"):
        assert set(defs[kind]["properties"]) == {*declared.CLIENT_FACTS, "client", "config"}
    assert set(defs["consumer"]["properties"]) == {*declared.CONSUMER_FACTS, "client", "config"}
    for kind in ("connector", "group"):
        assert set(defs[kind]["properties"]) == {*declared.NAMED_FACTS, "config"}
    assert set(SCHEMA["properties"]) == set(declaration_shape.TOP)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("64GiB", 64 * 2**30), ("1.5MB", 1_500_000), ("10Gbit/s", 1_250_000_000), ("5", 5),
     ("-5", None), ("nan", None), ("9" * 400, None), ("5 XB", None), ("", None)],
)  # fmt: skip
def test_sizes(text: str, expected: int | None) -> None:
    assert units.size(text) == expected
