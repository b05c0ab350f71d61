"""Clients of kcat in scripts."""

from __future__ import annotations

import textwrap

import pytest

from kcheck import formats
from kcheck.model import Resource


def _clients(text: str) -> list[Resource]:
    document = formats.read("tail.sh", textwrap.dedent(text).encode(), lambda path: None)
    return [one for one in document.resources if one.dialect]


def test_settings_behind_the_option() -> None:
    (client,) = _clients(
        """\
        BROKERS=k1.example.com:9093
        kafkacat -C -b "$BROKERS" -t orders -X security.protocol=SSL \\
          -Xssl.ca.location=/etc/ca.pem -X topic.auto.offset.reset=earliest -X sasl.password="$SECRET"
        """
    )
    settings = client.settings
    assert (client.kind, client.name, client.dialect) == ("consumer", "kcat", "librdkafka")
    assert {key: one.text for key, one in settings.items()} == {
        "bootstrap.servers": "k1.example.com:9093",
        "security.protocol": "SSL",
        "ssl.ca.location": "/etc/ca.pem",
        "auto.offset.reset": "earliest",
        "sasl.password": None,
    }
    assert settings["security.protocol"].at == (2, 58, 2, 61)
    assert settings["auto.offset.reset"].name == "topic.auto.offset.reset"


@pytest.mark.parametrize(
    "command",
    [
        "kcat -b k1:9092 -L",  # says no more than where the brokers are
        "kcat -X list",
        "echo kcat -b k1:9092 -X acks=all",
        "apt-get install kafkacat; tool -X acks=all",
        "kcat -b k1:9092 -X",
    ],
)
def test_no_client(command: str) -> None:
    assert not _clients(f"{command}\n")


@pytest.mark.parametrize(
    ("command", "kind", "partial"),
    [
        ("docker run --rm edenhill/kcat:1.7.1 -P -b k1:9092 -X acks=all", "producer", False),
        ("docker exec kcat sh -c 'kcat -b k1:9092 -X acks=all -G shop orders'", "consumer", False),
        ("kcat -F kcat.conf -X acks=all -Q", "client", True),
        ('kcat -b k1:9092 -X "$KEY=1" -X acks=all', "client", True),
    ],
)
def test_how_it_is_started(command: str, kind: str, partial: bool) -> None:
    (client,) = _clients(f"{command}\n")
    assert (client.kind, client.traits.partial) == (kind, partial)
