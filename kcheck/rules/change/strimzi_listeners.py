"""Changes of the listeners of a Strimzi ``Kafka``: ``spec.kafka.listeners`` before and after.

The operator generates Kafka's own listener settings from them, so no file contains those.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.change import BrokerChange
from kcheck.model import Value

#: Types whose own port clients do not connect to: they use the node's port, or the router's 443.
_BEHIND = ("nodeport", "route", "ingress")


#: The authentication types, and whether they use SASL.
_SASL = {"scram-sha-512": True, "oauth": True, "tls": False}


#: The text after the broker's name, the new value and the old value.
ListenerChange = tuple[str, Value, Value]


def described(change: BrokerChange) -> bool:
    """Whether both sides declare all their listeners by name."""
    return all(side.resource.traits.listener_names for side in (change.before, change.after))


def cut_off(change: BrokerChange) -> Iterator[ListenerChange]:
    """Listeners that are removed, or have another address, protocol or authentication."""
    names = change.after.resource.traits.listener_names
    for name in change.before.resource.traits.listener_names:
        if name in names:
            moved = _moved(change, name)
            if moved is not None:
                yield moved
        elif not _renamed(change, name, names):
            was = change.before.fact(f"listeners.{name}")
            port = change.before.fact(f"listeners.{name}.port").text or "?"
            yield (
                f"removes listener {name}, which was on port {port}",
                change.after.fact("listeners"),
                was,
            )


def _moved(change: BrokerChange, name: str) -> ListenerChange | None:
    kind = change.after.fact(f"listeners.{name}.type")
    for part in ("type", "port", "bootstrap.host", "bootstrap.nodePort", "tls"):
        old, new = _both(change, name, part)
        if part == "port" and (not kind.known or kind.value in _BEHIND):
            continue
        if change.differing(old, new) is None or not (old.text and new.text):
            continue  # what the router or Kubernetes assigns is not declared
        return f"changes {part} of listener {name} from {old.text} to {new.text}", new, old
    old, new = _both(change, name, "authentication")
    if change.differing(old, new) is None or new.text or _SASL.get(old.text or "") is None:
        return None
    return (
        f"removes authentication {old.text} from listener {name}",
        change.after.fact(f"listeners.{name}"),
        old,
    )


def lost(was: Value) -> str:
    """The consequence of a finding of ``cut_off`` by the old value; "" where clients are cut off."""
    if was.key.endswith(".authentication") and not _SASL[was.text or ""]:
        return (
            "every client that can connect is accepted as User:ANONYMOUS: from the first restarted "
            "broker on, ACLs and quotas of the users no longer match"
        )
    return ""


def _both(change: BrokerChange, name: str, part: str) -> tuple[Value, Value]:
    key = f"listeners.{name}.{part}"
    return change.before.fact(key), change.after.fact(key)


def _renamed(change: BrokerChange, name: str, names: tuple[str, ...]) -> bool:
    """Whether another listener is now equivalent for clients inside Kubernetes.

    They connect to the one bootstrap service and a port; other types have services with the name.
    """
    parts = ("type", "port", "tls", "authentication")
    was = [change.before.fact(f"listeners.{name}.{part}").text for part in parts]
    return was[0] == "internal" and any(
        [change.after.fact(f"listeners.{other}.{part}").text for part in parts] == was
        for other in names
    )


def tightened(change: BrokerChange) -> Iterator[ListenerChange]:
    """Listeners that change or add authentication."""
    for name in change.after.resource.traits.listener_names:
        if name not in change.before.resource.traits.listener_names:
            continue
        old, new = _both(change, name, "authentication")
        if change.differing(old, new) is not None and new.text:
            was = f"from {old.text} to" if old.text else "from none to"
            yield f"changes authentication of listener {name} {was} {new.text}", new, old
