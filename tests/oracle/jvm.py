"""One JVM per Kafka release, which answers many cases: what ``Oracle.java`` says, as Python has it."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
JARS = Path.home() / ".cache" / "kcheck" / "jars"

#: The Java that the newest Kafka needs.
_JAVA = 17
#: Kafka's value for a key without one.
NULL = "\x04"

ACCEPTED, REFUSED, LATE = "a", "r", "t"

#: (plane, mode, properties, properties of what is inside): mode as in Oracle.java.
Question = tuple[str, str, dict[str, str], dict[str, str] | None]

_HOST = re.compile(r"(?<![\w.-])([A-Za-z][\w.-]*):\d")


class Answer:
    """What one release says of one case.

    ``kind`` is ACCEPTED, REFUSED or LATE; ``error`` and ``message`` tell why it is refused;
    ``values`` are Kafka's own as far as they were asked for.
    """

    __slots__ = ("error", "kind", "message", "values")

    def __init__(self, line: str) -> None:
        self.kind, _, rest = line.partition("\t")
        self.error = self.message = ""
        self.values: dict[str, str] = {}
        if self.kind == REFUSED:
            self.error, _, self.message = rest.partition("\t")
        elif rest:
            pairs = (pair.partition("\x02") for pair in rest.split("\x01"))
            self.values = {key: _plain(value) for key, _, value in pairs}

    @property
    def refused(self) -> bool:
        return self.kind == REFUSED


def within_reach(releases: Iterable[str], jars: Path | None = None) -> None:
    """Have a JDK and the jars of the releases at hand; exit 2 where one of them is not."""
    javac = generator().java_tool("javac")
    if shutil.which(javac) is None:
        print("no javac in JAVA_HOME or PATH: Kafka cannot be asked", file=sys.stderr)
        raise SystemExit(2)
    said = subprocess.run([javac, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r"javac (?:1\.)?(\d+)", said.stdout + said.stderr)
    if version is None or int(version[1]) < _JAVA:
        print(f"no javac of {_JAVA} or newer: Kafka cannot be asked", file=sys.stderr)
        raise SystemExit(2)
    for release in releases:
        generator().jars_of(release, jars or JARS)


@contextlib.contextmanager
def compiled() -> Iterator[str]:
    """A directory that holds the compiled Oracle; no jar is needed for it."""
    with tempfile.TemporaryDirectory() as classes:
        command = [generator().java_tool("javac"), "-nowarn", "-Xlint:none", "-d", classes]
        subprocess.run([*command, str(HERE / "Oracle.java")], check=True, stderr=subprocess.DEVNULL)
        yield classes


def generator() -> ModuleType:
    """schemas/kafka/generate.py, which knows the releases and fetches their jars."""
    name = "kcheck_generate"
    if name not in sys.modules:
        path = HERE.parents[1] / "schemas" / "kafka" / "generate.py"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


def ask(
    release: str, questions: list[Question], classes: str, jars: Path | None = None
) -> list[Answer]:
    """What that release says, in the order of the questions."""
    folder = generator().jars_of(release, jars or JARS)
    lines = [_line(question) for question in questions]
    answers: list[Answer] = []
    while len(answers) < len(lines):
        said = _run(lines[len(answers) :], folder, classes)
        answers += [Answer(line) for line in said]
        if len(answers) < len(lines):
            # The JVM died of a case: that one gets no answer, the others another JVM.
            answers.append(Answer(LATE))
    return answers


def _run(lines: list[str], jars: Path, classes: str) -> list[str]:
    with tempfile.TemporaryDirectory() as scratch:
        hosts = Path(scratch) / "hosts"
        hosts.write_text(_hosts(lines), encoding="utf-8")
        path = os.pathsep.join([classes, f"{jars}/*"])
        options = ["-Xmx700m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        options += [f"-Djdk.net.hosts.file={hosts}", "-Dfile.encoding=UTF-8"]
        run = subprocess.run(
            [generator().java_tool("java"), *options, "-cp", path, "Oracle"],
            input="\n".join(lines) + "\n",
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            check=False,
        )
    return run.stdout.split("\n")[:-1]


def _hosts(lines: Iterable[str]) -> str:
    """Every name before a port is a host of this machine: no name server is asked."""
    names = {"localhost", *(name for line in lines for name in _HOST.findall(line))}
    return "".join(f"127.0.0.1 {name}\n" for name in sorted(names) if name != "nosuch.invalid")


def _line(question: Question) -> str:
    plane, mode, properties, inside = question
    cells = [plane, mode, _cell(properties)]
    if inside is not None:
        cells.append(_cell(inside))
    return "\t".join(cells)


def _cell(properties: dict[str, str]) -> str:
    return "\x01".join(f"{key}\x02{value}" for key, value in properties.items()).translate(_ESCAPES)


_ESCAPES = str.maketrans({"\t": "\x03t", "\n": "\x03n", "\r": "\x03r"})


def _plain(text: str) -> str:
    return text.replace("\x03t", "\t").replace("\x03n", "\n").replace("\x03r", "\r")
