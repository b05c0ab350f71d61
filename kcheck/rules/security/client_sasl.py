"""KC04: whether a client can log in by the mechanism, the module and the service that it names."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import endpoints, jaas
from kcheck.graph.clients import Client
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.wording import plain

_MECHANISM = "sasl.mechanism"


_JAAS = "sasl.jaas.config"


_SERVICE = "sasl.kerberos.service.name"


_HANDLER = "sasl.client.callback.handler.class"


_LOGIN_HANDLER = "sasl.login.callback.handler.class"


_PACKAGE = "org.apache.kafka.common.security."


_KERBEROS = "GSSAPI"


_IAM = "AWS_MSK_IAM"


_SCRAM = ("SCRAM-SHA-256", "SCRAM-SHA-512")


#: The mechanisms that a login module of Kafka's leads to. That of SCRAM leaves a name and a password,
#: as PLAIN wants them.
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
    """A client logs in by one mechanism, and its login module is for another.

    sasl.mechanism is GSSAPI (Kerberos) where nobody sets it. A login module makes its own mechanism
    known to the process: PlainLoginModule none, so SCRAM cannot follow on it. A warning where the file
    has no mechanism: it may come from elsewhere.

    Bad: the mechanism is forgotten
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
    Good: it works, if by chance
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
    # A handler of one's own may bring what the login lacks.
    if not _spoken(client).startswith("SASL") or client.sets(_LOGIN_HANDLER):
        return
    short = module.rpartition(".")[2]
    yield client.finding(
        f"{client} logs in with {short} by {plain(mechanism)}",
        at=mechanism if mechanism.explicit else told,
        because=(told if mechanism.explicit else mechanism,),
        breaks="the client cannot log in: "
        + (
            "Kerberos finds no service name and no ticket"
            if name == _KERBEROS
            else f"{short} does not lead to {name}"
        ),
        fix=f"set {_MECHANISM} to the one that the listener offers and {short} is for: "
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
    """A client logs in by Kerberos and does not know the name of the brokers' service.

    It is the first part of the brokers' principal (kafka in kafka/host@REALM), set as
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
    Good: the module has it
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
        f"{client} logs in by {plain(mechanism)} and has no {_SERVICE}",
        at=service,
        because=(mechanism, told),
        breaks="the client cannot be created: no serviceName defined",
        fix=f"set {_SERVICE}=kafka, or the first part of the brokers' principal",
    )


@rule("KC0492", "sasl-iam-handler", WARNING, on=(_MECHANISM,))
def sasl_iam_handler(client: Client) -> Iterator[Finding]:
    """A client logs in to Amazon MSK by IAM, and nothing signs its requests.

    The library's login module and its handler belong together: the handler goes to
    sasl.client.callback.handler.class, not to the one for the login. The program may add it.

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
        f"{client} has {plain(mechanism)} and no {_HANDLER}"
        + (f", but {_LOGIN_HANDLER}" if misplaced else ""),
        at=login if misplaced else handler,
        because=(handler, mechanism) if misplaced else (mechanism,),
        breaks="every login fails: unrecognized SASL ClientCallback",
        fix=f"set {_HANDLER}=software.amazon.msk.auth.iam.IAMClientCallbackHandler",
    )


_EVENT_HUBS = "$ConnectionString"


@rule(
    "KC0493",
    "managed-service-login",
    ERROR,
    on=("bootstrap.servers",),
)
def managed_service_login(client: Client) -> Iterator[Finding]:
    """A client uses a protocol or mechanism that the managed service does not accept.

    Confluent Cloud and Azure's Event Hubs take TLS with a login alone; Event Hubs is at port 9093 and
    calls the user of a connection string $ConnectionString. Amazon MSK has a port for each way, its
    serverless clusters that of IAM alone. A warning where the protocol is nowhere set: it may come
    from elsewhere.

    Bad:
        --- producer.properties
        bootstrap.servers=pkc-1.eu-west-1.aws.confluent.cloud:9092
        acks=all
        security.protocol=SASL_PLAINTEXT
        sasl.mechanism=PLAIN
    Bad: the port of another way
        --- producer.properties
        bootstrap.servers=b-1.core.abc.c2.kafka.eu-west-1.amazonaws.com:9098
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA-512
    Bad: the user of Event Hubs
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
    Good:
        --- producer.properties
        bootstrap.servers=core.servicebus.windows.net:9093
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="$ConnectionString" password="x";
    Good: certificates
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
    refused = "every connection is closed before the first answer"
    if spoken != protocol and not (service.mutual_tls and spoken == "SSL"):
        # Another rule tells of a login that is never used.
        if not told.explicit and any(map(client.sets, (_MECHANISM, _JAAS, "sasl.username"))):
            return
        yield client.finding(
            f"{client} speaks {plain(told)} to {servers.text}, and {called} takes {protocol}",
            at=told if told.explicit else servers,
            because=(servers if told.explicit else told,),
            breaks=refused,
            fix=f"set security.protocol={protocol}",
            severity=ERROR if told.explicit else WARNING,
        )
    elif port and ports != {port}:
        yield client.finding(
            f"{client} asks {servers.text}, and {called} is at port {port}",
            at=servers,
            breaks="the connection is refused or never answered",
            fix=f"use port {port}",
        )
    elif spoken.startswith("SASL") and mechanism.explicit and mechanism.value:
        yield from _mechanism(client, mechanism, mechanisms, called, servers)


def _mechanism(
    client: Client, mechanism: Value, offered: tuple[str, ...], called: str, servers: Value
) -> Iterator[Finding]:
    name, told = str(mechanism.value).upper(), client[_JAAS]
    user = None
    if name == "PLAIN" and called == "Event Hubs":
        user = jaas.of(told.setting).options.get("username")
    if name not in offered:
        yield client.finding(
            f"{client} logs in by {plain(mechanism)}, and {called} takes {' or '.join(offered)}",
            at=mechanism,
            because=(servers,),
            breaks="every login is refused",
            fix=f"set {_MECHANISM}={offered[0]}",
        )
    elif user is not None and not user.startswith("$"):  # any other may be filled in
        yield client.finding(
            f"{client} logs in to {called} as {user}",
            at=told,
            because=(mechanism, servers),
            breaks="every login is refused: the user of a connection string has one name alone",
            fix=f'write username="{_EVENT_HUBS}" and the connection string as password',
        )
