"""KC04: logins by OAuth tokens: what clients lack for them, and listeners whose broker cannot log in itself."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import jaas
from kcheck.graph import listeners
from kcheck.graph.clients import Client
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ABSENT, ERROR, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.security.broker_sasl import offered_by
from kcheck.rules.shared.client_protocol import (
    JAAS,
    MECHANISM,
    OAUTH,
    missing_key,
    reader_of,
    spoken,
)
from kcheck.rules.shared.completeness import operated
from kcheck.wording import plain

_MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
_HANDLER = "sasl.login.callback.handler.class"
#: The claim that names the principal of an unsecured token, and the option that names another claim.
_CLAIM, _NAME = "unsecuredLoginStringClaim_sub", "unsecuredLoginPrincipalClaimName"


@rule(
    "KC0480",
    "oauth-listener-login",
    ERROR,
    kafka=FAILED,
    on=("sasl.enabled.mechanisms", "listeners", "listener.security.protocol.map"),
    broker_side=True,
)
def oauth_listener_login(broker: Broker | Controller) -> Iterator[Finding]:
    """A listener for OAUTHBEARER has a login module with options, but none that the default login reads.

    A broker logs in with every mechanism of a listener, also with those that only clients use. Without
    ``listener.name.<listener>.oauthbearer.sasl.login.callback.handler.class``, Kafka's login for
    development makes a token of the module's options: without options it makes none, and with any it
    requires unsecuredLoginStringClaim_sub. Options for a validator of tokens are such options.

    Bad: the options are for the validator
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=INTERNAL://:9092,CLIENT://:9094
        listener.security.protocol.map=INTERNAL:PLAINTEXT,CLIENT:SASL_SSL
        inter.broker.listener.name=INTERNAL
        listener.name.client.sasl.enabled.mechanisms=OAUTHBEARER
        listener.name.client.oauthbearer.sasl.server.callback.handler.class=io.strimzi.kafka.oauth.server.JaasServerOauthValidatorCallbackHandler
        listener.name.client.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required oauth.jwks.endpoint.uri="https://login.example.com/keys" oauth.valid.issuer.uri="https://login.example.com";
    Good: a claim for the broker's own token
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=INTERNAL://:9092,CLIENT://:9094
        listener.security.protocol.map=INTERNAL:PLAINTEXT,CLIENT:SASL_SSL
        inter.broker.listener.name=INTERNAL
        listener.name.client.sasl.enabled.mechanisms=OAUTHBEARER
        listener.name.client.oauthbearer.sasl.server.callback.handler.class=io.strimzi.kafka.oauth.server.JaasServerOauthValidatorCallbackHandler
        listener.name.client.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker" oauth.jwks.endpoint.uri="https://login.example.com/keys";
    Good: a login of its own
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9094
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=OAUTHBEARER
        sasl.mechanism.inter.broker.protocol=OAUTHBEARER
        listener.name.sasl_ssl.oauthbearer.sasl.login.callback.handler.class=io.strimzi.kafka.oauth.client.JaasClientOauthLoginCallbackHandler
        listener.name.sasl_ssl.oauthbearer.sasl.server.callback.handler.class=io.strimzi.kafka.oauth.server.JaasServerOauthValidatorCallbackHandler
        listener.name.sasl_ssl.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required oauth.client.id="broker";
    Good: no options, and options that something fills in
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=INTERNAL://:9092,CLIENT://:9094,PARTNER://:9095
        listener.security.protocol.map=INTERNAL:PLAINTEXT,CLIENT:SASL_SSL,PARTNER:SASL_SSL
        inter.broker.listener.name=INTERNAL
        sasl.enabled.mechanisms=OAUTHBEARER
        listener.name.client.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;
        listener.name.client.oauthbearer.sasl.server.callback.handler.class=com.example.Tokens
        listener.name.partner.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required ${OPTIONS};
        listener.name.partner.oauthbearer.sasl.server.callback.handler.class=com.example.Tokens
    """
    found = listeners.addresses(broker)
    if operated(broker):
        return
    for name in found.names:
        prefix = f"listener.name.{name.lower()}.oauthbearer."
        if not found.protocols.get(name, "").startswith("SASL") or broker.sets(prefix + _HANDLER):
            continue
        told = broker[f"{prefix}sasl.jaas.config"]
        if "OAUTHBEARER" not in offered_by(broker, name):
            continue
        login = jaas.of(told.setting)
        own = {_CLAIM, _NAME}.isdisjoint(login.options)
        if login.module == _MODULE and login.whole and not login.fault and login.options and own:
            yield broker.finding(
                f"{broker} enables OAUTHBEARER on listener {name} without {prefix}{_HANDLER}, and the "
                f"options of its login module have no {_CLAIM}",
                at=told,
                because=(Value(prefix + _HANDLER, broker.resource, ABSENT),),
                breaks="the broker cannot log in and does not start",
                fix=f'add {_CLAIM}="…" to the options, or set {prefix}{_HANDLER}',
            )


_LOGIN_HANDLER = "sasl.login.callback.handler.class"
_ENDPOINT, _METHOD = "sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.method"

_OAUTH_MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
_OAUTH_HANDLER = "OAuthBearerLoginCallbackHandler"
_PACKAGE = "org.apache.kafka.common.security.oauthbearer."
#: What logs in with a token that the client makes itself, for development.
_UNSECURED = "unsecuredLogin"


@rule(
    "KC0458",
    "oauth-login-incomplete",
    ERROR,
    kafka=FAILED,
    on=(
        "sasl.oauthbearer.token.endpoint.url",
        "sasl.jaas.config",
        "sasl.login.callback.handler.class",
        "sasl.mechanisms",
    ),
)
def oauth_login_incomplete(client: Client) -> Iterator[Finding]:
    """A client uses OAUTHBEARER, but nothing in it requests a token.

    Without sasl.login.callback.handler.class, Kafka's handler for development is used: it reads
    neither sasl.oauthbearer.token.endpoint.url nor any other option for an identity provider, and
    fails or logs in without a token. With OAuthBearerLoginCallbackHandler the endpoint is required.
    librdkafka requests tokens only with sasl.oauthbearer.method=oidc. A warning for applications: the
    program may add it.

    Bad: no handler
        --- producer.properties
        bootstrap.servers=k1:9095
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=OAUTHBEARER
        sasl.oauthbearer.token.endpoint.url=https://login.example.com/token
        sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required clientId="a" clientSecret="b";
    Bad: no endpoint
        --- producer.properties
        bootstrap.servers=k1:9095
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=OAUTHBEARER
        sasl.login.callback.handler.class=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler
        sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required clientId="a" clientSecret="b";
    Bad: librdkafka
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config:
              security.protocol: sasl_ssl
              sasl.mechanisms: OAUTHBEARER
              sasl.oauthbearer.token.endpoint.url: https://login.example.com/token
              sasl.oauthbearer.client.id: a
              sasl.oauthbearer.client.secret: b
    Good:
        --- producer.properties
        bootstrap.servers=k1:9095
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=OAUTHBEARER
        sasl.oauthbearer.token.endpoint.url=https://login.example.com/token
        sasl.login.callback.handler.class=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler
        sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required clientId="a" clientSecret="b";
    Good: a custom handler
        --- producer.properties
        bootstrap.servers=k1:9095
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=OAUTHBEARER
        sasl.login.callback.handler.class=com.example.Tokens
        sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;
    Good: unsecured tokens
        --- producer.properties
        bootstrap.servers=k1:9095
        acks=all
        security.protocol=SASL_PLAINTEXT
        sasl.mechanism=OAUTHBEARER
        sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="a";
    Good: librdkafka
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config:
              security.protocol: sasl_ssl
              sasl.mechanisms: OAUTHBEARER
              sasl.oauthbearer.method: oidc
              sasl.oauthbearer.token.endpoint.url: https://login.example.com/token
              sasl.oauthbearer.client.id: a
              sasl.oauthbearer.client.secret: b
    """
    mechanism = reader_of(client)[MECHANISM]
    if not spoken(client).startswith("SASL") or str(mechanism.value or "").upper() != OAUTH:
        return
    if client.resource.traits.partial:
        return
    if client.java:
        yield from _without_handler(client)
    elif client.library.checks_as_librdkafka:
        yield from _without_method(client)


def _without_handler(client: Client) -> Iterator[Finding]:
    reader = reader_of(client)
    handler, login = reader[_LOGIN_HANDLER], reader[JAAS]
    mechanism, endpoint = reader[MECHANISM], reader[_ENDPOINT]
    severity = WARNING if client.resource.traits.application else ERROR
    if handler.text and handler.text.startswith(_PACKAGE):
        named = handler.text.rpartition(".")[2] == _OAUTH_HANDLER
        retriever = reader["sasl.oauthbearer.jwt.retriever.class"]
        if named and not endpoint.written and not retriever.written:
            yield client.finding(
                f"{client} sets {_LOGIN_HANDLER} to {_OAUTH_HANDLER} without {_ENDPOINT}",
                at=handler,
                because=(missing_key(client, _ENDPOINT),),
                breaks=f"the client cannot be created (ConfigException: {_ENDPOINT})",
                fix=f"set {_ENDPOINT} to the token endpoint of the identity provider",
                severity=severity,
            )
        return
    if handler.written:
        return
    told = jaas.of(login.setting)
    if told.module != _OAUTH_MODULE or not told.whole or told.fault:
        return
    if any(option.startswith(_UNSECURED) for option in told.options):
        return
    told_endpoint = endpoint.written
    yield client.finding(
        f"{client} sets {_ENDPOINT} without {_LOGIN_HANDLER}"
        if told_endpoint
        else f"{client} uses {plain(mechanism)} without {_LOGIN_HANDLER}",
        at=endpoint if told_endpoint else login,
        because=(missing_key(client, _LOGIN_HANDLER), mechanism),
        breaks="no token is requested: "
        + (
            "the client cannot be created (LoginException)"
            if told.options
            else "the client logs in without a token, and every connection fails"
        ),
        fix=f"set {_LOGIN_HANDLER}={_PACKAGE}{_OAUTH_HANDLER} (up to 3.3 in package "
        "…oauthbearer.secured), or the handler of the identity provider",
        severity=severity,
    )


#: What librdkafka reads only where it requests tokens itself.
_OF_OIDC = (_ENDPOINT, "sasl.oauthbearer.client.id", "sasl.oauthbearer.client.secret")


def _without_method(client: Client) -> Iterator[Finding]:
    method, endpoint = client[_METHOD], client[_ENDPOINT]
    name = str(method.value or "").lower()
    key = next((key for key in _OF_OIDC if client.sets(key)), "")
    if name == "oidc" and not endpoint.written:
        yield client.finding(
            f"{client} sets {plain(method)} without {_ENDPOINT}",
            at=method,
            because=(missing_key(client, _ENDPOINT),),
            breaks=f"unless the program sets {_ENDPOINT}, the client cannot be created",
            fix=f"set {_ENDPOINT}",
            severity=WARNING,
        )
    elif name == "default" and key:
        yield client.finding(
            f"{client} sets {key}, but uses {plain(method)}",
            at=client[key],
            because=(method,),
            breaks="librdkafka requests no token: unless the program has a callback for tokens, every "
            "login fails",
            fix=f"set {_METHOD}=oidc",
            severity=WARNING,
        )
