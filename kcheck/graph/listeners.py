"""Listeners: ``NAME://host:port`` lists, what is advertised, and which protocol a name speaks."""

from __future__ import annotations

import re

from kcheck.graph.nodes import Broker

# Kafka's own pattern: brackets for IPv6, an empty host for all addresses, any number as port.
_LISTENER = re.compile(r"(.+?)://\[?([0-9a-zA-Z\-%._:]*)\]?:(-?\d{1,19})\Z")

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")


class Listener:
    """One entry of ``listeners`` or ``advertised.listeners``; names are upper-cased as in Kafka."""

    __slots__ = ("host", "name", "port")

    def __init__(self, name: str, host: str, port: int) -> None:
        self.name = name
        self.host = host
        self.port = port

    def __str__(self) -> str:
        return f"{self.name}://{self.host}:{self.port}"


def parse(text: str | None) -> list[Listener]:
    """The entries of a list that have the form of a listener, in their order."""
    found: list[Listener] = []
    for entry in (text or "").split(","):
        match = _LISTENER.match(entry.strip())
        if match:
            found.append(Listener(match[1].upper(), match[2], int(match[3])))
    return found


def controller_names(broker: Broker) -> set[str]:
    """The names of the listeners that the quorum uses."""
    text = broker["controller.listener.names"].text or ""
    return {name.strip().upper() for name in text.split(",")} - {""}


def advertised(broker: Broker) -> list[Listener]:
    """What clients and other brokers are told: advertised.listeners, else listeners."""
    value = broker["advertised.listeners"]
    setting = value.setting
    return parse(setting.text if setting else None)


def protocol(broker: Broker, name: str) -> str | None:
    """The security protocol of a listener's name; None where the map does not tell."""
    value = broker["listener.security.protocol.map"]
    if not value.written:
        return name if name in PROTOCOLS else None
    if value.text is None:
        return None
    for entry in value.text.split(","):
        key, colon, known = entry.strip().rpartition(":")
        if colon and key.strip().upper() == name:
            return known.strip().upper()
    return None
