"""Whoever lints over several processes gets, byte for byte, what one process says."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import make_fleet
import pytest

from kcheck import discover, files, pool, rules
from kcheck.__main__ import main
from kcheck.cli import project
from kcheck.examples import examples
from kcheck.formats.strimzi import reader as strimzi_format
from kcheck.pool import processes
from kcheck.rule import Rule
from kcheck.settings import Settings

from .conftest import ROOT, Lint

Both = Callable[..., Any]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory, thorough: bool) -> Path:
    root = tmp_path_factory.mktemp("generated")
    make_fleet.write(root, 300 if thorough else 80, topics=3, faults=0.3, corrupt=0.1, drift=0.05)
    return root


def write(files: dict[str, str]) -> None:
    for path, text in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)


def test_a_fleet(
    fleet: Path, lint: Lint, pooled: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fleet)
    expected = lint("fleet", "--jobs", "1")
    assert expected[0] == 1 and expected[3]["jsonl"].count("\n") > 50
    assert lint("fleet", "--jobs", "2") == expected
    assert pooled == [True]


def test_addresses_of_programs_beside_brokers(
    lint: Lint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pool, "_ENTANGLED", 1.0)
    every = rules.load()
    for code in ("KC1076", "KC1077", "KC1078"):
        for number, example in enumerate(examples(every[code])):
            for copy in range(12):
                write({f"{code}/{number}-{copy}/{p}": text for p, text in example.files.items()})
    expected = lint(".", "--jobs", "1")
    for code in ("KC1076", "KC1077", "KC1078"):
        assert expected[1].count(code) > 20
    assert lint(".", "--jobs", "2") == expected


def test_all_fixtures_three_times(
    lint: Lint, pooled: list[bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # Copies of a cluster have its name, too.
    monkeypatch.setattr(pool, "_ENTANGLED", 1.0)
    for fixture in (ROOT / "fixtures").iterdir():
        for copy in "abc":
            shutil.copytree(fixture, tmp_path / "all" / f"{fixture.name}-{copy}")
    expected = lint("all", "--jobs", "1")
    assert len(expected[1]) > 1000
    assert lint("all", "--jobs", "3") == expected
    assert pooled == [True]


def test_processes_of_their_own_accord(
    lint: Lint, pooled: list[bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only where there is much to do, and somebody to do it."""
    monkeypatch.chdir(tmp_path)
    write(many(100))
    monkeypatch.setattr(processes, "processors", lambda: 2)
    lint("all")
    assert pooled == []
    monkeypatch.setattr(project, "_LARGE", 200)
    monkeypatch.setitem(pool._WORTH, processes.method(), 200)
    expected = lint("all", "--jobs=1")
    assert pooled == []
    assert lint("all") == expected
    assert pooled == [True]
    monkeypatch.setattr(processes, "processors", lambda: 1)
    assert lint("all") == expected
    assert pooled == [True, False]
    # Files of which none is Kafka's are quickly read.
    monkeypatch.setattr(processes, "processors", lambda: 2)
    write(dict.fromkeys(many(100), "kind: Deployment\n"))
    lint("all")
    assert pooled == [True, False, False]


@pytest.mark.parametrize("jobs", ["0", "-1", "two", "1.5", "²"])
def test_a_number_of_processes_that_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["lint", f"--jobs={jobs}", "."]) == 2


# -- clusters in several folders ------------------------------------------------------------

QUORUM = "controller.quorum.voters=1@k1:9093,2@k2:9093,3@k3:9093\n"


def kraft(node: int, quorum: str = QUORUM) -> str:
    return f"process.roles=broker\nnode.id={node}\n{quorum}min.insync.replicas=9\n"


def strimzi(name: str) -> str:
    return (
        f"apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata: {{name: {name}}}\n"
        "spec: {kafka: {replicas: 3, config: {}}}\n"
    )


def topic(name: str, cluster: str = "", isr: int = 3) -> str:
    label = f"  labels: {{strimzi.io/cluster: {cluster}}}\n" if cluster else ""
    return (
        f"apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata:\n  name: {name}\n{label}"
        f"spec: {{partitions: 1, replicas: 3, config: {{min.insync.replicas: {isr}}}}}\n"
    )


def _flow(name: str) -> str:
    return (
        f"apiVersion: kafka.strimzi.io/v1, kind: KafkaTopic, metadata: {{name: {name}}}, "
        "spec: {replicas: 3, config: {min.insync.replicas: 9}}"
    )


def many(count: int = 20) -> dict[str, str]:
    """A cluster each in folders side by side, every third with a fault."""
    return {
        f"all/c{n:02d}/{name}": text
        for n in range(count)
        for name, text in (
            ("kafka.yaml", strimzi(f"k{n}")),
            ("topics/orders.yaml", topic("orders", f"k{n}", 3 if n % 3 else 1)),
        )
    }


LAYOUTS: dict[str, dict[str, str]] = {
    "apart": many(),
    "a topic far away": {**many(), "all/zz/t.yaml": topic("far", "k3", 7)},
    "topics of all in one place": {
        **many(),
        **{f"all/zz/{n}.yaml": topic(f"far{n}", f"k{n}", 7) for n in range(20)},
    },
    "nodes of one quorum": {f"all/kafka{n}/server.properties": kraft(n) for n in range(1, 20)},
    "siblings of two quorums": {
        f"all/{word}{n}/server.properties": kraft(n, QUORUM.replace("k", word))
        for n in range(1, 12)
        for word in ("north", "south")
    },
    "planes apart": {
        path.replace("all/", "all/brokers/" if "kafka.yaml" in path else "all/topics/"): text
        for path, text in many().items()
    },
    "a declaration above all": {
        **many(),
        "all/kcheck.yaml": "kcheck: 1\ncluster: {name: k1, environment: production, brokers: 2}\n",
    },
    "a file for two clusters": {
        **many(),
        "all/c00/kafka.yaml": strimzi("k0").replace("{config: {", "{config: {acks: 1"),
        "all/c00/mixed.yaml": f"{topic('mine', 'k0', 8)}---\n{topic('theirs', 'k5', 9)}",
    },
    "two of a name": {**many(), "all/zz/kafka.yaml": strimzi("k1")},
    "beside other things": {
        **{path.replace("all/", "all/fleet/"): text for path, text in many(40).items()},
        **{f"all/doc{n}/README.yaml": "a: b\n" for n in range(30)},
        "all/fleet/common.properties": kraft(7),
    },
    "mounted from beside": {
        **many(),
        "all/zz/compose.yaml": (
            "services:\n  kafka:\n    image: apache/kafka:4.1.0\n    volumes:\n"
            "      - ../yy/server.properties:/opt/kafka/config/server.properties\n"
        ),
        "all/yy/server.properties": kraft(1),
    },
    "one environment for all": {
        **{
            f"all/c{n:02d}/compose.yaml": (
                "services:\n  kafka:\n    image: apache/kafka:4.1.0\n"
                "    env_file: ../../common.env\n"
            )
            for n in range(20)
        },
        "common.env": "# kcheck: ignore[KC0101] not now\nKAFKA_LOG_RETENTION_HOUR=3\n"
        "KAFKA_NUM_PARTITION=x\nKAFKA_NODE_ID=1\nKAFKA_MIN_INSYNC_REPLICAS=two\n",
    },
    "ignores": {
        **many(),
        "all/c00/topics/ignored.yaml": "# kcheck: ignore-file[KC03]\n" + topic("a", "k0", 9),
        "all/c01/topics/unused.yaml": "# kcheck: ignore[KC0302] as ever\n" + topic("a", "k1", 2),
        "all/c02/topics/malformed.yaml": "# kcheck: ignore\n" + topic("a", "k2", 9),
        "all/c03/topics/expired.yaml": (
            "# kcheck: ignore[KC03] until=2020-01-01\n" + topic("a", "k3", 9)
        ),
        "all/c05/topics/one.yaml": "# kcheck: ignore[KC03]\n" + topic("one", "k5", 9),
        "all/c06/topics/two.yaml": "# kcheck: ignore[KC03]\n---\n"
        + topic("one", "k6", 9)
        + "---\n"
        + topic("two", "k6", 9),
        "all/c07/topics/list.yaml": "# kcheck: ignore[KC03]\n---\nkind: List\nitems:\n"
        + "".join(f"  - {{{_flow(name)}}}\n" for name in ("one", "two")),
        "all/zz/far.yaml": "# kcheck: ignore[KC03] far\n" + topic("far", "k4", 9),
    },
    "secrets": {
        **many(),
        "all/c04/more.yaml": (
            "producers: [{name: o, config: {}}, "
            "{name: p, config: {ssl.key.password: !!str kept-from-all, "
            "sasl.jaas.config: 'x password=\"hush-hush\";'}}, {name: q, config: {acks: '7'}}]\n"
        ),
        "all/c05/more.properties": (
            "bootstrap.servers=k:9092\nacks=hidden-one\nssl.keystore.password=hidden-one\n"
        ),
    },
    "broken files": {
        **many(),
        "all/c06/broken.yaml": "kind: KafkaTopic\n  x: [\n",
        "all/c07/large.yaml": "# kafka\n" + "#" * (6 << 20),
        "all/c08/deep.yaml": "kafka: " + "[" * 1200,
        "all/loose.yaml": "kind: Kafka\n x: {",
    },
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout(
    layout: str,
    lint: Lint,
    pooled: list[bool],
    in_one_process: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    write(LAYOUTS[layout])
    expected = lint(".", "--jobs", "1")
    assert expected[1]
    assert lint(".", "--jobs", "2") == expected
    assert pooled == [True]


def test_workers_judge_what_is_theirs_alone(
    in_one_process: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(LAYOUTS["a topic far away"])
    made = pool.lint_project(discover.Inputs(["all"]), Settings(), 2)
    assert made is not None
    assert [cluster.name for cluster in made.clusters] == ["k3"]
    assert made.elsewhere == 19


def test_entangled_folders_are_left_to_one_process(
    both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(LAYOUTS["nodes of one quorum"])
    assert both("all")[1] is None


# -- what else a run is told ----------------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [
        ["--context", "all", "all/c03"],
        ["all/c03/kafka.yaml", "all", "nothing-there"],
        ["all", "--exclude", "c0[0-2]", "--force-exclude", "all/c01/kafka.yaml"],
        ["all", "--select", "KC03", "--fail-on", "info"],
        ["all", "--config", "strict.toml"],
        ["all", "--no-ignores", "--kafka-version", "3.9"],
        ["all", "--baseline", "base.jsonl"],
        ["all", "../elsewhere"],
    ],
    ids=" ".join,
)
def test_options(
    args: list[str],
    lint: Lint,
    pooled: list[bool],
    in_one_process: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    write({**LAYOUTS["ignores"], "../elsewhere/kafka.yaml": strimzi("x")})
    write(
        {
            "strict.toml": (
                "require-reason = true\nenvironment = 'production'\n"
                "[[clusters]]\nname = 'pair'\npaths = ['all/c01/**', 'all/c17/**']\n"
                "[[overrides]]\npaths = ['all/c02/**']\nignore = ['KC03']\nkafka-version = '3.5'\n"
                "[rules.min-isr-le-rf]\nseverity = 'info'\n"
                "[[ignore]]\nrule = 'KC03'\npath = 'all/c03/**'\n"
                "[[ignore]]\nrule = 'KC0302'\npath = 'all/c19/**'\nreason = 'of no use'\n"
            )
        }
    )
    main(["baseline", "create", "--baseline", "base.jsonl", "all/c00", "all/c03", "all/c06"])
    expected = lint(*args, "--jobs", "1")
    assert lint(*args, "--jobs", "2") == expected
    assert pooled == [True]


def test_what_cannot_be_read_and_what_fails(
    both: Both, in_one_process: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that vanish, a format that raises, a rule that raises: told in the same order."""
    monkeypatch.chdir(tmp_path)
    write(LAYOUTS["a topic far away"])
    # The last folder is the heaviest: it is the first that a worker reads.
    write(
        {
            "all/zz/lost.yaml": "",
            "all/zz/pad.yaml": "#" * 9999,
            "all/c01/lost.yaml": "",
            "all/lost.yaml": "",
        }
    )
    read, parse = files.read_file, strimzi_format.read
    checked: Rule = rules.load()["KC0302"]
    check = checked.check

    def lost(path: str, most: int = 0) -> bytes:
        if path.endswith("lost.yaml"):
            raise OSError(5, "Input/output error")
        return read(path)

    def broken(document: Any, data: bytes, lookup: Any) -> None:
        if "c05/topics" in document.path or "zz" in document.path:
            raise KeyError("x")
        parse(document, data, lookup)

    def raising(thing: Any, **options: Any) -> Any:
        if thing.resource.path.startswith(("all/c07", "all/c03", "all/c11")):
            raise ValueError("x")
        yield from check(thing, **options)

    monkeypatch.setattr(files, "read_file", lost)
    monkeypatch.setattr(strimzi_format, "read", broken)
    monkeypatch.setattr(checked, "check", raising)
    expected, made = both("all")
    assert sum("failed" in line for line in expected) > 4
    assert made == expected


# -- at random ------------------------------------------------------------------------------

_FILES = ("server.properties", "kafka.yaml", "t.yaml", "topics/t.yaml", "compose.yaml", "p.env")


def _text(pick: random.Random) -> str:
    name, node = f"k{pick.randrange(4)}", pick.randrange(6)
    return pick.choice(
        [
            kraft(node),
            kraft(node, f"controller.quorum.voters=1@{name}:9093,2@b:9093\n"),
            strimzi(name),
            topic(f"t{node}", name, pick.randrange(1, 5)),
            topic(f"t{node}", "", pick.randrange(1, 5)),
            f"# kcheck: ignore[KC03] so\n{topic('i', name, 9)}",
            f"kcheck: 1\ncluster: {{name: {name}, brokers: {node}}}\n",
            f"bootstrap.servers={name}:9092\nacks=1\nenable.idempotence=true\n",
            f"services:\n  {name}:\n    image: apache/kafka:4.1.0\n    env_file: ../p.env\n"
            f"    volumes: ['../d{node}/server.properties:/opt/kafka/config/server.properties']\n",
            f"KAFKA_BROKER_ID={node}\nKAFKA_ACK=1\n",
            "a: [",
        ]
    )


#: So many without --thorough.
_FEW = 12


@pytest.mark.parametrize(
    "seed",
    [pytest.param(n, marks=[pytest.mark.thorough] if n >= _FEW else []) for n in range(60)],
)
def test_trees_at_random(
    seed: int,
    both: Both,
    in_one_process: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    pick = random.Random(seed)
    word = pick.choice(["d", "broker", "prod-", "c"])
    tree = {
        f"all/{word}{n}/{name}": _text(pick)
        for n in range(16 + pick.randrange(6))
        for name in pick.sample(_FILES, pick.randrange(1, 4))
    }
    if pick.random() < 0.3:
        tree[f"all/{pick.choice(_FILES)}"] = _text(pick)
    write(tree)
    expected, made = both("all")
    assert made == expected
