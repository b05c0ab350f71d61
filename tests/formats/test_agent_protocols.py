"""The protocol of the clients of agents, by their options for TLS and logins."""

from __future__ import annotations

import pytest

from kcheck import formats

_COLLECTOR = """\
exporters:
  kafka:
    brokers: [k1.example.com:9093]
    topic: traces
    auth: {sasl: {mechanism: PLAIN, username: u, password: "${env:P}"}}
    tls: {%s}
service:
  pipelines:
    traces: {receivers: [otlp], exporters: [kafka]}
"""
_BEATS = """\
output.kafka:
  hosts: ["k1.example.com:9093"]
  topic: logs
  ssl: {%s}
"""
_CONNECT = """\
output:
  kafka_franz:
    seed_brokers: [k1.example.com:9093]
    topic: logs
    tls: {%s}
"""
_PROMTAIL = """\
scrape_configs:
  - job_name: kafka
    kafka:
      brokers: [k1.example.com:9093]
      topics: [logs]
      authentication: {%s}
"""
_AGENT = """\
outputs:
  logs:
    type: kafka
    hosts: ["k1.example.com:9093"]
    topic: logs
    ssl: {%s}
"""


@pytest.mark.parametrize(
    ("text", "options", "protocol"),
    [
        (_COLLECTOR, "insecure: true", "SASL_PLAINTEXT"),
        (_COLLECTOR, "insecure: false", "SASL_SSL"),
        (_COLLECTOR, "insecure: true, ca_file: /etc/ca.pem", "SASL_SSL"),
        (_COLLECTOR, "insecure_skip_verify: true", None),
        (_COLLECTOR, 'insecure: "${env:INSECURE}"', None),
        (_COLLECTOR, "ca_file: /etc/ca.pem", "SASL_SSL"),
        (_BEATS, "enabled: true", "SSL"),
        (_BEATS, "enabled: false, verification_mode: none", "PLAINTEXT"),
        (_BEATS, "verification_mode: none", "SSL"),
        (_CONNECT, "enabled: true, skip_cert_verify: true", "SSL"),
        (_CONNECT, "skip_cert_verify: true", "PLAINTEXT"),
        (_PROMTAIL, "type: none", "PLAINTEXT"),
        (_PROMTAIL, "type: ssl", "SSL"),
        (_PROMTAIL, "type: sasl, sasl_config: {use_tls: true}", "SASL_SSL"),
        (_PROMTAIL, "type: sasl, sasl_config: {mechanism: PLAIN}", "SASL_PLAINTEXT"),
        (_AGENT, "enabled: true", "SSL"),
        (_AGENT, "enabled: false", "PLAINTEXT"),
    ],
)
def test_options_for_tls(text: str, options: str, protocol: str | None) -> None:
    document = formats.read("agent.yaml", (text % options).encode(), lambda path: None)
    (client,) = [
        one for one in document.resources if one.kind in ("producer", "consumer", "client")
    ]
    assert client.image["security.protocol"].text == protocol
