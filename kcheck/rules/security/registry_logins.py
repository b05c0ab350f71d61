"""KC04: the login of serializers and converters at a schema registry."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import jaas
from kcheck.graph.clients import Client, Connector, Worker
from kcheck.model import ABSENT, SET, WARNING, Finding, Setting, Value
from kcheck.rule import FAILED, rule

#: (the key for where a login comes from, the source that reads the other keys, these). Confluent's
#: schema-registry-client: SchemaRegistryClientConfig, UserInfoCredentialProvider ("UserInfo must be
#: provided when basic.auth.credentials.source is set to USER_INFO") and StaticTokenCredentialProvider.
_LOGINS = (
    (
        "basic.auth.credentials.source",
        "USER_INFO",
        ("basic.auth.user.info", "schema.registry.basic.auth.user.info"),
    ),
    ("bearer.auth.credentials.source", "STATIC_TOKEN", ("bearer.auth.token",)),
)
_PREFIXES = ("", "key.converter.", "value.converter.")
#: Where a login is the client's own; SaslBasicAuthCredentialProvider takes the user and the password of its
#: first login module, and of the JVM's JAAS file where sasl.jaas.config is not set.
_SOURCE, _INHERITED, _LOGIN = "basic.auth.credentials.source", "SASL_INHERIT", "sasl.jaas.config"
#: Where a connector has clients of a registry: the prefix of their settings, the key of the address,
#: the key of the class that has the client, and how its name begins.
_REGISTRIES = (
    (
        "key.converter.",
        "key.converter.schema.registry.url",
        "key.converter",
        "io.confluent.connect.",
    ),
    (
        "value.converter.",
        "value.converter.schema.registry.url",
        "value.converter",
        "io.confluent.connect.",
    ),
    ("schemaRegistryClient.", "schemaRegistryLocation", "connector.class", "com.wepay."),
)
#: What basic.auth.credentials.source is if nothing sets it; of tokens there is no default.
_DEFAULTS = {"basic.auth.credentials.source": "URL", "bearer.auth.credentials.source": ""}


@rule(
    "KC0466",
    "registry-login",
    WARNING,
    kafka=FAILED,
    on=(
        "basic.auth.credentials.source",
        "basic.auth.user.info",
        "schema.registry.basic.auth.user.info",
        "bearer.auth.credentials.source",
        "bearer.auth.token",
        "key.converter.basic.auth.credentials.source",
        "key.converter.basic.auth.user.info",
        "key.converter.bearer.auth.credentials.source",
        "key.converter.bearer.auth.token",
        "value.converter.basic.auth.credentials.source",
        "value.converter.basic.auth.user.info",
        "value.converter.bearer.auth.credentials.source",
        "value.converter.bearer.auth.token",
        "key.converter.schema.registry.url",
        "value.converter.schema.registry.url",
    ),
)
def registry_login(node: Client | Connector) -> Iterator[Finding]:
    """Credentials for Schema Registry have no effect, or are missing.

    Confluent's serializers and converters read basic.auth.user.info only with
    basic.auth.credentials.source=USER_INFO (default URL: a user in schema.registry.url), and
    bearer.auth.token only with bearer.auth.credentials.source=STATIC_TOKEN. With such a source the
    credentials are required. Each client of a registry has its own: those of the other converter, or of
    the converter for a connector that asks the registry itself, do not count. SASL_INHERIT takes user and password from sasl.jaas.config, which a login of
    Kerberos or a token does not have; a converter takes it from its own, not from the worker's.

    Bad: no source
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=billing
        key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
        value.deserializer=io.confluent.kafka.serializers.KafkaAvroDeserializer
        schema.registry.url=https://registry.example.com
        basic.auth.user.info=${file:/run/secrets/registry:login}
    Bad: no credentials
        --- orders.json
        {"name": "orders", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "value.converter": "io.confluent.connect.avro.AvroConverter",
         "value.converter.schema.registry.url": "https://registry.example.com",
         "value.converter.basic.auth.credentials.source": "USER_INFO"}}
    Bad: a login without a password
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=GSSAPI
        sasl.jaas.config=com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true keyTab="/etc/k.keytab" principal="billing@EXAMPLE.COM";
        key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
        value.deserializer=io.confluent.kafka.serializers.KafkaAvroDeserializer
        schema.registry.url=https://registry.example.com
        basic.auth.credentials.source=SASL_INHERIT
    Bad: the worker's login, which its converter does not get
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="etl" password="${file:/run/secrets/kafka:login}";
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=io.confluent.connect.avro.AvroConverter
        value.converter.schema.registry.url=https://registry.example.com
        value.converter.basic.auth.credentials.source=SASL_INHERIT
    Good:
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=billing
        key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
        value.deserializer=io.confluent.kafka.serializers.KafkaAvroDeserializer
        schema.registry.url=https://registry.example.com
        basic.auth.credentials.source=USER_INFO
        basic.auth.user.info=${file:/run/secrets/registry:login}
    Good: a place for a login that is not needed here
        --- application.properties
        spring.kafka.bootstrap-servers=k1:9092
        spring.kafka.consumer.group-id=billing
        spring.kafka.properties.schema.registry.url=http://localhost:8081
        spring.kafka.properties.basic.auth.credentials.source=
        spring.kafka.properties.basic.auth.user.info=
    Good: the login of the client
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=billing
        key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
        value.deserializer=io.confluent.kafka.serializers.KafkaAvroDeserializer
        schema.registry.url=https://registry.example.com
        basic.auth.credentials.source=SASL_INHERIT
    Good: a place for one that is filled in elsewhere
        --- application.properties
        spring.kafka.bootstrap-servers=k1:9092
        spring.kafka.consumer.group-id=billing
        spring.kafka.properties.schema.registry.url=http://localhost:8081
        spring.kafka.properties.basic.auth.credentials.source=USER_INFO
        spring.kafka.properties.basic.auth.user.info=
    """
    if node.resource.traits.partial or not node.library.java:
        return
    settings = node.resource.settings
    yield from _inherited(node)
    prefixes: tuple[str, ...] = _PREFIXES
    if isinstance(node, Connector):
        yield from _beside(node)
        # Its converters alone read such keys.
        prefixes = _PREFIXES[1:]
    for prefix in prefixes:
        for source_key, needed, keys in _LOGINS:
            source = settings.get(prefix + source_key)
            there = [settings[prefix + key] for key in keys if prefix + key in settings]
            # An empty one is a place for a login, and none.
            given = next((one for one in there if one.text != ""), None)
            if source is not None and source.text is None:
                continue
            told = source.text if source is not None else _DEFAULTS[source_key]
            if given is not None and told != needed:
                named = f"{prefix}{source_key}"
                yield node.finding(
                    f"{node} sets {given.key}, but {named}"
                    + (f"={told}" + ("" if source else " (default)") if told else " is not set"),
                    at=Value(given.key, node.resource, SET, given.text, setting=given),
                    because=(Value(named, node.resource, ABSENT, setting=source),),
                    breaks="requests to the registry have no login: it answers 401",
                    fix=f"set {named}={needed}",
                )
            elif not there and source is not None and source.text == needed:
                lacking = f"{prefix}{keys[0]}"
                yield node.finding(
                    f"{node} sets {source.key}={told} without {lacking}",
                    at=Value(source.key, node.resource, SET, told, told, True, source),
                    because=(Value(lacking, node.resource, ABSENT),),
                    breaks=f"unless the program sets {lacking}, serializers and converters cannot be "
                    "configured (ConfigException)",
                    fix=f"set {lacking}",
                )


def _beside(connector: Connector) -> Iterator[Finding]:
    """The client of a registry that has no login where another one of the same registry has."""
    clients = [
        (prefix, url, _logs_in(connector, prefix, url))
        for prefix, key, owner, begins in _REGISTRIES
        if (url := connector.resource.settings.get(key)) is not None
        and url.text
        and (connector[owner].text or "").startswith(begins)
    ]
    for prefix, url, logs_in in clients:
        same = [
            one
            for _, one, other in clients
            if other and (one.text or "").rstrip("/") == (url.text or "").rstrip("/")
        ]
        if logs_in or not same:
            continue
        source = f"{prefix}{_LOGINS[0][0]}"
        yield connector.finding(
            f"{connector}: {url.key} is the registry of {same[0].key}, which logs in, but {source} is "
            "not set",
            at=Value(url.key, connector.resource, SET, url.text, setting=url),
            because=(
                Value(same[0].key, connector.resource, SET, same[0].text, setting=same[0]),
                Value(source, connector.resource, ABSENT),
            ),
            breaks="requests of this client have no login: a registry with logins answers 401",
            fix=f"set {source} and {prefix}{_LOGINS[0][2][0]}",
        )


def _logs_in(connector: Connector, prefix: str, url: Setting) -> bool:
    """Whether a client of a registry has a login, or may have one."""
    keys = [f"{prefix}{key}" for source, _, keys in _LOGINS for key in (source, *keys)]
    return "@" in (url.text or "") or any(key in connector.resource.settings for key in keys)


def _inherited(node: Client | Connector) -> Iterator[Finding]:
    """The findings on logins that a client of the registry is to take from its client of Kafka's."""
    settings = node.resource.settings
    for prefix in (*_PREFIXES, "schema.registry."):
        source = settings.get(prefix + _SOURCE)
        if source is None or source.text != _INHERITED:
            continue
        converts = "converter" in prefix
        key = f"{prefix}{_LOGIN}" if converts else _LOGIN
        held = settings.get(key)
        at = Value(source.key, node.resource, SET, source.text, source.text, True, source)
        if held is not None:
            login = jaas.of(held)
            if not login.whole or not login.module or "username" in login.options:
                continue
            why = f"{key} has {login.module.rpartition('.')[2]} without a user"
            because = Value(key, node.resource, SET, held.text, setting=held)
        elif converts and isinstance(node, Worker) and _LOGIN in settings:
            if node.resource.traits.jaas_file:
                continue
            why = f"the converter has no {key}"
            because = Value(key, node.resource, ABSENT)
        else:
            continue
        yield node.finding(
            f"{node} sets {source.key}={_INHERITED}, but {why}",
            at=at,
            because=(because,),
            breaks="it cannot be configured: there are no user and password to inherit (ConfigException)",
            fix=f"set {prefix}{_SOURCE}=USER_INFO and {prefix}basic.auth.user.info"
            if held is not None
            else f"set {key}, or {source.key}=USER_INFO and {prefix}basic.auth.user.info",
        )
