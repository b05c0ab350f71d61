"""Where the brokers of a compose file answer on the machine that runs them: what they publish."""

from __future__ import annotations

from kcheck.model import MACHINE, Address, Resource

#: The port of every image's listener for clients, unless it is told another.
_PORT = "9092"


def of_broker(broker: Resource) -> tuple[Address, ...]:
    """The published ports behind which a listener is; one that docker picks is not known."""
    listeners = _listeners(broker)
    return tuple(
        Address("localhost", int(published), MACHINE, listeners[port], broker.facts.get("ports"))
        for published, port in broker.traits.ports
        if port in listeners and published.isascii() and published.isdigit() and len(published) < 6
    )


def _listeners(broker: Resource) -> dict[str, str]:
    """The names of the listeners by their ports; advertised ones tell where nothing else does."""
    for key in ("listeners", "advertised.listeners"):
        told = broker.settings.get(key)
        if told is None:
            continue
        if told.text is None:
            return {}
        entries = [entry.strip().partition("://") for entry in told.text.split(",")]
        return {place.rpartition(":")[2]: name for name, _, place in entries}
    return {_PORT: ""}
