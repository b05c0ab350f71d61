"""The two tables behind ``kcheck limits`` say what is there: keys, constants, facts, claims."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from kcheck import catalogue, data, services
from kcheck.cli.limits_text import _TITLE
from kcheck.formats.declarations import declared
from kcheck.limits import assumptions, emergent, service, soft
from kcheck.limits import catalogue as limits
from kcheck.limits import entry as rows
from kcheck.limits.entry import CLASSES, FACTS, GROUPS, Entry, entries
from kcheck.version import UNKNOWN, Version

ROOT = Path(__file__).resolve().parent.parent.parent
SCHEMA = json.loads((ROOT / "schemas" / "kcheck.schema.json").read_text())["$defs"]

#: What services limit, whatever the plan or by plan.
QUOTAS = {name for row in services._ROWS for name in row.quotas} | {
    row[2] for row in data.rows("services/plans.tsv")
}


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.id)
def test_an_entry_names_what_there_is(entry: Entry) -> None:
    assert entry.kind in CLASSES and entry.group in GROUPS
    assert 0 < len(entry.title) <= _TITLE
    what, _, rest = entry.spec.partition(":")
    if what == "const":
        name, _, since = rest.partition("@")
        assert catalogue.constant(name, UNKNOWN)
        assert not since or Version(since).at_least(catalogue.oldest())
    elif what == "int":
        assert int(rest) in (2**15 - 1, 2**31 - 1, 2**63 - 1)
    elif what == "derived":
        assert rest in emergent._DERIVED
    elif what == "service":
        assert rest in service._USES and rest in QUOTAS
    elif what != "no":
        assert catalogue.possible(what, rest, UNKNOWN), rest
        assert what in soft._OWN
    # HARD: const, int, no; EMERGENT: derived; SERVICE: service; SOFT: the planes.
    of = {"derived": "EMERGENT", "service": "SERVICE", "const": "HARD", "int": "HARD", "no": "HARD"}
    assert entry.kind == of.get(what, "SOFT")


def test_every_class_has_a_module_that_completes_its_lines() -> None:
    assert limits._FILL.keys() == CLASSES.keys()
    assert {entry.kind for entry in entries()} == CLASSES.keys()


def test_every_quota_of_a_service_has_a_row() -> None:
    told = {entry.spec.partition(":")[2] for entry in entries() if entry.kind == rows.SERVICE}
    assert told == QUOTAS


@pytest.mark.parametrize(
    ("kind", "group", "said"),
    [
        ("SOLID", "memory", "class SOLID is none of HARD, SOFT, EMERGENT, SERVICE"),
        ("", "memory", "class of no name is none of HARD, SOFT, EMERGENT, SERVICE"),
        ("HARD", "luck", "group luck is none of partitions, messages"),
    ],
)
def test_a_row_of_an_unknown_class_is_rejected_where_it_is(
    monkeypatch: pytest.MonkeyPatch, kind: str, group: str, said: str
) -> None:
    header = (ROOT / "schemas" / "limits" / "limits.tsv").read_text().split("\n")[3]
    row = ["heap", kind, group, "B", "heap", "int:1", "", "", "", ""]
    text = f"# about\n{header}\n\n" + "\t".join(row) + "\n"
    monkeypatch.setattr(data, "read", lambda name: text)
    monkeypatch.setattr(rows, "_entries", [])
    with pytest.raises(ValueError, match=f"^schemas/limits/limits.tsv:4: {said}"):
        entries()


def test_entries_are_unlike() -> None:
    for attribute in ("id", "title", "spec"):
        if attribute != "spec":
            found = [getattr(entry, attribute) for entry in entries()]
            assert len(found) == len(set(found))
    used = {entry.spec.partition(":")[2] for entry in entries() if entry.kind == "EMERGENT"}
    assert used == set(emergent._DERIVED)


def test_invariants_are_known() -> None:
    known = {row[1] for row in data.rows("coverage.tsv")}
    told = {id for entry in entries() for id in entry.invariants}
    assert told <= known
    # Every derivation is told, besides those of which a rule alone speaks.
    derived = {id for id in known if id.startswith("cap-")}
    assert derived <= told


@pytest.mark.parametrize("name", assumptions.table())
def test_an_assumption_says_what_it_is(name: str) -> None:
    found = assumptions.table()[name]
    assert found.evidence in ("code", "measured", "rule of thumb")
    assert found.number > 0 and math.isfinite(found.number)
    assert found.unit and found.words and found.source
    assert assumptions.meant(name, found.default) == found.number
    told = SCHEMA["assumptions"]["properties"][name]["description"]
    assert told.lower() == (f"{found.words} ({found.unit}); default {found.default}.").lower()
    if found.unit == "share":
        assert found.number <= 1


def test_facts_are_declared_where_we_say() -> None:
    for name, where in FACTS.items():
        if where.startswith("cluster.host."):
            assert name in declared.HOST_FACTS
            assert name in SCHEMA["host"]["properties"]
        elif where.startswith("topics[]."):
            assert where.partition(".")[2] in declared.TOPIC_FACTS


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("partition_rate", "fast", "must be a rate such as 20MB/s or 10Gbit/s"),
        ("election_time", "5MB", "must be a duration such as 5ms"),
        ("nic_use", "-0.1", "must be a number of at least 0"),
        ("tls_memory", "1MB/s", "must be a size such as 64GiB"),
    ],
)
def test_what_is_no_value_of_it(name: str, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        assumptions.meant(name, text)
