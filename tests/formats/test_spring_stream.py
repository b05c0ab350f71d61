"""Several binders of Spring Cloud Stream in one application: whose clusters, clients and functions."""

from __future__ import annotations

from textwrap import dedent

from kcheck import formats
from kcheck.model import Resource

TWO = """\
spring.cloud:
  function.definition: texts;lengths;store
  stream:
    default-binder: west
    bindings:
      texts-out-0: {destination: texts}
      lengths-in-0: {destination: texts, binder: counting}
      lengths-out-0: {destination: lengths, binder: counting}
      store-in-0: {destination: lengths, group: store, binder: east}
    binders:
      west:
        type: kafka
        environment:
          spring.cloud.stream.kafka.binder:
            brokers: "${WEST:west:9092}"
            configuration: {linger.ms: 5}
            producerProperties: {acks: 1}
      east:
        type: kafka
        environment:
          spring.kafka: {bootstrap-servers: "east:9092", consumer.max-poll-records: 7}
      counting:
        type: kstream
        environment:
          spring.cloud.stream.kafka.streams.binder:
            brokers: east:9092
            applicationId: counting
            configuration: {commit.interval.ms: 1000}
    kafka.streams.bindings.lengths-in-0.consumer.configuration: {max.poll.records: 50}
"""


def clients(text: str, path: str = "application.yml") -> list[Resource]:
    data = dedent(text).encode()
    return formats.read(path, data, {path: data}.get).resources


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


def test_each_binder_is_a_cluster_of_its_own() -> None:
    producer, consumer, streams = clients(TWO)
    assert (producer.kind, producer.traits.topics) == ("producer", ("texts",))
    assert texts(producer) == {"bootstrap.servers": "west:9092", "linger.ms": "5", "acks": "1"}
    assert (consumer.kind, consumer.name) == ("consumer", "store")
    assert texts(consumer)["bootstrap.servers"] == "east:9092"
    assert texts(consumer)["max.poll.records"] == "7"
    assert (streams.kind, streams.name) == ("streams", "counting")
    assert (streams.traits.topics, streams.traits.writes) == (("texts",), ("lengths",))
    assert texts(streams) == {
        "bootstrap.servers": "east:9092",
        "application.id": "counting",
        "commit.interval.ms": "1000",
        "max.poll.records": "50",
    }


def test_two_streams_binders_are_two_applications() -> None:
    text = """\
        spring.cloud.stream:
          bindings:
            a-in-0: {destination: x, binder: one}
            b-in-0: {destination: y, binder: two}
          binders:
            one: {type: kstream, environment: {spring.cloud.stream.kafka.streams.binder: {brokers: "p:1", applicationId: a}}}
            two: {type: kstream, environment: {spring.cloud.stream.kafka.streams.binder: {brokers: "q:1", applicationId: b}}}
        """
    found = [(c.name, texts(c)["bootstrap.servers"], c.traits.topics) for c in clients(text)]
    assert found == [("a", "p:1", ("x",)), ("b", "q:1", ("y",))]


def test_a_streams_binder_may_have_its_brokers_from_boot() -> None:
    text = """\
        spring.cloud.stream:
          bindings.a-in-0: {destination: x, binder: one}
          binders.one: {type: kstream, environment: {spring.kafka.bootstrap-servers: "p:1"}}
        """
    (streams,) = clients(text)
    assert (streams.kind, texts(streams)["bootstrap.servers"]) == ("streams", "p:1")


def test_functions_without_settings_of_their_own_have_those_of_the_binder() -> None:
    text = """\
        spring.cloud.stream:
          bindings: {a-in-0: {destination: x, binder: one}, b-in-0: {destination: y, binder: one}}
          binders.one:
            type: kstream
            environment.spring.cloud.stream.kafka.streams.binder: {brokers: "p:1", configuration: {commit.interval.ms: 5}}
          kafka.streams.binder.functions.a: {applicationId: first, configuration: {commit.interval.ms: 7}}
        """
    found = [
        (texts(c).get("application.id"), texts(c)["commit.interval.ms"]) for c in clients(text)
    ]
    assert found == [("first", "7"), (None, "5")]


def test_what_the_message_binder_is_told_beside_streams_is_read() -> None:
    text = """\
        spring.cloud.stream:
          function.definition: process;hello
          bindings: {process-in-0.destination: words, hello-in-0.destination: counts}
          kafka:
            streams.binder: {applicationId: count, configuration: {security.protocol: SSL}}
            binder.configuration: {security.protocol: SASL_PLAINTEXT, sasl.mechanism: PLAIN}
        """
    streams, client = clients(text)
    assert (streams.kind, client.kind) == ("streams", "client")
    assert texts(client) == {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}


def test_a_binding_within_another_is_told_once() -> None:
    text = """\
        spring.cloud.stream:
          bindings:
            a-out-0: {destination: x}
            a-out-1: {destination: y}
          kafka:
            binder.brokers: k:9092
            bindings:
              a-out-0:
                producer.configuration: {linger.ms: 5}
                a-out-1:
                  producer.configuration: {linger.ms: 7, acks: 1}
        """
    first, second = clients(text)
    (note,) = first.notes
    assert note.code == "KC0160"
    assert (
        note.fix
        == "set spring.cloud.stream.kafka.bindings.a-out-1.producer.configuration.linger.ms"
    )
    assert (texts(first)["linger.ms"], "linger.ms" in second.settings) == ("5", False)


def test_channels_of_annotations_and_logins_of_binders() -> None:
    text = """\
        spring.cloud.stream:
          bindings:
            input: {destination: a, binder: one}
            output1: {destination: b, binder: two}
          binders:
            one: {type: kafka, environment: {spring.cloud.stream.kafka.binder: {brokers: "p:1", jaas: {loginModule: a.B}}}}
            two: {type: kafka, environment: {spring.cloud.stream.kafka.binder: {brokers: "q:1", jaas: {loginModule: a.B}}}}
          kafka.binder.configuration: {security.protocol: SASL_PLAINTEXT, sasl.mechanism: PLAIN}
        """
    consumer, producer = clients(text)
    assert (consumer.kind, texts(consumer)["bootstrap.servers"]) == ("consumer", "p:1")
    assert (producer.kind, texts(producer)["bootstrap.servers"]) == ("producer", "q:1")
    assert consumer.traits.jaas_file and producer.traits.jaas_file
