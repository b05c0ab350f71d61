"""Where the brokers of Bitnami's chart answer: the Services that it names after the release.

The name is known where the values give it; else the release has a part in it, which no file tells.
"""

from __future__ import annotations

from kcheck.formats.scalars import known
from kcheck.model import ANYWHERE, PATTERN, SERVICE, Address, Setting
from kcheck.syntax import yaml

_CLIENT = 9092
#: What follows the name in the Services in front of pods: of all brokers, and of the pools.
_HEADLESS = ("-headless", "-controller-headless", "-broker-headless")
#: The pools that can be reached from outside, and the whole of older charts.
_POOLS = ((), ("controller",), ("broker",))


def of_chart(values: yaml.Node, path: str) -> tuple[Address, ...]:
    """The addresses of the brokers that a mapping of values makes."""
    name = known(yaml.child(values, "fullnameOverride"))
    if not name:
        return (Address("*", None, PATTERN),)
    told = yaml.child(values, "service", "ports", "client") or yaml.child(values, "service", "port")
    text = known(told) if told is not None else str(_CLIENT)
    port = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None
    found = [Address(name, port, SERVICE, "CLIENT")]
    found += (Address(name + end, None, SERVICE) for end in _HEADLESS)
    access = yaml.child(values, "externalAccess")
    if access is not None and known(yaml.child(access, "enabled")).lower() != "false":
        found += _outside(access, path)
    return tuple(found)


def _outside(access: yaml.Node, path: str) -> list[Address]:
    """The host that brokers have outside; which others there are is nowhere told."""
    found = [Address("*", None, PATTERN, "EXTERNAL")]
    for pool in _POOLS:
        domain = yaml.child(access, *pool, "service", "domain")
        if domain is not None and known(domain):
            setting = Setting("advertised.listeners", known(domain), path, yaml.position(domain))
            found.append(Address(known(domain), None, ANYWHERE, "EXTERNAL", setting))
    return found
