"""What Terraform tells of addresses: the bootstrap servers of the providers that topics have."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kcheck.formats import Lookup
from kcheck.formats.terraform.references import Cluster, References
from kcheck.model import Resource, Setting
from kcheck.syntax.hcl import Block, File, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.provisioned.resources import Block as Provisioned


class Provider:
    """What a ``provider "kafka"`` asks: its bootstrap servers, and the cluster that they are of where
    an expression leads to its resource."""

    __slots__ = ("cluster", "setting")

    def __init__(self, setting: Setting, cluster: Cluster | None) -> None:
        self.setting = setting
        self.cluster = cluster


class Providers:
    """The providers of a folder by their aliases, "" for the default one.

    A module has those of who calls it, if that is the same for all.
    """

    def __init__(self, file: File, folder: str, lookup: Lookup) -> None:
        self._references = References(file, folder, lookup)
        self._folder = folder
        self._found: dict[str, dict[str, Provider]] = {}

    def get(self, alias: str) -> Provider | None:
        own = self._of(self._folder).get(alias)
        if own is not None:
            return own
        above = [self._handed(folder, block, alias) for folder, block in self._called()]
        same = {id(one) for one in above}
        return above[0] if len(same) == 1 else None

    def ask(self, resource: Resource, block: Provisioned) -> None:
        """Let a resource have the bootstrap servers of the provider that makes it."""
        provider = self.get(_provider_of(block))
        if provider is None:
            return
        resource.traits.asks = (provider.setting,)
        if provider.cluster is not None:
            resource.cluster, resource.traits.namespace = provider.cluster

    def _called(self) -> list[tuple[str, Block]]:
        return list(self._references.callers(self._folder))

    def _handed(self, folder: str, block: Block, alias: str) -> Provider | None:
        """The provider that a ``module`` hands on under an alias; the default one by itself."""
        entry = block.attributes().get("providers")
        if entry is None:
            return self._of(folder).get("") if not alias else None
        wanted = rf"(?m)\bkafka\.{re.escape(alias)}" if alias else r"(?m)(?<![.\w])kafka"
        found = re.search(rf"{wanted}\s*=\s*kafka(?:\.([\w-]+))?", entry.source)
        return self._of(folder).get(found.group(1) or "") if found is not None else None

    def _of(self, folder: str) -> dict[str, Provider]:
        found = self._found.get(folder)
        if found is None:
            found = self._found[folder] = {}
            for file in self._references.files(folder, b"bootstrap_servers"):
                for alias, provider in self._providers(file, folder):
                    found.setdefault(alias, provider)
        return found

    def _providers(self, file: File, folder: str) -> Iterable[tuple[str, Provider]]:
        for block in file.blocks:
            if block.type != "provider" or not block.labels or block.labels[0] != "kafka":
                continue
            attributes = block.attributes()
            alias = attributes.get("alias")
            servers = attributes.get("bootstrap_servers")
            if servers is None:
                continue
            told = alias.value.text if alias is not None and isinstance(alias.value, Scalar) else ""
            value = servers.value
            known = value if isinstance(value, tuple) else ()
            texts = [one.text for one in known if isinstance(one, Scalar)]
            text = ",".join(texts) if texts and len(texts) == len(known) else None
            key = "bootstrap.servers"
            setting = Setting(key, text, file.path, servers.at, name=servers.key)
            cluster = None
            if text is None:
                cluster = self._references.cluster(servers.source, folder)
            yield told, Provider(setting, cluster)


def _provider_of(block: Provisioned) -> str:
    """The alias of the provider that a resource names, "" for the default one."""
    entry = block.attributes().get("provider")
    found = re.match(r"\"?\w+\.([\w-]+)", entry.source) if entry is not None else None
    return found.group(1) if found is not None else ""
