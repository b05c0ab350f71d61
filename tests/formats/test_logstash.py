"""Logstash pipelines: their ``kafka`` inputs and outputs, wherever they stand."""

from __future__ import annotations

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.model import PASSED_OVER, Document
from kcheck.settings import Settings

PIPELINE = """\
# kafka { group_id => "not this" }
input {
  kafka {
    bootstrap_servers => "k1:9092,k2:9092"
    topics => ["logs", "audit"]
    group_id => 'indexers'
    session_timeout_ms => 30000   # ms
    partition_assignment_strategy => "round_robin"
    codec => json { charset => "UTF-8" }
    add_field => { "kafka" => "{ yes }" }
    decorate_events => basic
    client_id => "${HOSTNAME}"
  }
}
filter {
  if [message] =~ /kafka \\{ "/ { drop { } }
}
output {
  if [type] == "audit" {
    kafka { bootstrap_servers => "k1:9092" topic_id => "out-%{type}" acks => "1" }
  } else {
    stdout { codec => rubydebug }
  }
}
"""


def read(text: str, path: str = "pipeline.conf") -> Document:
    return formats.read(path, text.encode(), {}.get)


def texts(document: Document, number: int) -> dict[str, str | None]:
    return {key: s.text for key, s in document.resources[number].settings.items()}


def test_inputs_consume_and_outputs_produce() -> None:
    document = read(PIPELINE)
    assert document.format == "client-other"
    assert [(r.kind, r.name) for r in document.resources] == [
        ("consumer", "indexers"),
        ("producer", "pipeline.conf"),
    ]
    assert texts(document, 0) == {
        "bootstrap.servers": "k1:9092,k2:9092",
        "group.id": "indexers",
        "session.timeout.ms": "30000",
        "partition.assignment.strategy": "org.apache.kafka.clients.consumer.RoundRobinAssignor",
        "client.id": None,
    }
    assert document.resources[0].traits.topics == ("logs", "audit")
    assert texts(document, 1) == {"bootstrap.servers": "k1:9092", "acks": "1"}
    assert not document.resources[1].traits.topics


def test_places_are_those_of_the_values_without_quotes() -> None:
    settings = read(PIPELINE).resources[0].settings
    assert settings["group.id"].at == (6, 18, 6, 26)
    assert settings["group.id"].key_at == (6, 5, 6, 13)
    assert settings["session.timeout.ms"].at == (7, 27, 7, 32)


def test_the_plugin_has_a_group_and_serializers_of_its_own() -> None:
    image = read('input {\n kafka { topics => "logs" client_id => x }\n}\n').resources[0].image
    assert image["group.id"].text == "logstash"
    assert image["value.deserializer"].text == (
        "org.apache.kafka.common.serialization.StringDeserializer"
    )


def test_what_is_no_pipeline_is_left_to_others() -> None:
    assert read("kafka {\n a => b\n}\ninput {\n}\n").status == PASSED_OVER
    for cut in range(len(PIPELINE)):
        read(PIPELINE[:cut])


def test_members_of_two_pipelines_that_share_no_assignor() -> None:
    files = [
        (
            name,
            f'input {{\n  kafka {{ bootstrap_servers => "k1:9092" group_id => "indexers"\n'
            f'    partition_assignment_strategy => "{word}" }}\n}}\n'.encode(),
        )
        for name, word in (("a.conf", "range"), ("b.conf", "round_robin"))
    ]
    found = lint_project(files, Settings(), dict(files).get).findings
    assert [(f.code, f.path, f.at[0]) for f in found] == [("KC0910", "b.conf", 3)]
