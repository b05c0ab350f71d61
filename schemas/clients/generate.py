#!/usr/bin/env python3
"""Extract the facts about the configuration of clients of other languages from their releases.

    python schemas/clients/generate.py [--libraries librdkafka,…] [--cache DIR] [--check]

pip fetches a wheel per release into the cache. librdkafka is asked itself: the shared library of
the ``confluent-kafka`` wheel prints its own table of properties and is tried out on texts. Of
``kafka-python`` and ``aiokafka`` the tables of defaults and the constructors' parameters are read
from the syntax tree of their source, which runs none of it. The tables beside this file are
written; ``--check`` writes nothing, shows where the committed ones differ and exits 1 (2: a wheel
could not be had). Needs pip, and x86-64 Linux for librdkafka.

Columns, beyond those that ``schemas/tables.py`` explains:

- scope       librdkafka: ``*``, ``producer`` or ``consumer``; else the class that takes it
- default     ``null`` (nothing), ``=TEXT``, or ``code`` (made by the program when it starts)
- valid       as in schemas/kafka: ``1..9``, ``enum-ci:a|b``, ``list-ci:a|b``; ``word:all`` is a
              word that stands for a number
- importance  librdkafka's own word
- flags       ``alias=KEY`` (the same property by another name), ``deprecated``, ``topic`` (a
              property of librdkafka's topic level, which its clients take as well)
"""

from __future__ import annotations

import argparse
import ast
import ctypes
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tables import Row, deliver, fail, render  # noqa: E402

COMMAND = "python schemas/clients/generate.py"
COLUMNS = ("key", "versions", "scope", "type", "default", "valid", "importance", "flags")

#: The package and its releases, by the minor of the library. A new release is one line here.
LIBRARIES: dict[str, tuple[str, dict[str, str]]] = {
    "librdkafka": (
        "confluent-kafka",
        {
            "1.0": "1.0.1",
            "1.1": "1.1.0",
            "1.2": "1.2.0",
            "1.3": "1.3.0",
            "1.4": "1.4.2",
            "1.5": "1.5.0",
            "1.6": "1.6.1",
            "1.7": "1.7.0",
            "1.8": "1.8.2",
            "1.9": "1.9.2",
            "2.0": "2.0.2",
            "2.1": "2.1.1",
            "2.2": "2.2.0",
            "2.3": "2.3.0",
            "2.4": "2.4.0",
            "2.5": "2.5.3",
            "2.6": "2.6.1",
            "2.8": "2.8.2",
            "2.10": "2.10.1",
            "2.11": "2.11.1",
            "2.12": "2.12.2",
            "2.13": "2.13.2",
            "2.14": "2.14.2",
            "2.16": "2.16.1",
        },
    ),
    "kafka-python": (
        "kafka-python",
        {
            "1.4": "1.4.7",
            "2.0": "2.0.6",
            "2.1": "2.1.6",
            "2.2": "2.2.21",
            "2.3": "2.3.3",
            "3.0": "3.0.12",
        },
    ),
    "aiokafka": (
        "aiokafka",
        {
            "0.7": "0.7.2",
            "0.8": "0.8.1",
            "0.9": "0.9.0",
            "0.10": "0.10.0",
            "0.11": "0.11.0",
            "0.12": "0.12.0",
            "0.13": "0.13.0",
            "0.14": "0.14.0",
        },
    ),
}

#: Pythons of which one or the other release has a wheel.
PYTHONS = ("3.12", "3.9", "3.7")
PLATFORMS = ("2_28", "2_17", "2014", "2010", "1")

#: The classes that people configure, by the scope that they stand for.
CLASSES = {
    "kafka-python": {
        "producer": ("kafka/producer/kafka.py", "KafkaProducer"),
        "consumer": ("kafka/consumer/group.py", "KafkaConsumer"),
        "admin": ("kafka/admin/client.py", "KafkaAdminClient"),
    },
    "aiokafka": {
        "producer": ("aiokafka/producer/producer.py", "AIOKafkaProducer"),
        "consumer": ("aiokafka/consumer/consumer.py", "AIOKafkaConsumer"),
        "admin": ("aiokafka/admin/client.py", "AIOKafkaAdminClient"),
    },
}


# ---- wheels ---------------------------------------------------------------------------------


def wheel(package: str, version: str, cache: Path) -> Path:
    """The wheel of one release, fetched by pip unless it is there."""
    cache.mkdir(parents=True, exist_ok=True)
    name = f"{package.replace('-', '_')}-{version}-*.whl"
    found = sorted(cache.glob(name))
    for python in PYTHONS if not found else ():
        digits = python.replace(".", "")
        tags = [f"--abi={abi}" for abi in (f"cp{digits}", f"cp{digits}m", "abi3", "none")]
        tags += [f"--platform=manylinux{'_' * ('_' in p)}{p}_x86_64" for p in PLATFORMS]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", f"--python-version={python}", "--implementation=cp"]
        run = subprocess.run(
            [*command, *tags, f"--dest={cache}", f"{package}=={version}"],
            capture_output=True,
            text=True,
            check=False,
        )
        found = sorted(cache.glob(name))
        if found:
            break
    if not found:
        fail(f"pip could not fetch {package} {version}:\n{run.stderr}")
    return found[0]


# ---- librdkafka -----------------------------------------------------------------------------

#: What librdkafka calls the types of its properties, and what we do.
TYPES = {
    "integer": "int",
    "boolean": "boolean",
    "float": "double",
    "string": "string",
    "enum value": "string",
    "CSV flags": "list",
    "pattern list": "list",
    "see dedicated API": "callback",
    "pointer": "callback",
    # What 1.0 says of interceptors.
    "": "callback",
}
SCOPES = {"*": "*", "P": "producer", "C": "consumer"}
#: Strings with a closed set of words that its table does not list, and words to try.
WORDS = {
    "partitioner": (
        *("random", "consistent", "consistent_random", "murmur2", "murmur2_random"),
        *("fnv1a", "fnv1a_random"),
    ),
}
#: What it still takes, and does nothing with, but leaves out of its table.
HIDDEN = {"metadata.request.timeout.ms": ("int", "10..900000")}
#: The table's lines: name, scope, range, default, importance, and the rest of the line.
_LINE = re.compile(r"(\S+) +\| +([*PC]) +\|(.*?)\|(.*?)\| (high|medium|low) +\|(.*)")
_ALIAS = re.compile(r" (?:\*\*DEPRECATED\*\* )?Alias for `([\w.]+)`")


class Librdkafka:
    """One release, as a shared library in this process."""

    def __init__(self, path: str) -> None:
        self._lib = ctypes.CDLL(path)
        self._libc = ctypes.CDLL(None)
        text, pointer, size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t
        for name, result, arguments in (
            ("rd_kafka_version_str", text, ()),
            ("rd_kafka_conf_properties_show", None, (pointer,)),
            ("rd_kafka_conf_new", pointer, ()),
            ("rd_kafka_topic_conf_new", pointer, ()),
            ("rd_kafka_conf_dump", pointer, (pointer, pointer)),
            ("rd_kafka_topic_conf_dump", pointer, (pointer, pointer)),
            ("rd_kafka_conf_set", ctypes.c_int, (pointer, text, text, text, size)),
        ):
            function = getattr(self._lib, name)
            function.restype, function.argtypes = result, arguments
        self._libc.fopen.restype = pointer
        self._libc.fclose.argtypes = (pointer,)

    @property
    def version(self) -> str:
        return str(self._lib.rd_kafka_version_str().decode())

    def table(self) -> str:
        """Its own table of properties."""
        with tempfile.NamedTemporaryFile() as out:
            stream = self._libc.fopen(out.name.encode(), b"w")
            self._lib.rd_kafka_conf_properties_show(stream)
            self._libc.fclose(stream)
            return Path(out.name).read_text(encoding="utf-8")

    def defaults(self, topic: bool) -> dict[str, str]:
        """What a fresh configuration holds; properties without a value lack."""
        kind = "topic_conf" if topic else "conf"
        conf = getattr(self._lib, f"rd_kafka_{kind}_new")()
        count = ctypes.c_size_t()
        dump = getattr(self._lib, f"rd_kafka_{kind}_dump")(conf, ctypes.byref(count))
        texts = ctypes.cast(dump, ctypes.POINTER(ctypes.c_char_p))[: count.value]
        plain = [text.decode() for text in texts]
        return dict(zip(plain[::2], plain[1::2], strict=True))

    def refusal(self, key: str, text: str) -> str:
        """Why it does not take the text for the key; "" where it does."""
        error = ctypes.create_string_buffer(512)
        arguments = (self._lib.rd_kafka_conf_new(), key.encode(), text.encode(), error, 512)
        taken = self._lib.rd_kafka_conf_set(*arguments) == 0
        return "" if taken else error.value.decode() or "refused"

    def rows(self) -> Iterator[Row]:
        """A row per property, without versions; the topic's own where the client has none."""
        topic = False
        seen: set[str] = set()
        held = {False: self.defaults(False), True: self.defaults(True)}
        for line in self.table().splitlines():
            topic = topic or line.startswith("## Topic")
            found = _LINE.match(line)
            if found is None or found.group(1) in seen:
                continue
            key, scope, bounds, shown, importance, rest = found.groups()
            seen.add(key)
            kind = TYPES[rest.rpartition("*Type: ")[2].strip().rstrip("*")] if rest.strip() else ""
            kind = kind or "list"  # builtin.features has no words at all
            alias = _ALIAS.match(rest)
            flags = [f"alias={alias.group(1)}"] if alias else []
            flags += ["deprecated"] if "**DEPRECATED**" in rest else []
            flags += ["topic"] if topic else []
            default = held[topic].get(alias.group(1) if alias else key, shown.strip() or None)
            if kind == "callback":
                default = None  # an address in memory
            told = "null" if default is None else "=" + self._plain(kind, default)
            valid = "" if kind == "callback" else self._valid(key, kind, bounds.strip())
            yield (key, SCOPES[scope], kind, told, valid, importance, " ".join(flags))
        for key, (kind, bounds) in HIDDEN.items():
            if key not in seen and "No such" not in self.refusal(key, "1"):
                yield (key, "*", kind, "null", bounds, "low", "deprecated")

    @staticmethod
    def _plain(kind: str, text: str) -> str:
        return text.replace(", ", ",") if kind == "list" else text

    def _valid(self, key: str, kind: str, bounds: str) -> str:
        low, dots, high = bounds.partition(" .. ")
        if dots:
            named = ["word:all"] if kind == "int" and not self.refusal(key, "all") else []
            return " ".join([f"{low}..{high}", *named])
        words = WORDS.get(key) or (bounds.split(", ") if bounds and kind != "boolean" else ())
        if not words:
            return ""
        # Words that this build lacks (a codec, a mechanism) are refused as others are.
        refused = [w for w in words if "not supported" not in self.refusal(key, w)]
        taken = [w for w in refused if not self.refusal(key, w)]
        if key in WORDS:
            words = taken
        any_case = all(not self.refusal(key, word.upper()) for word in taken)
        kinds = "list" if kind == "list" else "enum"
        return f"{kinds}{'-ci' * any_case}:{'|'.join(sorted(words))}"


def librdkafka(path: Path) -> tuple[str, list[Row]]:
    """(version, rows) of the library inside a wheel, asked in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        shared = unpacked(path, Path(folder))
        command = [sys.executable, str(Path(__file__).resolve()), "--ask", str(shared)]
        run = subprocess.run(
            command, env=beside(shared), capture_output=True, text=True, check=False
        )
        if run.returncode:
            fail(f"could not ask {path.name}:\n{run.stderr}")
        answer = json.loads(run.stdout)
    return answer["version"], [tuple(row) for row in answer["rows"]]


def unpacked(path: Path, folder: Path) -> Path:
    """The shared library inside a wheel, with those that it needs beside it."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if ".libs/" in name]
        archive.extractall(folder, names)
    return folder / next(n for n in names if os.path.basename(n).startswith("librdkafka"))


def beside(shared: Path) -> dict[str, str]:
    """The environment in which the libraries of old wheels find each other."""
    return {**os.environ, "LD_LIBRARY_PATH": str(shared.parent)}


# ---- clients that are Python ----------------------------------------------------------------


def defaults_of(library: str, path: Path) -> list[Row]:
    """A row per parameter of the classes that people configure."""
    rows: list[Row] = []
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        for scope, (file, name) in CLASSES[library].items():
            if file not in names:
                continue
            tree = ast.parse(archive.read(file))
            made = next(
                node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name
            )
            for key, value in sorted(parameters(made).items()):
                kind, default = literal(value)
                rows.append((key, scope, kind, default, "", "", ""))
            rows += [(key, scope, "", "null", "", "", "deprecated") for key in deprecated(made)]
    return rows


def parameters(made: ast.ClassDef) -> dict[str, ast.expr]:
    """The entries of DEFAULT_CONFIG, or what ``__init__`` takes."""
    for node in made.body:
        if isinstance(node, ast.Assign) and _named(node, "DEFAULT_CONFIG"):
            assert isinstance(node.value, ast.Dict)
            pairs = zip(node.value.keys, node.value.values, strict=True)
            return {str(ast.literal_eval(key)): value for key, value in pairs if key is not None}
    for node in made.body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            given = dict(
                zip([a.arg for a in node.args.kwonlyargs], node.args.kw_defaults, strict=True)
            )
            positional = node.args.args[len(node.args.args) - len(node.args.defaults) :]
            given |= dict(zip([a.arg for a in positional], node.args.defaults, strict=True))
            sentinels = substitutes(node)
            return {k: sentinels.get(k, v) for k, v in given.items() if v is not None}
    raise ValueError(f"{made.name} has no parameters")


def substitutes(init: ast.FunctionDef) -> dict[str, ast.expr]:
    """What ``if X is _missing: X = …`` of a constructor's own body puts in place of a sentinel."""
    found: dict[str, ast.expr] = {}
    for node in init.body:
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Compare)):
            continue
        compared, what = node.test.left, node.test.comparators[0]
        if isinstance(compared, ast.Name) and isinstance(what, ast.Name) and what.id == "_missing":
            for inner in node.body:
                if isinstance(inner, ast.Assign) and _named(inner, compared.id):
                    found[compared.id] = inner.value
    return found


def deprecated(made: ast.ClassDef) -> list[str]:
    """The keys that a class still takes and warns of."""
    for node in made.body:
        if isinstance(node, ast.Assign) and _named(node, "DEPRECATED_CONFIGS"):
            return sorted(map(str, ast.literal_eval(node.value)))
    return []


def _named(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


def literal(node: ast.expr) -> tuple[str, str]:
    """(type, default) of an expression: what it is where it is plain, else ``code``."""
    try:
        value = constant(node)
    except ValueError:
        return "code", "code"
    if value is None:
        return "", "null"
    if isinstance(value, bool):
        return "boolean", f"={str(value).lower()}"
    if isinstance(value, int):
        return "int", f"={value}"
    if isinstance(value, float):
        return "double", "=Infinity" if math.isinf(value) else f"={value}"
    if isinstance(value, (list, tuple, set, frozenset)):
        return "list", "=" + ",".join(map(str, value))
    return "string", f"={value}"


def constant(node: ast.expr) -> object:
    """The value of an expression of constants: literals, sums, products, ``float("inf")``."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Add)):
        left, right = constant(node.left), constant(node.right)
        if isinstance(left, (int, float)) and isinstance(right, (int, float)):
            return left * right if isinstance(node.op, ast.Mult) else left + right
        raise ValueError("no number")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "float" and len(node.args) == 1:
            return float(ast.literal_eval(node.args[0]))
        if node.func.id == "set" and not node.args:
            return ()
    if isinstance(node, (ast.Tuple, ast.List)) and any(
        isinstance(item, (ast.Name, ast.Attribute)) for item in node.elts
    ):
        # Classes, as of assignors: their names are what can be said of them.
        return [_name(item) for item in node.elts]
    return ast.literal_eval(node)


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    raise ValueError("no name")


# ---- the command ----------------------------------------------------------------------------


def generate(library: str, cache: Path) -> tuple[str, list[Row]]:
    """(text of the table, rows of releases.tsv) of one library."""
    package, releases = LIBRARIES[library]
    facts: dict[str, list[Row]] = {}
    told: list[Row] = []
    for minor, version in releases.items():
        path = wheel(package, version, cache)
        exact = version
        if library == "librdkafka":
            exact, facts[minor] = librdkafka(path)
        else:
            facts[minor] = defaults_of(library, path)
        if not exact.startswith(f"{minor}."):
            fail(f"{path.name} holds {library} {exact}, not {minor}")
        told.append((library, minor, exact, f"{package} {version}"))
        print(f"{library} {exact}: {len(facts[minor])} facts", file=sys.stderr)
    head = [
        f"{library}: what its clients take, and what holds if nobody says it",
        f"made by `{COMMAND}`, which explains the columns",
    ]
    return render(head, COLUMNS, list(releases), facts), told


def main() -> int:
    parser = argparse.ArgumentParser(description="Extract the configuration facts of clients.")
    parser.add_argument("--libraries", default=",".join(LIBRARIES), help="comma-separated (all)")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "kcheck" / "wheels")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--ask", metavar="LIBRARY", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.ask:
        asked = Librdkafka(arguments.ask)
        json.dump({"version": asked.version, "rows": list(asked.rows())}, sys.stdout)
        return 0
    wanted = arguments.libraries.split(",")
    unknown = [library for library in wanted if library not in LIBRARIES]
    if unknown:
        parser.error(f"no such library: {', '.join(unknown)}; known: {', '.join(LIBRARIES)}")
    texts: dict[str, str] = {}
    told: list[Row] = []
    for library in wanted:
        texts[f"{library}.tsv"], rows = generate(library, arguments.cache.expanduser())
        told += rows
    if wanted == list(LIBRARIES):
        head = ["# the releases that the tables were extracted from", f"# made by `{COMMAND}`"]
        columns = "library\tminor\trelease\tpackage"
        texts["releases.tsv"] = "\n".join([*head, columns, *map("\t".join, told), ""])
    return deliver(HERE, texts, "wheels", arguments.check)


if __name__ == "__main__":
    sys.exit(main())
