"""``SET`` of ksqlDB: the names that its server takes (KsqlConfigResolver).

A name is one of Kafka Streams', its producers' or its consumers', also behind ``ksql.streams.``, or one
of ksqlDB's own behind ``ksql.``, of which later releases have more. Topics' are none of these; behind
``topic.`` they are for the topics of Streams. Its prefixes for one client of several (``main.consumer.``)
are not among them, although the server's own file takes them (confluentinc/ksql#7887, of 6.2).
"""

from __future__ import annotations

import re
from itertools import chain

from kcheck import catalogue
from kcheck.lexicon import fields
from kcheck.model import ERROR, WARNING

#: The name behind SET and its value, both in quotes.
SET = re.compile(r"\s*SET\s+'([^'\n]+)'\s*=\s*'((?:[^']|'')*)'", re.IGNORECASE)
_STREAMS, _OWN = "ksql.streams.", "ksql."
_PARTS = ("producer.", "consumer.")
_SINGLE = ("main.consumer.", "restore.consumer.", "global.consumer.", "admin.")
_PLANES = ("streams", "producer", "consumer")


def wrong(name: str) -> tuple[str, str, str] | None:
    """What ksqlDB has against a name, what to do instead, and how severe it is; None where it may take it."""
    bare = name.removeprefix(_STREAMS)
    if bare.startswith((_OWN, "topic.")) or "$" in bare or "{" in bare:
        return None
    prefix = name[: len(name) - len(bare)]
    part = next((one for one in _PARTS if bare.startswith(one)), "")
    key = bare.removeprefix(part)
    single = next((one for one in _SINGLE if bare.startswith(one)), "")
    if single:
        key = bare.removeprefix(single)
        return (
            f"{name} is no property that SET takes: it does not know the prefix {single}",
            "set it in the server's own properties"
            if single == "admin."
            else f"write {key}, for all consumers of the query, or set it in the server's own properties",
            WARNING,
        )
    if any(key in catalogue.plane(plane) for plane in _PLANES):
        return None
    if key in catalogue.plane("topic"):
        return (
            f"{name} is no property of ksqlDB: {key} is a setting of topics",
            f"set {key} at the topic: by kafka-configs, or where it is created",
            ERROR,
        )
    known = tuple(
        sorted({*chain.from_iterable(catalogue.plane(plane).keys() for plane in _PLANES)})
    )
    meant = "" if part else fields.near(key, known)
    if not meant:
        return None
    return (
        f"{name} is no property of ksqlDB; did you mean {meant}?",
        f"write {prefix}{meant}",
        ERROR,
    )
