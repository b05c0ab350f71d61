"""Options of Camel's Kafka component and endpoints, and of its Kamelets, with Kafka's keys for them.

From KafkaConfiguration of camel-kafka: createConsumerProperties and createProducerProperties. An
option that neither names has the name of a key without its dots (``maxPollRecords``).
"""

from __future__ import annotations

import re

from kcheck import catalogue
from kcheck.formats.pairs import relaxed

#: Of both sides, of consumers, of producers.
_BOTH = {
    "brokers": "bootstrap.servers",
    "connectionmaxidlems": "connections.max.idle.ms",
    "kerberosbeforereloginmintime": "sasl.kerberos.min.time.before.relogin",
    "kerberosinitcmd": "sasl.kerberos.kinit.cmd",
    "kerberosrenewjitter": "sasl.kerberos.ticket.renew.jitter",
    "kerberosrenewwindowfactor": "sasl.kerberos.ticket.renew.window.factor",
    "noofmetricssample": "metrics.num.samples",
    "sslendpointalgorithm": "ssl.endpoint.identification.algorithm",
}
_CONSUMER = {
    "autocommitenable": "enable.auto.commit",
    "consumerrequesttimeoutms": "request.timeout.ms",
    "fetchwaitmaxms": "fetch.max.wait.ms",
    "partitionassignor": "partition.assignment.strategy",
}
_PRODUCER = {
    "buffermemorysize": "buffer.memory",
    "compressioncodec": "compression.type",
    "maxinflightrequest": "max.in.flight.requests.per.connection",
    "partitioner": "partitioner.class",
    "producerbatchsize": "batch.size",
    "requestrequiredacks": "acks",
    "requesttimeoutms": "request.timeout.ms",
}
#: Options with a key's name that do something else with records.
_OTHERWISE = frozenset(("key", "topic", "partitionkey", "schemaregistryurl", "specificavroreader"))
#: What Kamelets call the options of theirs; what they have of ``user`` and ``password`` is a login.
_KAMELETS = {"bootstrapservers": "bootstrap.servers", "consumergroup": "group.id"}
#: Behind this stand Kafka's own keys.
ADDITIONAL = "additionalproperties"
_DURATION = re.compile(r"(\d{1,15})\s*(ms|s|m|h|d)", re.IGNORECASE)
_MILLIS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_PLANES = ("consumer", "producer")

_keys: dict[str, dict[str, str]] = {}


def keys_of(option: str) -> dict[str, str]:
    """Kafka's key that an option sets, by side (``consumer``, ``producer``); none for Camel's own."""
    if not _keys:
        for plane in _PLANES:
            for key in sorted(catalogue.plane(plane).keys()):
                _keys.setdefault(relaxed(key.replace(".", "")), {})[plane] = key
        for name, key in (*_BOTH.items(), *_KAMELETS.items()):
            _keys[name] = dict.fromkeys(_PLANES, key)
        for plane, table in zip(_PLANES, (_CONSUMER, _PRODUCER), strict=True):
            for name, key in table.items():
                _keys[name] = {plane: key}
        for name in _OTHERWISE:
            _keys.pop(name, None)
        _keys["consumergroup"].pop("producer")
    return _keys.get(relaxed(option), {})


def text_of(key: str, text: str | None) -> str | None:
    """The text that Kafka gets for an option's: milliseconds for a duration, what
    ``RAW(…)`` keeps as it is, "" for no algorithm."""
    if text is None:
        return None
    if text.startswith(("RAW(", "RAW{")):
        text = text[4:-1]
    found = _DURATION.fullmatch(text.strip())
    if found is not None and key.endswith(".ms"):
        return str(int(found[1]) * _MILLIS[found[2].lower()])
    if key == "ssl.endpoint.identification.algorithm" and text in ("none", "false"):
        return ""
    return text
