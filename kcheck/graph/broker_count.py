"""How many brokers a cluster has, by the files that hold them."""

from __future__ import annotations

from kcheck import configdef
from kcheck.model import ABSENT, FACT, Resource, Setting, Value


def count_brokers(nodes: list[Resource], pools: list[Resource], owner: Resource) -> Value:
    """The number of brokers, where that is plain: files that say how many they stand for, or a
    quorum of which each voter has a file; else absent, at ``owner``.

    ``pools`` are Strimzi's, which count in place of the Kafka resource among ``nodes``.
    """
    # Pools whose Kafka resource is elsewhere may have sisters there.
    counted = (pools or nodes) if nodes else []
    brokers = [r for r in counted if r.kind == "broker"]
    whole = [r for r in brokers if "replicas" in r.facts]
    if brokers and not whole:
        complete = _complete(nodes)
        if complete is not None:
            return complete
    if not brokers or len(whole) != len(brokers):
        return Value("brokers", owner, ABSENT)
    total = 0
    for resource in whole:
        number, wrong = configdef.convert("int", resource.facts["replicas"].text or "")
        if wrong or not isinstance(number, int):
            return Value("brokers", resource, ABSENT)
        total += number
    if not total:
        # Scaled to none: whoever starts them says how many.
        return Value("brokers", owner, ABSENT)
    first = whole[0].facts["replicas"]
    summed = Setting("brokers", str(total), first.path, first.at, first.key_at, first.name)
    return Value("brokers", whole[0], FACT, str(total), total, True, summed)


def _complete(nodes: list[Resource]) -> Value | None:
    """The number of brokers, where each voter of the quorum has a file, and each of them is a broker.

    Brokers that are no voters may be more than those that have a file: only where every node with
    a file is a voter, and the quorum is more than one node, are these plainly all.
    """
    voters: Setting | None = None
    ids: dict[str, Resource] = {}
    for node in nodes:
        own = node.settings.get("node.id")
        told = node.settings.get("controller.quorum.voters")
        roles = node.settings.get("process.roles")
        if own is None or told is None or roles is None or not own.text or not told.text:
            return None
        if {role.strip() for role in (roles.text or "").split(",")} != {"broker", "controller"}:
            return None
        if own.text in ids or (voters is not None and voters.text != told.text):
            return None
        voters = voters or told
        ids[own.text] = node
    if voters is None or voters.text is None or len(ids) < 2:
        return None
    asked = {entry.partition("@")[0].strip() for entry in voters.text.split(",")}
    if asked != ids.keys():
        return None
    count = Setting("brokers", str(len(ids)), voters.path, voters.at, voters.key_at, voters.name)
    return Value("brokers", nodes[0], FACT, count.text, len(ids), True, count)
