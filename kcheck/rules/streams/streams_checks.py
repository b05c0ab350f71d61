"""KC15: settings that Kafka Streams validates before an application starts."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.declarations.declared import whole
from kcheck.graph.clients import Streams
from kcheck.model import ABSENT, ERROR, Finding, Setting, Value
from kcheck.refusal import refused
from kcheck.rule import REFUSED, rule
from kcheck.wording import plain

_STOPS = "the application does not start"


_TAG = "client.tag."


_MOST_TAGS, _LONGEST_KEY, _LONGEST_VALUE = 5, 20, 30


@rule(
    "KC1503",
    "streams-tags",
    ERROR,
    kafka=REFUSED,
    refs=("KIP-708",),
    invariants=("streams-tags",),
    versions="3.2+",
)
def streams_tags(streams: Streams) -> Iterator[Finding]:
    """Client tags are missing, too many or too long.

    Each name in rack.aware.assignment.tags requires its own client.tag.NAME. Streams accepts at most
    5 such tags, with names of up to 20 and values of up to 30 characters.

    Bad:
        --- kcheck.yaml
        streams: [{name: totals, config: {application.id: totals, rack.aware.assignment.tags: zone}}]
    Bad: too long
        --- kcheck.yaml
        streams:
          - name: totals
            config:
              application.id: totals
              client.tag.zone: a-name-of-more-than-thirty-characters
    Good:
        --- kcheck.yaml
        streams:
          - name: totals
            config: {application.id: totals, rack.aware.assignment.tags: zone, client.tag.zone: eu-1a}
    Good: an older version has no tags
        --- kcheck.yaml
        cluster: {client_version: "3.1"}
        streams: [{name: totals, config: {application.id: totals, rack.aware.assignment.tags: zone}}]
    """
    refusal = refused(streams.version, _STOPS, "3.2")
    if refusal is None:
        return
    severity, breaks = refusal
    at, wrong = _wrong_tag(streams)
    if wrong:
        yield streams.finding(
            f"{streams}: {wrong}",
            at=at,
            breaks=breaks,
            fix=f"set one {_TAG}NAME for each name in rack.aware.assignment.tags: at most 5, names "
            f"of up to {_LONGEST_KEY} and values of up to {_LONGEST_VALUE} characters",
            severity=severity,
        )


def _wrong_tag(streams: Streams) -> tuple[Value, str]:
    wanted = streams["rack.aware.assignment.tags"]
    settings = streams.resource.settings
    tags = {key.removeprefix(_TAG): key for key in settings if key.startswith(_TAG)}
    if len(tags) > _MOST_TAGS:
        return streams[next(iter(tags.values()))], f"{len(tags)} client tags exceed the limit of 5"
    for name in wanted.value if isinstance(wanted.value, list) else []:
        if name and name not in tags:
            return wanted, f"{plain(wanted)} names {name}, but {_TAG}{name} is not set"
    for name, key in tags.items():
        text = settings[key].text
        if len(name) > _LONGEST_KEY:
            return streams[key], f"the name of {key} has more than {_LONGEST_KEY} characters"
        if text == "" and streams.version.at_least("4.3"):
            return streams[key], f"{key} is empty"
        # Surrounding blanks count.
        if len(settings[key].raw or "") > _LONGEST_VALUE:
            return streams[key], f"{key} has more than {_LONGEST_VALUE} characters"
    return wanted, ""


@rule(
    "KC1504",
    "streams-topic-segment",
    ERROR,
    kafka=REFUSED,
    on=("topic.segment.bytes",),
    invariants=("streams-topic-segment",),
)
def streams_topic_segment(streams: Streams) -> Iterator[Finding]:
    """topic.segment.bytes is smaller than batch.size of the application's producer.

    Bad:
        --- kcheck.yaml
        streams:
          - name: totals
            config: {application.id: totals, topic.segment.bytes: 1048576, producer.batch.size: 2000000}
    Good:
        --- kcheck.yaml
        streams:
          - name: totals
            config: {application.id: totals, topic.segment.bytes: 2097152, producer.batch.size: 2000000}
    """
    segment = streams["topic.segment.bytes"]
    batch = streams.client("producer", "batch.size")
    size = whole(segment.text or "")
    if size is None or not batch.explicit or not size < batch.number:
        return
    yield streams.finding(
        f"{streams}: topic.segment.bytes={size} is less than {batch.from_key}={batch.text}",
        at=segment,
        because=(batch,),
        breaks=f"{_STOPS} (IllegalArgumentException)",
        fix=f"raise topic.segment.bytes to at least {batch.text}, or remove it",
    )


@rule(
    "KC1505",
    "streams-protocol-static",
    ERROR,
    kafka=REFUSED,
    on=("group.protocol",),
    refs=("KIP-1071",),
    invariants=("streams-protocol-static",),
    versions="4.1–4.3",
)
def streams_protocol_static(streams: Streams) -> Iterator[Finding]:
    """Static membership is configured with group.protocol=streams, which does not support it yet.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.2"}
        streams:
          - name: totals
            config: {application.id: totals, group.protocol: streams, group.instance.id: totals-1}
    Good:
        --- kcheck.yaml
        cluster: {client_version: "4.2"}
        streams: [{name: totals, config: {application.id: totals, group.protocol: streams}}]
    Good: 4.4 supports it
        --- kcheck.yaml
        cluster: {client_version: "4.4"}
        streams:
          - name: totals
            config: {application.id: totals, group.protocol: streams, group.instance.id: totals-1}
    """
    protocol = streams["group.protocol"]
    refusal = refused(streams.version, _STOPS, "4.1", "4.4")
    if refusal is None or str(protocol.value).lower() != "streams":
        return
    severity, breaks = refusal
    for prefix in ("main.consumer.", "consumer.", ""):
        value = streams[f"{prefix}group.instance.id"]
        if value.explicit:
            yield streams.finding(
                f"{streams} sets {plain(value)}, which {plain(protocol)} does not support",
                at=value,
                because=(protocol,),
                breaks=breaks,
                fix="remove it, or use group.protocol=classic",
                severity=severity,
            )
            return


_PUSH = "enable.metrics.push"


@rule(
    "KC1506",
    "streams-metrics-push",
    ERROR,
    kafka=REFUSED,
    on=tuple(f"{prefix}{_PUSH}" for prefix in ("consumer.", "main.consumer.", "admin.")),
    refs=("KIP-1091",),
    invariants=("streams-metrics-push",),
    versions="4.0+",
)
def streams_metrics_push(streams: Streams) -> Iterator[Finding]:
    """enable.metrics.push of an inner client is set in a file.

    From 4.0 on Streams compares enable.metrics.push of its clients with its own, and reads the value
    from a file as a string, not as a boolean: every value fails, valid ones included.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        streams: [{name: totals, config: {application.id: totals, consumer.enable.metrics.push: true}}]
    Good:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        streams: [{name: totals, config: {application.id: totals, enable.metrics.push: false}}]
    """
    refusal = refused(streams.version, f"{_STOPS} (ClassCastException)", "4.0")
    if refusal is None:
        return
    severity, breaks = refusal
    for prefix in ("main.consumer.", "consumer.", "admin."):
        setting: Setting | None = streams.resource.settings.get(f"{prefix}{_PUSH}")
        if setting is not None:
            yield streams.finding(
                f"{streams} sets {setting.key} in a file, where it is read as a string",
                at=streams[setting.key],
                because=(Value(_PUSH, streams.resource, ABSENT),)
                if _PUSH not in streams.resource.settings
                else (streams[_PUSH],),
                breaks=breaks,
                fix=f"set {_PUSH} without a prefix: all inner clients inherit it",
                severity=severity,
            )
            return
