#!/usr/bin/env python3
"""Ask every Kafka release whether kcheck's catalogue says of it what it says of itself.

    python schemas/kafka/verify.py [--versions 3.9,4.4] [--cache DIR] [--texts]

Two questions per key and release, both put to the jars and to ``kcheck.catalogue`` as rules ask
it: what is the key (type, default, bounds, importance, mode, flags), and, with ``--texts``, which
texts does it take: its bounds and one beyond, its words and others, what is no number or truth.
Keys that only one of both knows count as different. Prints a table of counts and each difference;
exits 1 if there is one.

The texts go to the parser and the validator of Kafka's own definition. Where the validator is
code with a name of its own, kcheck's answer comes from what it knows beside the tables
(``schemas/keys/refused.tsv``, ``kcheck/lexicon/shapes.py``). What it refuses there and the
definition takes is counted as ``beyond``: Kafka's constructors refuse it, and the differential
test with them (``tests/oracle``) is where that is shown.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

import generate  # noqa: E402

from kcheck import catalogue, configdef  # noqa: E402
from kcheck.lexicon import values  # noqa: E402
from kcheck.version import Version  # noqa: E402

#: Texts that are no value of the type, or only look like none.
ODD = {
    "boolean": ("true", "FALSE", " true ", "yes", "1", ""),
    "int": ("0", " 7 ", "+7", "-1", "1.5", "1_000", "1e3", "0x10", "7L", "", "seven"),
    "double": ("0.5", " .5 ", "1e-3", "1d", "NaN", "Infinity", "inf", "1_0", "", "half"),
    "string": ("", " ", "something-else"),
    "list": ("", ",", "something-else", "a,b", "a,a", "a,,b", "a, b ", "a,"),
    "password": ("", "something-else"),
}
#: The same for keys with a grammar of their own.
ODD_OF = {
    "response.http.headers.config": (
        "add a:b",
        "SET a:b,addDate b:c",
        "put a:b",
        "add a b:c",
        "add a",
    ),
    "name": ("two words", "a\x07b"),
    "topology.optimization": ("single.store.self.join", "merge.repartition.topics,all", "none,all"),
    "application.server": ("host:9092", "host", ":9092", "host:x"),
    "share.auto.offset.reset": ("by_duration:PT1H", "by_duration:1h", "none"),
    "controller.quorum.voters": ("1@h:9093", "1@h:9093,2@h", "h:9093", "x@h:9093", "1@h:9093,"),
}
#: What they take is up to the security providers of the JVM.
OF_THE_MACHINE = ("key.generation.algorithm", "signature.algorithm", "verification.algorithms")
WIDTH = {"short": 16, "int": 32, "long": 64}


def texts(fact: catalogue.Fact) -> list[str]:
    """What to ask of a key: each text once."""
    numeric = "int" if fact.type in WIDTH else fact.type
    found = [*ODD.get(numeric, ()), *ODD_OF.get(fact.key, ())]
    if fact.type in WIDTH:
        most = 2 ** (WIDTH[fact.type] - 1)
        found += map(str, (most - 1, most, -most, -most - 1))
    if fact.default_text is not None:
        found.append(fact.default_text)
    for word in fact.valid.split():
        name, colon, rest = word.partition(":")
        if colon and name != "name":
            words = rest.split("|")
            found += [*words, *map(str.upper, words), *map(str.lower, words), words[0] + "x"]
            found += [",".join(words), f"{words[0]},", f"{words[0]},{words[0]}"]
        elif ".." in word:
            for bound in filter(None, word.split("..")):
                step = 1 if fact.type in WIDTH else 0.001
                number = float(bound) if fact.type == "double" else int(bound)
                found += map(str, (number, number - step, number + step))
    return list(dict.fromkeys(found))


class Release:
    """One release as its jars tell it, and the JVM that goes on answering."""

    def __init__(self, minor: str, jars: Path, classes: Path) -> None:
        self.minor = minor
        path = os.pathsep.join([str(classes), *sorted(str(jar) for jar in jars.glob("*.jar"))])
        self._command = [generate.java_tool("java"), "-XX:+UseSerialGC"]
        self._command += ["-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8", "-cp", path]
        self.facts: dict[tuple[str, str], list[str]] = {}
        for kind, *cells in self._ask(""):
            if kind == "key":
                plane, *row = cells
                self.facts[plane, row[0]] = list(generate.steady(minor, row))

    def _ask(self, questions: str) -> list[list[str]]:
        arguments = ["Dump", "judge"] if questions else ["Dump"]
        run = subprocess.run(
            [*self._command, *arguments],
            input=questions,
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        return [line.split("\t") for line in run.stdout.splitlines()]

    def judge(self, questions: list[tuple[str, str, str]]) -> list[str]:
        """Per (plane, key, text) the refusal; "" where the definition takes the text."""
        answers = self._ask("".join("\t".join(question) + "\n" for question in questions))
        judged = [a for a in answers if a[0] in ("taken", "refused")]
        assert len(judged) == len(questions), "an answer per question"
        return [why if verdict == "refused" else "" for verdict, why in judged]


def compare_facts(release: Release, counts: Counter[tuple[str, str]]) -> Iterator[str]:
    """Each key of the release, and each that the catalogue has for it: equal in every column."""
    version = Version(release.minor)
    planes = {plane for plane, _ in release.facts}
    for plane, key in sorted(release.facts):
        _, *told = release.facts[plane, key]
        public = "internal" not in told[-1].split()
        counts[plane, "public" if public else "internal"] += 1
        fact = catalogue.fact(plane, key, version)
        if fact is None:
            yield f"{release.minor} {plane} {key}: the catalogue does not know it"
            continue
        flags = " ".join(fact.flags)
        ours = [fact.type, fact.default, fact.valid, fact.importance, fact.mode, flags]
        names = ("type", "default", "valid", "importance", "mode", "flags")
        for name, mine, theirs in zip(names, ours, told, strict=True):
            if mine != theirs:
                yield f"{release.minor} {plane} {key}: {name} is {theirs!r}, we say {mine!r}"
            elif public:
                counts[plane, name] += 1
    for plane in planes:
        all_keys = catalogue.plane(plane).keys()
        for key in all_keys:
            known = catalogue.fact(plane, key, version)
            if known is not None and (plane, key) not in release.facts:
                yield f"{release.minor} {plane} {key}: the jars do not know it"


def compare_texts(release: Release, counts: Counter[tuple[str, str]]) -> Iterator[str]:
    """Each text that is asked of a key: taken by both or refused by both."""
    version = Version(release.minor)
    questions: list[tuple[str, str, str]] = []
    facts: list[catalogue.Fact] = []
    for plane, key in sorted(release.facts):
        fact = catalogue.fact(plane, key, version)
        if fact is None or fact.type == "class" or fact.key.endswith(OF_THE_MACHINE):
            continue
        for text in texts(fact):
            questions.append((plane, key, text))
            facts.append(fact)
    answers = release.judge(questions)
    for (plane, key, text), fact, theirs in zip(questions, facts, answers, strict=True):
        ours = configdef.refusal(fact, text.strip())
        if not ours and "name:" in fact.valid:
            beyond = values.refusal(plane, fact, release.minor, text.strip())
            if beyond and not theirs:
                counts[plane, "beyond"] += 1
                continue
            ours = beyond
        counts[plane, "texts"] += 1
        counts[plane, "refused"] += bool(theirs)
        if bool(ours) != bool(theirs):
            said = theirs or "takes it"
            yield f"{release.minor} {plane} {key}={text!r}: Kafka {said}; we {ours or 'take it'}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare kcheck's catalogue with Kafka's jars.")
    parser.add_argument("--versions", default=",".join(generate.MINORS), help="minors (all)")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "kcheck" / "jars")
    parser.add_argument("--texts", action="store_true", help="ask also which texts a key takes")
    arguments = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    different = 0
    with tempfile.TemporaryDirectory() as classes:
        generate.compile_dump(Path(classes))
        for minor in arguments.versions.split(","):
            jars = generate.jars_of(generate.RELEASES[minor], arguments.cache.expanduser())
            release = Release(minor, jars, Path(classes))
            found = list(compare_facts(release, counts))
            if arguments.texts:
                found += compare_texts(release, counts)
            different += len(found)
            print(*found, sep="\n", end="\n" if found else "", flush=True)
    columns = ("public", "internal", "type", "default", "valid", "texts", "refused", "beyond")
    print(f"{'plane':20}", *(f"{column:>9}" for column in columns))
    for plane in sorted({plane for plane, _ in counts}):
        print(f"{plane:20}", *(f"{counts[plane, column]:9,}" for column in columns))
    totals = (sum(n for (_, name), n in counts.items() if name == column) for column in columns)
    print(f"{'all':20}", *(f"{total:9,}" for total in totals))
    print(f"{different:,} differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
