"""Logstash pipelines: what of them is Kafka's, where it stands, and what is Logstash's own."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.model import PASSED_OVER, Document
from kcheck.settings import Settings
from kcheck.syntax.logstash import plugins

PIPELINE = """\
# orders => search
input {
  kafka {
    bootstrap_servers => "k1:9092,k2:9092"
    topics => ["orders", 'clicks']
    group_id => "search"   # ours
    consumer_threads => 3
    max_poll_records => 500
    enable_auto_commit => "false"
    partition_assignment_strategy => "cooperative_sticky"
    codec => json { charset => "UTF-8" }
    decorate_events => true
    add_field => { "kafka" => "%{topic}" "acks" => "1" }
    sasl_jaas_config => "${JAAS:none}"
  }
  beats { port => 5044 }
}
filter { mutate { acks => "all" } }
output {
  if [type] == "order" and "_failure" not in [tags] {
    kafka {
      bootstrap_servers => "k1:9092"
      topic_id => "found"
      acks => "1"
      linger_ms => 5
    }
  } else if [type] =~ /^x/ {
    elasticsearch { hosts => ["http://e:9200"] }
  } else {
    kafka { bootstrap_servers => "k1:9092" topic_id => "%{[to]}" client_id => 'rest' }
  }
}
"""


def read(text: str) -> Document:
    return formats.read("pipeline.conf", text.encode(), {}.get)


def test_what_is_kafkas() -> None:
    document = read(PIPELINE)
    assert document.format == "client-other"
    found = {
        (r.kind, r.name): {key: (s.text, s.at[0]) for key, s in r.settings.items()}
        for r in document.resources
    }
    assert found == {
        ("consumer", "search"): {
            "bootstrap.servers": ("k1:9092,k2:9092", 4),
            "group.id": ("search", 6),
            "max.poll.records": ("500", 8),
            "enable.auto.commit": ("false", 9),
            "sasl.jaas.config": (None, 14),
        },
        ("producer", "pipeline.conf"): {
            "bootstrap.servers": ("k1:9092", 22),
            "acks": ("1", 24),
            "linger.ms": ("5", 25),
        },
        ("producer", "rest"): {"bootstrap.servers": ("k1:9092", 30), "client.id": ("rest", 30)},
    }


def test_topics() -> None:
    search, found, rest = read(PIPELINE).resources
    assert search.values["topics"] == ["orders", "clicks"]
    assert search.facts["topics"].at == (5, 17, 5, 23)
    assert found.values["topics"] == ["found"]
    assert "topics" not in rest.values


def test_places_are_inside_of_the_quotes() -> None:
    (search, *_) = read(PIPELINE).resources
    group = search.settings["group.id"]
    assert (group.name, group.at, group.key_at) == ("group_id", (6, 18, 6, 24), (6, 5, 6, 13))
    assert search.settings["max.poll.records"].at == (8, 25, 8, 28)


def test_the_plugins_own_defaults_are_not_kafkas() -> None:
    """What the pipeline does not say is unknown: no rule speaks of it."""
    quiet = 'output { kafka { bootstrap_servers => "k1:9092" security_protocol => "SASL_SSL" } }\n'
    project = lint_project([("out.conf", quiet.encode())], Settings())
    assert [f.code for f in project.findings if f.severity != "info"] == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        ("input {", []),
        ("input { kafka { a => ", ["kafka"]),
        ("input { kafka { a => [1, 2", ["kafka"]),
        ("input { kafka { a => 'never closed } }", ["kafka"]),
        ("input { kafka { a => { b => { c => d } } e => f } stdin {} }", ["kafka", "stdin"]),
        ("output { if [a][b] { x {} } else { y { z => 1 } } }", ["x", "y"]),
        ("input { " + "if [a] { " * 99 + "x {}", []),
        ('input { a { \'b\' => "c \\" }" } } # }\noutput { d {} }', ["a", "d"]),
    ],
)
def test_broken_and_odd_ones(text: str, names: list[str]) -> None:
    assert [plugin.name.text for plugin in plugins(text)] == names


def test_a_pipeline_without_kafka() -> None:
    text = 'input { beats {\n  bootstrap_servers => "k"\n}\n}\noutput { stdout {\n}\n}\n'
    document = read(text)
    assert (document.status, document.resources) == (PASSED_OVER, [])
