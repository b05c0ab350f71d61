"""KC04: secrets in files, and unauthenticated REST interfaces of Connect."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client, Worker
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import INFO, Finding, Setting
from kcheck.rule import ADVICE, rule
from kcheck.rules.shared.keys_wording import evidence
from kcheck.wording import count

_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def _secret(setting: Setting) -> bool:
    """Whether the value is a password or a key itself, not a location."""
    key = setting.key
    if key.endswith("truststore.password"):
        return False  # it protects public certificates only
    if key.endswith("sasl.jaas.config"):
        return "password=" in (setting.text or "")
    return key.endswith(
        (".password", ".secret.key", "keystore.key", "client.credentials.client.secret")
    )


@rule(
    "KC0460",
    "sec-secrets-inline",
    INFO,
    set=ADVICE,
    refs=("KIP-297",),
    invariants=("sec-secrets-inline",),
)
def sec_secrets_inline(node: Broker | Controller | Client) -> Iterator[Finding]:
    """A password or key is in clear text in the file.

    Anyone who can read the repository or its history has the secret. A configuration provider reads
    it where the process runs: ``${file:/run/secrets/kafka.properties:password}``, with
    config.providers.

    Bad:
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SSL
        acks=all
        ssl.keystore.location=/etc/kafka/checkout.p12
        ssl.keystore.password=pa55word
    Good:
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SSL
        acks=all
        ssl.keystore.location=/etc/kafka/checkout.p12
        ssl.keystore.password=${file:/run/secrets/kafka.properties:keystore}
        config.providers=file
        config.providers.file.class=org.apache.kafka.common.config.provider.FileConfigProvider
    Good: a truststore, which contains no secrets
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SSL
        acks=all
        ssl.truststore.password=changeit
    Good: a login without a password
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SASL_SSL
        acks=all
        sasl.mechanism=GSSAPI
        sasl.jaas.config=com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true keyTab="/etc/kafka/checkout.keytab" principal="checkout@EXAMPLE.COM";
    """
    settings = node.resource.settings
    found = [one for one in settings.values() if _secret(one) and one.text]
    if not found:
        return
    more = f" and {count(len(found) - 1, 'more secret')}" if len(found) > 1 else ""
    yield node.finding(
        f"{node} has {found[0].key}{more} in clear text in its file",
        at=evidence(node, found[0]),
        breaks="anyone who can read the file or its history can log in with this identity",
        fix="use a configuration provider or an environment variable, and rotate published secrets",
    )


@rule(
    "KC0461",
    "sec-connect-rest",
    INFO,
    set=ADVICE,
    invariants=("sec-connect-rest",),
)
def sec_connect_rest(worker: Worker) -> Iterator[Finding]:
    """The REST interface of a Connect worker accepts requests without authentication.

    Any client that can connect to it may run connectors. A connector reads and writes files and opens
    connections with the worker's rights, and its configuration shows passwords. Reported in
    production.

    Bad:
        --- kcheck.yaml
        cluster: {environment: production}
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=connect
        config.storage.topic=connect-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=connect-status
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        listeners=http://0.0.0.0:8083
    Good: basic authentication
        --- kcheck.yaml
        cluster: {environment: production}
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=connect
        config.storage.topic=connect-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=connect-status
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        listeners=http://0.0.0.0:8083
        rest.extension.classes=org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension
    Good: localhost only
        --- kcheck.yaml
        cluster: {environment: production}
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=connect
        config.storage.topic=connect-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=connect-status
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        listeners=http://localhost:8083
    """
    told = worker["listeners"]
    if not worker.cluster.production or worker.resource.managed:
        return
    if worker["rest.extension.classes"].text != "":
        return
    entries = told.value if isinstance(told.value, list) else str(told.value or "").split(",")
    open_ones = [
        entry
        for entry in map(str, entries)
        if entry.strip().lower().startswith("http://")
        and entry.partition("://")[2].rpartition(":")[0].lower() not in _LOOPBACK
    ]
    if not open_ones:
        return
    yield worker.finding(
        f"{worker} of a {worker.cluster.rank} accepts unauthenticated requests on "
        f"{open_ones[0].strip()}",
        at=told,
        breaks="any client that can connect may run connectors with the worker's rights and read their "
        "passwords",
        fix="set rest.extension.classes to an extension that authenticates, listen on localhost, or "
        "restrict network access to the deployment",
    )
