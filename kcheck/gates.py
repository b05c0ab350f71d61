"""Gates: which findings fail a run, in one word. Severities stay what they are.

A gate is data: names of rules whose findings count from warning on, and the severity from which all
others do. ``GATES`` are kcheck's own; ``[gates.NAME]`` in the settings adds others or widens these.
"""

from __future__ import annotations

from collections.abc import Mapping

from kcheck import selection
from kcheck.model import SEVERITY_RANK, WARNING, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.rule import Rule

#: ``--fail-on never``: no severity fails a run.
_NEVER = "never"

#: kcheck's own gates: codes, names or families of the rules of each.
GATES: dict[str, tuple[str, ...]] = {
    # The headline faults: Kafka accepts each of them, and each loses data or stops writes at the
    # first failure of a broker.
    "default": (
        # acks below what min.insync.replicas asks for
        "KC0307",
        # a producer above the limit of its topic, or of its own internal topics
        "KC0501",
        "KC0504",
        "KC0523",
        # unclean leader election
        "KC0306",
        # one replica in production
        "KC0301",
        "KC0308",
        "KC0309",
        "KC0310",
        "KC0311",
        "KC0312",
        "KC0341",
        "KC0343",
        "KC1428",
        # min.insync.replicas at 1, at the replication factor, or above it
        "KC0302",
        "KC0303",
        "KC0305",
        "KC1908",
    ),
    # Whole families: all that loses records or stops writes, and all that opens a cluster.
    "durability": ("durability", "KC0501", "KC0504", "KC0523", "KC1908"),
    "security": ("security", "KC1914"),
}


class Gate:
    """Which findings fail a run: those of ``rules`` from warning on, and all from ``fail_on`` on.

    ``fail_on`` is "" where the run's own severity decides.
    """

    __slots__ = ("fail_on", "name", "rules")

    def __init__(self, name: str, rules: frozenset[str], fail_on: str = "") -> None:
        self.name = name
        self.rules = rules
        self.fail_on = fail_on

    def counts(self, finding: Finding, fail_on: str) -> bool:
        """Whether the finding fails the run, where ``fail_on`` is the severity that always does."""
        rank = SEVERITY_RANK[finding.severity]
        if fail_on != _NEVER and rank >= SEVERITY_RANK[fail_on]:
            return True
        return finding.code in self.rules and rank >= SEVERITY_RANK[WARNING]


def own(name: str, rules: dict[str, Rule]) -> Gate | None:
    """kcheck's own gate of that name, if there is one."""
    if name not in GATES:
        return None
    return Gate(name, codes(GATES[name], rules))


def codes(words: tuple[str, ...], rules: dict[str, Rule]) -> frozenset[str]:
    """The rules that words mean. Raises selection.Unknown."""
    found: set[str] = set()
    for word in words:
        found |= selection.meant(word, rules)[1]
    return frozenset(found)


def named(name: str, gates: Mapping[str, Gate], rules: dict[str, Rule]) -> Gate:
    """The gate of that name, the settings' before kcheck's own. Raises KeyError with a hint."""
    found = gates.get(name) or own(name, rules)
    if found is None:
        known = sorted({*GATES, *gates})
        near = selection.nearest(name, known)
        hint = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
        raise KeyError(f"no gate is called {name}; {hint}")
    return found
