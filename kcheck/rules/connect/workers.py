"""KC14: what a Connect worker must set, and what it checks of its keys for other workers."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Worker
from kcheck.model import ABSENT, ERROR, Finding, Value
from kcheck.refusal import refused
from kcheck.rule import REFUSED, rule
from kcheck.wording import plain

_STOPS = "the worker does not start"


_CONVERTERS = ("key.converter", "value.converter")


_NEEDED = {
    "connect-distributed": (
        "group.id",
        "config.storage.topic",
        "offset.storage.topic",
        "status.storage.topic",
        *_CONVERTERS,
    ),
    "connect-standalone": ("offset.storage.file.filename", *_CONVERTERS),
}


_BOOTSTRAP = "bootstrap.servers"


_SIGNATURE = "inter.worker.signature.algorithm"


@rule(
    "KC1405",
    "connect-required",
    ERROR,
    kafka=REFUSED,
    refs=("KIP-1161",),
    invariants=("connect-required",),
    versions="2.8–4.4",
)
def connect_required(worker: Worker) -> Iterator[Finding]:
    """A Connect worker lacks a key that has no default.

    A distributed worker needs group.id, its three storage topics and two converters, a standalone one
    its offsets' file and the converters. Without bootstrap.servers, whose default up to 4.1 is the
    worker's alone, the admin client that it starts with cannot be created. Silent where an image or an operator adds to what the
    file says, and where more than one of them is missing: then the file is a piece of one.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
    Good: a piece of a file
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        config.storage.topic=etl-configs
    """
    if worker.resource.managed:
        return
    needed = _NEEDED.get(worker.resource.plane, ())
    missing = [key for key in needed if not worker.sets(key)]
    if not missing and not worker.sets(_BOOTSTRAP):
        missing = [_BOOTSTRAP]
    if len(missing) != 1:
        return
    (key,) = missing
    yield worker.finding(
        f"{worker} has no {key}",
        at=Value(key, worker.resource, ABSENT),
        breaks=f"{_STOPS}: {key} is missing and has no default",
        fix=f"set {key}",
    )


@rule(
    "KC1406",
    "connect-signature-in-verification",
    ERROR,
    kafka=REFUSED,
    on=(
        *("inter.worker.signature.algorithm", "inter.worker.verification.algorithms"),
        "inter.worker.key.generation.algorithm",
    ),
    refs=("KIP-507",),
    invariants=("connect-signature-in-verification",),
    versions="3.3+; before, the algorithm that generates keys is checked instead",
)
def connect_signature_in_verification(worker: Worker) -> Iterator[Finding]:
    """Workers sign internal requests with an algorithm that none of them accepts.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        inter.worker.signature.algorithm=HmacSHA512
    Good:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        inter.worker.signature.algorithm=HmacSHA512
        inter.worker.verification.algorithms=HmacSHA256,HmacSHA512
    """
    accepts = worker["inter.worker.verification.algorithms"]
    older = worker.version.below("3.3")
    signs = worker["inter.worker.key.generation.algorithm" if older else _SIGNATURE]
    told = refused(worker.version, _STOPS, "" if older else "3.3")
    if told is None or not signs.known or not isinstance(accepts.value, list):
        return
    if signs.value in accepts.value:
        return
    severity, breaks = told
    at, other = (signs, accepts) if signs.explicit else (accepts, signs)
    yield worker.finding(
        f"{worker}: {plain(signs)} is none of {plain(accepts)}",
        at=at,
        because=(other,),
        breaks=breaks,
        fix=f"add {signs.value} to inter.worker.verification.algorithms",
        severity=severity,
    )
