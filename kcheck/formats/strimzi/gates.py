"""Strimzi's cluster operator: the feature gates that it is given (``schemas/strimzi/gates.tsv``).

FeatureGates of strimzi/strimzi-kafka-operator@8541da1e ends the operator for a list of another form, a gate
that it does not know, and one that is set twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kcheck import data
from kcheck.formats.containers.variables import Variable
from kcheck.formats.text import templated
from kcheck.images import split
from kcheck.model import ERROR, Document, Problem
from kcheck.version import Version

CODE = "KC0180"
#: What the image is called, whatever the registry.
IMAGE = "strimzi/operator"
_VARIABLE = "STRIMZI_FEATURE_GATES"
_FORM = re.compile(r"\s*[+-][a-zA-Z0-9]+\s*(?:,\s*[+-][a-zA-Z0-9]+\s*)*")
_ENDS = "the operator does not start (InvalidConfigurationException): no resource is reconciled"


def read(document: Document, image: str, variables: Mapping[str, Variable]) -> None:
    """Report the gates in the variables of the operator's container that its release does not have."""
    told = variables.get(_VARIABLE)
    text = told.known if told is not None else None
    if told is None or not text or templated(text):
        return
    setting = told.setting(_VARIABLE, text)
    for message, fix in _faults(text.strip(), Version(split(image)[1])):
        at = setting.at
        document.problems.append(
            Problem(f"{_VARIABLE}{message}", at, CODE, ERROR, _ENDS, fix, setting=setting)
        )


def _faults(text: str, release: Version) -> Iterator[tuple[str, str]]:
    if not text:
        return
    if not _FORM.fullmatch(text):
        yield f"={text} is no list of gates with + or - before each", "write +Gate,-OtherGate"
        return
    gates = [one.strip()[1:] for one in text.split(",")]
    twice = next((one for one in gates if gates.count(one) > 1), "")
    if twice:
        yield f" has {twice} twice", f"keep one {twice}"
    known = {gate: (since, gone) for gate, since, gone in data.rows("strimzi/gates.tsv")}
    for gate in dict.fromkeys(gates):
        since, gone = known.get(gate, ("", ""))
        if gone and release.at_least(gone):
            yield (
                f" has {gate}, which Strimzi {release} does not have any more",
                f"remove {gate}: what it switched on is permanent",
            )
        elif since and release.below(since):
            yield f" has {gate}, which Strimzi {since} is the first to have", f"remove {gate}"
