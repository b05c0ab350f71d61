"""Hold every setting that kcheck takes from the files of a folder against another reader's.

    python tests/formats/independent.py FOLDER [--verbose]

With --verbose also what stands there under one of Kafka's names and kcheck leaves alone.

Each value has to stand in the same file under the same name, and on the same line where the other
reader tells lines. What differs on purpose is counted by its reason (``REASONS``); everything else
is printed, and the exit code is 1. The other readers are in ``second_readers``.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

import second_readers  # noqa: E402
from second_readers import Leaf  # noqa: E402

from kcheck import catalogue, engine  # noqa: E402
from kcheck.discover import Inputs  # noqa: E402
from kcheck.formats import endings  # noqa: E402
from kcheck.model import Derived, Document, Resource, Setting  # noqa: E402
from kcheck.settings import Settings  # noqa: E402

#: Why kcheck's value may be another than the file's, by what ``judged`` calls it.
REASONS = {
    "template": "the text is filled in later, so its value is unknown to kcheck",
    "image": "what the image makes of the variable depends on its version, which nobody tells",
    "made": "the platform makes the value (the name of a pod)",
    "secret": "the tool prints null for what it does not tell",
    "converted": "the file writes another unit or word, and kcheck has Kafka's text for it",
    "interpolated": "the default in ${X:-default}, or what .env gives, stands for the value",
    "elsewhere": "the value stands in another file, which this one names",
}


class Verdict:
    """What became of one setting: ``same``, one of REASONS, or ``differs``."""

    __slots__ = ("document", "found", "kind", "setting")

    def __init__(self, document: Document, setting: Setting, kind: str, found: list[Leaf]) -> None:
        self.document = document
        self.setting = setting
        self.kind = kind
        self.found = found

    def __str__(self) -> str:
        setting = self.setting
        others = ", ".join(map(str, self.found[:3])) or "nothing of that name"
        return (
            f"{self.kind}: {setting.path}:{setting.at[0]} [{self.document.format}] {setting.name} "
            f"({setting.key}) = {setting.text!r}; the other reader has {others}"
        )


#: The facts that a file says in so many words; others are counted, or told by an image's tag.
_FACTS = ("partitions", "replication.factor", "listeners.")


def settings_of(resource: Resource) -> Iterator[Setting]:
    """Everything that some line of a file sets for the resource."""
    yield from resource.settings.values()
    yield from resource.dynamic.values()
    for earlier, _ in resource.earlier:
        yield earlier


Lookup = Callable[[str], bytes | None]


def judged(document: Document, data: bytes, lookup: Lookup) -> list[Verdict]:
    """One verdict for each setting, and each plain fact, that the document has from its own file."""
    by_name: dict[str, list[Leaf]] = defaultdict(list)
    everything = second_readers.leaves(document.path, data)
    for leaf in everything:
        by_name[leaf.name].append(leaf)
    variables = {name: leaves[0].value for name, leaves in by_name.items()}
    beside = f"{document.path.rpartition('/')[0]}/.env".lstrip("/")
    for leaf in second_readers.leaves(beside, lookup(beside) or b""):
        variables[leaf.name] = leaf.value
    verdicts: list[Verdict] = []
    for resource in document.resources:
        for setting in settings_of(resource):
            found = by_name.get(setting.name, [])
            kind = _judge(document, setting, found, variables)
            verdicts.append(Verdict(document, setting, kind, found))
        for name, fact in resource.facts.items():
            # A fact has a name of kcheck's own: the file has to say its text on that line.
            read = name.startswith(_FACTS) and type(fact) is Setting
            if read and fact.text and fact.path == document.path:
                texts = [leaf for leaf in everything if _stands(leaf, fact)]
                kind = "same" if texts else "fact"
                verdicts.append(Verdict(document, fact, kind, texts))
    return verdicts


_FILLED_IN = re.compile(
    r"[${<%\[#]|:[A-Z_]+:|__[A-Z_]+__|\.\.\.|var\.|local\.|^your-|changeme", re.I
)


def _judge(  # noqa: C901
    document: Document, setting: Setting, found: list[Leaf], variables: dict[str, str]
) -> str:
    if setting.path != document.path:
        return "elsewhere"
    same = [leaf for leaf in found if leaf.value.strip() == setting.text]
    if any(not leaf.line or leaf.line <= setting.at[0] <= leaf.last for leaf in same):
        return "same"
    if same:
        return "line"
    if not found and isinstance(setting, Derived):
        return "made"
    if setting.text is None:
        if any(_FILLED_IN.search(leaf.value) for leaf in found):
            return "template"
        if any(leaf.value in ("null", "") for leaf in found):
            return "secret"
        if found and not _plain(setting.name).endswith(_plain(setting.key)):
            return "image"
        return "differs"
    if any(_expanded(leaf.value, variables) == setting.text for leaf in found):
        return "interpolated"
    if any(setting.text in _converted(leaf) for leaf in found):
        return "converted"
    return "differs"


_REFERENCE = re.compile(r"\$\{([\w.-]+)(?::?-|:)?([^{}]*)\}")


def _expanded(text: str, variables: dict[str, str]) -> str:
    """``${X}``, ``${X:default}`` and ``${X:-default}`` with what stands here or in ``.env``."""
    for _ in range(9):
        text = _REFERENCE.sub(lambda match: variables.get(match[1], match[2]), text)
    return text.replace("$$", "$").strip()


_UNITS = {"Hours": 3_600_000, "Minutes": 60_000, "Ms": 1, "Percent": 0.01}
_WORDS = {"combined": "broker,controller"}


def _converted(leaf: Leaf) -> list[str]:
    """What Kafka may get for a text, by the unit in its name and the habits of the tools."""
    found = [f"{leaf.value}:9092", _WORDS.get(leaf.value, "")]
    for unit, factor in _UNITS.items():
        try:
            if leaf.name.endswith(unit):
                found.append(f"{float(leaf.value) * factor:g}")
                found.append(str(int(float(leaf.value) * factor)))
        except ValueError:
            pass
    return found


#: Planes whose keys nobody but Kafka and its clients has a name for.
_PLANES = ("broker", "topic", "producer", "consumer", "streams", "connect-distributed")


def left(document: Document, data: bytes) -> list[Leaf]:
    """What the other readers find under one of Kafka's dotted names, and kcheck did not take.

    Not all of that is Kafka's to read: other programs have keys of the same names.
    """
    planes = map(catalogue.plane, _PLANES)
    keys = {key for plane in planes for key in iter(plane.keys()) if "." in key}
    taken: set[str] = set()
    for resource in document.resources:
        every = [*settings_of(resource), *resource.facts.values()]
        every += [note.setting for note in resource.notes]
        every += [later for _, later in resource.earlier]
        taken |= {name for setting in every for name in (setting.name, setting.key)}
    found: dict[tuple[str, int], Leaf] = {}
    for leaf in second_readers.leaves(document.path, data):
        if leaf.name in keys and leaf.name not in taken and leaf.value:
            found.setdefault((leaf.name, leaf.line), leaf)
    return [*found.values()]


def _stands(leaf: Leaf, fact: Setting) -> bool:
    there = not leaf.line or leaf.line <= fact.at[0] <= leaf.last
    return there and leaf.value.strip().strip("'\"") == fact.text


def _plain(name: str) -> str:
    return re.sub(r"\W|_", "", name).lower()


def read(inputs: Inputs) -> Iterator[tuple[Document, bytes]]:
    """Every file of the inputs that a format knows, and its bytes."""
    settings = Settings()
    for path, data in inputs:
        failures: list[str] = []
        document = engine.read_document(path, data, settings, inputs.lookup, inputs.named, failures)
        assert not failures, failures
        if document.format is not None:
            yield document, data


def refused_by_java(documents: list[tuple[Document, bytes]]) -> list[str]:
    """Where ``java.util.Properties`` and the strict reader of ``second_readers`` are not of one mind."""
    texts = [
        data.decode("utf-8", "replace").removeprefix("\ufeff")
        for document, data in documents
        if "properties" in endings.modules_for(document.path)
    ]
    answers = second_readers.java_of(texts)
    if answers is None:
        return []
    return [
        f"java.util.Properties reads something else than the strict reader: {text[:60]!r}"
        for text, answer in zip(texts, answers, strict=True)
        if answer is not None
        and answer != [(leaf.name, leaf.value) for leaf in second_readers.properties(text)]
    ]


def main() -> int:  # noqa: C901
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--verbose", action="store_true", help="show what differs on purpose, too")
    options = parser.parse_args()
    inputs = Inputs([options.folder])
    documents = [*read(inputs)]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    wrong = refused_by_java(documents)
    for document, data in documents:
        count = counts[str(document.format)]
        count["files"] += 1
        for verdict in judged(document, data, inputs.lookup):
            count[verdict.kind] += 1
            if verdict.kind not in ("same", *REASONS):
                wrong.append(str(verdict))
            elif options.verbose and verdict.kind != "same":
                print(verdict)
        for leaf in left(document, data):
            count["left alone"] += 1
            if options.verbose:
                print(f"left alone: {document.path} [{document.format}] {leaf}")
    for name, count in sorted(counts.items()):
        rest = ", ".join(f"{n} {kind}" for kind, n in sorted(count.items()) if kind != "files")
        print(f"{name:24s} {count['files']:4d} files: {rest or 'no setting'}")
    total: Counter[str] = sum(counts.values(), Counter())
    settings = sum(total.values()) - total["files"] - total["left alone"]
    print(
        f"{total['files']} files, {settings} settings: "
        f"{total['same']} the same, {len(wrong)} differ"
    )
    for kind, why in REASONS.items():
        if total[kind]:
            print(f"  {total[kind]} {kind}: {why}")
    if total["left alone"]:
        print(
            f"  {total['left alone']} left alone: other programs have keys of these names; what a "
            "branch of a template says, or a dump tells as a default or as null, is not set"
        )
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
