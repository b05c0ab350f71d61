"""KC20: URLs of OAuth that a JVM does not allow."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.model import ERROR, WARNING, Finding, Resource, Running, Setting
from kcheck.rule import rule
from kcheck.rules.shared.processes import finding, told
from kcheck.version import stated

#: The URLs of OAuth, with the key and the name of the handler that connects to each.
_URLS = {
    "sasl.oauthbearer.token.endpoint.url": (
        "sasl.login.callback.handler.class",
        ".OAuthBearerLoginCallbackHandler",
    ),
    "sasl.oauthbearer.jwks.endpoint.url": (
        "sasl.server.callback.handler.class",
        ".OAuthBearerValidatorCallbackHandler",
    ),
}
_KAFKAS = "org.apache.kafka.common.security.oauthbearer"
_ALLOWED = "org.apache.kafka.sasl.oauthbearer.allowed.urls"
_LISTED = re.compile(rf"-D{re.escape(_ALLOWED)}=([^\s\"']+)")


@rule("KC2017", "oauth-url-not-allowed", ERROR, versions="4.0+")
def oauth_url_not_allowed(document: Running) -> Iterator[Finding]:
    """A container with Kafka 4.0 or newer uses an OAuth URL that no system property allows.

    From 4.0 on a client or broker connects to its token and JWKS endpoints only if the system property
    org.apache.kafka.sasl.oauthbearer.allowed.urls lists the exact URL; by default no URL is allowed.
    Reported for containers whose whole environment is in the files, and only where Kafka's own callback
    handlers are configured: without them no URL is used. A warning for listeners of brokers, which may
    not have OAUTHBEARER enabled.

    Bad:
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:8.0.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9093
              CONNECT_SECURITY_PROTOCOL: SASL_SSL
              CONNECT_SASL_MECHANISM: OAUTHBEARER
              CONNECT_SASL_LOGIN_CALLBACK_HANDLER_CLASS: org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler
              CONNECT_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL: https://login.example.com/token
    Bad: another URL is allowed
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:8.0.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9093
              CONNECT_SECURITY_PROTOCOL: SASL_SSL
              CONNECT_SASL_MECHANISM: OAUTHBEARER
              CONNECT_SASL_LOGIN_CALLBACK_HANDLER_CLASS: org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler
              CONNECT_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL: https://login.example.com/token
              KAFKA_OPTS: -Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=https://login.example.com
    Good:
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:8.0.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9093
              CONNECT_SECURITY_PROTOCOL: SASL_SSL
              CONNECT_SASL_MECHANISM: OAUTHBEARER
              CONNECT_SASL_LOGIN_CALLBACK_HANDLER_CLASS: org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler
              CONNECT_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL: https://login.example.com/token
              KAFKA_OPTS: -Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=https://login.example.com/token
    Good: every URL is allowed up to 3.9
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.9.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9093
              CONNECT_SECURITY_PROTOCOL: SASL_SSL
              CONNECT_SASL_MECHANISM: OAUTHBEARER
              CONNECT_SASL_LOGIN_CALLBACK_HANDLER_CLASS: org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler
              CONNECT_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL: https://login.example.com/token
    Good: a URL that nothing connects to
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:8.0.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9093
              CONNECT_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL: https://login.example.com/token
    Good: a handler that checks no list
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:8.0.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9093
              CONNECT_SECURITY_PROTOCOL: SASL_SSL
              CONNECT_SASL_MECHANISM: OAUTHBEARER
              CONNECT_SASL_LOGIN_CALLBACK_HANDLER_CLASS: io.strimzi.kafka.oauth.client.JaasClientOauthLoginCallbackHandler
              CONNECT_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL: https://login.example.com/token
    """
    for resource in document.resources:
        process = resource.traits.process
        if process is None or not process.known:
            continue
        if any(option.text is None for option in process.options):
            continue
        told_version = resource.facts.get("client.version") or resource.facts.get("kafka_version")
        if told_version is None or not stated(told_version.text or "").at_least("4.0"):
            continue
        listed = [url for option in process.options for url in _allowed(option.text or "")]
        for setting in resource.settings.values():
            url = setting.text or ""
            if "://" in url and url not in listed and _connects(resource, setting):
                options = [one for one in process.options if _ALLOWED in (one.text or "")]
                yield finding(
                    process,
                    f"{process} has {setting.key}={url}, which {_ALLOWED} does not list",
                    (told(process, setting), *(told(process, one) for one in options)),
                    "it fails to start (ConfigException: the URL is not allowed)",
                    f"add -D{_ALLOWED}={url} to KAFKA_OPTS",
                    WARNING if setting.key.startswith("listener.name.") else ERROR,
                )
                break


def _connects(resource: Resource, setting: Setting) -> bool:
    """Whether one of Kafka's handlers, configured beside a URL, connects to it."""
    for key, (handler, name) in _URLS.items():
        if not setting.key.endswith(key):
            continue
        prefix = setting.key.removesuffix(key)
        beside = {
            other: (found.text or "")
            for other in (handler, "security.protocol", "sasl.mechanism")
            if (found := resource.settings.get(prefix + other)) is not None
        }
        used = prefix.startswith("listener.name.") or (
            beside.get("security.protocol", "").startswith("SASL_")
            and beside.get("sasl.mechanism") == "OAUTHBEARER"
        )
        return used and beside.get(handler) == _KAFKAS + name
    return False


def _allowed(text: str) -> list[str]:
    """The URLs that Java's options allow."""
    return [url for found in _LISTED.finditer(text) for url in found[1].split(",")]
