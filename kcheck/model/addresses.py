"""Who answers where: addresses, and the programs beside brokers that have them."""

from __future__ import annotations

from kcheck.model.settings import Position, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


# How far an address means the resource that answers there.
#: Within one compose project: service, container_name, hostname, network aliases.
NETWORK = "network"
#: A Kubernetes Service, or pod behind one: within the resource's namespace, or with that behind it.
SERVICE = "service"
#: A port that the machine itself publishes: ``localhost``, to whoever runs beside it.
MACHINE = "machine"
#: A name of DNS or an IP address: everywhere, as far as it is fully qualified.
ANYWHERE = "anywhere"
#: As ANYWHERE, with ``*`` for what nobody can know before the service has made it.
PATTERN = "pattern"


class Address:
    """A host and a port under which a resource answers.

    ``host`` is in lower case, for a SERVICE without its namespace (``prod-kafka-bootstrap``,
    ``kafka-0.kafka-headless``); ``port`` is None where any port leads there, or it is not known.
    ``listener`` is the name of the listener that answers, "" where it is not known. ``setting``
    is what told the address; None where it follows from the resource's name. ``scheme`` is that of
    URLs which lead there (http or https), "" where none does or it is not known.
    """

    __slots__ = ("host", "listener", "port", "reach", "scheme", "setting")

    def __init__(
        self,
        host: str,
        port: int | None,
        reach: str,
        listener: str = "",
        setting: Setting | None = None,
        scheme: str = "",
    ) -> None:
        self.host = host.lower()
        self.port = port
        self.reach = reach
        self.listener = listener
        self.setting = setting
        self.scheme = scheme

    def __repr__(self) -> str:
        return f"Address({self.host}:{self.port} {self.reach} {self.listener})"


# What runs beside brokers and is asked for what is its own.
ZOOKEEPER = "zookeeper"
SCHEMA_REGISTRY = "schema-registry"
REST_PROXY = "rest-proxy"
CONNECT = "connect"
KSQLDB = "ksqldb"
BRIDGE = "bridge"
#: What is asked for leave to evict pods.
EVICTIONS = "evictions"
#: Brokers as others ask them, and how each of these is called in a sentence.
BROKER = "broker"
SPOKEN = {
    ZOOKEEPER: "ZooKeeper",
    SCHEMA_REGISTRY: "Schema Registry",
    REST_PROXY: "REST Proxy",
    CONNECT: "Connect",
    KSQLDB: "ksqlDB",
    BRIDGE: "bridge",
}


class Service:
    """A program beside the brokers that others ask, and where it answers.

    ``kind`` is one of the constants above. ``namespace`` is that of Kubernetes, "" where none is
    written; ``at`` is where its name stands in the document's file.
    """

    __slots__ = ("addresses", "at", "kind", "name", "namespace")

    def __init__(
        self,
        kind: str,
        name: str,
        at: Position,
        addresses: tuple[Address, ...],
        namespace: str = "",
    ) -> None:
        self.kind = kind
        self.name = name
        self.at = at
        self.addresses = addresses
        self.namespace = namespace

    def __repr__(self) -> str:
        return f"Service({self.kind} {self.name})"


class Container:
    """A service of one compose file: what it is, and on which ports it answers others.

    ``ports`` are those with the scheme of their URLs ("" where none is known), None where they are
    not all known; ``told`` is the setting that gives them, None where the image's own default does.
    ``image`` is the repository of its image, "" where it is built here.
    """

    __slots__ = ("image", "name", "ports", "role", "told")

    def __init__(
        self,
        name: str,
        role: str,
        ports: Mapping[int, str] | None = None,
        told: Setting | None = None,
    ) -> None:
        self.image = ""
        self.name = name
        self.role = role
        self.ports = ports
        self.told = told
