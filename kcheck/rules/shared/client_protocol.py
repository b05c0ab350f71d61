"""What a client says of its security protocol and login, and how to have it say another."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client, Streams
from kcheck.graph.nodes import Broker, Node
from kcheck.model import ABSENT, Derived, Framed, Setting, Value

MECHANISM, JAAS = "sasl.mechanism", "sasl.jaas.config"
OAUTH = "OAUTHBEARER"


_CLIENT_PREFIXES = (
    "producer.",
    "consumer.",
    "admin.",
    "main.consumer.",
    "restore.consumer.",
    "global.consumer.",
)


def prefixed_settings(node: Node, key: str) -> Iterator[tuple[str, Setting]]:
    """The settings of a key under its own name and with the prefixes that Kafka itself reads.

    Plug-ins have keys with the same suffix and another meaning (the TLS of an authorizer).
    """
    broker = isinstance(node, Broker)
    held = node.merged if isinstance(node, Broker) else node.resource.settings
    for name, setting in held.items():
        if not name.endswith(key):
            continue
        prefix = name[: -len(key)]
        if prefix == "" or (
            prefix.startswith("listener.name.") if broker else prefix in _CLIENT_PREFIXES
        ):
            yield name, setting


def spoken(client: Client) -> str:
    """The client's security protocol in upper case; empty if unknown."""
    value = client["security.protocol"]
    if not value.value or (not value.explicit and _completed(client)):
        return ""
    return str(value.value).upper()


def switched(client: Client) -> bool:
    """Whether the protocol comes from switches of a program, which its file may have left out."""
    return not client.java and "security.protocol" in client.resource.image


def to_speak(client: Client, text: str) -> str:
    """How to set another protocol, which operators and agents derive from other fields."""
    if switched(client):
        own = spoken(client)
        return " and ".join(
            f"{'enable' if needed else 'disable'} {word}"
            for word, needed, there in (
                ("TLS", text.endswith("SSL"), own.endswith("SSL")),
                ("the login", text.startswith("SASL"), own.startswith("SASL")),
            )
            if needed != there
        )
    if isinstance(client["security.protocol"].setting, Derived):
        return f"set tls and authentication to match a listener with {text}"
    return f"set security.protocol={text}"


def _completed(client: Client) -> bool:
    """Whether the client is a template of credentials, to which something else adds the addresses."""
    settings = client.resource.settings
    return "bootstrap.servers" not in settings and any(
        isinstance(setting, Framed) and "{{" in setting.frame for setting in settings.values()
    )


def missing_key(client: Client, key: str) -> Value:
    """A key that is not set, as evidence."""
    return Value(key, client.resource, ABSENT)


def reader_of(client: Client) -> Client:
    """Who reads the keys of logins: of a Streams application its clients, for it has no such keys."""
    return client.inner("consumer") if isinstance(client, Streams) else client
