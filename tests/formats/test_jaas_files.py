"""Files with the logins of a JVM, and who gets them."""

from __future__ import annotations

import pytest
from spans import under

from kcheck import formats
from kcheck.model import FAILED, PASSED_OVER, SKIPPED, Document

PATH = "secrets/kafka_server_jaas.conf"
FILE = """\
// the brokers
KafkaServer {
  org.apache.kafka.common.security.plain.PlainLoginModule required
    username="admin" password="a/b" /* theirs */
    user_admin="a/b";
  org.apache.kafka.common.security.scram.ScramLoginModule required username="x" password="y";
};
sasl_ssl.KafkaServer { com.sun.security.auth.module.Krb5LoginModule Required useKeyTab=true; };
KafkaClient {
  org.apache.kafka.common.security.plain.PlainLoginModule required username="c" password="d";
};
"""
COMPOSE = """\
services:
  kafka:
    image: confluentinc/cp-kafka:7.6.0
    environment:
      KAFKA_NODE_ID: 1
      KAFKA_LISTENERS: A://:9092,SASL_SSL://:9093,B://:9094
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: A:SASL_PLAINTEXT,SASL_SSL:SASL_SSL,B:SSL
      KAFKA_SASL_ENABLED_MECHANISMS: PLAIN,GSSAPI
      KAFKA_OPTS: -Djava.security.auth.login.config=/etc/kafka/secrets/kafka_server_jaas.conf
    volumes: ["./secrets:/etc/kafka/secrets"]
  registry:
    image: confluentinc/cp-schema-registry:7.6.0
    environment:
      SCHEMA_REGISTRY_HOST_NAME: registry
      SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: SASL_PLAINTEXT://kafka:9092
      SCHEMA_REGISTRY_KAFKASTORE_SECURITY_PROTOCOL: SASL_PLAINTEXT
      SCHEMA_REGISTRY_OPTS: -Djava.security.auth.login.config=/jaas.conf -Xmx1g
    volumes: ["./secrets/kafka_server_jaas.conf:/jaas.conf:ro"]
"""
_END = ".sasl.jaas.config"


def read(path: str, files: dict[str, str]) -> Document:
    held = {name: text.encode() for name, text in files.items()}
    return formats.read(path, held[path], held.get)


def project(file: str = FILE, compose: str = COMPOSE) -> Document:
    return read("docker-compose.yml", {"docker-compose.yml": compose, PATH: file})


def test_it_is_told_what_the_file_is() -> None:
    document = read(PATH, {PATH: FILE})
    assert (document.format, document.status, document.problems) == ("jaas", PASSED_OVER, [])
    assert "logins of a JVM" in document.reason


def test_brokers_and_clients_get_the_logins_of_their_file() -> None:
    broker, registry = project().resources
    logins = {key: one for key, one in broker.settings.items() if key.endswith(_END)}
    plain = logins.pop("listener.name.a.plain.sasl.jaas.config")
    kerberos = logins.pop("listener.name.sasl_ssl.gssapi.sasl.jaas.config")
    assert not logins
    assert (plain.path, kerberos.path) == (PATH, PATH)
    assert under(FILE, kerberos.at).startswith("com.sun")
    assert (plain.text or "").endswith('user_admin="a/b";')
    assert (registry.settings["sasl.jaas.config"].text or "").endswith('password="d";')
    assert (broker.traits.jaas_file, registry.traits.jaas_file) == (True, True)


def test_a_file_without_the_section_is_none() -> None:
    broker, registry = project(FILE.replace("Kafka", "Other").replace("sasl_ssl.", "b.")).resources
    assert (broker.traits.jaas_file, registry.traits.jaas_file) == (False, False)
    assert broker.traits.jaas_lacks == registry.traits.jaas_lacks == PATH


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("./secrets:/etc", "secrets:/etc"),
        ("/etc/kafka/secrets/kafka_server", "/etc/kafka/secrets/other"),
        ("KAFKA_LISTENERS: A", "KAFKA_LISTENERS: ${NAME}"),
        ("kafka_server_jaas.conf\n    volumes", "${FILE}\n    volumes"),
    ],
)
def test_a_file_that_is_not_known_tells_nothing(old: str, new: str) -> None:
    broker = project(compose=COMPOSE.replace(old, new)).resources[0]
    assert not [key for key in broker.settings if key.endswith(_END)]
    assert broker.traits.jaas_file is not False


def test_what_the_broker_has_itself_goes_over_the_file() -> None:
    own = "KAFKA_LISTENER_NAME_A_PLAIN_SASL_JAAS_CONFIG: x required;\n      KAFKA_OPTS"
    broker = project(compose=COMPOSE.replace("KAFKA_OPTS", own)).resources[0]
    assert broker.settings["listener.name.a.plain.sasl.jaas.config"].text == "x required;"


@pytest.mark.parametrize(
    ("old", "new", "told", "line"),
    [
        ('user_admin="a/b";', 'user_admin="a/b"', "the = behind org.apache", 6),
        ("Required useKeyTab", "Needed useKeyTab", "a control flag", 8),
        ("useKeyTab=true", "useKeyTab", "the = behind useKeyTab", 8),
        ('password="d"', "password=1", "a word or a text in double quotes as password", 10),
        ("};\nKafkaClient", "}\nKafkaClient", "the ; after section sasl_ssl.KafkaServer", 9),
        ("sasl_ssl.Kafka", "Kafka", "section KafkaServer is there twice", 8),
        ('password="d";\n};', 'password="d";', "the class of a login module", 10),
    ],
)
def test_what_the_jvm_refuses(old: str, new: str, told: str, line: int) -> None:
    document = read(PATH, {PATH: FILE.replace(old, new)})
    (problem,) = document.problems
    assert (problem.code, document.status) == ("KC0001", FAILED)
    assert told in problem.message
    assert problem.at[0] == line
    broker = project(FILE.replace(old, new)).resources[0]
    assert not [key for key in broker.settings if key.endswith(_END)]


@pytest.mark.parametrize(
    "text",
    [FILE.replace("required", "{{ flag }}"), FILE.replace("required", "${FLAG}")],
)
def test_a_template_is_skipped(text: str) -> None:
    assert read(PATH, {PATH: text}).status == SKIPPED


@pytest.mark.parametrize(
    "text",
    [
        "KafkaServer { a.PlainLoginModule required x=" + '"' * 50_001,
        "KafkaServer { a.PlainLoginModule required " + "a=b " * 50_000,
        "a {\n" + "#" * 50_000 + "\nx;\n}\nKafkaServer { a.PlainLoginModule required;\n};",
        "a {\n" + "// x    \n" * 10_000 + "x;\n}\nKafkaServer { a.PlainLoginModule required;\n};",
        "KafkaServer { a.PlainLoginModule required;\n" + "/*\n" * 50_000,
        "/*" * 50_000 + "\nKafkaServer {\n a.PlainLoginModule required;\n};",
        "KafkaServer {\r\n  a.PlainLoginModule required;\r\n};\r\n",
    ],
)
def test_hostile_files(text: str) -> None:
    document = read(PATH, {PATH: text})
    assert all(one.code == "KC0001" for one in document.problems)


@pytest.mark.parametrize(
    ("path", "told"), [("server.properties", True), ("client.properties", None)]
)
def test_a_file_beside_properties_counts_for_whose_section_it_has(
    path: str, told: bool | None
) -> None:
    files = {
        "conf/server.properties": "broker.id=1\nlisteners=SASL_PLAINTEXT://:9092\n",
        "conf/client.properties": "bootstrap.servers=k:9092\nsecurity.protocol=SASL_PLAINTEXT\n",
        "conf/kafka_jaas.conf": FILE.partition("KafkaClient")[0],
        "conf/": "client.properties\nkafka_jaas.conf\nserver.properties",
    }
    (made,) = read(f"conf/{path}", files).resources
    assert made.traits.jaas_file is told
