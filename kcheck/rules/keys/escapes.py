"""KC0188: backslashes that a properties file loses."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import WARNING, Faulty, Finding
from kcheck.rule import rule
from kcheck.rules.shared.problems import findings


@rule("KC0188", "properties-backslash", WARNING)
def lost_backslash(document: Faulty) -> Iterator[Finding]:
    r"""A value in a properties file loses its backslashes.

    java.util.Properties takes a backslash for the beginning of an escape: it drops those before other
    letters, and makes tabs and line breaks of some. Paths of Windows need two, or slashes; KC0176
    reports regular expressions.

    Bad: a path
        --- client.properties
        bootstrap.servers=k1.example.com:9093
        security.protocol=SSL
        ssl.truststore.location=C:\kafka\certs\trust.jks
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
