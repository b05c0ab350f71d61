"""Properties below spring.kafka that Spring Boot does not bind, and what the application's sources say."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.folder_names import FolderNames

PATH = "shop/src/main/resources/application.yml"
YAML = b"spring.kafka:\n  bootstrap-servers: k:9092\n  producer:\n    linger-ms: 10\n"


def noted(path: str, sources: dict[str, str]) -> list[str]:
    """The names that the file at the path is told to lose, beside these sources."""
    files = {path: YAML, **{name: text.encode() for name, text in sources.items()}}
    names = FolderNames(files)

    def lookup(asked: str) -> bytes | None:
        return names.of(asked.rstrip("/")) if asked.endswith("/") else files.get(asked)

    document = formats.read(path, YAML, lookup)
    return [note.setting.name for one in document.resources for note in one.notes]


CLASS = '@ConfigurationProperties(prefix = "spring.kafka.producer")\nclass Own { int lingerMs; }\n'
NAMED = '@Value("${spring.kafka.producer.linger-ms}") int linger;\n'


@pytest.mark.parametrize(
    ("place", "text", "taken"),
    [
        ("shop/src/main/java/shop/Own.java", CLASS, True),
        ("shop/src/main/kotlin/Own.kt", NAMED, True),
        ("shop/src/main/java/shop/Own.java", NAMED.replace("-ms}", "-ms:5}"), True),
        ("shop/src/main/java/shop/Own.java", CLASS.replace("lingerMs", "batches"), False),
        ("shop/src/main/java/shop/Own.java", CLASS.replace(".producer", ".consumer"), False),
        ("shop/src/main/java/shop/Own.java", NAMED.replace("linger-ms", "linger-ms-max"), False),
        ("other/src/main/java/shop/Own.java", CLASS, False),
        ("shop/src/main/resources/Own.java", CLASS, False),
        ("shop/src/test/java/shop/OwnTest.java", NAMED, False),
    ],
)
def test_a_source_beside_the_file_may_take_the_property(place: str, text: str, taken: bool) -> None:
    assert noted(PATH, {place: text}) == ([] if taken else ["spring.kafka.producer.linger-ms"])


def test_tests_read_what_the_program_and_they_themselves_have() -> None:
    path = PATH.replace("main", "test")
    for folder in ("main", "test"):
        assert not noted(path, {f"shop/src/{folder}/java/A.java": NAMED})


def test_nothing_is_looked_up_for_names_that_spring_binds() -> None:
    asked: list[str] = []

    def lookup(path: str) -> bytes | None:
        asked.append(path)
        return None

    formats.read(PATH, YAML.replace(b"linger-ms: 10", b"acks: all"), lookup)
    assert not [path for path in asked if "/java/" in path]


SECURED = b"spring.kafka:\n  bootstrap-servers: k:9092\n  security.protocol: SASL_SSL\n"
FACTORY = "class A { ProducerFactory f() { return new DefaultKafkaProducerFactory<>(map); } } // %s"


@pytest.mark.parametrize(
    ("source", "known"),
    [
        (FACTORY % "", False),
        (FACTORY % "KafkaProperties", True),
        (FACTORY % "SECURITY_PROTOCOL_CONFIG", True),
        (FACTORY.replace("new Default", "new Other") % "", True),
    ],
)
def test_factories_of_its_own_leave_the_protocol_open(source: str, known: bool) -> None:
    files = {PATH: SECURED, "shop/src/main/java/A.java": source.encode()}
    names = FolderNames(files)

    def lookup(asked: str) -> bytes | None:
        return names.of(asked.rstrip("/")) if asked.endswith("/") else files.get(asked)

    (client,) = formats.read(PATH, SECURED, lookup).resources
    assert client.settings["security.protocol"].text == ("SASL_SSL" if known else None)


@pytest.mark.parametrize(
    ("name", "told"), [("kafka_jaas.conf", True), ("client.jaas", True), ("log.conf", None)]
)
def test_a_jaas_file_beside_the_application(name: str, told: bool | None) -> None:
    login = b"""spring.kafka:
  bootstrap-servers: k1:9095
  security: {protocol: SASL_PLAINTEXT}
  properties: {sasl.mechanism: SCRAM-SHA-256}
  consumer: {group-id: billing}
"""
    names = FolderNames({PATH: login, f"{PATH.rpartition('/')[0]}/{name}": b"KafkaClient {};"})
    (consumer,) = formats.read(PATH, login, lambda asked: names.of(asked.rstrip("/"))).resources
    assert consumer.traits.jaas_file is told


OWN = b"""shop.kafka.producer:
  bootstrapServers: k:9092
  acks: "1"
  enableIdempotence: false
  maxInFlightRequestsPerConnection: 5
  transactionalId: "null"
"""
ONE = '@Value("${shop.kafka.producer.bootstrapServers}") String servers;\n'


@pytest.mark.parametrize(
    ("source", "known"),
    [
        (ONE, False),
        (ONE + '@ConfigurationProperties("shop.kafka.producer")', True),
        (ONE + 'Binder.get(environment).bind("shop.kafka", Map.class);', True),
        (ONE + '@Value("${shop.kafka.producer.enableIdempotence:true}") boolean once;', None),
        ("class A {} // kafka", True),
    ],
)
def test_names_of_its_own_that_no_source_takes(source: str, known: bool | None) -> None:
    """None: one of them is taken, the others are not."""
    files = {PATH: OWN, "shop/src/main/java/A.java": source.encode()}
    names = FolderNames(files)

    def lookup(asked: str) -> bytes | None:
        return names.of(asked.rstrip("/")) if asked.endswith("/") else files.get(asked)

    (client,) = formats.read(PATH, OWN, lookup).resources
    assert client.settings["bootstrap.servers"].text == "k:9092"
    assert client.settings["acks"].text == ("1" if known else None)
    assert client.settings["enable.idempotence"].text == (None if known is False else "false")
    assert ("transactional.id" in client.settings) == bool(known)
