"""What a change does to the listeners of a Strimzi ``Kafka``: ``spec.kafka.listeners`` then and now.

The operator makes Kafka's own listener settings of them, so that no file holds those.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.change import BrokerChange
from kcheck.model import Value

#: Types whose own port is not what clients dial: that of the node, or the router's 443, is.
_BEHIND = ("nodeport", "route", "ingress")


#: What clients call the ways to authenticate, and whether it is by SASL.
_SASL = {"scram-sha-512": True, "oauth": True, "tls": False}


#: What is told: the text after the broker's name, the value of now, and as it was.
Told = tuple[str, Value, Value]


def described(change: BrokerChange) -> bool:
    """Whether both sides tell all their listeners by name."""
    return all(side.resource.traits.listener_names for side in (change.before, change.after))


def cut_off(change: BrokerChange) -> Iterator[Told]:
    """Listeners that are gone, or that clients reach or speak to in another way than before."""
    names = change.after.resource.traits.listener_names
    for name in change.before.resource.traits.listener_names:
        if name in names:
            told = _moved(change, name)
            if told is not None:
                yield told
        elif not _renamed(change, name, names):
            was = change.before.fact(f"listeners.{name}")
            port = change.before.fact(f"listeners.{name}.port").text or "?"
            yield (
                f"has no listener {name} any more, which was on port {port}",
                change.after.fact("listeners"),
                was,
            )


def _moved(change: BrokerChange, name: str) -> Told | None:
    kind = change.after.fact(f"listeners.{name}.type")
    for part in ("type", "port", "bootstrap.host", "bootstrap.nodePort", "tls"):
        old, new = _both(change, name, part)
        if part == "port" and (not kind.known or kind.value in _BEHIND):
            continue
        if change.differing(old, new) is None or not (old.text and new.text):
            continue  # what the router or Kubernetes chooses is not told
        return f"changes {part} of listener {name} from {old.text} to {new.text}", new, old
    old, new = _both(change, name, "authentication")
    if change.differing(old, new) is None or new.text or _SASL.get(old.text or "") is None:
        return None
    return (
        f"takes authentication {old.text} away from listener {name}",
        change.after.fact(f"listeners.{name}"),
        old,
    )


def lost(was: Value) -> str:
    """What a finding of ``cut_off`` breaks, by what was; "" where clients are just cut off."""
    if was.key.endswith(".authentication") and not _SASL[was.text or ""]:
        return (
            "whoever reaches it comes in, and as nobody: from the first restarted broker on ACLs "
            "and quotas of the users no longer match"
        )
    return ""


def _both(change: BrokerChange, name: str, part: str) -> tuple[Value, Value]:
    key = f"listeners.{name}.{part}"
    return change.before.fact(key), change.after.fact(key)


def _renamed(change: BrokerChange, name: str, names: tuple[str, ...]) -> bool:
    """Whether another listener is now the same to clients inside of Kubernetes.

    They dial the one bootstrap service and a port; other types have services that bear the name.
    """
    parts = ("type", "port", "tls", "authentication")
    was = [change.before.fact(f"listeners.{name}.{part}").text for part in parts]
    return was[0] == "internal" and any(
        [change.after.fact(f"listeners.{other}.{part}").text for part in parts] == was
        for other in names
    )


def tightened(change: BrokerChange) -> Iterator[Told]:
    """Listeners that take another way to authenticate, or take nobody without one any more."""
    for name in change.after.resource.traits.listener_names:
        if name not in change.before.resource.traits.listener_names:
            continue
        old, new = _both(change, name, "authentication")
        if change.differing(old, new) is not None and new.text:
            was = f"from {old.text} to" if old.text else "and now has"
            yield f"changes authentication of listener {name} {was} {new.text}", new, old
