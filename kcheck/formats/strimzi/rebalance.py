"""``KafkaRebalance``: what the operator, or Cruise Control, does not take of a proposal that is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats import Lookup
from kcheck.formats.strimzi.required import is_made
from kcheck.formats.strimzi.resource import Meta
from kcheck.formats.text import templated
from kcheck.model import ERROR, WARNING, Document, Problem, Setting
from kcheck.syntax import yaml

CODE, KIND = "KC0149", "KafkaRebalance"
_TEMPLATE = "strimzi.io/rebalance-template"
#: What each mode needs to know which brokers or disks it is about.
_NEEDS = {
    "add-brokers": "brokers",
    "remove-brokers": "brokers",
    "remove-disks": "moveReplicasOffVolumes",
}
#: Hard goals of all versions of the operator that hold for all clusters alike.
_HARD = ("RackAwareGoal", "ReplicaCapacityGoal", "DiskCapacityGoal")


def tell(document: Document, meta: Meta, spec: yaml.Node | None, lookup: Lookup) -> None:
    """Report what keeps the proposal from being made; a template of others is none itself."""
    if yaml.child(meta.annotations, _TEMPLATE) is not None or templated(meta.name):
        return
    if not is_made(document.path, lookup):
        document.problems += _faults(document.path, meta, spec)


def _faults(path: str, meta: Meta, spec: yaml.Node | None) -> Iterator[Problem]:
    owner = f"{KIND} {meta.name}"
    if not meta.labelled:
        yield _fault(
            f"{owner} has no label strimzi.io/cluster",
            Setting("metadata.labels.strimzi.io/cluster", None, path, meta.at),
            "the operator does not know which cluster it is about, and makes no proposal",
            "add the label with the name of the Kafka resource",
        )
    mode = yaml.child(spec, "mode")
    needed = _NEEDS.get(yaml.text(mode) or "")
    if mode is not None and needed and yaml.child(spec, needed) is None:
        yield _fault(
            f"{owner} has mode {yaml.text(mode)} without {needed}",
            Setting("spec.mode", yaml.text(mode), path, yaml.position(mode)),
            f"the operator makes no proposal: {needed} is mandatory in this mode",
            f"set {needed}",
        )
    goals = yaml.child(spec, "goals")
    names = [yaml.text(one) or "{{" for one in yaml.items(goals)]
    skipped = yaml.child(spec, "skipHardGoalCheck")
    checked = skipped is None or yaml.text(skipped) == "false"
    if goals is None or not names or any(map(templated, names)) or not checked:
        return
    lacking = [one for one in _HARD if one not in {name.rpartition(".")[2] for name in names}]
    if lacking and yaml.text(mode) != "remove-disks":
        yield _fault(
            f"{owner}: goals lacks the hard goals {', '.join(lacking)}",
            Setting("spec.goals", None, path, yaml.position(goals)),
            "unless hard.goals of the Kafka resource leaves them out, Cruise Control refuses the "
            "proposal: missing hard goals",
            "add them, or set skipHardGoalCheck: true",
            WARNING,
        )


def _fault(
    message: str, setting: Setting, consequence: str, fix: str, severity: str = ERROR
) -> Problem:
    return Problem(message, setting.at, CODE, severity, consequence, fix, setting=setting)
