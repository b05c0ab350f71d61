"""Files of one environment (Micronaut) or profile (Quarkus) go over the main files beside them."""

from __future__ import annotations

from kcheck import formats
from kcheck.model import START, Resource


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


def test_micronaut_s_environment_goes_over_the_main_file() -> None:
    main = "micronaut: {}\nkafka:\n  bootstrap: {servers: k:9092}\n  producers: {default: {acks: all, linger.ms: 5}}\n"
    own = "micronaut: {}\nkafka: {producers: {default: {acks: 1}}}\n"
    sources = {"app/application.yml": main.encode(), "app/application-prod.yml": own.encode()}
    path = "app/application-prod.yml"
    (producer,) = formats.read(path, sources[path], sources.get).resources
    assert texts(producer) == {"bootstrap.servers": "k:9092", "acks": "1", "linger.ms": "5"}
    assert (producer.traits.profile, producer.at) == ("prod", START)
    assert producer.settings["acks"].path == path and producer.earlier == []


def test_micronaut_s_main_file_is_of_no_environment() -> None:
    text = "micronaut: {}\nkafka: {bootstrap: {servers: k:9092}, consumers: {c: {group.id: g}}}\n"
    sources = {"application.yml": text.encode()}
    (consumer,) = formats.read("application.yml", sources["application.yml"], sources.get).resources
    assert (consumer.traits.profile, consumer.at[0]) == ("", 2)


def test_quarkus_file_of_a_profile_goes_over_the_profile_s_keys() -> None:
    main = (
        "quarkus.http.port=1\nkafka.bootstrap.servers=k:9092\n%prod.kafka.bootstrap.servers=p:9092\n"
        "mp.messaging.outgoing.o.connector=smallrye-kafka\nmp.messaging.outgoing.o.acks=all\n"
        "%prod.mp.messaging.outgoing.o.linger.ms=5\n"
    )
    own = "mp.messaging.outgoing.o.acks=1\n"
    sources = {"application.properties": main.encode(), "application-prod.properties": own.encode()}
    path = "application-prod.properties"
    (producer,) = formats.read(path, sources[path], sources.get).resources
    assert texts(producer) == {"bootstrap.servers": "p:9092", "linger.ms": "5", "acks": "1"}
    assert (producer.traits.profile, producer.at) == ("prod", START)


def test_a_file_of_a_profile_with_nothing_of_kafka_s_makes_no_clients() -> None:
    sources = {
        "application.yml": b"micronaut: {}\nkafka: {bootstrap: {servers: k:9092}, consumers: {c: {}}}\n",
        "application-dev.yml": b"micronaut: {}\nkafka.enabled: false\n",
    }
    path = "application-dev.yml"
    assert formats.read(path, sources[path], sources.get).resources == []
