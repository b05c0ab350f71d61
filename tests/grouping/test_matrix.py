"""A client and its brokers meet in every format and layout, and the rules between them speak."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from matrix import CLIENTS, NOWHERE, Cell, Client, cells, pairwise

from kcheck.ends import place
from kcheck.engine import lint_project
from kcheck.model import Finding
from kcheck.settings import Settings

_LISTED = Path(__file__).parent / "undecidable.tsv"
#: Cells that may be undecidable, of all that both formats have words for.
_SHARE = 0.03


def undecidable() -> dict[str, str]:
    """Cells that nobody could decide by what is in the files, with the reason."""
    lines = _LISTED.read_text(encoding="utf-8").splitlines()[1:]
    return {cell: reason for cell, _, reason in (line.partition("\t") for line in lines)}


def paths(finding: Finding) -> set[str]:
    return {finding.path} | {path for v in finding.evidence if (path := place(v)[0]) is not None}


def fault_of(cell: Cell) -> str:
    """What is wrong with the verdict on a cell; "" where it is as it should be."""
    files = {**cell.other_files, **cell.broker_files, **cell.client_files}
    sources = {path: text.encode() for path, text in files.items()}
    project = lint_project(sources.items(), Settings(), sources.get)
    if project.failures:
        return "kcheck failed"
    mine, theirs, strangers = set(cell.client_files), set(cell.broker_files), set(cell.other_files)
    told = False
    for finding in project.findings:
        here = paths(finding)
        if here & mine and (here & strangers or (cell.asks is NOWHERE and here & theirs)):
            return f"{finding.code} compares strangers"
        # What a service takes at an address is known without a file of its brokers.
        both = here & theirs or finding.code in cell.fault.of_services
        told |= bool(finding.code in cell.fault.rules and here & mine and both)
    if cell.asks is NOWHERE:
        return ""
    return "" if told == cell.faulty else ("silence" if cell.faulty else "a false alarm")


_PAIRS = pairwise()
#: The same, of which a third is asked without ``--thorough``.
_SILENT = [
    pytest.param(cell, marks=[pytest.mark.thorough] if number % 3 else [], id=str(cell))
    for number, cell in enumerate(_PAIRS)
]


@pytest.mark.parametrize("cell", _PAIRS, ids=str)
def test_two_of_each_kind(cell: Cell) -> None:
    if str(cell) not in undecidable():
        assert fault_of(cell) == ""


@pytest.mark.parametrize("cell", _SILENT)
def test_no_alarm_without_the_fault(cell: Cell) -> None:
    assert fault_of(cell.mended) == ""


@pytest.mark.parametrize("cell", _SILENT)
def test_no_word_on_brokers_that_are_not_asked(cell: Cell) -> None:
    assert fault_of(cell.estranged) == ""


@pytest.mark.thorough
@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_all_of_a_client(client: Client) -> None:
    listed = undecidable()
    mine = [cell for cell in cells() if cell.client is client and cell.applicable]
    wrong = {str(cell): why for cell in mine if (why := fault_of(cell))}
    assert wrong.keys() == {str(cell) for cell in mine if str(cell) in listed}


def test_every_two_meet_in_a_pair() -> None:
    def pairs(some: list[Cell]) -> set[tuple[str, ...]]:
        names = (tuple(f"{n}:{part.name}" for n, part in enumerate(cell[:4])) for cell in some)
        return {pair for named in names for pair in combinations(named, 2)}

    assert pairs(_PAIRS) == pairs([cell for cell in cells() if cell.applicable])


def test_few_cells_are_undecidable_and_each_has_its_reason() -> None:
    applicable = {str(cell) for cell in cells() if cell.applicable}
    listed = undecidable()
    assert listed.keys() <= applicable
    assert all(listed.values())
    assert len(listed) <= _SHARE * len(applicable)
