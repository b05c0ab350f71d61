"""Cases that know nothing of kcheck: drawn from what Kafka declares and reads, for any plane.

    python tests/oracle/compare.py --free --cases 4000 --seed 1

What the rules know steers the cases of ``generate.py`` and ``guided.py``; nothing does here, so that
these measure what no rule has thought of. Keys come from the ConfigDefs, from ``read.tsv`` and from
behind prefixes; keys that stand together share words. In most cases one text at most is a slip: else
what kcheck knows would hide what it does not. A seed reproduces the cases.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from random import Random

from cases import BASES, BROKERS, WORKERS, Case
from declared import Key, classes, declared, read, transformations
from declared import of_librdkafka as librdkafka
from free_texts import good, interface, of_interface, reference, slip

Own = dict[str, str | None]

_QUOTAS = ("producer_byte_rate", "consumer_byte_rate", "request_percentage")
_QUOTAS += ("controller_mutation_rate",)

#: Plane → prefixes behind which it holds keys of another one.
PREFIXES: dict[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(
        BROKERS,
        (
            ("listener.name.plaintext.", "broker"),
            ("listener.name.controller.", "broker"),
            ("listener.name.PLAINTEXT.", "broker"),
            ("listener.name.plaintext.plain.", "broker"),
            ("listener.name.nosuch.", "broker"),
            ("rlmm.config.", "remote-metadata"),
            ("rlmm.config.remote.log.metadata.common.client.", "consumer"),
            ("rlmm.config.remote.log.metadata.producer.", "producer"),
            ("rlmm.config.remote.log.metadata.consumer.", "consumer"),
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
        ("", "producer"),
        ("", "consumer"),
        ("", "admin"),
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
            ("listeners.https.", "producer"),
            ("", "admin"),
        ),
    ),
    "source-connector": (
        ("producer.override.", "producer"),
        ("admin.override.", "admin"),
        ("topic.creation.default.", "topic-creation"),
        ("topic.creation.default.", "topic"),
    ),
    "sink-connector": (
        ("consumer.override.", "consumer"),
        ("producer.override.", "producer"),
        ("admin.override.", "admin"),
    ),
    "mirror": (
        ("a.", "admin"),
        ("a.producer.", "producer"),
        ("b.consumer.", "consumer"),
        ("a.admin.", "admin"),
        ("a->b.", "mirror-source"),
        ("a->b.", "mirror-checkpoint"),
        ("b->a.", "mirror-heartbeat"),
        ("a.", "connect-distributed"),
    ),
    "mirror-source": (
        ("source.consumer.", "consumer"),
        ("target.admin.", "admin"),
        ("source.cluster.", "admin"),
        ("target.cluster.", "admin"),
        ("", "source-connector"),
    ),
    "mirror-checkpoint": (
        ("source.admin.", "admin"),
        ("target.consumer.", "consumer"),
        ("source.cluster.", "admin"),
        ("", "source-connector"),
    ),
    "mirror-heartbeat": (
        ("target.admin.", "admin"),
        ("producer.override.", "producer"),
        ("target.cluster.", "admin"),
        ("", "source-connector"),
    ),
}

#: Planes with a validation of groups and topics stand inside a broker, whose keys are drawn as well.
_HOSTED = {"topic": "broker", "group": "broker"}


# -- keys ------------------------------------------------------------------------------------------


@cache
def keys_of(plane: str) -> dict[str, Key]:
    """All keys of the plane by name: what is declared, and what is read besides."""
    if plane == "quota":
        found = {name: Key(name) for name in _QUOTAS}
        for key in found.values():
            key.type, key.ends = "double", ["0"]
        return {**found, **read("quota")}
    return {**declared(plane), **read(plane)}


def _words(name: str) -> set[str]:
    return {*name.replace("-", ".").replace("_", ".").split(".")}


@cache
def _weights(plane: str) -> dict[str, float]:
    """Word → how much it tells that two keys share it: rare ones more."""
    names = [*keys_of(plane)]
    counts = Counter(word for name in names for word in _words(name))
    return {word: math.log(len(names) / count) + 0.1 for word, count in counts.items()}


@cache
def companions(plane: str, name: str) -> tuple[list[str], list[float]]:
    """The other keys of the plane, and how likely each stands beside this one."""
    mine, weights = _words(name), _weights(plane)
    others = [other for other in keys_of(plane) if other != name]
    shares = []
    for other in others:
        shared = sum(weights[word] for word in mine & _words(other))
        # One group of the documentation begins with one word.
        grouped = name.split(".")[0] == other.split(".")[0]
        shares.append(0.03 + shared**2 + (0.5 if grouped else 0))
    return others, shares


def _beside(rng: Random, plane: str, chosen: list[str]) -> str:
    others, shares = companions(plane, rng.choice(chosen))
    return rng.choices(others, shares)[0] if others else chosen[0]


def _near(keys: Iterable[Key]) -> tuple[int, ...]:
    """Numbers that these keys know: their defaults and bounds."""
    texts = [text for key in keys for text in (*key.defaults, *key.ends)]
    return tuple(int(text) for text in texts if text.lstrip("-").isdigit())


# -- ways ------------------------------------------------------------------------------------------


def one(rng: Random, plane: str) -> Case:
    """A key of the plane: a base with one line more, or another text in one of its lines."""
    pool = keys_of(plane)
    base = [name for name in BASES.get(plane, {}) if name in pool]
    name = rng.choice(base if base and rng.random() < 0.08 else [*pool])
    return Case(plane, {name: _text(rng, pool[name], 0.55)})


def _text(rng: Random, key: Key, slips: float, near: tuple[int, ...] = ()) -> str:
    return slip(rng, key) if rng.random() < slips else good(rng, key, near)


def together(rng: Random, plane: str) -> Case:
    """Two keys or three that share words, with numbers that lie near each other's."""
    pool = keys_of(plane)
    chosen = [rng.choice([*pool])]
    for _ in range(rng.choice((1, 1, 2))):
        chosen.append(_beside(rng, plane, chosen))
    names = [*dict.fromkeys(chosen)]
    near = _near(pool[name] for name in names)
    return Case(plane, _few_slips(rng, {name: pool[name] for name in names}, near, 0.3))


def _few_slips(
    rng: Random, keys: dict[str, Key], near: tuple[int, ...] = (), chance: float = 0.4
) -> Own:
    """Good texts of all keys, but of one at times."""
    wrong = rng.choice([*keys]) if rng.random() < chance else ""
    return {
        name: slip(rng, key) if name == wrong else good(rng, key, near)
        for name, key in keys.items()
    }


def several(rng: Random, plane: str) -> Case:
    """A handful of keys without a relation."""
    pool = keys_of(plane)
    names = rng.sample([*pool], min(len(pool), rng.randint(3, 7)))
    return Case(plane, _few_slips(rng, {name: pool[name] for name in names}))


def behind(rng: Random, plane: str) -> Case:
    """A key or two of another plane behind a prefix, at times beside the bare key."""
    prefix, inner = rng.choice(PREFIXES[plane])
    pool = keys_of(inner)
    chosen = [rng.choice([*pool])]
    if rng.random() < 0.6:
        chosen.append(_beside(rng, inner, chosen))
    mine = {prefix + name: pool[name] for name in dict.fromkeys(chosen)}
    if rng.random() < 0.2:
        mine[chosen[0]] = pool[chosen[0]]
    return Case(plane, _few_slips(rng, mine, _near(mine.values()), 0.6))


_PROVIDER = "org.apache.kafka.common.config.provider."
_PROVIDERS = {"env": "EnvVar", "file": "File", "dir": "Directory"}


def referring(rng: Random, plane: str) -> Case:
    """A reference to a provider of values, with the provider, a wrong one or none."""
    pool = keys_of(plane)
    name = rng.choice([*pool])
    own: Own = {name: reference(rng)}
    if rng.random() < 0.7:
        alias = rng.choice(("env", "file", "dir", "secrets"))
        kind = _PROVIDERS.get(alias, "File")
        own["config.providers"] = rng.choice((alias, alias, f"{alias},{alias}b", f"{alias},"))
        text = f"{_PROVIDER}{kind}ConfigProvider"
        wrong = (
            *(f"{kind}ConfigProvider", text.lower(), f"{_PROVIDER}{kind}Provider", ""),
            *("java.lang.String", rng.choice([*classes()]), f"{text}s"),
        )
        if rng.random() < 0.9:
            given = rng.choice(wrong) if rng.random() < 0.4 else text
            own[f"config.providers.{alias}.class"] = given
        if rng.random() < 0.2:
            own[f"config.providers.{alias}.param.allowed.paths"] = rng.choice(
                ("/", "/no/such", "x")
            )
    return Case(plane, own)


def classed(rng: Random, plane: str) -> Case:
    """A key that names classes, with another key beside it at times."""
    pool = keys_of(plane)
    named = [name for name, key in pool.items() if interface(key) is not None]
    if not named:
        return one(rng, plane)
    name = rng.choice(named)
    own: Own = {name: _text(rng, pool[name], 0.7)}
    if rng.random() < 0.7:
        other = _beside(rng, plane, [name])
        own[other] = good(rng, pool[other])
    return Case(plane, own)


def lacking(rng: Random, plane: str) -> Case:
    """A line of the base is missing or empty, and another key is set."""
    pool = keys_of(plane)
    name = rng.choice([*BASES[plane]])
    own: Own = {name: rng.choice((None, None, ""))}
    other = _beside(rng, plane, [name]) if name in pool else rng.choice([*pool])
    own[other] = good(rng, pool[other])
    return Case(plane, own)


def misplaced(rng: Random, plane: str) -> Case:
    """A key of another plane, or one with a slip in its name."""
    mine = keys_of(plane)
    if rng.random() < 0.5:
        other = rng.choice(
            ("broker", "topic", "producer", "consumer", "streams", "connect-distributed")
        )
        pool = keys_of(other)
        name = rng.choice([*pool])
        own: Own = {name: good(rng, pool[name])}
    else:
        name = rng.choice([*mine])
        key = mine[name]
        wrong = rng.choice(
            (name[:-1], f"{name}s", name.replace(".", "_"), name.upper(), f"kafka.{name}", name[1:])
        )
        own = {wrong: good(rng, key)}
    if rng.random() < 0.5:
        other = rng.choice([*mine])
        own.setdefault(other, good(rng, mine[other]))
    return Case(plane, own)


def hosted(rng: Random, plane: str) -> Case:
    """What stands inside a broker, with keys of the broker that share words with it."""
    pool, outside = keys_of(plane), keys_of("broker")
    name = rng.choice([*pool])
    mine = _words(name)
    shares = [0.02 + len(mine & _words(other)) ** 3 for other in outside]
    others = dict.fromkeys(rng.choices([*outside], shares, k=rng.choice((1, 1, 2))))
    chosen = {name: pool[name]}
    if rng.random() < 0.5:
        second = _beside(rng, plane, [name])
        chosen[second] = pool[second]
    near = _near([*chosen.values(), *(outside[other] for other in others)])
    own = _few_slips(rng, chosen, near, 0.35)
    # The broker starts, or nothing of the topic is asked.
    return Case(plane, own, {other: good(rng, outside[other], near) for other in others})


def transformed(rng: Random, plane: str) -> Case:
    """A connector with a transformation or predicate and some of its keys."""
    everyone = transformations()
    owner = rng.choice([*everyone])
    found = [name for name in classes() if name.rpartition(".")[2].partition("$")[0] == owner]
    predicate = any(".predicates." in name for name in found)
    kind, alias = ("predicates", "p") if predicate else ("transforms", "t")
    named = Key(f"{kind}.{alias}.type")
    named.type = "class"
    inner = [name for name in found if "$" in name] or found
    text = rng.choice(inner) if inner and rng.random() < 0.8 else slip(rng, named)
    own: Own = {
        kind: rng.choice((alias, alias, alias, f"{alias},", f"{alias},{alias}")),
        named.name: text,
    }
    if rng.random() < 0.1:
        own.pop(named.name)
    keys = everyone[owner]
    some = rng.sample([*keys], rng.randint(0, min(3, len(keys))))
    needed = [name for name, key in keys.items() if not key.defaults and rng.random() < 0.8]
    for name in dict.fromkeys([*needed, *some]):
        own[f"{kind}.{alias}.{name}"] = _text(rng, keys[name], 0.3)
    if predicate and rng.random() < 0.5:
        own["transforms"] = "t"
        own["transforms.t.type"] = rng.choice(of_interface("Transformation"))
        own["transforms.t.predicate"] = rng.choice(("p", "p", "q", ""))
        if rng.random() < 0.4:
            own["transforms.t.negate"] = rng.choice(("true", "yes"))
    return Case(plane, own)


Way = Callable[[Random, str], Case]


@cache
def _ways(plane: str) -> tuple[list[Way], list[float]]:
    """How the cases of a plane are drawn, and the share of each."""
    shares: dict[Way, float] = {one: 36, together: 26, several: 6, classed: 8, misplaced: 6}
    if plane in PREFIXES:
        shares[behind] = 14
    if plane in _HOSTED:
        shares[hosted] = 20
    if BASES.get(plane):
        shares[lacking] = 4
    if plane not in ("quota", *_HOSTED):
        shares[referring] = 5
    if plane in ("source-connector", "sink-connector", "mirror-source"):
        shares[transformed] = 14
    return [*shares], [*shares.values()]


def of_librdkafka(count: int, number: int) -> list[tuple[str, dict[str, str]]]:
    """(role, properties) of so many clients of librdkafka, drawn alike from its own tables."""
    rng = Random(f"{number} librdkafka")
    found: dict[str, tuple[str, dict[str, str]]] = {}
    while len(found) < count:
        role = rng.choice(("producer", "consumer"))
        pool = librdkafka(role)
        chosen = [rng.choice([*pool])]
        way = rng.random()
        if way < 0.08:
            own = _of_java(rng, role, pool)
        else:
            for _ in range(0 if way < 0.45 else rng.choice((1, 1, 2, 4))):
                chosen.append(_alike(rng, pool, chosen[0]))
            keys = {name: pool[name] for name in dict.fromkeys(chosen)}
            own = _few_slips(rng, keys, _near(keys.values()), 0.55 if len(keys) == 1 else 0.35)
        # Nothing resolves a reference there.
        told = {key: text for key, text in own.items() if text is not None and "${" not in text}
        found.setdefault(f"{role} {sorted(told.items())}", (role, told))
    return [*found.values()]


def _of_java(rng: Random, role: str, pool: dict[str, Key]) -> Own:
    """A key as Java's clients have it, or one with a slip in its name."""
    javas = declared(role)
    name = rng.choice([*javas])
    if rng.random() < 0.4:
        known = rng.choice([*pool])
        slipped = rng.choice((known[:-1], f"{known}s", known.replace(".", "_"), known.upper()))
        return {slipped: good(rng, pool[known])}
    return {name: good(rng, javas[name])}


def _alike(rng: Random, pool: dict[str, Key], name: str) -> str:
    """Another key that shares words with that one, or any."""
    shares = [0.05 + len(_words(name) & _words(other)) ** 2 for other in pool]
    return rng.choices([*pool], shares)[0]


#: Draws for one case that is new, before a plane with few keys has no more.
_PATIENCE = 20


def drawn(count: int, number: int, planes: Iterable[str]) -> list[Case]:
    """So many different cases of each plane, the same for the same number."""
    found: list[Case] = []
    for plane in planes:
        rng = Random(f"{number} {plane}")
        ways, shares = _ways(plane)
        mine: dict[str, Case] = {}
        for _ in range(count * _PATIENCE):
            if len(mine) == count:
                break
            case = rng.choices(ways, shares)[0](rng, plane)
            mine.setdefault(case.key, case)
        found += mine.values()
    return found


def lines_changed(case: Case) -> int:
    """How many lines differ from the valid base."""
    return len(case.properties) + len(case.broker)
