"""By which YAML is that of a program which carries logs, metrics or streams through Kafka."""

from __future__ import annotations

import re

#: One of these is in each such file; the rest of it tells which program it is.
_SIGNS = re.compile(
    rb"^[ \t]*output\.kafka[ \t]*:|^[ \t-]*type:[ \t]*[\"']?kafka\b|^[ \t]+kafka(?:/[\w-]+)?:"
    rb"|^[ \t-]*[ \t](?:kafka|kafka_franz|kafka_consumer|redpanda):"
    rb"|^[ \t-]*name:[ \t]*kafka\b|kafka\.bootstrap\.servers[\"']?[ \t]*:",
    re.MULTILINE,
)

#: A file of Vector's, Telegraf's or the Collector's in the values of its chart: where it stands, and its parts.
_CHARTS = {b"customConfig", b"config", b"alternateConfig"}
_INSIDE = re.compile(rb"^[ \t]+(sources|sinks|receivers|exporters|inputs|outputs):", re.MULTILINE)

#: Where Promtail has its targets, and Grafana's agent.
_SCRAPES = {b"scrape_configs", b"logs", b"loki"}
#: What Redpanda Connect's files, once Benthos', have at the margin.
_CONNECTS = {b"input", b"output", b"input_resources", b"output_resources"}


def is_agent(tops: set[bytes], data: bytes) -> bool:
    """Whether YAML with these keys at its margin configures a program that carries records."""
    if not _SIGNS.search(data):
        return False
    beats = any(top.startswith((b"output.kafka", b"filebeat.", b"metricbeat.")) for top in tops)
    return (
        beats
        or (b"output" in tops and any(top.endswith(b"beat") for top in tops))
        or bool(b"sinks" in tops or (b"sources" in tops and b"bootstrap_servers" in data))
        or bool({b"exporters", b"receivers"} & tops and b"service" in tops)
        or bool(
            _CHARTS & tops
            and _INSIDE.search(data)
            and (b"bootstrap_servers:" in data or b"brokers:" in data)
        )
        or bool(tops & _SCRAPES and b"scrape_configs:" in data and b"brokers:" in data)
        or (b"outputs" in tops and b"hosts:" in data)
        or (b"pipeline" in tops and (b"brokers" in data or b"Brokers" in data))
        or b"kafka.bootstrap.servers" in data
        or bool(tops & _CONNECTS and (b"seed_brokers:" in data or b"addresses:" in data))
    )
