"""What Terraform tells of addresses: the bootstrap servers of providers, hosts of MSK and Aiven."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kcheck.formats import Lookup
from kcheck.formats.text import templated
from kcheck.model import PATTERN, Address, Setting
from kcheck.syntax.hcl import Block, File, Scalar

#: Where people keep the providers that the topics of a folder use.
_BESIDE = ("providers.tf", "provider.tf", "versions.tf", "main.tf", "terraform.tf")
#: Amazon MSK makes the hosts of its brokers of so much of the cluster's name.
_KEPT = 20

#: Bootstrap servers by the alias of their provider, "" for the default one.
Providers = dict[str, Setting]


def providers(file: File, folder: str, lookup: Lookup) -> Providers:
    """The ``provider "kafka"`` blocks of a file, and of the usual files beside it."""
    found = _of_blocks(file.blocks, file.path)
    for name in _BESIDE:
        path = f"{folder}/{name}".lstrip("/")
        if path == file.path:
            continue
        data = lookup(path)
        if data is not None and b"bootstrap_servers" in data:
            for alias, setting in _of_blocks(File(data, path).blocks, path).items():
                found.setdefault(alias, setting)
    return found


def _of_blocks(blocks: Iterable[Block], path: str) -> Providers:
    found: Providers = {}
    for block in blocks:
        if block.type != "provider" or not block.labels or block.labels[0] != "kafka":
            continue
        attributes = block.attributes()
        alias = attributes.get("alias")
        servers = attributes.get("bootstrap_servers")
        if servers is None:
            continue
        named = alias.value.text if alias is not None and isinstance(alias.value, Scalar) else ""
        value = servers.value
        known = value if isinstance(value, tuple) else ()
        texts = [one.text for one in known if isinstance(one, Scalar)]
        text = ",".join(texts) if texts and len(texts) == len(known) else None
        found[named] = Setting("bootstrap.servers", text, path, servers.at, name=servers.key)
    return found


def provider_of(block: Block) -> str:
    """The alias of the provider that a resource names, "" for the default one."""
    entry = block.attributes().get("provider")
    found = re.match(r"\"?\w+\.([\w-]+)", entry.source) if entry is not None else None
    return found.group(1) if found is not None else ""


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
