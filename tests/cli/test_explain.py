"""``kcheck explain``: rules, keys and errors; what wins where a word is several; what is nearest."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playground import Project

from kcheck import rules
from kcheck.cli import rule_view
from kcheck.examples import examples
from kcheck.rule import Rule

ALL = list(rules.load().values())
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.code)
def test_a_rule(rule: Rule, project: Project) -> None:
    by_code, by_name = project.run("explain", rule.code), project.run("explain", rule.name)
    assert by_code == by_name
    assert by_code.code == 0
    assert rule.summary.replace("``", "`") in by_code.out
    assert "``" not in by_code.out
    for example in examples(rule):
        for text in example.files.values():
            first = text.splitlines()[0].strip()
            assert first in by_code.out
    for name in rule.options:
        assert f"{name.replace('_', '-')} = " in by_code.out
    assert "\x1b" not in by_code.out


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.code)
def test_prose_fits_the_terminal_and_examples_stay(rule: Rule) -> None:
    wide, narrow = (rule_view.text(rule, ["A"] * 30, str, columns) for columns in (0, 80))
    assert wide.split() == narrow.split()
    for line in narrow.splitlines():
        assert len(line) <= 80 or line.startswith("    ") or " " not in line.strip(), line
    for example in examples(rule):
        for text in example.files.values():
            assert all(f"    {line}".rstrip() in narrow for line in text.splitlines())


def test_a_rule_and_the_errors_that_it_explains(project: Project) -> None:
    shows = told(project, "min-isr-eq-rf")["rule"]["errors"]
    assert {"NotEnoughReplicasException", "records-expired"} <= set(shows)
    for name in shows:
        assert project.run("explain", name).code == 0
    assert "Possible symptoms: NotEnoughReplicasException" in project.run("explain", "KC0303").out


def test_what_is_nothing(project: Project) -> None:
    assert "did you mean durability-triad?" in project.run("explain", "durabilty-triad").err
    assert "did you mean linger.ms?" in project.run("explain", "linger.mss").err
    assert (
        "did you mean NotControllerException?" in project.run("explain", "NotControlException").err
    )
    assert "kcheck rules --select KC03" in project.run("explain", "KC03").err
    assert project.run("explain", "KC03").code == 2
    assert project.run("explain").code == 2
    assert project.run("explain", "").code == 2
    assert "\x1b" in project.run("explain", "KC0301", "--color", "always").out
    nobody = project.run("explain", "the quick brown fox")
    assert (nobody.code, nobody.out) == (2, "") and "no known error matches this log" in nobody.err
    near = project.run("explain", "the message was bytes when serialized, larger than allowed")
    assert near.code == 2 and "RecordTooLargeException" in near.err


def told(project: Project, *words: str) -> dict[str, Any]:
    result = project.run("explain", *words, "--output", "json")
    assert result.code == 0, result.err
    document: dict[str, Any] = json.loads(result.out)
    assert document["version"] == 1
    return document


def test_a_key(project: Project) -> None:
    document = told(project, "max.message.bytes")
    assert document["kind"] == "key"
    key = document["key"]
    assert [heir["key"] for heir in key["inherits"]] == ["message.max.bytes"]
    assert key["planes"][0]["history"][-1]["default"] == "1048588"
    assert "KC0501" in [rule["code"] for rule in key["rules"]]
    broker = told(project, "message.max.bytes")["key"]
    assert {"KC0507": "max.message.bytes"}.items() <= {
        rule["code"]: rule["through"] for rule in broker["rules"]
    }.items()
    assert "KAFKA_CFG_MESSAGE_MAX_BYTES" in broker["variables"]
    strimzi = told(project, "advertised.listeners")["key"]["strimzi"]
    assert strimzi[0]["instead"] == "spec.kafka.listeners[].configuration"


def test_a_key_in_words(project: Project) -> None:
    text = project.run("explain", "retention.ms").out
    assert "604,800,000 ms (7 d)" in text
    assert "log.retention.hours of the brokers (in hours)" in " ".join(text.split())
    assert "KC0704 retention-check-granularity" in text
    text = project.run("explain", "linger.ms").out
    assert "4.0: default 0, then 5 ms" in text
    gone = project.run("explain", "host.name").out
    assert "Not a key of any version from 2.8 on" in gone or "removed in 3.0" in gone
    assert "listeners" in gone


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("KAFKA_CFG_LOG_RETENTION_HOURS", "is log.retention.hours in the image bitnami/kafka"),
        ("queue.buffering.max.kbytes", "is the name in librdkafka of buffer.memory"),
        ("spring.kafka.consumer.group-id", "is the name in Spring Boot of group.id"),
    ],
)
def test_a_key_by_another_name(project: Project, word: str, said: str) -> None:
    assert said in project.run("explain", word).out


def test_a_key_that_another_library_means_otherwise(project: Project) -> None:
    (other,) = told(project, "message.max.bytes")["also"]
    assert (
        other == "also the name in librdkafka of max.request.size: kcheck explain max.request.size"
    )
    assert told(project, "linger.ms")["also"] == []


def test_an_error(project: Project) -> None:
    document = told(project, "NotEnoughReplicasException")
    assert document["kind"] == "error"
    (error,) = document["errors"]
    assert (error["classes"][0]["error"], error["classes"][0]["code"]) == (
        "NOT_ENOUGH_REPLICAS",
        19,
    )
    assert error["classes"][0]["retriable"] is True
    codes = [rule["code"] for cause in error["causes"] for rule in cause["rules"]]
    assert {"KC0302", "KC0303"} <= set(codes)
    same = ("NOT_ENOUGH_REPLICAS", "19", "NotEnoughReplicasError")
    assert all(told(project, word)["errors"] == [error] for word in same)
    text = project.run("explain", "NotEnoughReplicasException").out
    assert "kcheck lint --select KC0302," in text
    select = text.rpartition("--select ")[2].split()[0]
    assert project.run("rules", "--select", select).code == 0


def test_the_text_of_a_log(project: Project, stdin: Callable[[str], None]) -> None:
    trace = (
        "org.apache.kafka.common.KafkaException: Failed to construct kafka producer\n"
        "Caused by: ConfigException: delivery.timeout.ms should be equal to or larger than "
        "linger.ms + request.timeout.ms\n"
    )
    stdin(trace)
    text = project.run("explain", "-").out
    assert text.startswith("> Caused by:") and "KC1301 delivery-timeout-sum" in text
    assert "kcheck explain delivery.timeout.ms" in text
    stdin(trace)
    names = [error["name"] for error in told(project, "-")["errors"]]
    assert names[0] == "delivery-timeout-too-short" and "KafkaException" in names
    stdin("")
    assert "standard input is empty" in project.run("explain", "-").err
    # Unquoted, too.
    assert told(project, "Map", "failed")["errors"][0]["name"] == "map-failed"


def test_a_word_that_is_several(project: Project) -> None:
    result = project.run("explain", "listeners")
    assert result.out.startswith("listeners is also a family of rules: kcheck rules --select")
    assert told(project, "listeners")["kind"] == "key"
    assert project.run("explain", "--as", "rule", "listeners").code == 2
    assert project.run("explain", "--as", "key", "listeners").code == 0
    wrong = project.run("explain", "--as", "error", "linger.ms")
    assert wrong.code == 2 and "no error is named linger.ms" in wrong.err


def test_a_rule_named_like_a_key(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = Rule("KC0398", "acks", "error", ALL[20].check)
    monkeypatch.setattr(rules, "load", lambda: {r.code: r for r in (*ALL, rule)})
    document = told(project, "acks")
    assert document["kind"] == "rule"
    assert document["also"] == ["also a key: kcheck explain --as key acks"]
    assert told(project, "--as", "key", "acks")["kind"] == "key"


def test_lines_stay_within_a_terminal(project: Project) -> None:
    for word in ("listeners", "NotEnoughReplicasException", "sasl.mechanism", "Map failed"):
        for line in project.run("explain", word).out.splitlines():
            # A command to copy, and a value in one piece, are not broken.
            piece = max(map(len, line.split()), default=0)
            assert len(line) <= 80 or "--select" in line or piece > 50, line


@pytest.mark.parametrize(
    ("subject", "code"),
    [
        ("InvalidSessionTimeoutException", "KC0901"),
        ("rf-le-brokers", "KC0304"),
        ("acks", "KC0307"),
        ("UnderMinIsrPartitionCount", ""),
    ],
)
def test_the_rules_that_are_named_look_in_a_configuration(
    subject: str, code: str, project: Project
) -> None:
    shutil.copytree(FIXTURES / "payments", project.root / "conf")
    result = project.run("explain", subject, "--in", "conf")
    told, _, found = result.out.partition("\nIn conf:\n\n")
    assert result.code == 0
    assert f"[{code} " in found if code else found == "Found nothing.\n"
    known = json.loads(project.run("explain", subject, "--in", "conf", "--output", "json").out)
    assert all(finding["rule"] in told for finding in known["findings"])


def test_what_cannot_be_looked_for_is_refused(project: Project) -> None:
    project.file("conf/server.properties", "broker.id=1\n")
    assert project.run("explain", "KC0304", "--in", "nowhere").code == 2
    assert "findings" not in json.loads(project.run("explain", "acks", "--output", "json").out)
