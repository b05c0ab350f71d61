"""Grouping makes of outlines what it makes of the documents themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from kcheck import discover, engine
from kcheck.grouping import gather, outline
from kcheck.grouping.names import BOOTSTRAP
from kcheck.grouping.nodes import NODES
from kcheck.model import Document, Resource, Traits
from kcheck.settings import Settings

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def read(*paths: str) -> list[Document]:
    inputs = discover.Inputs(paths)
    return [
        engine.read_document(path, data, Settings(), inputs.lookup, inputs.named, [])
        for path, data in inputs
    ]


@pytest.fixture(scope="module")
def documents() -> Iterator[list[Document]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(FIXTURES)
        yield read(".")


def clusters(documents: list[Document], places: dict[int, object]) -> list[Any]:
    groups = gather.gathered(documents, Settings()).groups
    return [
        (
            name,
            [document.path for document in one.documents],
            {places[id(resource)] for resource in one.resources},
        )
        for one, name in zip(groups, gather.names(groups), strict=True)
    ]


def test_the_fixtures(documents: list[Document]) -> None:
    made = [outline.outline(document) for document in documents]
    places = {
        id(resource): (document.path, number)
        for document, (_, numbers) in zip(documents, made, strict=True)
        for resource, number in zip(document.resources, numbers, strict=True)
    }
    short = [outline.restored(one) for one, _ in made]
    there = {
        id(r): (document.path, n) for document in short for n, r in enumerate(document.resources)
    }
    assert clusters(short, there) == clusters(documents, places)
    # Topics of one file are one.
    assert sum(len(d.resources) for d in short) < sum(len(d.resources) for d in documents)


class Asked(dict[str, Any]):
    """Settings that note which of them somebody asks for."""

    def __init__(self, held: dict[str, Any], asked: set[str]) -> None:
        super().__init__(held)
        self._asked = asked

    def get(self, key: str, default: Any = None) -> Any:
        self._asked.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self._asked.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self._asked.add(str(key))
        return super().__contains__(key)

    def _everything(self) -> Any:
        raise AssertionError("an outline has no other settings than those that are asked for")

    keys = values = items = __iter__ = _everything  # type: ignore[assignment]


class Watched(Resource):
    """A resource of which nothing may be read that outlines leave out."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name in Resource.__slots__ and name not in {
            *("kind", "name", "path", "at", "cluster"),
            *("settings", "image", "facts", "traits"),
        }:
            raise AssertionError(f"grouping asks for {name}, which outlines leave out")
        return super().__getattribute__(name)


class WatchedTraits(Traits):
    """Traits that note which of them somebody asks for."""

    asked: ClassVar[set[str]] = set()

    def __getattribute__(self, name: str) -> Any:
        if name in Traits.__annotations__:
            WatchedTraits.asked.add(name)
        return super().__getattribute__(name)


def test_grouping_asks_for_nothing_that_outlines_leave_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(FIXTURES)
    settings: dict[bool, set[str]] = {True: set(), False: set()}
    facts: set[str] = set()
    documents = read(".")
    for document in documents:
        for resource in document.resources:
            single = resource.kind in NODES or resource.kind == "cluster"
            resource.__class__ = Watched
            resource.settings = Asked(resource.settings, settings[single])
            resource.image = Asked(resource.image, settings[single])
            resource.facts = Asked(resource.facts, facts)
            resource.traits.__class__ = WatchedTraits
    gather.names(gather.gathered(documents, Settings()).groups)
    assert settings[True] and settings[True] <= {*outline.SETTINGS}
    assert settings[False] and settings[False] <= {*BOOTSTRAP}
    assert facts and facts <= {*outline.FACTS}
    assert WatchedTraits.asked and WatchedTraits.asked <= {*outline.TRAITS}
