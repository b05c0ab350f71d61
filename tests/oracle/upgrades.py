#!/usr/bin/env python3
"""What the releases on both sides of an upgrade say of one configuration, for the rules on upgrades.

    python tests/oracle/upgrades.py

asks Kafka (as ``compare.py`` does) and records the answers in ``upgrades.tsv``, which the tests read.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
for _folder in (HERE, HERE.parents[1]):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

import answers  # noqa: E402
from cases import Case  # noqa: E402

RECORD = HERE / "upgrades.tsv"
RELEASES = ("2.8.2", "3.9.2", "4.0.2", "4.1.2", "4.4.0")

_ZOOKEEPER: dict[str, str | None] = {
    "broker.id": "1",
    "zookeeper.connect": "localhost:2181",
    "log.dirs": "/data/kafka",
}
_OAUTH: dict[str, str | None] = {
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "OAUTHBEARER",
    "sasl.jaas.config": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule "
    'required clientId="a" clientSecret="b";',
    "sasl.oauthbearer.token.endpoint.url": "https://localhost:1/token",
    "sasl.login.callback.handler.class": "org.apache.kafka.common.security.oauthbearer."
    "OAuthBearerLoginCallbackHandler",
    # It gives up at once where nobody listens.
    "sasl.login.retry.backoff.ms": "1",
    "sasl.login.retry.backoff.max.ms": "1",
}
_OLD_OAUTH = {
    **_OAUTH,
    "sasl.login.callback.handler.class": "org.apache.kafka.common.security.oauthbearer.secured."
    "OAuthBearerLoginCallbackHandler",
}
_STRANGE: dict[str, str | None] = {"sasl.mechanism": "PLAIN", "sasl.jaas.config": "no JAAS at all"}
_HEARTBEAT: dict[str, str | None] = {
    "broker.heartbeat.interval.ms": "8000",
    "broker.session.timeout.ms": "9000",
}

#: What the tests ask of the record, by a name.
CASES = {
    "zookeeper": Case("combined", _ZOOKEEPER, bare=True),
    "protocol of 2.8": Case("combined", {"inter.broker.protocol.version": "2.8"}),
    "small segments": Case("topic", {"segment.bytes": "524288"}),
    "OAuth": Case("producer", _OLD_OAUTH),
    "OAuth of 4.x": Case("producer", _OAUTH),
    "SASL unused": Case("producer", _STRANGE),
    "SASL used": Case("producer", {**_STRANGE, "security.protocol": "SASL_PLAINTEXT"}),
    "rare heartbeats": Case("combined", _HEARTBEAT),
}

#: The defaults whose change is told.
DEFAULTS = {"producer": ("linger.ms",), "topic": ("message.timestamp.after.max.ms",)}


def main() -> int:
    import compare
    import jvm

    jvm.within_reach(RELEASES)
    table = compare.asked([*CASES.values()], RELEASES)
    table.bases = {
        (plane, release): {key: values[key] for key in DEFAULTS.get(plane, ()) if key in values}
        for (plane, release), values in table.bases.items()
        if plane in DEFAULTS
    }
    # The numbers of clients hang on what was asked before.
    for _, said in table.rows:
        for answer in said.values():
            answer.values.pop("client.id", None)
    answers.write(table, RECORD)
    return 0


if __name__ == "__main__":
    sys.exit(main())
