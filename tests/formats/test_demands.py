"""What the options of one object demand of each other, by the rows of schemas/names/demands.tsv."""

from __future__ import annotations

import pytest

from kcheck import data, formats
from kcheck.engine import lint_project
from kcheck.formats import demands
from kcheck.model import Document
from kcheck.settings import Settings

_VERBS = {"needs": "KC0184", "excludes": "KC0172", "takes": "KC0172", "ignores": "KC0173"}
_ROWS = data.rows("names/demands.tsv")


class _Option:
    def __init__(self, name: str, text: str | None) -> None:
        self.name = name
        self.text = text
        self.at = (2, 3, 2, 9)


def told(form: str, holder: str, options: dict[str, str | None]) -> list[tuple[str, str]]:
    document = Document("some.yaml")
    given = [_Option(name, text) for name, text in options.items()]
    demands.tell(document, form, (holder,), "it", given, (1, 1, 1, 2), "it ends")
    return [(one.code, one.message) for one in document.problems]


def test_each_row_can_be_read_and_has_a_source() -> None:
    for forms, holder, _, demand, severity, _, source in _ROWS:
        assert forms and holder and source
        assert demand.partition(" ")[0] in _VERBS
        assert severity in ("", "warning", "error")
    assert len(_ROWS) > 150
    for form in {form for row in _ROWS for form in row[0].split()}:
        holders = {row[1] for row in _ROWS if form in row[0].split()}
        for holder in holders:
            told(form, holder, {})  # compiles all conditions and patterns


@pytest.mark.parametrize(
    ("form", "holder", "options", "code"),
    [
        ("vector", "consumer", {"drain_timeout_ms": "15000"}, "KC0172"),
        (
            "vector",
            "consumer",
            {"drain_timeout_ms": "15000", "session_timeout_ms": "9000"},
            "KC0172",
        ),
        ("vector", "consumer", {"drain_timeout_ms": "5000"}, ""),
        ("vector", "consumer", {"drain_timeout_ms": None}, ""),
        ("vector", "consumer", {"drain_timeout_ms": "15000", "session_timeout_ms": None}, ""),
        ("telegraf", "producer", {"compression_codec": "4", "version": "1.0.0"}, "KC0172"),
        ("telegraf", "producer", {"compression_codec": "4", "version": "2.10.0"}, ""),
        ("telegraf", "producer", {"compression_codec": "4"}, ""),
        ("dapr", "client", {"compression": "zstd"}, "KC0172"),
        ("dapr", "client", {"heartbeatInterval": "10s", "sessionTimeout": "10000ms"}, "KC0172"),
        ("dapr", "client", {"heartbeatInterval": "3s", "sessionTimeout": "10s"}, ""),
        (
            "keda",
            "client",
            {"limitToPartitionsWithLag": "true", "allowIdleConsumers": "true"},
            "KC0172",
        ),
        ("keda", "client", {"limitToPartitionsWithLag": "true", "allowIdleConsumers": "false"}, ""),
        ("keda", "client", {"limitToPartitionsWithLag": "${LIMIT}"}, ""),
        ("redpanda-connect", "consumer", {"topics": "orders,eu:0"}, "KC0172"),
        ("redpanda-connect", "consumer", {"topics": "orders:1,eu:0"}, ""),
        ("otel-collector", "consumer", {"session_timeout": "30000"}, "KC0172"),
        ("otel-collector", "consumer", {"session_timeout": "30s"}, ""),
        ("spark", "consumer", {"kafka.group.id": "a", "groupIdPrefix": "b"}, "KC0173"),
        (
            "spring",
            "boot",
            {"spring.kafka.listener.type": "BATCH", "spring.kafka.listener.ackMode": "RECORD"},
            "KC0172",
        ),
        (
            "spring",
            "boot",
            {"spring.kafka.listener.type": "single", "spring.kafka.listener.ack-mode": "record"},
            "",
        ),
    ],
)
def test_what_is_refused_and_what_is_idle(
    form: str, holder: str, options: dict[str, str | None], code: str
) -> None:
    found = [one for one, _ in told(form, holder, options) if one != "KC0184"]
    assert found == ([code] if code else [])


def test_words_of_what_is_missing() -> None:
    found = told(
        "keda", "client", {"bootstrapServers": "k1:9092", "limitToPartitionsWithLag": "true"}
    )
    assert [message for _, message in found] == [
        "it has no consumerGroup",
        "it has no topic, which limitToPartitionsWithLag=true requires",
    ]


def test_a_finding_stands_where_the_option_does() -> None:
    text = """\
spring:
  kafka:
    bootstrap-servers: k1.example.com:9092
    listener:
      type: batch
      ack-mode: record
"""
    document = formats.read("application.yml", text.encode(), lambda path: None)
    (found,) = [one for one in document.problems if one.code == "KC0172"]
    assert found.at == (6, 17, 6, 23)


def test_profiles_tell_it_once() -> None:
    text = """\
spring:
  kafka:
    bootstrap-servers: k1.example.com:9092
    listener: {type: batch, ack-mode: record}
---
spring:
  config.activate.on-profile: prod
  kafka.consumer.group-id: billing
"""
    files = {"application.yml": text.encode()}
    found = lint_project(
        [*files.items()], Settings(sets=("default", "preview")), files.get
    ).findings
    assert [one.code for one in found].count("KC0172") == 1
