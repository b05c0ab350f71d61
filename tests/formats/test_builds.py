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
    assert asked == []
