"""Settings are final; rules and circumstances are not theirs."""

from __future__ import annotations

import ast
import inspect
from copy import copy

import pytest

from kcheck import settings as module
from kcheck.circumstances import Circumstances
from kcheck.globs import matcher
from kcheck.settings import ClusterEntry, ClusterSettings, Override, Settings


def test_settings_are_final() -> None:
    settings = Settings()
    with pytest.raises(AttributeError, match="fail_on"):
        settings.fail_on = "never"
    with pytest.raises(TypeError, match="no such settings: fail_onn"):
        settings.but(fail_onn="never")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="today"):
        Settings(today="2026-06-01")  # type: ignore[call-arg]


def test_others_are_made_of_them() -> None:
    first = Settings(sets=("default", "advice"))
    before = dict(vars(first))
    other = first.but(fail_on="never", told=ClusterSettings("4.0"))
    assert (other.fail_on, other.sets, other.told.kafka_version) == (
        "never",
        ("default", "advice"),
        "4.0",
    )
    assert vars(first) == before and first.fail_on == "error"
    assert vars(copy(first)) == before


def test_no_two_have_facts_in_common() -> None:
    assert Settings().told is not Settings().told
    assert Settings().cluster is not Settings().cluster


def test_settings_of_another_folder_are_others() -> None:
    entry = ClusterEntry("c", matcher(["eu/*"]), ClusterSettings(), "kcheck.toml:1")
    override = Override(matcher(["eu/*"]), ClusterSettings("3.9"), frozenset(), {}, "kcheck.toml:4")
    here = Settings(clusters=(entry,), overrides=(override,), excluded=matcher(["eu/old"]))
    there = here.seen_from("eu")
    assert (here.cluster_of("a.yaml"), there.cluster_of("a.yaml")) == (None, "c")
    assert there.excluded("old") and not here.excluded("old")
    assert there.cluster_settings(None, "a.yaml").kafka_version == "3.9"
    assert here.clusters == (entry,) and here.seen_from("") is here


def test_each_setting_has_one_type() -> None:
    """The words that ``Settings`` and ``but`` take are its attributes, with their types."""
    tree = ast.parse(inspect.getsource(module))
    kinds = {
        node.name: {
            ast.unparse(one.target): ast.unparse(one.annotation)
            for one in node.body
            if isinstance(one, ast.AnnAssign)
        }
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    assert kinds["Said"] == kinds["Settings"]


def test_circumstances_are_no_settings() -> None:
    assert not {*Circumstances.__slots__} & Settings.__annotations__.keys()
    assert Circumstances(today="2026-06-01").today == "2026-06-01"
    assert len(Circumstances().today) == len("2026-06-01")
