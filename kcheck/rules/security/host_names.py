"""KC04: whether host names in certificates are verified, and by which algorithm."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.clients import Client
from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.grouping import names
from kcheck.grouping.place import named_after
from kcheck.model import ERROR, INFO, WARNING, Derived, Finding
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.client_protocol import prefixed_settings, spoken

_ENDPOINT_ID = "ssl.endpoint.identification.algorithm"

#: The identification algorithms of the JDK; case is ignored.
_ALGORITHMS = frozenset({"", "https", "ldap", "ldaps"})


@rule(
    "KC0404",
    "sec-hostname-verify",
    WARNING,
    invariants=("sec-hostname-verify",),
)
def sec_hostname_verify(node: Broker | Controller | Client) -> Iterator[Finding]:
    """Host names in TLS certificates are not verified.

    With an empty ssl.endpoint.identification.algorithm any certificate of the trusted authority is
    accepted for any host: its owner can intercept connections. Not reported in development, or if
    TLS is not used, by a broker between brokers and to the controllers; info where the file or a folder of its is named after it, for
    producers, consumers and tools in scripts, and for clients of their own machine.

    Bad:
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SSL
        acks=all
        ssl.endpoint.identification.algorithm=
    Good:
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SSL
        acks=all
        ssl.endpoint.identification.algorithm=https
    Good: no TLS
        --- producer.properties
        bootstrap.servers=k1:9092
        acks=all
        ssl.endpoint.identification.algorithm=
    Good: the TLS of a plug-in
        --- kcheck.yaml
        cluster: {brokers: 3, config: {strimzi.authorization.ssl.endpoint.identification.algorithm: ""}}
    """
    if node.cluster.development or not _uses_tls(node):
        return
    for key, setting in prefixed_settings(node, _ENDPOINT_ID):
        off = setting.text is not None and setting.text.lower() in node.library.no_host_check
        if off:
            yield node.finding(
                f"{node} does not verify host names in certificates ({key} is "
                f"{setting.text or 'empty'})",
                at=node[key],
                breaks="a certificate for any other host is accepted: connections can be intercepted",
                fix=f"set {key}=https, and issue certificates with matching host names",
                set_to="https",
                severity=INFO if _tried_out(node) else "",
            )


def _tried_out(node: Node) -> bool:
    """Whether it does without for a trial: the file is named after it, a script makes it for tools
    that somebody runs by hand, or it connects to nothing but its own machine. What a script makes for
    a broker or a worker serves for good, and a variable's default is the address of one machine of
    many."""
    path = node.resource.path
    if named_after(path, *_ON_PURPOSE) or (
        node.resource.kind in _BY_HAND and path.endswith(_SCRIPTS)
    ):
        return True
    asked = names.asked(node.resource)
    fixed = not any(isinstance(one.setting, Derived) for one in asked)
    return bool(asked) and fixed and all(names.local(one.host) for one in asked)


_SCRIPTS = (".sh", ".bash")
_BY_HAND = ("admin", "client", "consumer", "producer")
#: What a file is called that shows how to do without, in words put together.
_ON_PURPOSE = ("insecure", "nohost", "noverif", "skipverif", "disablehost", "disableverif")


def _uses_tls(node: Broker | Controller | Client) -> bool:
    """Whether TLS may be in use; false only if the files rule it out."""
    if isinstance(node, Client):
        own = spoken(node)
        return not own or own.endswith("SSL")
    told = [node[key] for key in ("listeners", "listener.security.protocol.map")]
    if not told[0].written:
        # Without listeners a node has a PLAINTEXT one.
        return not node.whole
    if not any(one.text is None or "SSL" in one.text.upper() for one in told if one.written):
        return False
    return any(one is None or one.endswith("SSL") for one in _connecting(node))


def _connecting(node: Broker | Controller) -> Iterator[str | None]:
    """The protocols by which a node connects to other brokers and to the controllers, None for one that
    is not known: it verifies nobody's host name where it is the server."""
    quorum = listeners.addresses(node).quorum
    chosen, spoken_ = node["inter.broker.listener.name"], node["security.inter.broker.protocol"]
    between = chosen if chosen.written else spoken_
    if not node.whole and not between.written:
        yield None
    elif node.roles != ["controller"]:
        name = between.text
        yield listeners.protocol(node, name.strip().upper()) if name is not None else None
    for name in quorum[:1]:
        yield listeners.protocol(node, name.strip().upper())


@rule(
    "KC0405",
    "endpoint-id-unknown",
    ERROR,
    kafka=FAILED,
    invariants=("sec-hostname-verify",),
)
def endpoint_id_unknown(node: Broker | Controller | Client) -> Iterator[Finding]:
    """ssl.endpoint.identification.algorithm is not a known algorithm.

    ``https`` verifies host names, an empty value disables that. With any other value startup succeeds,
    but every TLS handshake fails: ``none`` is valid in librdkafka, but not in Java.

    Bad:
        --- server.properties
        node.id=0
        process.roles=broker,controller
        listeners=SSL://:9092,CONTROLLER://:9093
        ssl.endpoint.identification.algorithm=none
    Good: librdkafka
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {security.protocol: ssl, ssl.endpoint.identification.algorithm: none}
    Good:
        --- server.properties
        node.id=0
        process.roles=broker,controller
        listeners=SSL://:9092,CONTROLLER://:9093
        ssl.endpoint.identification.algorithm=HTTPS
    """
    if not node.library.java or not _uses_tls(node):
        return
    for key, setting in prefixed_settings(node, _ENDPOINT_ID):
        # The word null is reported by null-text, whatever the key.
        if setting.text is not None and setting.text.lower() not in (*_ALGORITHMS, "null"):
            yield node.finding(
                f"{node} sets {key}={setting.text}, which is not a known algorithm",
                at=node[key],
                breaks="every TLS handshake fails: unknown identification algorithm",
                fix=f"set {key}=https, or leave it empty to disable verification",
                set_to="https",
            )
