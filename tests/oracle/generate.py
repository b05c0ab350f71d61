"""Cases from the catalogue, from relations between keys, and from files that are altered a little.

What a text may look like is told in ``spellings.py``, what lies around the bounds of the rules is
drawn by ``guided.py``. Hypothesis draws; a seed gives the
same cases again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from cases import BASES, BROKERS, PLANES, WORKERS, Case
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from recipes import LISTENER_PARTS, LISTENERS, PROTOCOL_MAP, PROTOCOLS, RECIPES, WORDS
from spellings import ANY, LIMITS, numbers, of_fact

from kcheck import catalogue
from kcheck.catalogue import Fact
from kcheck.formats.properties.reader import recognise
from kcheck.syntax.properties import PropertiesError, decode, parse

Text = st.SearchStrategy[str]
Draw = st.DrawFn

#: Their values hang on files, hosts and providers of the machine; the defaults alone are asked.
_MACHINE = re.compile(
    r"^(listener\.name\..*|zookeeper\.)?(zookeeper\.)?ssl\.(?!client\.auth$|endpoint|principal)"
    r"|^zookeeper\.(ssl|clientCnxn)|\.path$|^plugin\.|^config\.providers|^security\.providers"
    r"|^state\.dir$|url$|^sasl\.oauthbearer|^password\.encoder|kerberos\.kinit|^listeners\.https\."
)


# -- texts of one key ----------------------------------------------------------------------------


@cache
def history(plane: str, key: str) -> tuple[Fact, ...]:
    """The key's facts in the plane of a case, or behind a prefix in a client's."""
    table = "broker" if plane in BROKERS else "consumer" if plane == "share-consumer" else plane
    if table == "quota" or table not in _TABLES:
        return ()
    found = catalogue.plane(table).history(key)
    if found:
        return found
    for client in ("producer", "consumer", "admin", "topic"):
        for prefix in (f"{client}.", f"main.{client}.", f"source.{client}.", ""):
            if key.startswith(prefix):
                found = catalogue.plane(client).history(key[len(prefix) :])
                if found:
                    return found
    return ()


_TABLES = {"broker", "consumer", *PLANES}


def bare(key: str) -> str:
    """The key without the prefix of a client."""
    return re.sub(r"^((main|restore|global|source|target)\.)?(consumer|producer|admin)\.", "", key)


@cache
def texts(plane: str, key: str) -> Text:
    """Values of that key: right, at a bound, beyond it, of another type, oddly spelt."""
    words = WORDS.get(key) or WORDS.get(bare(key))
    if key in LISTENERS and plane in BROKERS:
        return listener_lists()
    if key in ("listeners", "admin.listeners"):
        words = WORDS["admin.listeners"]
    if key == PROTOCOL_MAP:
        return protocol_maps()
    facts = history(plane, key)
    if words:
        known = st.sampled_from(words)
        odd = [] if _MACHINE.search(bare(key)) else [*map(of_fact, dict.fromkeys(facts))]
        return st.one_of(known, known, known, *odd)
    if not facts:
        return st.sampled_from(ANY)
    if _MACHINE.search(bare(key)):
        return st.sampled_from([fact.default_text or "" for fact in facts])
    return st.one_of(*(of_fact(fact) for fact in dict.fromkeys(facts)))


# -- listeners -----------------------------------------------------------------------------------


@st.composite
def listener_lists(draw: Draw) -> str:
    names, hosts, ports = LISTENER_PARTS
    entries = []
    for at in range(draw(st.integers(1, 3))):
        # Mostly well-formed: one slip at a time tells more.
        odd = draw(st.integers(0, 9)) == 0
        name = draw(st.sampled_from(names))
        host = draw(st.sampled_from(hosts if odd else hosts[:4]))
        port = draw(st.sampled_from(ports)) if odd else str(9092 + at)
        entries.append(f"{name}://{host}:{port}")
    text = draw(st.sampled_from((",", ",", ",", ", "))).join(entries)
    return draw(
        st.sampled_from(
            (text,) * 20 + (f"{text},", "", f",{text}", "localhost:9092", "PLAINTEXT:9092")
        )
    )


@st.composite
def protocol_maps(draw: Draw) -> str:
    names = [*LISTENER_PARTS[0]]
    left = draw(st.integers(0, 3))
    pairs = []
    for name in names:
        known = name if name in PROTOCOLS else "PLAINTEXT"
        pairs.append(f"{name}:{known}")
    for _ in range(left):
        pairs.pop(draw(st.integers(0, len(pairs) - 1)))
    if draw(st.integers(0, 5)) == 0:
        odd = draw(st.sampled_from((*PROTOCOLS, "")))
        pairs.append(f"{draw(st.sampled_from(names))}:{odd}")
    text = ",".join(pairs)
    return draw(st.sampled_from((text,) * 12 + (f"{text},", "", "PLAINTEXT", text.lower())))


# -- cases ---------------------------------------------------------------------------------------


@cache
def keys_of(plane: str) -> list[str]:
    if plane == "quota":
        return [
            "producer_byte_rate",
            "consumer_byte_rate",
            "request_percentage",
            "controller_mutation_rate",
        ]
    table = "broker" if plane in BROKERS else "consumer" if plane == "share-consumer" else plane
    return catalogue.plane(table).keys()


@st.composite
def single(draw: Draw, plane: str) -> Case:
    """One key."""
    key = draw(st.sampled_from(keys_of(plane)))
    return Case(plane, {key: draw(texts(plane, key))})


@st.composite
def several(draw: Draw, plane: str) -> Case:
    """A few keys, each by itself."""
    keys = draw(st.lists(st.sampled_from(keys_of(plane)), min_size=2, max_size=5, unique=True))
    return Case(plane, {key: draw(texts(plane, key)) for key in keys})


#: Prefixes behind which a plane's file holds keys of another one.
PREFIXES: dict[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(
        BROKERS,
        tuple(
            (f"listener.name.{name}.", "zookeeper")
            for name in ("plaintext", "PLAINTEXT", "controller", "internal", "sasl_ssl", "nosuch")
        ),
    ),
    "streams": (
        ("producer.", "producer"),
        ("consumer.", "consumer"),
        ("main.consumer.", "consumer"),
        ("restore.consumer.", "consumer"),
        ("global.consumer.", "consumer"),
        ("admin.", "admin"),
        ("topic.", "topic"),
    ),
    **dict.fromkeys(
        WORKERS,
        (
            ("producer.", "producer"),
            ("consumer.", "consumer"),
            ("admin.", "admin"),
            ("config.storage.", "topic"),
            ("offset.storage.", "topic"),
            ("status.storage.", "topic"),
        ),
    ),
    "source-connector": (("producer.override.", "producer"), ("admin.override.", "admin")),
    "sink-connector": (("consumer.override.", "consumer"), ("producer.override.", "producer")),
    "mirror": (
        ("a.producer.", "producer"),
        ("b.consumer.", "consumer"),
        ("a.admin.", "admin"),
        ("a->b.", "mirror-source"),
        ("a->b.", "mirror-checkpoint"),
        ("a.", "connect-distributed"),
    ),
    "mirror-source": (("source.consumer.", "consumer"), ("target.admin.", "admin")),
    "mirror-checkpoint": (("source.admin.", "admin"), ("target.consumer.", "consumer")),
    "mirror-heartbeat": (("target.admin.", "admin"), ("producer.override.", "producer")),
}


@st.composite
def prefixed(draw: Draw, plane: str) -> Case:
    """One key or two of another plane behind a prefix, and sometimes beside the bare key."""
    own: dict[str, str | None] = {}
    for _ in range(draw(st.integers(1, 2))):
        prefix, inner = draw(st.sampled_from(PREFIXES[plane]))
        key = draw(st.sampled_from(keys_of(inner)))
        own[prefix + key] = draw(texts(inner, key))
        if draw(st.integers(0, 4)) == 0:
            own[key] = draw(texts(inner, key))
    return Case(plane, own)


@st.composite
def without(draw: Draw, plane: str) -> Case:
    """A key of the base is missing, or empty."""
    keys = [*BASES[plane]]
    properties: dict[str, str | None] = {
        draw(st.sampled_from(keys)): draw(st.sampled_from((None, "")))
    }
    if draw(st.booleans()):
        key = draw(st.sampled_from(keys))
        properties[key] = draw(texts(plane, key))
    return Case(plane, properties)


@st.composite
def related(draw: Draw, plane: str, slug: str) -> Case:
    """Keys of one relation, with numbers from one pool."""
    keys = RECIPES[slug][1]
    chosen = draw(
        st.lists(st.sampled_from(keys), min_size=1, max_size=min(len(keys), 6), unique=True)
    )
    own: dict[str, str | None] = {}
    broker: dict[str, str | None] = {}
    for key in chosen:
        side = broker if key.startswith("^") else own
        name = key.removeprefix("^")
        side[name] = draw(
            _related_text("zookeeper" if side is broker else plane, name, keys, plane)
        )
    return Case(plane, own, broker)


@cache
def _related_text(plane: str, key: str, keys: tuple[str, ...], inner: str) -> Text:
    facts = history(plane, key)
    if key in WORDS or bare(key) in WORDS or not facts or facts[-1].type not in LIMITS:
        return texts(plane, key)
    everyone: list[Fact] = []
    for other in keys:
        place = "zookeeper" if other.startswith("^") else inner
        everyone += history(place, other.removeprefix("^"))
    pool = numbers(everyone)
    allowed = [number for number in pool if abs(number) < 2 ** LIMITS[facts[-1].type]]
    return st.sampled_from([str(number) for number in allowed])


@st.composite
def altered(draw: Draw, files: list[tuple[str, dict[str, str]]]) -> Case:
    """A file that somebody has, with one value altered, added or taken away."""
    plane, pairs = draw(st.sampled_from(files))
    properties: dict[str, str | None] = dict(pairs)
    key = draw(st.sampled_from([*pairs, *keys_of(plane)[:: max(1, len(keys_of(plane)) // 40)]]))
    way = draw(st.integers(0, 5))
    if way == 0:
        properties.pop(key, None)
    elif way > 1:
        properties[key] = draw(texts(plane, key))
    # A client's file leaves out what its program sets, without which nothing else would be asked.
    return Case(plane, properties, bare=plane in (*BROKERS, *WORKERS))


def read_files(folder: Path) -> list[tuple[str, dict[str, str]]]:
    """(plane, pairs) of each properties file in the folder that a plane stands for."""
    found: list[tuple[str, dict[str, str]]] = []
    for path in sorted(folder.rglob("*.properties")):
        data = path.read_bytes()
        try:
            pairs = {entry.key: entry.value.strip() for entry in parse(decode(data)[0])}
        except (PropertiesError, OSError):
            continue
        plane = _plane_of(path.name.lower(), recognise(path.name, data), pairs)
        # What the machine or a template holds cannot be asked.
        whole = not any("$" in text or "{{" in text or "<" in text for text in pairs.values())
        if plane and pairs and whole:
            found.append((plane, {key: text for key, text in pairs.items() if _asks(key, text)}))
    return found


def _asks(key: str, text: str) -> bool:
    classes = re.findall(r"\b(?:[a-z_]\w*\.){2,}[A-Z]\w*", text)
    ours = all(name.startswith(("org.apache.kafka.", "kafka.")) for name in classes)
    return ours and not _MACHINE.search(bare(key)) and not key.endswith("path")


def _plane_of(name: str, form: str | None, pairs: dict[str, str]) -> str:
    if form == "broker-properties":
        roles = {role.strip() for role in pairs.get("process.roles", "").split(",")} - {""}
        if not roles:
            return "zookeeper"
        return (
            "combined"
            if len(roles) > 1
            else (*roles,)[0]
            if roles <= {"broker", "controller"}
            else ""
        )
    if form == "client-properties":
        from kcheck.formats.properties.kinds import client_kind

        kind = client_kind(name, set(pairs))
        return kind if kind in BASES else ""
    if form == "streams-properties":
        return "streams"
    if form == "connect-properties" and "connector.class" not in pairs:
        return (
            "connect-standalone"
            if "offset.storage.file.filename" in pairs
            else "connect-distributed"
        )
    return ""


# -- drawing -------------------------------------------------------------------------------------

#: How large a part of all cases each plane gets.
SHARES = {
    "zookeeper": 12,
    "broker": 10,
    "controller": 6,
    "combined": 14,
    "topic": 14,
    "group": 4,
    "producer": 10,
    "consumer": 10,
    "share-consumer": 2,
    "admin": 3,
    "streams": 6,
    "connect-distributed": 5,
    "connect-standalone": 3,
    "source-connector": 2,
    "sink-connector": 2,
    "mirror": 1,
    "mirror-source": 1,
    "mirror-checkpoint": 1,
    "mirror-heartbeat": 1,
    "quota": 1,
}


def drawn(
    count: int, number: int, planes: Iterable[str], files: list[tuple[str, dict[str, str]]]
) -> list[Case]:
    """About so many different cases, shared out over the planes, and those that are kept."""
    chosen = [plane for plane in planes if plane in SHARES]
    whole = sum(SHARES[plane] for plane in chosen)
    found = {case.key: case for case in kept(chosen)}
    for plane in chosen:
        wanted = max(20, count * SHARES[plane] // whole)
        for case in _of_plane(plane, wanted, number, files):
            found.setdefault(case.key, case)
    return [*found.values()]


def kept(planes: Iterable[str]) -> list[Case]:
    """The cases of ``kept.tsv``: those that somebody thought of, or that once went wrong."""
    lines = (Path(__file__).resolve().parent / "kept.tsv").read_text(encoding="utf-8").split("\n")
    cases = [Case.read(line.split("\t")) for line in lines[2:] if line]
    wanted = {*planes}
    return [case for case in cases if case.plane in wanted]


def _of_plane(
    plane: str, count: int, number: int, files: list[tuple[str, dict[str, str]]]
) -> Iterator[Case]:
    mine = [file for file in files if file[0] == plane]
    slugs = [slug for slug, (planes, _) in RECIPES.items() if plane in planes]
    parts: list[tuple[st.SearchStrategy[Case], float]] = [
        (single(plane), 0.4 if slugs else 0.6),
        (several(plane), 0.12 if slugs else 0.3),
    ]
    if BASES.get(plane):
        parts.append((without(plane), 0.04))
    if plane in PREFIXES:
        parts.append((prefixed(plane), 0.08))
    if mine:
        parts.append((altered(mine), 0.12))
    rest = 1 - sum(part for _, part in parts)
    parts += [(related(plane, slug), rest / len(slugs)) for slug in slugs]
    for strategy, part in parts:
        yield from collected(strategy, max(3, round(count * part)), number)


def collected(strategy: st.SearchStrategy[Case], count: int, number: int) -> list[Case]:
    """So many different cases of a strategy, or fewer where it has no more."""
    found: dict[str, Case] = {}

    @seed(number)
    @settings(
        max_examples=count * 3,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(case: Case) -> None:
        if len(found) < count:
            found.setdefault(case.key, case)

    collect()
    return [*found.values()]
