"""The version of a client's library, as the build beside the client states it."""

from __future__ import annotations

import pytest

from kcheck.engine import read_project
from kcheck.settings import Settings

PRODUCER = "bootstrap.servers=k1:9092\nacks=all\nkey.serializer=a.B\nvalue.serializer=a.B\n"
SPRING = "spring: {kafka: {bootstrap-servers: 'k1:9092', consumer: {group-id: a}}}\n"
MAVEN = "<dependency><artifactId>kafka-clients</artifactId><version>{}</version></dependency>"
BOOT = (
    "<parent><artifactId>spring-boot-starter-parent</artifactId>\n <version>{}</version></parent>"
)


GO_MOD = """module example.net/app

require (
\tgithub.com/IBM/sarama v1.43.2
\tgithub.com/confluentinc/confluent-kafka-go/v2 v2.3.0
\tgithub.com/segmentio/kafka-go v0.4.47 // indirect
)
require github.com/twmb/franz-go v1.16.1
"""


def version(path: str, text: str, files: dict[str, str]) -> tuple[str | None, str]:
    """The version of the one client, and the file that states it."""
    sources = {name: content.encode() for name, content in {path: text, **files}.items()}
    (one,) = read_project([(path, text.encode())], Settings(), sources.get).clusters
    (client,) = one.clients
    told = client.resource.facts.get("client.version")
    return client.version.text, told.path if told is not None else ""


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"app/pom.xml": MAVEN.format("3.7.1")}, ("3.7.1", "app/pom.xml")),
        (
            {"app/pom.xml": MAVEN.format("${kafka.v}"), "pom.xml": "<kafka.v>3.6.0</kafka.v>"},
            ("3.6.0", "pom.xml"),
        ),
        ({"app/pom.xml": BOOT.format("3.2.5")}, ("3.6", "app/pom.xml")),
        (
            {"app/pom.xml": BOOT.format("3.2.5") + "<kafka.version>3.9.0</kafka.version>"},
            ("3.9.0", "app/pom.xml"),
        ),
        (
            {"app/build.gradle": "implementation 'org.apache.kafka:kafka-clients:3.5.2'\n"},
            ("3.5.2", "app/build.gradle"),
        ),
        (
            {"app/build.gradle.kts": 'id("org.springframework.boot") version "2.7.18"\n'},
            ("3.1", "app/build.gradle.kts"),
        ),
        (
            {
                "app/build.gradle": "maven { url 'https://packages.example.com//maven' }\n"
                "// implementation 'org.apache.kafka:kafka-clients:2.8.1'\n"
                "/* implementation 'org.apache.kafka:kafka-clients:2.7.0' */\n"
                'id("org.springframework.boot") version "2.7.18" // not "2.6.0"\n',
            },
            ("3.1", "app/build.gradle"),
        ),
        (
            {
                "app/pom.xml": f"<!-- {MAVEN.format('2.8.1')} - <!-- -->\n{MAVEN.format('3.7.1')}",
            },
            ("3.7.1", "app/pom.xml"),
        ),
        (
            {
                "app/build.gradle": "implementation 'org.apache.kafka:kafka-clients:3.5.2'\n",
                "app/gradle.lockfile": "org.apache.kafka:kafka-clients:3.5.1=compileClasspath\n",
            },
            ("3.5.1", "app/gradle.lockfile"),
        ),
        (
            {
                "gradle/libs.versions.toml": '[versions]\nkafka = "3.8.0"\n[libraries]\n'
                'k = { module = "org.apache.kafka:kafka-clients", version.ref = "kafka" }\n'
            },
            ("3.8.0", "gradle/libs.versions.toml"),
        ),
        (
            {"app/pom.xml": "<quarkus.platform.version>3.15.1</quarkus.platform.version>"},
            ("3.7", "app/pom.xml"),
        ),
        (
            {
                "app/build.gradle": "implementation enforcedPlatform("
                '"${quarkusPlatformGroupId}:quarkus-bom:${quarkusPlatformVersion}")\n',
                "gradle.properties": "quarkusPlatformVersion=3.24.2\n",
            },
            ("4.0", "gradle.properties"),
        ),
        # Two patches of one minor bring different clients.
        ({"app/pom.xml": "<quarkus.version>3.8.5</quarkus.version>"}, ("3.6", "app/pom.xml")),
        ({"app/pom.xml": "<quarkus.version>3.8.6</quarkus.version>"}, ("3.7", "app/pom.xml")),
        ({"app/pom.xml": "<quarkus.version>3.8</quarkus.version>"}, (None, "")),
        (
            {"app/pom.xml": "<micronaut.version>4.4.2</micronaut.version>"},
            ("3.7", "app/pom.xml"),
        ),
        ({"app/gradle.properties": "micronautVersion=4.9.1\n"}, ("3.9", "app/gradle.properties")),
        (
            {"app/build.gradle": 'micronaut {\n  runtime "netty"\n  version = "3.8.1"\n}\n'},
            ("2.8", "app/build.gradle"),
        ),
        # Ranges, what nothing fills in, platforms without a row, and other libraries.
        ({"app/build.gradle": "implementation 'org.apache.kafka:kafka-clients:3.+'\n"}, (None, "")),
        ({"app/pom.xml": MAVEN.format("${kafka.v}")}, (None, "")),
        ({"app/pom.xml": BOOT.format("9.9.9")}, (None, "")),
        (
            {"app/pom.xml": MAVEN.replace("kafka-clients", "kafka-schema").format("3.7.1")},
            (None, ""),
        ),
        ({"other/pom.xml": MAVEN.format("3.7.1")}, (None, "")),
    ],
)
def test_the_build_states_the_version(
    files: dict[str, str], expected: tuple[str | None, str]
) -> None:
    assert version("app/src/main/resources/producer.properties", PRODUCER, files) == expected
    assert version("app/src/main/resources/application.yml", SPRING, files) == expected


def test_brokers_read_no_build() -> None:
    text = "broker.id=1\nzookeeper.connect=z:2181\nlog.dirs=/data/kafka\n"
    asked: list[str] = []
    read_project([("server.properties", text.encode())], Settings(), asked.append)  # type: ignore[arg-type, func-returns-value]
    # A compose file or a Vagrantfile may run them, a script edits them, but no build tells of them.
    others = [one for one in asked if "compose" not in one and one != "Vagrantfile"]
    assert others == ["./"]


JSON = """[{"bootstrap.servers": "k1:9092", "client": LIBRARY, "statistics.interval.ms": 1}]"""
LOCK = """{"packages": {
  "": {"dependencies": {"PACKAGE": "^1.0.0"}},
  "node_modules/PACKAGE": {
    "version": "VERSION"}}}"""


def lock(package: str, version: str) -> str:
    return LOCK.replace("PACKAGE", package).replace("VERSION", version)


@pytest.mark.parametrize(
    ("library", "files", "expected"),
    [
        ("kafkajs", {"app/package.json": '{"dependencies": {"kafkajs": "2.2.4"}}'}, "2.2.4"),
        ("kafkajs", {"app/package.json": '{"dependencies": {"kafkajs": "^2.2.4"}}'}, None),
        ("kafkajs", {"package-lock.json": lock("kafkajs", "1.16.0")}, "1.16.0"),
        (
            "kafkajs",
            {"app/yarn.lock": 'kafkajs@^2.0.0:\n  version "2.2.3"\n  resolved "x"\n'},
            "2.2.3",
        ),
        (
            "kafkajs",
            {"app/yarn.lock": '"kafkajs@npm:^2.0.0":\n  version: 2.2.3\n'},
            "2.2.3",
        ),
        ("kafkajs", {"app/pnpm-lock.yaml": "packages:\n\n  kafkajs@2.2.4:\n"}, "2.2.4"),
        (
            "kafkajs",
            {
                "app/package-lock.json": lock("kafkajs", "2.2.2"),
                "app/package.json": '{"dependencies": {"kafkajs": "2.2.4"}}',
            },
            "2.2.2",
        ),
        # A package around librdkafka: the version is that of the library inside.
        ("librdkafka", {"app/package-lock.json": lock("node-rdkafka", "2.17.0")}, "2.2.0"),
        ("node-rdkafka", {"app/package-lock.json": lock("node-rdkafka", "3.4.1")}, "2.10.1"),
        (
            "confluent-kafka-javascript",
            {"app/package-lock.json": lock("@confluentinc/kafka-javascript", "1.3.0")},
            "2.10.0",
        ),
        ("node-rdkafka", {"app/package-lock.json": lock("node-rdkafka", "99.0.0")}, None),
        ("node-rdkafka", {"app/go.mod": GO_MOD}, None),
        ("librdkafka", {"app/go.mod": GO_MOD}, "2.3.0"),
        ("confluent-kafka-go", {"app/go.mod": GO_MOD}, "2.3.0"),
        ("sarama", {"app/go.mod": GO_MOD}, "1.43.2"),
        ("franz-go", {"app/go.mod": GO_MOD}, "1.16.1"),
        ("kafka-go", {"app/go.mod": GO_MOD}, "0.4.47"),
        (
            "confluent-kafka-dotnet",
            {"app/app.csproj": '<PackageReference Include="Confluent.Kafka" Version="2.5.1" />'},
            "2.5.1",
        ),
        (
            "librdkafka",
            {
                "app/app.csproj": '<PackageReference Include="Confluent.Kafka" />',
                "Directory.Packages.props": "<KafkaVersion>2.6.0</KafkaVersion>"
                '<PackageVersion Include="Confluent.Kafka" Version="$(KafkaVersion)" />',
            },
            "2.6.0",
        ),
        (
            "librdkafka",
            {"app/Cargo.lock": 'name = "rdkafka-sys"\nversion = "4.7.0+2.3.0"\n'},
            "2.3.0",
        ),
        ("confluent-kafka", {"app/requirements.txt": "confluent_kafka[avro]==2.4.0\n"}, "2.4.0"),
        ("confluent-kafka", {"app/requirements.txt": "confluent-kafka==2.4.*\n"}, None),
        (
            "aiokafka",
            {"app/Pipfile.lock": '"aiokafka": {"hashes": [], "version": "==0.10.0"}'},
            "0.10.0",
        ),
        # Two packages of one folder disagree; two that agree do not.
        (
            "librdkafka",
            {"app/go.mod": GO_MOD, "app/requirements.txt": "confluent-kafka==2.4.0\n"},
            None,
        ),
        (
            "librdkafka",
            {"app/go.mod": GO_MOD, "app/requirements.txt": "confluent-kafka==2.3.0\n"},
            "2.3.0",
        ),
    ],
)
def test_libraries_of_other_languages(
    library: str, files: dict[str, str], expected: str | None
) -> None:
    text = JSON.replace("LIBRARY", f'"{library}"')
    assert version("app/config/clients.json", text, files)[0] == expected


def test_a_declared_release_of_a_wrapper_tells_the_library_inside() -> None:
    declared = (
        "producers: [{name: a, client: {library: node-rdkafka, version: '2.18.0'},"
        " config: {acks: all}}]\n"
    )
    (one,) = read_project([("kcheck.yaml", declared.encode())], Settings()).clusters
    assert one.clients[0].version.text == "2.3.0"


def test_findings_and_show_say_that_it_is_inferred() -> None:
    from kcheck.engine import lint_project

    text = PRODUCER + "max.in.flight.requests.per.connection=9\nenable.idempotence=true\n"
    build = {"pom.xml": b"<quarkus.version>3.15.1</quarkus.version>"}
    found = lint_project([("producer.properties", text.encode())], Settings(), build.get).findings
    said = {one.inferred for one in found if one.code == "KC1203"}
    assert said == {"client of Kafka 3.7, inferred from quarkus 3.15.1 (pom.xml:1)"}
