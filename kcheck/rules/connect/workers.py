"""KC14: the required keys of a Connect worker and its keys for internal requests."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Worker
from kcheck.model import ABSENT, ERROR, Finding, Value
from kcheck.refusal import refused
from kcheck.rule import REFUSED, rule
from kcheck.wording import plain

_STOPS = "the worker fails to start"


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
    """A Connect worker lacks a required key.

    A distributed worker requires group.id, its three storage topics and two converters, a standalone
    worker offset.storage.file.filename and the converters. Without bootstrap.servers, whose default up
    to 4.1 applies to the worker alone, the admin client of the worker cannot be created. Silent where
    an image or an operator adds settings, and where more than one key is missing: the file is then
    a fragment.

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
    Good: a fragment
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        config.storage.topic=etl-configs
    """
    if worker.resource.managed:
        return
    needed = _NEEDED.get(worker.resource.plane, ())
    if worker.version.known and not worker.version.at_least("0.10"):
        needed = tuple(key for key in needed if key != "status.storage.topic")
    missing = [key for key in needed if not worker.sets(key)]
    if not missing and not worker.sets(_BOOTSTRAP):
        missing = [_BOOTSTRAP]
    if len(missing) != 1:
        return
    (key,) = missing
    yield worker.finding(
        f"{worker} has no {key}",
        at=Value(key, worker.resource, ABSENT),
        breaks=f"{_STOPS}: {key} is required and has no default",
        fix=f"set {key}",
    )


_KEY_SIZE = "inter.worker.key.size"
#: Bits of a key that Java's generators take, by algorithm: the least, or all that there are.
_LEAST_BITS = 40
_BITS = {"AES": (128, 192, 256), "DES": (56,), "DESEDE": (112, 168)}


def _key_size(worker: Worker) -> Iterator[Finding]:
    """inter.worker.key.size as the algorithm takes it; the generators of others are unknown here.

    Both are unknown of a standalone worker, which has no such keys.
    """
    size, generator = worker[_KEY_SIZE], worker["inter.worker.key.generation.algorithm"]
    name = (generator.text or "").upper()
    bits = _BITS.get(name, ())
    short = name.startswith("HMACSHA") and name != "HMACSHA1" and size.number < _LEAST_BITS
    if not (short or (bits and size.known and size.number not in bits)):
        return
    takes = " or ".join(map(str, bits)) if bits else f"at least {_LEAST_BITS}"
    yield worker.finding(
        f"{worker}: {_KEY_SIZE}={size.text} does not fit {plain(generator)}, which takes {takes} bits",
        at=size,
        because=(generator,),
        breaks=_STOPS,
        fix=f"set {_KEY_SIZE} to {takes}, or remove it",
    )


@rule(
    "KC1406",
    "connect-signature-in-verification",
    ERROR,
    kafka=REFUSED,
    on=(
        *("inter.worker.signature.algorithm", "inter.worker.verification.algorithms"),
        *("inter.worker.key.generation.algorithm", _KEY_SIZE),
    ),
    refs=("KIP-507",),
    invariants=("connect-signature-in-verification",),
    versions="3.3+; before, the algorithm that generates keys is checked instead",
)
def connect_signature_in_verification(worker: Worker) -> Iterator[Finding]:
    """inter.worker.signature.algorithm is not in inter.worker.verification.algorithms.

    inter.worker.key.size must be one that the algorithm which generates the keys accepts: at least 40
    bits for HmacSHA256, the default.

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
    if worker.sets(_KEY_SIZE):
        yield from _key_size(worker)
    accepts = worker["inter.worker.verification.algorithms"]
    older = worker.version.below("3.3")
    signs = worker["inter.worker.key.generation.algorithm" if older else _SIGNATURE]
    verdict = refused(worker.version, _STOPS, "" if older else "3.3")
    if verdict is None or not signs.known or not isinstance(accepts.value, list):
        return
    if signs.value in accepts.value:
        return
    severity, breaks = verdict
    at, other = (signs, accepts) if signs.explicit else (accepts, signs)
    yield worker.finding(
        f"{worker}: {plain(signs)} is not in {plain(accepts)}",
        at=at,
        because=(other,),
        breaks=breaks,
        fix=f"add {signs.value} to inter.worker.verification.algorithms",
        severity=severity,
    )
