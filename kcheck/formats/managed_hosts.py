"""The hosts that managed services give to their brokers, as far as the names of clusters tell them."""

from __future__ import annotations

import re

from kcheck.formats.text import templated
from kcheck.model import PATTERN, Address

#: Amazon MSK makes the hosts of its brokers of so much of the cluster's name.
_KEPT = 20


def of_msk(name: str) -> tuple[Address, ...]:
    """The hosts of an MSK cluster's brokers; any of that service's where the name is not known.

    ``b-1.CLUSTER.ID.c2.kafka.REGION.amazonaws.com``, the cluster's name in lower case and cut.
    """
    if not name:
        return (Address("b-*.kafka.*.amazonaws.com", None, PATTERN),)
    lower = name.lower()
    names = dict.fromkeys((lower[:_KEPT], re.sub("[^a-z0-9]", "", lower)[:_KEPT]))
    return tuple(Address(f"b-*.{one}*.kafka.*.amazonaws.com", None, PATTERN) for one in names)


def of_aiven(service: str, project: str) -> tuple[Address, ...]:
    """The host of a service of Aiven's; any of Aiven's where its names are not known.

    ``SERVICE-PROJECT.ID.aivencloud.com``, with ports that Aiven picks.
    """
    known = service and project and not templated(service + project)
    host = f"{service}-{project}.*aivencloud.com" if known else "*.aivencloud.com"
    return (Address(host, None, PATTERN),)
