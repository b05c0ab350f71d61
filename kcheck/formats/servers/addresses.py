"""Where a server that its own properties configure answers, and whom it asks by URLs.

Its machine is known only where the file names it: ``host.name``, which Schema Registry, the REST
Proxy and ksqlDB tell each other, or the host of a listener.
"""

from __future__ import annotations

from kcheck.formats.asking import of_settings
from kcheck.formats.listener_ports import port_of
from kcheck.formats.pairs import Pair
from kcheck.formats.text import templated
from kcheck.model import ANYWHERE, SPOKEN, Address, Asker, Document, Reference, Service

_LISTENERS, _HOST = "listeners", "host.name"


def tell(document: Document, kind: str, pairs: list[Pair]) -> None:
    """Put the server among the services of its file, and whom it asks among its references."""
    told = {pair.name: pair for pair in pairs if pair.text and not templated(pair.text)}
    listeners, host = told.get(_LISTENERS), told.get(_HOST)
    found: list[Address] = []
    for entry in (listeners.text or "").split(",") if listeners is not None else ():
        scheme, known, rest = entry.strip().rstrip("/").rpartition("://")
        bound, _, port = rest.rpartition(":")
        named = [bound, (host.text or "").strip() if host is not None else ""]
        setting = listeners.setting(_LISTENERS, listeners.text) if listeners is not None else None
        found += (
            Address(name, port_of(port), ANYWHERE, "", setting, scheme.lower() if known else "")
            for name in dict.fromkeys(named)
            if "." in name and name != "0.0.0.0"
        )
    first = listeners or host or next(iter(pairs), None)
    if first is None:
        return
    if found:
        document.services += (Service(kind, found[0].host, first.at, tuple(found)),)
    settings = {name: pair.setting(name, pair.text) for name, pair in told.items()}
    asker = Asker("client", SPOKEN[kind], document.path, first.key_at)
    document.references += tuple(
        Reference(asker, setting, role, False) for setting, role in of_settings(settings)
    )
