"""Count Kafka's keys in whole checkouts, and what kcheck made of each: a second, independent count.

    python tests/reading/count.py FOLDER … [--lost] [--save FILE]

Every file is searched for every key of Kafka and librdkafka that has a dot, wherever a key can stand:
before ``=``, ``:`` or ``=>``, as an item of a list of names, in an argument of a command, or as an
image's variable. No format is parsed. Comments, what a script only shows, documents, logs, source code, other catalogues of
keys (JSON schemas, CRDs, dashboards, NiFi's descriptors), lock files and binary files are set aside, files with
no names but those that other software has as well, and what the walk of a folder leaves out with a
reason (``kcheck files`` names it).

``read``: a setting of kcheck's stands on that line with that key, be it one of a resource, an address
that a program asks, or a variable whose meaning, or whose lack of one, kcheck knows.
``off``: the line stands in a branch of a template that its variables leave out, as kcheck knows.
``told``: ``kcheck files`` says of the file that it, or that key in it, was not read.
``lost``: neither.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from kcheck import catalogue, discover, engine, images, left_out  # noqa: E402
from kcheck.formats import unread  # noqa: E402
from kcheck.left_out import LEFT_OUT  # noqa: E402
from kcheck.lexicon.planes import TABLES  # noqa: E402
from kcheck.model import PASSED_OVER, READ, Document  # noqa: E402
from kcheck.settings import Settings  # noqa: E402

MOST = 1_000_000
DOCUMENTS = {
    ".md",
    ".rst",
    ".adoc",
    ".asciidoc",
    ".mdx",
    ".html",
    ".htm",
    ".txt",
    ".log",
    ".csv",
    ".tsv",
    ".svg",
}
SOURCES = (
    ".java .kt .kts .scala .groovy .gradle .py .pyi .go .js .jsx .mjs .cjs .ts .tsx .cs .fs .vb .rb .rs .c .h"
    " .cc .cpp .hpp .php .pl .pm .lua .ex .exs .erl .clj .swift .dart .r .ipynb .vue .css .scss .proto"
    " .patch .diff .snap .map .po .lock .sum"
)
#: A setting of more lines is one whose key and value stand apart.
_FAR = 200
COMMENT = re.compile(r"^\s*(?:#|//|;|!|--|/?\*|<!--|\{\{/\*|\{#)")
#: What a program has logged: so many such lines make a log of a file, whatever it is called.
LOGGED = re.compile(r"^\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d", re.MULTILINE)
LOG = 20
#: What a template of NiFi says of the properties that there are; their values stand elsewhere in it.
DESCRIBED = re.compile(r"<descriptors>.*?</descriptors>", re.DOTALL)
#: Names that other software has as well: a file with none but these is nobody's of ours.
OTHERS_TOO = {"client.id", "node.id", "group.id", "log.dir", "log.dirs", "host.name"}
#: What a script only shows.
SHOWN = re.compile(r"^\s*(?:echo|log\w*|info|print)\s[^>|]*$")
TRAILING = re.compile(r"\s#\s.*$")
TOKEN = re.compile(r"[A-Za-z][\w.-]{2,90}[A-Za-z0-9]")
#: What follows a key where one is set.
AFTER = re.compile(r"[\"'\]]{0,3}\s*(?:=>|[:=]|,\s*\"?value)")
#: What precedes one in a list of names and values, or in an argument.
BEFORE = re.compile(r"(?:(?<!\.)\bname[\"']?\s*[:=]\s*[\"']?|<name>|<key>|\s-D)$")


def known_keys() -> frozenset[str]:
    """The keys with a dot of all releases and planes, and of librdkafka."""
    from kcheck import dialects
    from kcheck.libraries import LIBRDKAFKA

    found: set[str] = set(dialects.library(LIBRDKAFKA.name) or ())
    for table in {table for tables in TABLES.values() for table in tables}:
        found.update(catalogue.plane(table).keys())
    return frozenset(key for key in found if "." in key)


KEYS = known_keys()


def key_in(token: str) -> str:
    """The known key that a word is, or ends with behind a prefix; of a variable, the key it sets."""
    parts = token.split(".")
    for at in range(len(parts) - 1):
        key = ".".join(parts[at:])
        if key in KEYS:
            return key
    if "_" in token and token.isupper():
        for family in images.families().values():
            key = family.key(token) or ""
            for start in (0, key.find(".") + 1):
                if key[start:] in KEYS:
                    return key[start:]
    return ""


def found_in(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, word and key of each place where a key can stand."""
    for number, line in enumerate(text.splitlines(), 1):
        if COMMENT.match(line) or SHOWN.match(line) or len(line) > 20_000:
            continue
        line = TRAILING.sub("", line)
        for match in TOKEN.finditer(line):
            if not (AFTER.match(line, match.end()) or BEFORE.search(line, 0, match.start())):
                continue
            if line[: match.start()].endswith(("$", "${", "_")):
                continue  # where a variable is used, or a key is put aside
            key = key_in(match.group())
            if key:
                yield number, match.group(), key


def candidates(folder: Path) -> Iterator[str]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in left_out.TOOLS | left_out.BUILT.keys()
        )
        for name in sorted(names):
            path = Path(root, name)
            if path.suffix.lower() in (*DOCUMENTS, *SOURCES.split()) or path.is_symlink():
                continue
            try:
                small = path.stat().st_size <= MOST
            except OSError:
                continue
            if small:
                yield str(path.relative_to(folder))


def read_by_kcheck(folder: Path) -> tuple[dict[str, Document], dict[tuple[str, int], set[str]]]:
    """The documents of a checkout by path, and the names of the settings on each line."""
    os.chdir(folder)
    settings = Settings()
    inputs = discover.Inputs(["."], ())
    project = engine.read_project(inputs, settings, inputs.lookup, inputs.named)
    for document in project.documents:
        data = inputs.lookup(document.path) if document.status == READ else None
        if data is not None:
            unread.settle(document, data)
    documents = {document.path: document for document in inputs.documents(searched=True)}
    documents |= {document.path: document for document in project.documents}
    read: dict[tuple[str, int], set[str]] = {}
    for document in project.documents:
        for setting in unread.known(document):
            first, last = setting.key_at[0], setting.at[2]
            # A value may stand elsewhere, where a variable is filled in.
            apart = setting.at[0] < first or last - first > _FAR
            lines = {first, setting.at[0]} if apart else range(first, last + 1)
            for line in lines:
                names = read.setdefault((setting.path, line), set())
                names.update((setting.key, setting.name))
            if setting.path != document.path:
                # The line of a template whose value stands in a file of variables.
                read.setdefault((document.path, 0), set()).add(setting.key)
    return documents, read


def counted(folder: Path) -> Iterator[tuple[str, int, str, str, str]]:
    """Path, line, word, key and outcome of each place in one checkout."""
    documents, read = read_by_kcheck(folder)
    for path in candidates(folder):
        data = Path(path).read_bytes()
        text = data.decode("utf-8", "replace")
        if path.endswith(".xml"):
            text = DESCRIBED.sub(lambda found: "\n" * found[0].count("\n"), text)
        if b"\0" in data[:4096] or sets_nothing(path, text):
            continue
        places = [*found_in(text)]
        if {key for _, _, key in places} <= OTHERS_TOO:
            continue
        for line, word, key in places:
            names = read.get((path, line), set()) | read.get((path, 0), set())
            if any(same(key, word, name) for name in names):
                outcome = "read"
            else:
                outcome = without(documents.get(path), word, line)
            yield path, line, word, key, outcome


def same(key: str, word: str, name: str) -> bool:
    return name in (key, word) or name.endswith(f".{key}") or key.endswith(f".{name}")


def without(document: Document | None, word: str, line: int) -> str:
    """What is said of a key that is no setting of kcheck's."""
    if document is None:
        return "no entry"
    if line in document.extent.off or document.reason == LEFT_OUT:
        return "off"
    if any(one.name in (word, word.lstrip("-")) for one in document.unread):
        return "told"
    if document.status in (READ, PASSED_OVER) and not document.reason:
        return "lost"
    if document.unread and document.status != READ:
        return "told"
    return f"{document.status}: {document.reason[:60]}" if document.status != READ else "lost"


def sets_nothing(path: str, text: str) -> bool:
    """Catalogues of keys, which set nothing."""
    head = text[:3000]
    return (
        '"$schema": "http://json-schema.org' in head
        or "kind: CustomResourceDefinition" in head
        or '"openapi"' in head
        or '"gridPos"' in text
        or len(LOGGED.findall(text)) > LOG
        or path.endswith(("package-lock.json", "yarn.lock", "pom.xml"))
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--save", type=Path)
    given = parser.parse_args()
    rows = []
    for folder in given.folders:
        folder = folder.resolve()
        try:
            rows += [(folder.name, *row) for row in counted(folder)]
        except Exception as error:
            print(f"{folder.name}: {error!r}", file=sys.stderr)
    outcomes = Counter(row[5] for row in rows)
    total = len(rows) or 1
    for outcome, count in outcomes.most_common():
        print(f"{count:7} {count / total:6.1%} {outcome}")
    if given.save:
        with given.save.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter="\t").writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
