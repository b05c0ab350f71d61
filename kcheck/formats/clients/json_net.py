"""Confluent.Kafka's clients for .NET as JSON: its names for librdkafka's keys and values."""

from __future__ import annotations

import re

from kcheck.formats.scalars import derived
from kcheck.lexicon import suggest
from kcheck.model import Document, Setting

#: .NET's names of values that librdkafka calls otherwise; others of these keys differ in case alone.
_FROM_NET = {
    "security.protocol": {"saslssl": "sasl_ssl", "saslplaintext": "sasl_plaintext"},
    "sasl.mechanism": {
        "plain": "PLAIN",
        "gssapi": "GSSAPI",
        "scramsha256": "SCRAM-SHA-256",
        "scramsha512": "SCRAM-SHA-512",
        "oauthbearer": "OAUTHBEARER",
    },
    "acks": {"none": "0", "leader": "1"},
    "partition.assignment.strategy": {"cooperativesticky": "cooperative-sticky"},
    "auto.offset.reset": {},
    "compression.type": {},
    "broker.address.family": {},
    "ssl.endpoint.identification.algorithm": {},
    "partitioner": {"consistentrandom": "consistent_random", "murmur2random": "murmur2_random"},
    "isolation.level": {"readuncommitted": "read_uncommitted", "readcommitted": "read_committed"},
}
#: The same values by number: .NET's binder takes those of its enumerations, too.
_NUMBERED = {
    "security.protocol": ("plaintext", "ssl", "sasl_plaintext", "sasl_ssl"),
    "sasl.mechanism": ("GSSAPI", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"),
    "partition.assignment.strategy": ("range", "roundrobin", "cooperative-sticky"),
    "auto.offset.reset": ("latest", "earliest", "error"),
    "compression.type": ("none", "gzip", "snappy", "lz4", "zstd"),
    "broker.address.family": ("any", "v4", "v6"),
    "ssl.endpoint.identification.algorithm": ("none", "https"),
    "partitioner": (
        *("random", "consistent", "consistent_random", "murmur2", "murmur2_random"),
        *("fnv1a", "fnv1a_random"),
    ),
    "isolation.level": ("read_uncommitted", "read_committed"),
}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
#: Of the properties of .NET's clients, those by which an object is one although its brokers have a
#: name that is not quite right. One alone may as well be in a class of the program's own.
_NET_SIGNS = frozenset(
    ("GroupId", "AutoOffsetReset", "EnableAutoCommit", "SecurityProtocol", "SaslMechanism", "Acks")
)


def nearly(names: set[str]) -> bool:
    """Whether an object has .NET's properties, and its brokers under a misspelt name."""
    return len(names & _NET_SIGNS) > 1 and any(map(_nearly_brokers, names))


def _nearly_brokers(name: str) -> bool:
    near = name[:1] == "B" and name != "BootstrapServers" and len(name) > 10
    return near and suggest.distance(name.lower(), "bootstrapservers", 2) <= 2


def dotted(name: str) -> str:
    """``SaslMechanism`` → ``sasl.mechanism``, as Confluent.Kafka names its properties."""
    return _HUMP.sub(".", name).lower()


def worded(document: Document, name: str, made: Setting) -> Setting:
    """The setting with librdkafka's word for a member of .NET's enumeration, by its name or number."""
    text, numbered = made.text or "", _NUMBERED.get(name, ())
    words = _FROM_NET.get(name)
    if text.isdecimal() and int(text) < len(numbered):
        return derived(made, numbered[int(text)])
    if words is not None:
        _misspelt(document, name, made)
        made.text = words.get(text.lower(), text.lower())
    return made


def _misspelt(document: Document, name: str, made: Setting) -> None:
    """Report librdkafka's spelling of a value, which is no member of .NET's enumeration."""
    from kcheck.formats import unknown_words
    from kcheck.lexicon import fields

    members = fields.words_of("dotnet", name)
    squeezed = "".join(filter(str.isalnum, made.text or "")).lower()
    right = next((member for member in members if member.lower() == squeezed), "")
    if right and right.lower() != (made.text or "").lower():
        unknown_words.member_of_net(document, made, right)
