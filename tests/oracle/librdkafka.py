#!/usr/bin/env python3
"""librdkafka itself as the judge of what kcheck says of its clients.

    python tests/oracle/librdkafka.py [--cases 1500] [--seed 1] [--record tests/oracle/librdkafka.tsv]

The shared library out of each release's ``confluent-kafka`` wheel, which pip fetches once, sets the
properties of a case and makes the client: it takes them, or says why not. kcheck lints the same
client. Both must agree. The recorded answers are what the tests compare without the library.
Exits 1 where they differ, 2 where no wheel can be had. Needs x86-64 Linux.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
for _folder in (HERE, HERE.parents[1]):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

from kcheck import dialects  # noqa: E402
from kcheck.engine import lint_project  # noqa: E402
from kcheck.model import ERROR  # noqa: E402
from kcheck.settings import Settings  # noqa: E402

RECORD = HERE / "librdkafka.tsv"
WHEELS = Path.home() / ".cache" / "kcheck" / "wheels"
#: The releases that are asked, by their minor: the oldest, the newest, and where much changed.
MINORS = ("1.0", "1.4", "1.5", "1.8", "1.9", "2.0", "2.3", "2.8", "2.12", "2.16")
#: The rules that say that librdkafka makes no client of it.
REFUSING = (
    *("KC0112", "KC0113", "KC0513", "KC0831", "KC0906", "KC0950", "KC0951"),
    *("KC1201", "KC1202", "KC1203", "KC1210", "KC1214", "KC1220", "KC1311"),
)

OWN_KEYS = "bindings take their own keys out, and those of the program, before librdkafka sees them"
MACHINE = "files of the machine, and what the library was built with, decide"
PIECES = "secrets and addresses of a client come from elsewhere, too"
#: A library that is not there, a file, what only Windows has, a mechanism that was not built in.
_MACHINES_SAY = re.compile(
    r"dlopen\(\) failed|must be an existing|not suppo|No provider for SASL|built"
)
_NO_SUCH = "No such configuration property: "

ROLES = ("producer", "consumer")
Pairs = dict[str, str]


class Case:
    """One client: its role and what is set, and per minor why librdkafka refuses it ("" if not)."""

    __slots__ = ("pairs", "role", "said")

    def __init__(self, role: str, pairs: Pairs) -> None:
        self.role = role
        self.pairs = pairs
        self.said: dict[str, str] = {}

    @property
    def told(self) -> list[str]:
        """The releases that say something new, and the newest."""
        minors = [*self.said]
        return [
            minor
            for at, minor in enumerate(minors)
            if at == len(minors) - 1 or bool(self.said[minor]) != bool(self.said[minors[at + 1]])
        ]

    @property
    def key(self) -> str:
        return f"{self.role}\t{json.dumps(self.pairs, ensure_ascii=False)}"

    def __repr__(self) -> str:
        return self.key


class Verdict:
    """Both sides of one case in one release: ``codes`` are the rules that say refused."""

    __slots__ = ("case", "codes", "keys", "minor", "refusal")

    def __init__(self, case: Case, minor: str) -> None:
        self.case = case
        self.minor = minor
        self.refusal = case.said[minor]
        told = f"{case.role}s: [{{name: one, client: {{library: librdkafka, version: '{minor}'}}, "
        told += f"config: {json.dumps(case.pairs)}}}]\n"
        project = lint_project([("kcheck.yaml", told.encode())], Settings(), {}.get)
        assert not project.failures, project.failures
        errors = [
            finding
            for finding in project.findings
            if finding.severity == ERROR and finding.code in REFUSING
        ]
        self.codes = tuple(dict.fromkeys(finding.code for finding in errors))
        self.keys = {
            code: {value.key for f in errors if f.code == code for value in f.evidence}
            for code in self.codes
        }

    @property
    def agree(self) -> bool:
        return bool(self.codes) == bool(self.refusal) or bool(self.excused)

    @property
    def excused(self) -> str:
        """Why the two may differ there; "" where nothing excuses it."""
        if self.codes:
            return ""
        if _MACHINES_SAY.search(self.refusal):
            return MACHINE
        if "is mandatory when" in self.refusal:
            return PIECES
        if not self.refusal.startswith(_NO_SUCH):
            return ""
        table = dialects.library("librdkafka")
        key = self.refusal[len(_NO_SUCH) :].strip(' "')
        foreign = table is not None and key not in table and key not in _javas()
        return OWN_KEYS if foreign or key.endswith("serializer") else ""


def sides(found: Iterable[Verdict]) -> dict[str, tuple[set[str], set[str]]]:
    """Rule → its cases that both refuse, and those with one of its keys that both take."""
    everyone = [*found]
    keys: dict[str, set[str]] = defaultdict(set)
    beyond: dict[str, set[str]] = defaultdict(set)
    for one in everyone:
        for code in one.codes if one.refusal else ():
            keys[code] |= one.keys[code]
            beyond[code].add(one.case.key)
    return {
        code: (
            beyond[code],
            {
                one.case.key
                for one in everyone
                if not one.refusal and not one.codes and not keys[code].isdisjoint(one.case.pairs)
            },
        )
        for code in REFUSING
    }


# -- asking ---------------------------------------------------------------------------------------


@cache
def generator() -> ModuleType:
    """schemas/clients/generate.py, which knows the releases and fetches their wheels."""
    path = HERE.parents[1] / "schemas" / "clients" / "generate.py"
    spec = importlib.util.spec_from_file_location("kcheck_clients_generate", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ask(cases: Sequence[Case], minor: str, wheels: Path = WHEELS) -> list[str]:
    """What one release says, in a process of its own."""
    package, releases = generator().LIBRARIES["librdkafka"]
    wheel = generator().wheel(package, releases[minor], wheels)
    with tempfile.TemporaryDirectory() as folder:
        shared = generator().unpacked(wheel, Path(folder))
        run = subprocess.run(
            [sys.executable, str(Path(__file__).resolve()), "--ask", str(shared)],
            input=json.dumps([[case.role, case.pairs] for case in cases]),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=generator().beside(shared),
            encoding="utf-8",
            check=True,
        )
    answers: list[str] = json.loads(run.stdout)
    return answers


class Made:
    """The library, as far as it makes clients."""

    def __init__(self, path: str) -> None:
        self._lib = ctypes.CDLL(path)
        text, pointer, size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t
        for name, result, arguments in (
            ("rd_kafka_conf_new", pointer, ()),
            ("rd_kafka_conf_destroy", None, (pointer,)),
            ("rd_kafka_conf_set", ctypes.c_int, (pointer, text, text, text, size)),
            ("rd_kafka_new", pointer, (ctypes.c_int, pointer, text, size)),
            ("rd_kafka_destroy_flags", None, (pointer, ctypes.c_int)),
        ):
            function = getattr(self._lib, name)
            function.restype, function.argtypes = result, arguments

    def refusal(self, role: str, pairs: Pairs) -> str:
        """Why no such client can be made; "" where it can."""
        error = ctypes.create_string_buffer(512)
        conf = self._lib.rd_kafka_conf_new()
        for key, value in pairs.items():
            if self._lib.rd_kafka_conf_set(conf, key.encode(), value.encode(), error, 512):
                self._lib.rd_kafka_conf_destroy(conf)
                return error.value.decode(errors="replace") or "refused"
        client = self._lib.rd_kafka_new(ROLES.index(role), conf, error, 512)
        if not client:
            self._lib.rd_kafka_conf_destroy(conf)
            return error.value.decode(errors="replace") or "refused"
        # Without the farewell of a consumer to its group.
        self._lib.rd_kafka_destroy_flags(client, 8)
        return ""


# -- drawing --------------------------------------------------------------------------------------

#: Keys that librdkafka weighs against each other; their numbers are drawn from one pool.
RELATIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "producer",
        ("message.max.bytes", "fetch.max.bytes", "receive.message.max.bytes"),
    ),
    (
        "consumer",
        (
            "message.max.bytes",
            "fetch.max.bytes",
            "receive.message.max.bytes",
            "fetch.message.max.bytes",
            "max.partition.fetch.bytes",
        ),
    ),
    (
        "producer",
        (
            "transactional.id",
            "transaction.timeout.ms",
            "message.timeout.ms",
            "delivery.timeout.ms",
            "socket.timeout.ms",
        ),
    ),
    ("producer", ("queue.buffering.max.ms", "message.timeout.ms")),
    ("producer", ("linger.ms", "delivery.timeout.ms")),
    (
        "producer",
        (
            "enable.idempotence",
            "transactional.id",
            "acks",
            "request.required.acks",
            "retries",
            "message.send.max.retries",
            "max.in.flight",
            "max.in.flight.requests.per.connection",
        ),
    ),
    (
        "producer",
        (
            "enable.idempotence",
            "queuing.strategy",
            "enable.gapless.guarantee",
            "queue.buffering.backpressure.threshold",
        ),
    ),
    ("producer", ("enable.idempotence", "acks", "transactional.id")),
    ("producer", ("enable.idempotence", "max.in.flight", "transactional.id")),
    (
        "producer",
        ("enable.idempotence", "retries", "message.send.max.retries", "transactional.id"),
    ),
    ("producer", ("transactional.id", "enable.idempotence", "transaction.timeout.ms")),
    ("consumer", ("max.poll.interval.ms", "session.timeout.ms", "heartbeat.interval.ms")),
    ("consumer", ("partition.assignment.strategy",)),
    ("consumer", ("queued.max.messages.kbytes", "receive.message.max.bytes", "fetch.max.bytes")),
    ("producer", ("reconnect.backoff.ms", "reconnect.backoff.max.ms")),
    (
        "consumer",
        (
            "group.protocol",
            "session.timeout.ms",
            "heartbeat.interval.ms",
            "partition.assignment.strategy",
            "group.remote.assignor",
            "group.protocol.type",
        ),
    ),
)
#: Texts of keys that no number is drawn for.
_WORDS = {
    "transactional.id": ("t", "a b", "orders-1", ""),
    "enable.idempotence": ("true", "true", "false"),
    "acks": ("all", "-1", "1", "0", "2", "3", "10", "1000"),
    "request.required.acks": ("all", "-1", "1", "0"),
    "retries": ("0", "1", "10"),
    "message.send.max.retries": ("0", "1"),
    "max.in.flight": ("1", "5", "6", "7", "10", "100", "1000", "1000000"),
    "max.in.flight.requests.per.connection": ("5", "6"),
    "queuing.strategy": ("fifo", "lifo"),
    "enable.gapless.guarantee": ("true", "false"),
    "queue.buffering.backpressure.threshold": ("1", "2", "100"),
    "partition.assignment.strategy": (
        *("range", "roundrobin", "cooperative-sticky", "range,roundrobin", "sticky", "", "Range"),
        *("range,cooperative-sticky", "cooperative-sticky,roundrobin", " range , roundrobin "),
        *(
            "range,",
            ",range",
            "range,range",
            "range,sticky",
            "cooperative-sticky,cooperative-sticky",
        ),
        *(
            "uniform",
            "org.apache.kafka.clients.consumer.RangeAssignor",
            "roundrobin,range",
            "consumer",
        ),
        *(
            "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
            "round_robin",
            "cooperative",
        ),
        *(
            "RoundRobin",
            "range;roundrobin",
            "range roundrobin",
            "none",
            "null",
            "a",
            "b",
            "sticky,range",
        ),
    ),
    "group.protocol": ("classic", "consumer", "CONSUMER"),
    "group.protocol.type": ("consumer",),
    "group.remote.assignor": ("uniform", "range", ""),
}
#: Whether they are taken hangs on files, on other libraries and on what was built in.
_MACHINES = (
    "ssl.",
    "sasl.",
    "plugin.",
    "enable.ssl",
    "https.",
    "test.",
    "log.thread",
    "debug",
    "security.",
)
_OWN = (
    "metadata.broker.list",
    "bootstrap.servers",
    "client.id",
    "interceptors",
    "builtin.features",
    # No text but a version is taken, and no longer read.
    "broker.version.fallback",
    # With another one than its default there are no assignors.
    "group.protocol.type",
)
_TEXTS = (
    "",
    "a",
    "1",
    "true",
    "5s",
    "0x10",
    "010",
    "-1",
    "1.5",
    "99999999999999999999",
    "4294968296",
    " 7 ",
    "10MB",
)


def drawn(count: int, number: int) -> list[Case]:
    """So many cases, half of them around what is weighed against each other."""
    from generate import collected
    from hypothesis import strategies as st

    table = dialects.library("librdkafka")
    assert table is not None
    mine = [key for key in table if not key.startswith(_MACHINES) and key not in _OWN]
    mine = [key for key in mine if table.history(key)[-1].type not in ("callback", "code", "")]
    javas = [key for key in _javas() if not key.startswith(_MACHINES) and key not in mine]
    slips = [slip for key in mine for slip in (key[:-1], key + "s", key[:4] + key[5:])]
    slips = [slip for slip in slips if slip not in table]

    @st.composite
    def one(draw: st.DrawFn) -> Case:
        way = draw(st.integers(0, 9))
        if way < 5:
            key = draw(st.sampled_from(mine))
            return Case(draw(st.sampled_from(ROLES)), {key: draw(_texts(key))})
        if way < 7:
            key = draw(st.sampled_from((*javas, *javas, *slips)))
            return Case(draw(st.sampled_from(ROLES)), {key: draw(st.sampled_from(("1", "true")))})
        keys = draw(st.lists(st.sampled_from(mine), min_size=2, max_size=4, unique=True))
        return Case(draw(st.sampled_from(ROLES)), {key: draw(_texts(key)) for key in keys})

    @st.composite
    def weighed(draw: st.DrawFn, role: str, keys: tuple[str, ...]) -> Case:
        chosen = draw(st.lists(st.sampled_from(keys), min_size=min(2, len(keys)), unique=True))
        if keys[0] in ("transactional.id", "enable.idempotence") and keys[0] not in chosen:
            chosen = [keys[0], *chosen]
        pool = [str(number) for number in sorted({s for key in keys for s in _bounds(key)})]
        return Case(role, {key: draw(st.sampled_from(_WORDS.get(key) or pool)) for key in chosen})

    found = {case.key: case for case in collected(one(), count // 2, number)}
    for role, keys in RELATIONS:
        for case in collected(weighed(role, keys), count // 2 // len(RELATIONS), number):
            found.setdefault(case.key, case)
    return [*found.values()]


@cache
def _javas() -> list[str]:
    from kcheck import catalogue

    planes = ("producer", "consumer")
    return sorted({key for plane in planes for key in [*catalogue.plane(plane).keys()]})


def _bounds(key: str) -> set[int]:
    """Numbers near the defaults of a key, and some that lie between those of others."""
    table = dialects.library("librdkafka")
    assert table is not None
    found = {1000, 5000, 60000, 1000512, 999488}
    for row in table.history(key):
        text = row.default_text or ""
        if text.removeprefix("-").isdigit():
            found |= {int(text) + step for step in (-512, -101, -100, -99, -1, 0, 1, 100, 512)}
    return {number for number in found if number >= 0}


def _texts(key: str):  # type: ignore[no-untyped-def]
    from hypothesis import strategies as st

    table = dialects.library("librdkafka")
    assert table is not None
    pool: list[str] = [*_TEXTS]
    for row in table.history(key):
        pool += [row.default_text or ""] * 3
        if row.bounds:
            ends = [int(end) + step for end in row.bounds for step in (-1, 0, 1)]
            pool += [str(end) for end in ends] * 2
        pool += [spelt for word in row.words for spelt in (word, word, word.upper(), f" {word}")]
        pool += [f"{a},{b}" for a in row.words[:2] for b in row.words[:2]]
    return st.sampled_from(pool)


# -- keeping --------------------------------------------------------------------------------------


def read(path: Path = RECORD) -> list[Case]:
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    minors = head.split("\t")[2].split(" ")
    cases = []
    for line in lines:
        role, pairs, letters, *texts = line.split("\t")
        case = Case(role, json.loads(pairs))
        said = ("" if letter == "-" else texts[int(letter)] for letter in letters)
        case.said = dict(zip(minors, said, strict=True))
        cases.append(case)
    return cases


def write(cases: Iterable[Case], path: Path) -> None:
    """One line per case: a letter per release, which is the number of a refusal or ``-``."""
    lines = ["\t".join(("# role", "properties", " ".join(MINORS), "refusals"))]
    for case in cases:
        told = {minor: " ".join(case.said[minor].split())[:60] for minor in MINORS}
        texts = [*dict.fromkeys(text for text in told.values() if text)]
        letters = "".join(str(texts.index(text)) if text else "-" for text in told.values())
        lines.append("\t".join((case.key, letters, *texts)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare kcheck with librdkafka itself.")
    parser.add_argument("--cases", type=int, default=1_500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--free", action="store_true", help="draw without what kcheck checks")
    parser.add_argument("--ask", metavar="LIBRARY", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.ask:
        made = Made(given.ask)
        print(json.dumps([made.refusal(role, pairs) for role, pairs in json.load(sys.stdin)]))
        return 0
    cases = drawn(given.cases, given.seed)
    if given.free:
        import free

        cases = [Case(*one) for one in free.of_librdkafka(given.cases, given.seed)]
    for minor in MINORS:
        for case, answer in zip(cases, ask(cases, minor), strict=True):
            case.said[minor] = answer
    if given.record:
        write(cases, given.record)
    found = [Verdict(case, minor) for case in cases for minor in MINORS]
    refused = sum(bool(one.refusal) for one in found)
    print(f"{len(cases)} cases, {len(found)} answers, {refused / len(found):.0%} refused")
    for code, (beyond, taken) in sides(found).items():
        print(f"{code}: {len(beyond)} refused by both, {len(taken)} taken by both")
    wrong = [one for one in found if not one.agree]
    excused = [one for one in found if one.excused]
    told = refused - sum(bool(one.refusal) for one in excused)
    missed, false = (sum(bool(one.refusal) is side for one in wrong) for side in (True, False))
    print(f"{len(excused)} excused, of {told} other refusals {missed} missed; {false} false")
    shapes: Counter[str] = Counter()
    for one in wrong:
        shape = f"{one.refusal[:60] if one.refusal else one.codes}"
        shapes[shape] += 1
        if shapes[shape] <= 2:
            print(f"differ {one.minor} {one.case!r}: {one.refusal or one.codes}")
    print(f"{len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
