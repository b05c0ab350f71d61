"""host:port lists, and the managed services that show in host names."""

from __future__ import annotations

from kcheck import services
from kcheck.model import Framed, Setting
from kcheck.services import ManagedService


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
    """The name of the managed service that all bootstrap hosts belong to, by their domain."""
    found = {row.name if row is not None else None for row in _rows(bootstrap)}
    return found.pop() if len(found) == 1 else None


def managed(bootstrap: str) -> ManagedService | None:
    """The managed service, and the kind of it, that all bootstrap hosts belong to."""
    first, *others = _rows(bootstrap) or [None]
    return first if all(other is first for other in others) else None


def _rows(bootstrap: str) -> list[ManagedService | None]:
    return [services.of_host(host) for host, _ in split(bootstrap)]


def idle_limit(bootstrap: str) -> int | None:
    """How long a quiet connection to these hosts lives, in ms; None where nobody tells."""
    found = managed(bootstrap)
    return found.idle_ms if found is not None else None


def only_port(bootstrap: str) -> str:
    """The one port of the service that all hosts belong to; "" where it has several, or is none."""
    found = managed(bootstrap)
    return found.port if found is not None else ""
