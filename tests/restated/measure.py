"""Whether a fault is told however it is written: the bad examples of the rules, restated.

``python tests/restated/measure.py`` writes each declaration and properties file of a bad example as
every carrier that can say the same, lints it, and counts where the rule speaks again. It writes
``rates.tsv``; ``--lost CARRIER`` lists what a carrier loses, ``--good`` where a restated good
example is reported, neither of which is a fault by itself: a carrier may set more.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent / "rules"), str(HERE)]

import brokers  # noqa: E402
import clients  # noqa: E402
import joined  # noqa: E402
import others  # noqa: E402
from declared import Carrier, Declared, Files  # noqa: E402
from trial import NOW, examples_of  # noqa: E402

from kcheck import rules  # noqa: E402
from kcheck.engine import lint_project  # noqa: E402
from kcheck.examples import Example  # noqa: E402
from kcheck.model import SEVERITY_RANK  # noqa: E402
from kcheck.rule import Rule  # noqa: E402
from kcheck.settings import Settings  # noqa: E402
from kcheck.syntax.properties import parse  # noqa: E402

SETTINGS = Settings(sets=("default", "advice", "preview"))
#: What a carrier states, by what a declaration must have: one part of these at least, and no other.
TABLES: dict[str, tuple[dict[str, Carrier], frozenset[str]]] = {
    "brokers": (brokers.BROKERS, frozenset({"cluster"})),
    "clients": (clients.CLIENTS, frozenset({"producers", "consumers"})),
    "topics": (others.TOPICS, frozenset({"topics"})),
    "connectors": (others.CONNECTORS, frozenset({"connectors"})),
    "streams": (others.STREAMS, frozenset({"streams"})),
    "workers": (others.WORKERS, frozenset({"worker"})),
    "joined": (joined.JOINED, frozenset({"producers", "consumers", "topics"})),
    "addressed": (joined.ADDRESSED, frozenset({"producers", "consumers", "topics"})),
}
_CLIENTS = {"producer": "producers", "consumer": "consumers", "streams": "streams"}


def declared(path: str, body: str) -> Declared | None:
    """What a file says, as a declaration says it; None for what is neither one nor properties."""
    name = path.rsplit("/", 1)[-1]
    if name == "kcheck.yaml":
        try:
            told = yaml.safe_load(body)
        except yaml.YAMLError:
            return None
        return told if isinstance(told, dict) else None
    if not name.endswith(".properties") or "{{" in body or "${" in body:
        return None
    return _of_properties(name.removesuffix(".properties"), body)


def _of_properties(name: str, body: str) -> Declared | None:
    config = {entry.key: entry.value for entry in parse(body)}
    if name == "server":
        own = config.pop("node.id", config.pop("broker.id", "1"))
        one = {"id": int(own)} if own.isdecimal() else {}
        alone = "advertised.listeners" in config or own != "1"
        return {"cluster": {"brokers": [one] if alone else 3, "config": config}}
    if name in _CLIENTS:
        return {_CLIENTS[name]: [{"name": "app", "config": config}]}
    return {"worker": config} if name == "connect-distributed" else None


def severities(rule: Rule, files: Files) -> list[int]:
    """How grave all is that a rule finds in files."""
    data = {name: body.encode() for name, body in files.items()}
    project = lint_project(sorted(data.items()), SETTINGS, data.get, circumstances=NOW)
    return [SEVERITY_RANK[one.severity] for one in project.findings if one.code == rule.code]


Case = tuple[Rule, int, Example, Declared]


def cases(bad: bool, every: int = 1) -> Iterator[Case]:
    """The examples of one file that a declaration can state; of these each ``every``-th one."""
    number = 0
    for rule in rules.load().values():
        for place, example in enumerate(examples_of(rule)):
            if example.bad is not bad or len(example.files) != 1:
                continue
            told = declared(*next(iter(example.files.items())))
            if told is None:
                continue
            number += 1
            if number % every == 0:
                yield rule, place, example, told


def restated(table: str, told: Declared) -> Iterator[tuple[str, Files]]:
    """A declaration by the carriers of a table that can state all of it."""
    carriers, parts = TABLES[table]
    if not parts & set(told) or set(told) - parts - {"cluster"}:
        return
    if table in ("joined", "addressed") and len(told) < 2:
        return
    for name, carrier in carriers.items():
        files = carrier(told)
        if files is not None:
            yield name, files


def measured(
    asked: Iterable[Case], told: Counter[tuple[str, str]], of: Counter[tuple[str, str]]
) -> Iterator[tuple[str, str, Case]]:
    """Count the restated cases that are told, and give those that are lost.

    A case is told by the same rule, at most one severity below: a carrier may leave it in doubt.
    """
    for case in asked:
        rule, _, example, said = case
        own = severities(rule, example.files)
        for table in TABLES if own else ():
            for name, files in restated(table, said):
                of[table, name] += 1
                found = severities(rule, files)
                if found and max(found) >= max(own) - 1:
                    told[table, name] += 1
                else:
                    yield table, name, case


def _main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lost", default="", metavar="TABLE/CARRIER")
    options.add_argument("--good", action="store_true")
    asked = options.parse_args()
    if asked.good:
        for rule, place, _, said in cases(bad=False):
            for table in TABLES:
                for name, files in restated(table, said):
                    if severities(rule, files):
                        print(f"{table}/{name}\t{rule.code}\t{place}")
        return
    told: Counter[tuple[str, str]] = Counter()
    of: Counter[tuple[str, str]] = Counter()
    for table, name, (rule, place, _, _) in measured(cases(bad=True), told, of):
        if f"{table}/{name}" == asked.lost:
            print(f"{rule.code}\t{place}")
    rows = [f"{table}\t{name}\t{told[table, name]}\t{of[table, name]}\n" for table, name in of]
    (HERE / "rates.tsv").write_text("".join(["written\tas\ttold\tof\n", *rows]))
    print("".join(rows), end="")


if __name__ == "__main__":
    _main()
