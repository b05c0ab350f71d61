"""The hosts that managed services give to their brokers, as far as the names of clusters tell them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kcheck.formats.text import templated
from kcheck.model import ANYWHERE, PATTERN, Address, Setting

#: Amazon MSK makes the hosts of its brokers of so much of the cluster's name.
_KEPT = 20


#: The ports of MSK's brokers: without TLS, with it, and those for a login by SCRAM or IAM.
PLAIN, TLS, SCRAM, IAM = 9092, 9094, 9096, 9098
#: How much higher the ports are at which those but the first answer from outside.
_PUBLIC = 100

#: Ports, each with what tells that it is open, None where nothing does.
Ports = dict[int, Setting | None]


def ports_of_msk(encryption: Setting | None, logins: Mapping[int, Setting | bool | None]) -> Ports:
    """The ports that may be open on brokers of MSK's; those that surely are not are left out.

    ``encryption`` tells whether clients speak TLS, TLS_PLAINTEXT or PLAINTEXT; ``logins`` whether
    they may log in at SCRAM and at IAM: what tells it, True where it may be on, False where it is
    not.
    """
    spoken = encryption.text if encryption is not None else None
    found: Ports = {}
    if spoken != "TLS":
        found[PLAIN] = encryption
    if spoken != "PLAINTEXT":
        found[TLS] = encryption
    for port, told in logins.items():
        on = (told.text or "").lower() != "false" if isinstance(told, Setting) else told
        if on is not False:
            found[port] = told if isinstance(told, Setting) else None
    return found | {port + _PUBLIC: told for port, told in found.items() if port != PLAIN}


def of_msk(
    name: str, ports: Ports | None = None, own: Setting | None = None
) -> tuple[Address, ...]:
    """The hosts of an MSK cluster's brokers; any of that service's where the name is not known.

    ``b-1.CLUSTER.ID.c2.kafka.REGION.amazonaws.com``, the cluster's name in lower case and cut.
    ``ports`` are those that may be open, None where nobody tells; ``own`` tells the cluster.
    """
    hosts = ["b-*.kafka.*.amazonaws.com"]
    known = name and not templated(name)
    if known:
        names = dict.fromkeys((name.lower(), re.sub("[^a-z0-9]", "", name.lower())))
        hosts = [f"b-*.{_cut(one)}.kafka.*.amazonaws.com" for one in names]
    told: Ports | dict[None, None] = {None: None} if ports is None or not known else ports
    return tuple(
        Address(host, port, PATTERN, setting=setting or own)
        for host in hosts
        for port, setting in told.items()
    )


def _cut(name: str) -> str:
    """What hosts have of a cluster's name, up to the part that every cluster has by itself."""
    return f"{name}.*" if len(name) < _KEPT else f"{name[:_KEPT]}*"


def of_serverless(own: Setting | None) -> tuple[Address, ...]:
    """The host of a serverless cluster of MSK's, which tells nothing of its name."""
    return (Address("boot-*.kafka-serverless.*.amazonaws.com", IAM, PATTERN, setting=own),)


def of_event_hubs(name: str, own: Setting | None) -> tuple[Address, ...]:
    """The host of a namespace of Event Hubs; any of that service's where its name is not known."""
    if name and not templated(name):
        return (Address(f"{name}.servicebus.windows.net", 9093, ANYWHERE, setting=own),)
    return (Address("*.servicebus.windows.net", 9093, PATTERN, setting=own),)


def of_aiven(service: str, project: str) -> tuple[Address, ...]:
    """The host of a service of Aiven's; any of Aiven's where its names are not known.

    ``SERVICE-PROJECT.ID.aivencloud.com``, with ports that Aiven picks.
    """
    known = service and project and not templated(service + project)
    host = f"{service}-{project}.*aivencloud.com" if known else "*.aivencloud.com"
    return (Address(host, None, PATTERN),)
