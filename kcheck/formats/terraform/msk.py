"""Where clusters of Amazon MSK answer, by the blocks of their resources in Terraform."""

from __future__ import annotations

from kcheck.formats import managed_hosts
from kcheck.formats.managed_hosts import IAM, SCRAM
from kcheck.formats.text import templated
from kcheck.model import Address, Setting
from kcheck.syntax.hcl_values import Entry, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.provisioned.resources import Block

_SASL = (("scram", SCRAM), ("iam", IAM))
_ENCRYPTION, _LOGINS = "encryption_info", "client_authentication"


def addresses(cluster: Block, path: str) -> tuple[Address, ...]:
    """The addresses of an ``aws_msk_cluster``'s brokers, with the ports that may be open."""
    attributes = cluster.attributes()
    name = _known("cluster_name", attributes.get("cluster_name"), path)
    encryption = _inner(cluster, _ENCRYPTION, "encryption_in_transit")
    spoken = (
        encryption.attributes().get("client_broker")
        if not isinstance(encryption, (str, type(None)))
        else None
    )
    sasl = _inner(cluster, _LOGINS, "sasl")
    logins: dict[int, Setting | bool | None] = {}
    for word, port in _SASL:
        logins[port] = sasl is not None
        if not isinstance(sasl, (str, type(None))):
            entry = sasl.attributes().get(word)
            logins[port] = _known(word, entry, path) or entry is not None
    ports = managed_hosts.ports_of_msk(_known("client_broker", spoken, path), logins)
    text = name.text if name is not None else None
    return managed_hosts.of_msk(text or "", ports, name)


def _inner(cluster: Block, *names: str) -> Block | str | None:
    """The block within a block by name; "" where nobody knows whether it is there, None if it is
    not."""
    if any(name in _ignored(cluster) for name in (names[0], "all")):
        return ""
    block: Block | None = cluster
    for name in names:
        inner: list[Block] = [*block.blocks()] if block is not None else []
        if any(one.type == "dynamic" and name in one.labels for one in inner):
            return ""
        block = next((one for one in inner if one.type == name), None)
    return block


def _ignored(cluster: Block) -> str:
    """What Terraform leaves as somebody else made it."""
    for block in cluster.blocks():
        if block.type == "lifecycle" and "ignore_changes" in block.attributes():
            return block.attributes()["ignore_changes"].source
    return ""


def _known(key: str, entry: Entry | None, path: str) -> Setting | None:
    """An attribute as a setting, where its text is known."""
    value = entry.value if entry is not None else None
    if entry is None or not isinstance(value, Scalar) or templated(value.text):
        return None
    key_at = entry.key_at if value.path == path else value.at
    return Setting(key, value.text, value.path, value.at, key_at)
