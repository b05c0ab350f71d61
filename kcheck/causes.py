"""What findings have in common: one line, one missing decision, one block of keys is one cause.

It is a step after the run, on findings as they are to be shown, and knows no rule: a cause follows
from where the first value of the evidence is, or should be. Two tables hold what places do not tell:
keys that are one decision (``BLOCKS``), and rules that say less of a cause than another one says
(``IMPLIED``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator

from kcheck.ends import place
from kcheck.model import SEVERITY_RANK, Finding, Value

#: Keys that are decided together: how many replicas internal and auto-created topics have.
BLOCKS = (
    frozenset(
        {
            "default.replication.factor",
            "min.insync.replicas",
            "offsets.topic.replication.factor",
            "transaction.state.log.replication.factor",
            "transaction.state.log.min.isr",
            "share.coordinator.state.topic.replication.factor",
            "share.coordinator.state.topic.min.isr",
            "confluent.license.topic.replication.factor",
            "confluent.metadata.topic.replication.factor",
            "confluent.balancer.topic.replication.factor",
        }
    ),
    frozenset(
        {
            "config.storage.replication.factor",
            "offset.storage.replication.factor",
            "status.storage.replication.factor",
        }
    ),
    frozenset(
        {
            "replication.factor",
            "checkpoints.topic.replication.factor",
            "heartbeats.topic.replication.factor",
            "offset-syncs.topic.replication.factor",
        }
    ),
)
#: The number of a key's block.
_BLOCK = {key: number for number, block in enumerate(BLOCKS) for key in block}

#: A rule, and those that say more of the same cause: where one of them speaks, it need not.
IMPLIED: dict[str, tuple[str, ...]] = {
    "KC0301": ("KC0302",),
    "KC0309": ("KC0308",),
    "KC0310": ("KC0308", "KC0309"),
    "KC0312": ("KC0311",),
    "KC0315": ("KC0105",),
    "KC0343": ("KC0308", "KC0309", "KC0310"),
    "KC0344": ("KC0345",),
    "KC0515": ("KC0105",),
    "KC0516": ("KC0105",),
    "KC0517": ("KC0511",),
    "KC0704": ("KC0105",),
    "KC0718": ("KC0505",),
    "KC0726": ("KC0104",),
    "KC0811": ("KC0105",),
    "KC0904": ("KC0903", "KC0901"),
    "KC0905": ("KC0901",),
    "KC1010": ("KC1009",),
    "KC1203": ("KC1502",),
    "KC1307": ("KC1304", "KC0520"),
}

#: What one template or one image makes alike: a fault of it is a fault of each.
_NODES = ("broker", "controller", "worker", "cluster")


#: Facts that the command line or the settings give to every cluster.
_OF_RUN = ("kafka_version", "client_version", "environment", "service")


class Cause:
    """Findings of one cause: the gravest of them leads, the others are in their order."""

    __slots__ = ("findings", "lead")

    def __init__(self, findings: list[Finding]) -> None:
        self.lead = max(findings, key=lambda finding: SEVERITY_RANK[finding.severity])
        self.findings = findings

    @property
    def others(self) -> list[Finding]:
        return [finding for finding in self.findings if finding is not self.lead]


def causes(findings: Iterable[Finding]) -> list[Cause]:
    """The causes of the findings, each at the place of its first finding."""
    groups: list[list[Finding]] = []
    #: The number of the group that a mark leads to; groups that met lead to another one.
    known: dict[Hashable, int] = {}
    joined: list[int] = []

    def root(number: int) -> int:
        while joined[number] != number:
            joined[number] = number = joined[joined[number]]
        return number

    for finding in findings:
        found = [*_marks(finding)]
        homes = sorted({root(known[mark]) for mark in found if mark in known})
        if homes:
            home = homes[0]
            for other in homes[1:]:
                joined[other] = home
                groups[home] += groups[other]
                groups[other] = []
        else:
            home = len(groups)
            groups.append([])
            joined.append(home)
        groups[home].append(finding)
        known.update(dict.fromkeys(found, home))
    return [Cause(group) for group in groups if group]


def _marks(finding: Finding) -> Iterator[Hashable]:
    """What two findings of one cause have in common."""
    if not finding.evidence or finding.change is not None:
        return
    value = finding.evidence[0]
    cluster = finding.cluster_id or finding.cluster
    path, at = place(value)
    if value.setting is not None and path is not None:
        # The same line: nobody writes two decisions in one place.
        yield path, at
    else:
        # The same missing decision.
        yield _owner(value, cluster), value.key
        if value.resource.kind == "topic" and not any(v.explicit for v in finding.evidence):
            # Topics that leave it to the brokers wait for one decision.
            yield finding.code, cluster, value.key
    # What weighs a block's keys against each other on a node is about the block.
    for one in finding.evidence if finding.resource.kind in _NODES else (value,):
        block = _BLOCK.get(one.key)
        if block is not None:
            yield _owner(one, cluster), block
    yield from _copies(finding, value, cluster)


def _owner(value: Value, cluster: str) -> Hashable:
    """Who decides: the cluster for its nodes, a group of workers for them, else the resource."""
    resource = value.resource
    if resource.kind in _NODES:
        return cluster, resource.name if resource.kind == "worker" else ""
    return resource.path, resource.kind, resource.name


def _copies(finding: Finding, value: Value, cluster: str) -> Iterator[Hashable]:
    """What makes one rule say the same of several nodes, keys of a block, or clusters."""
    if value.resource.kind in _NODES and finding.resource.kind in _NODES:
        said = [(v.key, v.text, v.origin) for v in finding.evidence]
        yield (finding.code, _owner(value, cluster), *said)
    block = _BLOCK.get(value.key)
    if block is not None:
        yield finding.code, _owner(value, cluster), block, value.text
    if value.setting is None and value.key in _OF_RUN and value.text:
        # What the run was told, not a file.
        yield finding.code, value.key, value.text


def told_once(
    findings: list[Finding], counts: Callable[[Finding], bool] = lambda finding: False
) -> list[Finding]:
    """The findings without those that another one of their cause says as well.

    Those are the same rule on copies of a file, and what ``IMPLIED`` says. The one that stays is as
    grave, ``counts`` where the other does, and bears the others as ``also``.
    """
    for finding in findings:
        finding.also = ()
    dropped: set[int] = set()
    for cause in causes(findings):
        if len(cause.findings) == 1:
            continue
        first: dict[Hashable, Finding] = {}
        by_code: dict[str, Finding] = {}
        for finding in cause.findings:
            by_code.setdefault(finding.code, finding)
        for finding in cause.findings:
            lead = next((by_code[c] for c in IMPLIED.get(finding.code, ()) if c in by_code), None)
            if lead is None:
                lead = _copied(finding, first)
            if lead is None or id(lead) in dropped or (counts(finding) and not counts(lead)):
                continue
            if SEVERITY_RANK[lead.severity] >= SEVERITY_RANK[finding.severity]:
                lead.also = (*lead.also, finding, *finding.also)
                finding.also = ()
                dropped.add(id(finding))
    return [finding for finding in findings if id(finding) not in dropped] if dropped else findings


def _copied(finding: Finding, first: dict[Hashable, Finding]) -> Finding | None:
    """The finding that this one repeats: of another node of the cluster, or of another cluster."""
    lead: Finding | None = None
    for mark in _copies(finding, finding.evidence[0], finding.cluster_id or finding.cluster):
        same = first.setdefault(mark, finding)
        if (same.path, same.at) != (finding.path, finding.at):
            lead = lead or same
    return lead
