"""host:port lists, and the managed services that show in host names."""

from __future__ import annotations

from kcheck.model import Framed, Setting

#: Domains of managed Kafka services (their public documentation).
SERVICES = (
    (".servicebus.windows.net", "event-hubs"),
    (".servicebus.usgovcloudapi.net", "event-hubs"),
    (".servicebus.chinacloudapi.cn", "event-hubs"),
    (".confluent.cloud", "confluent-cloud"),
    (".confluentgov.com", "confluent-cloud"),
    (".aivencloud.com", "aiven"),
    (".cloud.redpanda.com", "redpanda"),
    (".eventstreams.cloud.ibm.com", "other"),
    (".oci.oraclecloud.com", "other"),
    (".cloud.goog", "other"),
)


def split(text: str) -> list[tuple[str, str]]:
    """``"k1:9092, [::1]:9093"`` → [("k1", "9092"), ("[::1]", "9093")]; no port is ""."""
    found: list[tuple[str, str]] = []
    for entry in text.split(","):
        entry = entry.strip()
        if entry:
            entry = entry.split("://", 1)[-1]
            host, colon, port = entry.rpartition(":")
            if colon and not port.endswith("]"):
                found.append((host, port))
            else:
                found.append((entry, ""))
    return found


def service_of(setting: Setting | None) -> str | None:
    """The managed service that the hosts of a setting belong to; their domain may be all of them
    that the file writes."""
    if setting is None:
        return None
    text = setting.frame if setting.text is None and isinstance(setting, Framed) else setting.text
    return service(text) if text else None


def service(bootstrap: str) -> str | None:
    """The managed service that all bootstrap hosts belong to, by their domain."""
    found: set[str | None] = set()
    for host, _ in split(bootstrap):
        found.add(_of_host(host.lower().rstrip(".")))
    return found.pop() if len(found) == 1 else None


def _of_host(host: str) -> str | None:
    for domain, name in SERVICES:
        if host.endswith(domain):
            return name
    if host.endswith((".amazonaws.com", ".amazonaws.com.cn")) and (
        ".kafka." in host or ".kafka-serverless." in host
    ):
        return "msk"
    return None


#: How long the load balancers of a service let a connection be quiet, in ms (their documentation).
_IDLE_LIMITS = {"event-hubs": 240_000}


def idle_limit(bootstrap: str) -> int | None:
    """How long a quiet connection to these hosts lives, in ms; None where nobody tells."""
    return _IDLE_LIMITS.get(service(bootstrap) or "")


def serverless(bootstrap: str) -> bool:
    """Whether all hosts are of serverless clusters of Amazon MSK."""
    hosts = [host for host, _ in split(bootstrap.lower())]
    return bool(hosts) and all(".kafka-serverless." in host for host in hosts)


def only_port(bootstrap: str) -> str:
    """The one port of the service that all hosts belong to; "" where it has several, or is none."""
    if service(bootstrap) == "event-hubs":
        return "9093"
    return "9098" if serverless(bootstrap) else ""
