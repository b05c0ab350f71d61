"""KC04: SASL mechanism, login module and managed service of a client."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import endpoints, jaas
from kcheck.graph.clients import Client
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.client_protocol import to_speak
from kcheck.services import ManagedService
from kcheck.wording import plain

_MECHANISM = "sasl.mechanism"


_USER = "sasl.username"


_JAAS = "sasl.jaas.config"


_SERVICE = "sasl.kerberos.service.name"


_HANDLER = "sasl.client.callback.handler.class"


_LOGIN_HANDLER = "sasl.login.callback.handler.class"


_PACKAGE = "org.apache.kafka.common.security."


_KERBEROS = "GSSAPI"


_IAM = "AWS_MSK_IAM"


_SCRAM = ("SCRAM-SHA-256", "SCRAM-SHA-512")


#: The mechanisms that Kafka's login modules support. ScramLoginModule provides a user name and a
#: password, which is all that PLAIN requires.
_MECHANISMS = {
    f"{_PACKAGE}plain.PlainLoginModule": ("PLAIN",),
    f"{_PACKAGE}scram.ScramLoginModule": (*_SCRAM, "PLAIN"),
    f"{_PACKAGE}oauthbearer.OAuthBearerLoginModule": ("OAUTHBEARER",),
}


_KNOWN = (_KERBEROS, "PLAIN", *_SCRAM, "OAUTHBEARER")


def _spoken(client: Client) -> str:
    return str(client["security.protocol"].value or "").upper()


@rule(
    "KC0490",
    "sasl-module-mechanism",
    ERROR,
    kafka=FAILED,
    invariants=("sasl-module-mechanism",),
)
def sasl_module_mechanism(client: Client) -> Iterator[Finding]:
    """The login module of a client does not support its sasl.mechanism.

    sasl.mechanism defaults to GSSAPI (Kerberos). A login module registers its own mechanism in the
    process; PlainLoginModule does not register SCRAM. A warning if the file sets no mechanism: it may
    be set elsewhere.

    Bad: no sasl.mechanism
        --- producer.properties
        bootstrap.servers=k1:9093
        acks=all
        security.protocol=SASL_SSL
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";
    Bad:
        --- producer.properties
        bootstrap.servers=k1:9093
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";
    Good:
        --- producer.properties
        bootstrap.servers=k1:9093
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="a" password="b";
    Good: PLAIN also works with ScramLoginModule
        --- producer.properties
        bootstrap.servers=k1:9093
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="a" password="b";
    """
    mechanism, told = client[_MECHANISM], client[_JAAS]
    name = str(mechanism.value or "").upper()
    module = jaas.of(told.setting).module
    fitting = _MECHANISMS.get(module)
    if not client.java or fitting is None or name not in _KNOWN or name in fitting:
        return
    # A custom login callback handler may provide what the module lacks.
    if not _spoken(client).startswith("SASL") or client.sets(_LOGIN_HANDLER):
        return
    short = module.rpartition(".")[2]
    yield client.finding(
        f"{client} uses {short} with {plain(mechanism)}",
        at=mechanism if mechanism.explicit else told,
        because=(told if mechanism.explicit else mechanism,),
        breaks="the client cannot log in: "
        + (
            "Kerberos finds no service name and no ticket"
            if name == _KERBEROS
            else f"{short} does not support {name}"
        ),
        fix=f"set {_MECHANISM} to the mechanism of {short} that the listener enables: "
        + " or ".join(fitting[:2]),
        severity=ERROR if mechanism.explicit else WARNING,
    )


@rule(
    "KC0491",
    "sasl-kerberos-service",
    WARNING,
    kafka=FAILED,
    on=(_MECHANISM,),
    invariants=("sasl-kerberos-service",),
)
def sasl_kerberos_service(client: Client) -> Iterator[Finding]:
    """A client uses Kerberos without the service name of the brokers.

    The service name is the first part of the brokers' principal (kafka in kafka/host@REALM), set as
    sasl.kerberos.service.name or as serviceName of the login module. The program may add it.

    Bad:
        --- producer.properties
        bootstrap.servers=k1:9093
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=GSSAPI
        sasl.jaas.config=com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true keyTab="/a.keytab" principal="a@EXAMPLE.COM";
    Good:
        --- producer.properties
        bootstrap.servers=k1:9093
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=GSSAPI
        sasl.kerberos.service.name=kafka
        sasl.jaas.config=com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true keyTab="/a.keytab" principal="a@EXAMPLE.COM";
    Good: serviceName of the login module
        --- producer.properties
        bootstrap.servers=k1:9093
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=GSSAPI
        sasl.jaas.config=com.sun.security.auth.module.Krb5LoginModule required serviceName="kafka" useKeyTab=true keyTab="/a.keytab" principal="a@EXAMPLE.COM";
    """
    mechanism, told, service = client[_MECHANISM], client[_JAAS], client[_SERVICE]
    login = jaas.of(told.setting)
    if not client.java or str(mechanism.value or "").upper() != _KERBEROS or not login.whole:
        return
    if login.module in _MECHANISMS or "serviceName" in login.options:
        return
    if not _spoken(client).startswith("SASL") or not service.known or service.text:
        return
    yield client.finding(
        f"{client} uses {plain(mechanism)} without {_SERVICE}",
        at=service,
        because=(mechanism, told),
        breaks="the client cannot be created: no serviceName defined",
        fix=f"set {_SERVICE}=kafka, or the first part of the brokers' principal",
    )


@rule("KC0492", "sasl-iam-handler", WARNING, on=(_MECHANISM,))
def sasl_iam_handler(client: Client) -> Iterator[Finding]:
    """A client uses AWS_MSK_IAM without the IAM client callback handler.

    The library's login module requires its callback handler, set as
    sasl.client.callback.handler.class, not as sasl.login.callback.handler.class. The program may add
    it.

    Bad:
        --- producer.properties
        bootstrap.servers=b-1.core.abc.c2.kafka.eu-west-1.amazonaws.com:9098
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=AWS_MSK_IAM
        sasl.jaas.config=software.amazon.msk.auth.iam.IAMLoginModule required;
    Good:
        --- producer.properties
        bootstrap.servers=b-1.core.abc.c2.kafka.eu-west-1.amazonaws.com:9098
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=AWS_MSK_IAM
        sasl.jaas.config=software.amazon.msk.auth.iam.IAMLoginModule required;
        sasl.client.callback.handler.class=software.amazon.msk.auth.iam.IAMClientCallbackHandler
    """
    mechanism, handler = client[_MECHANISM], client[_HANDLER]
    if not client.java or str(mechanism.value or "").upper() != _IAM:
        return
    if not _spoken(client).startswith("SASL") or not handler.known or handler.text:
        return
    login = client[_LOGIN_HANDLER]
    misplaced = "IAMClientCallbackHandler" in (login.text or "")
    yield client.finding(
        f"{client} uses {plain(mechanism)} without {_HANDLER}"
        + (f", but sets {_LOGIN_HANDLER}" if misplaced else ""),
        at=login if misplaced else handler,
        because=(handler, mechanism) if misplaced else (mechanism,),
        breaks="every login fails: unrecognized SASL ClientCallback",
        fix=f"set {_HANDLER}=software.amazon.msk.auth.iam.IAMClientCallbackHandler",
    )


@rule(
    "KC0493",
    "managed-service-login",
    ERROR,
    on=("bootstrap.servers",),
)
def managed_service_login(client: Client) -> Iterator[Finding]:
    """A client uses a protocol or mechanism that the managed service does not accept.

    Confluent Cloud and Azure Event Hubs accept only TLS with authentication; Event Hubs listens on
    port 9093, and the user name for a connection string is $ConnectionString. Amazon MSK has a port
    for each access method, MSK Serverless only the one for IAM. A warning if security.protocol is not
    set: it may be set elsewhere.

    Bad:
        --- producer.properties
        bootstrap.servers=pkc-1.eu-west-1.aws.confluent.cloud:9092
        acks=all
        security.protocol=SASL_PLAINTEXT
        sasl.mechanism=PLAIN
    Bad: the port of another access method
        --- producer.properties
        bootstrap.servers=b-1.core.abc.c2.kafka.eu-west-1.amazonaws.com:9098
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA-512
    Bad: the user name for Event Hubs
        --- producer.properties
        bootstrap.servers=core.servicebus.windows.net:9093
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="RootManageSharedAccessKey" password="x";
    Bad: a serverless cluster
        --- producer.properties
        bootstrap.servers=boot-7ab2.c3.kafka-serverless.eu-west-1.amazonaws.com:9092
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=AWS_MSK_IAM
        sasl.jaas.config=software.amazon.msk.auth.iam.IAMLoginModule required;
        sasl.client.callback.handler.class=software.amazon.msk.auth.iam.IAMClientCallbackHandler
    Bad: an agent without TLS
        --- filebeat.yml
        output.kafka:
          hosts: ["pkc-1.eu-west-1.aws.confluent.cloud:9092"]
          topic: logs
          username: filebeat
          password: "${PASSWORD}"
    Good:
        --- producer.properties
        bootstrap.servers=core.servicebus.windows.net:9093
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="$ConnectionString" password="x";
    Good: mutual TLS
        --- producer.properties
        bootstrap.servers=pkc-1.eu-west-1.aws.confluent.cloud:9092
        acks=all
        security.protocol=SSL
    Good: a serverless cluster
        --- producer.properties
        bootstrap.servers=boot-7ab2.c3.kafka-serverless.eu-west-1.amazonaws.com:9098
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=AWS_MSK_IAM
        sasl.jaas.config=software.amazon.msk.auth.iam.IAMLoginModule required;
        sasl.client.callback.handler.class=software.amazon.msk.auth.iam.IAMClientCallbackHandler
    """
    asked = client["bootstrap.servers"].text or ""
    service = endpoints.managed(asked)
    if service is None:
        return
    ports = {port for _, port in endpoints.split(asked)}
    at = next(iter(ports)) if len(ports) == 1 else ""
    protocol, mechanisms = service.login(at)
    called = f"port {at} of {service.called}" if at in service.logins else service.called
    port = service.port
    told, spoken = client["security.protocol"], _spoken(client)
    if not protocol or not spoken:
        return
    servers, mechanism = client["bootstrap.servers"], client[_MECHANISM]
    refused = "every connection is closed before the first response"
    if spoken != protocol and not (service.mutual_tls and spoken == "SSL"):
        # sasl-without-protocol reports unused credentials.
        if not told.explicit and any(map(client.sets, (_MECHANISM, _JAAS, "sasl.username"))):
            return
        yield client.finding(
            f"{client} connects to {servers.text} with {plain(told)}, but {called} accepts {protocol}",
            at=told if told.explicit else servers,
            because=(servers if told.explicit else told,),
            breaks=refused,
            fix=to_speak(client, protocol),
            severity=ERROR if told.explicit else WARNING,
        )
    elif port and ports != {port}:
        yield client.finding(
            f"{client} bootstraps from {servers.text}, but {called} listens on port {port}",
            at=servers,
            breaks="the connection is refused or times out",
            fix=f"use port {port}",
        )
    elif spoken.startswith("SASL") and mechanism.explicit and mechanism.value:
        yield from _mechanism(client, mechanism, mechanisms, service, called, servers)


#: What is the password of a service's one user name.
_SECRETS = {"$ConnectionString": "a connection string", "token": "an API key"}


def _mechanism(
    client: Client,
    mechanism: Value,
    offered: tuple[str, ...],
    service: ManagedService,
    called: str,
    servers: Value,
) -> Iterator[Finding]:
    name, told = str(mechanism.value).upper(), client[_JAAS if client.java else _USER]
    user = None
    if name == "PLAIN" and service.user:
        user = told.text if not client.java else jaas.of(told.setting).options.get("username")
    if offered and name not in offered:
        yield client.finding(
            f"{client} uses {plain(mechanism)}, but {called} accepts {' or '.join(offered)}",
            at=mechanism,
            because=(servers,),
            breaks="every login is rejected",
            fix=f"set {_MECHANISM}={offered[0]}",
        )
    elif user and user != service.user and not user.startswith("$"):  # a variable may be replaced
        yield client.finding(
            f"{client} logs in to {called} as {user}, not as {service.user}",
            at=told,
            because=(mechanism, servers),
            breaks=f"every login is rejected: the user name for {_SECRETS[service.user]} is "
            f"{service.user}",
            fix=f'set username="{service.user}" and {_SECRETS[service.user]} as password'
            if client.java
            else f"set {told.key}={service.user} and {_SECRETS[service.user]} as password",
        )
