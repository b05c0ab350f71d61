"""Flows of NiFi: processors of one client each, connection services, parameters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from spans import under

from kcheck import formats
from kcheck.discover import Inputs
from kcheck.model import FAILED, PASSED_OVER, Document, Resource

OLD = "org.apache.nifi.processors.kafka.pubsub"
NEW = "org.apache.nifi.kafka"


def read(flow: object, path: str = "flow.json") -> Document:
    data = flow.encode() if isinstance(flow, str) else json.dumps(flow, indent=1).encode()
    return formats.read(path, data, {path: data}.get)


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


def test_a_processor_of_nifi_1_has_its_whole_client() -> None:
    properties = {
        "bootstrap.servers": "k:9092",
        "topic": "a,b",
        "topic_type": "names",
        "group.id": "g",
        "max.poll.records": "10000",
        "security.protocol": "PLAINTEXT",
        "sasl.mechanism": "GSSAPI",
        "Communications Timeout": "60 secs",
        "request.timeout.ms": "30 sec",
        "record-reader": None,
    }
    processor = {"type": f"{OLD}.ConsumeKafkaRecord_2_6", "name": "In", "properties": properties}
    (consumer,) = read({"flowContents": {"processors": [processor]}}).resources
    assert (consumer.kind, consumer.name, consumer.traits.topics) == ("consumer", "g", ("a", "b"))
    assert texts(consumer) == {
        "bootstrap.servers": "k:9092",
        "group.id": "g",
        "max.poll.records": "10000",
        "security.protocol": "PLAINTEXT",
        "request.timeout.ms": "30000",
    }
    assert consumer.image["enable.auto.commit"].text == "false"


def test_a_producer_has_sizes_in_bytes_and_ids_of_nifi_s_own() -> None:
    properties = {
        "bootstrap.servers": "${brokers}",
        "topic": "${topic}",
        "acks": "all",
        "max.request.size": "1 MB",
        "max.block.ms": "5 sec",
        "use-transactions": "true",
        "linger.ms": "2 ms",
    }
    processor = {"type": f"{OLD}.PublishKafka_2_6", "name": "Out", "properties": properties}
    (producer,) = read({"rootGroup": {"processGroups": [{"processors": [processor]}]}}).resources
    assert (producer.kind, producer.name, producer.traits.topics) == ("producer", "Out", None)
    assert texts(producer) == {
        "bootstrap.servers": None,
        "acks": "all",
        "max.request.size": "1048576",
        "max.block.ms": "5000",
        "linger.ms": "2",
    }
    assert producer.image["transactional.id"].text is None


def flow(value: str | None = "earliest") -> dict[str, object]:
    return {
        "flowContents": {
            "parameterContextName": "ctx",
            "processors": [
                {
                    "type": f"{NEW}.processors.ConsumeKafka",
                    "name": "In",
                    "properties": {
                        "Kafka Connection Service": "svc",
                        "Group ID": "#{Group}",
                        "Topics": "#{'Topic'}",
                        "auto.offset.reset": "#{Reset}",
                    },
                }
            ],
            "controllerServices": [
                {
                    "identifier": "svc",
                    "type": f"{NEW}.service.Kafka3ConnectionService",
                    "properties": {
                        "bootstrap.servers": "k:9092",
                        "isolation.level": "read_committed",
                    },
                }
            ],
        },
        "parameterContexts": {
            "ctx": {
                "name": "ctx",
                "parameters": [
                    {"name": "Reset", "value": value},
                    {"name": "Topic", "value": "orders"},
                    {"name": "Group", "sensitive": True},
                ],
            }
        },
    }


def test_a_processor_of_nifi_2_has_its_brokers_from_a_service_and_parameters_of_its_context() -> (
    None
):
    (consumer,) = read(flow()).resources
    assert texts(consumer) == {
        "bootstrap.servers": "k:9092",
        "isolation.level": "read_committed",
        "group.id": None,
        "auto.offset.reset": "earliest",
    }
    assert consumer.traits.topics == ("orders",)


def test_a_parameter_without_a_value_is_unknown() -> None:
    (consumer,) = read(flow(None)).resources
    assert texts(consumer)["auto.offset.reset"] is None


def test_values_have_their_places() -> None:
    text = json.dumps(flow(), indent=1)
    (consumer,) = read(text).resources
    setting = consumer.settings["isolation.level"]
    assert under(text, setting.at).strip('"') == "read_committed"
    assert setting.name == "isolation.level"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (
            '{"processors": [{"type": "a.ConsumeMQTT", "properties": {"topic": "Kafka"}}]}',
            PASSED_OVER,
        ),
        ('{"type": "a.PublishKafka", "properties": {"topic": "x"}}', PASSED_OVER),
        ('{"type": "a.PublishKafka", "properties": [1], "name": 5}', PASSED_OVER),
        ('{"type": "a.PublishKafka", "properties": {"acks": "all",}', FAILED),
    ],
)
def test_what_is_no_flow_with_kafka(text: str, status: str) -> None:
    assert read(text).status == status


def test_a_deep_flow_ends() -> None:
    deep = '{"processGroups":[' * 2_000
    assert read(f'{deep}{{"type": "a.PublishKafka", "properties": {{}}}}').resources == []


def test_a_compressed_flow_is_named(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "flow.json.gz").write_bytes(b"\x1f\x8b\x00")
    inputs = Inputs([str(tmp_path)], ())
    assert list(inputs) == []
    (document,) = inputs.documents(searched=True)
    assert document.reason == "a compressed flow of NiFi: unpack it to check it"
