"""KC01: values that a non-Java client library rejects, or parses as another number."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import dialects
from kcheck.graph.clients import Client
from kcheck.lexicon import quantities
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import rule
from kcheck.rules.keys.keys_wording import assigned
from kcheck.rules.keys.libraries import is_declared, library_of
from kcheck.rules.shared.keys_wording import evidence
from kcheck.units import whole

#: Bounds for consumers: since 2.16 the table's are wider because of share consumers.
_OF_CONSUMERS = {"fetch.min.bytes": (1.0, 100_000_000.0)}


@rule(
    "KC0113",
    "library-value",
    ERROR,
    invariants=("unknown-key",),
    versions="librdkafka 1.0–2.16",
)
def library_value(client: Client) -> Iterator[Finding]:
    """librdkafka rejects the value, or parses it as another number.

    It has its own bounds and words, and parses numbers as C does: only the leading digits count, so
    10MB is 10.

    Bad: out of bounds
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {message.max.bytes: 2000000000}}
    Bad: a Java class where librdkafka requires a word
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {partitioner: org.apache.kafka.clients.producer.RoundRobinPartitioner}
    Bad: five, not five seconds
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {linger.ms: 5s}}
    Bad: -1, which means never
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {topic.metadata.refresh.interval.ms: 9223372036854775807}
    Good:
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {message.max.bytes: 20000000, acks: all, security.protocol: SASL_SSL}
    Bad: at least one
        --- kcheck.yaml
        consumers:
          - {name: reader, client: {library: librdkafka}, config: {fetch.min.bytes: 0}}
    """
    library = library_of(client)
    if library is None or not library.row.reads_as_c:
        return
    for key, setting in client.resource.settings.items():
        if setting.text is None:
            continue
        rows = library.possible(key, client.version)
        if not rows:
            continue
        newest, reasons = rows[-1], [library.refusal(row, setting.text) for row in rows]
        own = _OF_CONSUMERS.get(key) if client.resource.plane == "consumer" else None
        if own and own != newest.bounds:
            number, _ = library.convert("int", setting.text)
            if isinstance(number, int) and not own[0] <= number <= own[1]:
                reasons[-1] = f"is not within {own[0]:.0f} to {own[1]:.0f}"
        if all(reasons):
            yield client.finding(
                f"{client}: {assigned(setting)} {reasons[-1]}",
                at=evidence(client, setting),
                breaks="librdkafka rejects the value: the client cannot be created",
                fix=f"set {key} to a valid value: {_valid(newest, own or newest.bounds)}",
                severity=ERROR if is_declared(client) else WARNING,
            )
        elif newest.type in ("int", "double"):
            read, _ = library.convert(newest.type, setting.text)
            short = _cut_short(setting.text, newest.type)
            if read is not None and (short or _too_long(setting.text)):
                meant = quantities.plain(key, setting.text) if short else None
                plain = meant.text if meant else ""
                yield client.finding(
                    f"{client}: librdkafka parses {assigned(setting)} as {read}: it reads "
                    + ("only the leading number" if short else "32-bit numbers"),
                    at=evidence(client, setting),
                    breaks=f"the client runs with {key}={read}",
                    fix=f"set {key}={plain}" if plain else f"set {key} to a plain number",
                    set_to=plain or None,
                    severity=WARNING,
                )


def _valid(row: dialects.Property, bounds: tuple[float, float] | None) -> str:
    """The values that a property accepts."""
    if row.words:
        return ", ".join(row.words)
    if row.type == "boolean":
        return "true or false"
    return f"{bounds[0]:.0f} to {bounds[1]:.0f}" if bounds else "a plain number"


def _too_long(text: str) -> bool:
    """Whether the number exceeds an int, which has 31 bits and a sign."""
    number = whole(text)
    return number is not None and number.bit_length() > 31


def _cut_short(text: str, kind: str) -> bool:
    """Whether the number ends before the text does."""
    end = text.strip().lower()
    if end.startswith("0x"):
        return False
    try:
        float(end) if kind == "double" else int(end)
    except ValueError:
        return True
    return "_" in end
