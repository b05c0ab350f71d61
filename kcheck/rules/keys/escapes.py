"""KC0188: backslashes that a properties file loses."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import WARNING, Faulty, Finding
from kcheck.rule import rule
from kcheck.rules.shared.problems import findings


@rule("KC0188", "lost-backslash", WARNING)
def lost_backslash(document: Faulty) -> Iterator[Finding]:
    r"""A value in a properties file loses its backslashes.

    java.util.Properties takes a backslash for the beginning of an escape: it drops those before other
    letters, and makes tabs and line breaks of some. Paths of Windows and regular expressions need two, or
    slashes.

    Bad: a path
        --- client.properties
        bootstrap.servers=k1.example.com:9093
        security.protocol=SSL
        ssl.truststore.location=C:\kafka\certs\trust.jks
    Bad: a pattern
        --- sink.properties
        name=archive
        connector.class=org.apache.kafka.connect.file.FileStreamSinkConnector
        topics.regex=orders-\d+
        file=/data/archive
    Bad: Spring
        --- application.properties
        spring.kafka.bootstrap-servers=k1.example.com:9093
        spring.kafka.ssl.trust-store-location=file:D:\stores\kafka.p12
    Good:
        --- client.properties
        bootstrap.servers=k1.example.com:9093
        security.protocol=SSL
        ssl.truststore.location=C:\\kafka\\certs\\trust.jks
        ssl.keystore.location=C:/kafka/certs/key.jks
        client.id=desk\:1
    """
    yield from findings(document, "KC0188")
