"""Managed Kafka services: one row for each, with all that kcheck knows of it.

A row that is added is known to settings, declarations and inventories, recognised by its hosts, and
weighed by the rules on logins, quiet connections and keys of topics. What is in it comes from the
public documentation of the service.
"""

from __future__ import annotations

from kcheck.model import AIVEN, CONFLUENT_CLOUD, EVENT_HUBS, MSK

SELF_MANAGED, REDPANDA, OTHER = "self-managed", "redpanda", "other"
DIGITALOCEAN, OVH, YANDEX = "digitalocean", "ovh", "yandex"
INSTACLUSTR = "instaclustr"

_IAM = "AWS_MSK_IAM"

#: (security protocol, SASL mechanisms) that a service takes; ("", ()) where any may do.
Login = tuple[str, tuple[str, ...]]

#: Any protocol, and any mechanism.
ANY_LOGIN: Login = ("", ())
_SCRAM = ("SCRAM-SHA-256", "SCRAM-SHA-512")
_PASSWORD_OR_TOKEN: Login = ("SASL_SSL", ("PLAIN", "OAUTHBEARER"))


class ManagedService:
    """One managed service.

    ``called`` is how it calls itself. ``domains`` are what its hosts end with, of which those that
    have one of ``parts`` inside, where any are given. ``locked``: its users cannot set the files of
    brokers. ``kafka``: its brokers are Apache Kafka's own, with Kafka's keys of topics and no others.
    ``logins`` are what it takes by the port at which it is asked, "" for any. ``mutual_tls``: it
    takes certificates in place of a login. ``idle_ms`` is how long its load balancers let a
    connection be quiet, in ms. ``quotas`` are its limits, by the names that
    ``schemas/limits/limits.tsv`` has for them; those that hang on a plan are not among them. ``user``
    is the one user name with which it takes PLAIN, "" where users have names of their own. What it
    accepts of topics, clients and brokers' settings is in ``schemas/services/accepts.tsv``.
    """

    __slots__ = (
        "called",
        "domains",
        "idle_ms",
        "kafka",
        "locked",
        "logins",
        "mutual_tls",
        "name",
        "parts",
        "port",
        "quotas",
        "user",
    )

    def __init__(
        self,
        name: str,
        called: str,
        domains: tuple[str, ...] = (),
        parts: tuple[str, ...] = (),
        *,
        locked: bool = False,
        kafka: bool = False,
        logins: dict[str, Login] | None = None,
        mutual_tls: bool = False,
        port: str = "",
        idle_ms: int | None = None,
        quotas: dict[str, int] | None = None,
        user: str = "",
    ) -> None:
        self.name = name
        self.called = called
        self.domains = domains
        self.parts = parts
        self.locked = locked
        self.kafka = kafka
        self.logins = logins or {}
        self.mutual_tls = mutual_tls
        #: The one port at which it answers, "" where there are several.
        self.port = port
        self.idle_ms = idle_ms
        self.quotas = quotas or {}
        self.user = user

    def has(self, host: str) -> bool:
        """Whether a host, in small letters, is one of its own."""
        return host.endswith(self.domains) and (
            not self.parts or any(part in host for part in self.parts)
        )

    def login(self, port: str) -> Login:
        """What it takes of clients that ask at a port, "" where that is open."""
        return self.logins.get(port) or self.logins.get("") or ANY_LOGIN


_AMAZON = (".amazonaws.com", ".amazonaws.com.cn")

_ROWS = (
    ManagedService(SELF_MANAGED, "self-managed Kafka", kafka=True),
    # A kind of MSK: it comes first, because its hosts are MSK's as well.
    ManagedService(
        MSK,
        "Amazon MSK Serverless",
        _AMAZON,
        (".kafka-serverless.",),
        locked=True,
        kafka=True,
        logins={"": ("SASL_SSL", (_IAM, "OAUTHBEARER"))},
        port="9098",
        # Amazon MSK Developer Guide, quotas of MSK Serverless.
        quotas={
            "partitions": 2400,
            "compacted-partitions": 120,
            "batch-bytes": 8 * 2**20,
            "produced": 200_000_000,
        },
    ),
    ManagedService(
        MSK,
        "Amazon MSK",
        _AMAZON,
        (".kafka.",),
        locked=True,
        kafka=True,
        # The ports of the second hundred are reached from outside.
        logins={
            "9092": ("PLAINTEXT", ()),
            "9094": ("SSL", ()),
            "9194": ("SSL", ()),
            "9096": ("SASL_SSL", ("SCRAM-SHA-512",)),
            "9196": ("SASL_SSL", ("SCRAM-SHA-512",)),
            "9098": ("SASL_SSL", (_IAM, "OAUTHBEARER")),
            "9198": ("SASL_SSL", (_IAM, "OAUTHBEARER")),
        },
    ),
    ManagedService(
        CONFLUENT_CLOUD,
        "Confluent Cloud",
        (".confluent.cloud", ".confluentgov.com"),
        locked=True,
        logins={"": _PASSWORD_OR_TOKEN},
        # Dedicated clusters do.
        mutual_tls=True,
    ),
    ManagedService(
        EVENT_HUBS,
        "Event Hubs",
        (
            ".servicebus.windows.net",
            ".servicebus.usgovcloudapi.net",
            ".servicebus.chinacloudapi.cn",
        ),
        locked=True,
        logins={"": _PASSWORD_OR_TOKEN},
        port="9093",
        idle_ms=240_000,
        # MicrosoftDocs/azure-docs@19d2e83 articles/event-hubs/azure-event-hubs-apache-kafka-overview.md
        user="$ConnectionString",
    ),
    ManagedService(
        AIVEN,
        "Aiven for Apache Kafka",
        (".aivencloud.com",),
        locked=True,
        kafka=True,
        # aiven/go-api-schemas@38697fd pkg/dist/service_types.yml, kafka_authentication_methods.
        logins={"": ("SASL_SSL", (*_PASSWORD_OR_TOKEN[1], *_SCRAM))},
        mutual_tls=True,
    ),
    ManagedService(REDPANDA, "Redpanda", (".cloud.redpanda.com",)),
    ManagedService(
        OTHER,
        "IBM Event Streams",
        (".eventstreams.cloud.ibm.com",),
        # cloud.ibm.com/docs/EventStreams, configuring your Kafka API client.
        logins={"": _PASSWORD_OR_TOKEN},
        user="token",
    ),
    # A service of its own, without much of what Kafka has; the next one is Kafka itself.
    ManagedService(
        OTHER,
        "OCI Streaming",
        (".oci.oraclecloud.com",),
        (".streaming.",),
        # docs.oracle.com, Streaming: Kafka API support.
        logins={"": ("SASL_SSL", ("PLAIN", "OAUTHBEARER", "SCRAM-SHA-512"))},
        mutual_tls=True,
    ),
    ManagedService(
        OTHER,
        "OCI Streaming with Apache Kafka",
        (".oci.oraclecloud.com",),
        # docs.oracle.com, Streaming: Kafka API support.
        logins={"": ("SASL_SSL", ("PLAIN", "OAUTHBEARER", "SCRAM-SHA-512"))},
        mutual_tls=True,
    ),
    ManagedService(
        OTHER,
        "Google Managed Kafka",
        (".cloud.goog",),
        # cloud.google.com/managed-service-for-apache-kafka/docs/authentication-kafka.
        logins={"": _PASSWORD_OR_TOKEN},
        mutual_tls=True,
    ),
    # Databases of all engines have hosts of these domains: they tell no service.
    ManagedService(DIGITALOCEAN, "DigitalOcean Managed Kafka", locked=True, kafka=True),
    ManagedService(OVH, "OVHcloud Managed Kafka", locked=True, kafka=True),
    ManagedService(YANDEX, "Yandex Managed Service for Apache Kafka", locked=True, kafka=True),
    ManagedService(INSTACLUSTR, "Instaclustr for Apache Kafka", locked=True, kafka=True),
)

#: The names that settings, declarations and inventories take.
NAMES = tuple(dict.fromkeys(row.name for row in _ROWS))
#: Those whose users cannot set the files of brokers; MSK lets them set a good part, by its own list.
LOCKED = frozenset(row.name for row in _ROWS if row.locked)
#: Those whose brokers are Apache Kafka's own.
KAFKA = frozenset(row.name for row in _ROWS if row.kafka)


def named(name: str) -> list[ManagedService]:
    """The services of that name: several where it has kinds."""
    return [row for row in _ROWS if row.name == name]


def of_host(host: str) -> ManagedService | None:
    """The service that a host belongs to, by its domain."""
    host = host.lower().rstrip(".")
    return next((row for row in _ROWS if row.domains and row.has(host)), None)
