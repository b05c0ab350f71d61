"""The levels of Spring Cloud Stream on which a property of a binding may stand."""

from __future__ import annotations

from kcheck.formats.pairs import relaxed

PREFIX = "spring.cloud.stream."
SIDES = ("consumer", "producer")
#: The properties of a binding that all binders have (ConsumerProperties, ProducerProperties of
#: spring-cloud-stream), and those of the Kafka binder alone (KafkaConsumerProperties,
#: KafkaProducerProperties), by side.
CORE = {
    "consumer": frozenset(
        {
            *("autostartup", "concurrency", "partitioned", "instancecount", "instanceindex"),
            *("instanceindexlist", "maxattempts", "backoffinitialinterval", "backoffmaxinterval"),
            *("backoffmultiplier", "defaultretryable", "retryableexceptions", "headermode"),
            *("usenativedecoding", "multiplex", "retrytemplatename", "batchmode"),
        }
    ),
    "producer": frozenset(
        {
            *("autostartup", "partitionkeyexpression", "partitionkeyextractorname"),
            *("partitionselectorexpression", "partitionselectorname", "partitioncount"),
            *("requiredgroups", "headermode", "usenativeencoding", "errorchannelenabled", "poller"),
            "dynamicpartitionupdatesenabled",
        }
    ),
}
KAFKAS = {
    "consumer": frozenset(
        {
            *("ackeachrecord", "ackmode", "autorebalanceenabled", "autocommitoffset"),
            *("autocommitonerror", "startoffset", "resetoffsets", "enabledlq", "dlqname"),
            *("dlqpartitions", "dlqproducerproperties", "recoveryinterval", "trustedpackages"),
            *("standardheaders", "converterbeanname", "idleeventinterval", "destinationispattern"),
            *("topic", "configuration", "polltimeout", "transactionmanager", "txcommitrecovered"),
            *("commonerrorhandlerbeanname", "reactiveautocommit", "reactiveatmostonce"),
        }
    ),
    "producer": frozenset(
        {
            *("buffersize", "sync", "sendtimeoutexpression", "batchtimeout", "headerpatterns"),
            *("messagekeyexpression", "configuration", "topic", "usetopicheader"),
            *("recordmetadatachannel", "transactionmanager", "compressiontype", "closetimeout"),
            "allownontransactional",
        }
    ),
}
#: What the bindings of the Streams binder have, by side (KafkaStreamsConsumerProperties,
#: KafkaStreamsProducerProperties).
STREAMS = {
    "consumer": frozenset(
        {
            *("applicationid", "keyserde", "valueserde", "materializedas", "configuration"),
            *("deserializationexceptionhandler", "timestampextractorbeanname", "eventtypes"),
            *("eventtypeheaderkey", "consumedas", "enabledlq", "dlqname", "dlqpartitions"),
        }
    ),
    "producer": frozenset(
        ("keyserde", "valueserde", "streampartitionerbeanname", "producedas", "configuration")
    ),
}
_TREES = (("", CORE), ("kafka.", KAFKAS))


def configured(binding: str, side: str, key: str) -> str:
    """The property that hands a key of Kafka's to the client of a binding."""
    return f"{PREFIX}kafka.bindings.{binding}.{side}.configuration.{key}"


def below_side(binding: str, side: str, parts: list[str], streams: bool = False) -> str:
    """Where a property belongs that stands beside ``consumer`` and ``producer``; "" where nowhere.

    ``side`` is that of the binding, "" where nobody knows it, and ``parts`` the name of the property.
    """
    word = relaxed(parts[0])
    for tree, table in (("kafka.streams.", STREAMS),) if streams else _TREES:
        sides = [one for one in SIDES if word in table[one]]
        if sides:
            of = side if side in sides else sides[0]
            return f"{PREFIX}{tree}bindings.{binding}.{of}.{'.'.join(parts)}"
    return ""


def of_all_binders(place: str, parts: list[str]) -> str:
    """Where a property of a side belongs that a binder of Kafka's does not read for ``place``, a
    binding or the defaults, since all binders have it; "" where it is none of those."""
    side, key = relaxed(parts[0]), ".".join(parts[1:])
    foreign = side in SIDES and key and relaxed(parts[1]) in CORE[side]
    return f"{PREFIX}{place}.{side}.{key}" if foreign else ""
