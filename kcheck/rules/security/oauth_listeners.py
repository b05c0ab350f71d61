"""KC0480: listeners for tokens whose broker cannot log in itself."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import jaas
from kcheck.graph import listeners
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ABSENT, ERROR, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.security.broker_sasl import offered_by
from kcheck.rules.shared.completeness import operated

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
