"""Names of binders and functions in the bindings of Spring Cloud Stream that nothing has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.pairs import Pair, relaxed
from kcheck.formats.spring.binder_levels import CORE, KAFKAS, SIDES, STREAMS
from kcheck.formats.text import templated
from kcheck.lexicon import fields
from kcheck.model import Note, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.spring.binders import Binders

CODE, PROPERTY = "KC0154", "KC0138"
#: Types of binders, which are names as well where a binder of the type is on the class path.
_TYPES = frozenset(
    ("kafka", "rabbit", "kstream", "ktable", "globalktable", "kinesis", "pulsar", "pubsub", "jms")
    + ("solace", "servicebus", "eventhubs", "sqs", "sns", "rocketmq", "nats", "integration")
)
_BINDING = re.compile(r"(.+)-(in|out)-(\d+)")
#: Another form of a function's name begins with at least so many letters of it.
_STEM = 5
#: By the object of a property: the properties that bindings of the Streams binder alone have.
_STREAMS = {
    f"{tree}{side}": STREAMS[side] - KAFKAS[side] - CORE[side]
    for side in SIDES
    for tree in ("", "kafka ")
}


def notes(binders: Binders) -> Iterator[Note]:
    """Notes on bindings with a binder or a function that the application does not have."""
    yield from _binders(binders)
    yield from _functions(binders)
    yield from _properties(binders)


def _note(pair: Pair, message: str, consequence: str, fix: str) -> Note:
    spot = Setting(pair.name, pair.text, pair.path, pair.at, pair.key_at, pair.name)
    return Note(CODE, spot, message, consequence, fix)


def _binders(binders: Binders) -> Iterator[Note]:
    declared = tuple({**binders.types, **binders.elsewhere})
    if not declared:
        return
    told = [b.plain["binder"] for b in binders.bindings.values() if "binder" in b.plain]
    for pair in (*told, *((binders.default,) if binders.default is not None else ())):
        name = binders.reader.texts.filled(pair.text) or ""
        if not name or templated(name) or name in declared or name.lower() in _TYPES:
            continue
        near = fields.near(name, declared)
        yield _note(
            pair,
            f"{pair.name}={name} is not one of spring.cloud.stream.binders ({', '.join(declared)})"
            + (f"; did you mean {near}?" if near else ""),
            "the application fails to start with an unknown binder configuration, unless another "
            "profile configures it",
            f"set {pair.name}={near}" if near else f"use one of {', '.join(declared)}",
        )


def _functions(binders: Binders) -> Iterator[Note]:
    definition = binders.definition
    told = binders.reader.texts.filled(definition.text) if definition is not None else None
    if not told or templated(told) or binders.other_work:
        return
    yield from _composed(binders, definition, told)
    listed = [part.strip() for part in re.split("[;,]", told) if part.strip()]
    # A composed function is called by the names of its parts.
    functions = {re.sub(r"[|,\s]", "", name) for name in (*listed, *told.split(";"))}
    bound: dict[str, set[str]] = {}
    for name in binders.bindings:
        found = _BINDING.fullmatch(name)
        if found:
            bound.setdefault(found[1], set()).add(found[2])
    for name, binding in binders.bindings.items():
        found = _BINDING.fullmatch(name)
        pair = binding.plain.get("destination") or binding.plain.get("group")
        # Spring drops such characters from the names of a map that stand in no brackets.
        if found is None or pair is None or re.sub(r"[^\w-]", "", found[1]) in functions:
            continue
        # A StreamBridge sends to bindings of any name, one that begins as a function's does among them.
        forms = found[2] == "in"
        free = [
            f for f in functions if found[2] not in bound.get(f, ()) and _alike(found[1], f, forms)
        ]
        if len(free) == 1:
            right = f"{free[0]}-{found[2]}-{found[3]}"
            yield _note(
                pair,
                f"binding {name} belongs to no function of {definition.name}={told}; "
                f"did you mean {right}?"
                if definition is not None
                else "",
                f"{name} is not bound, and {right} gets a destination of its own name"
                + (" and an anonymous group" if found[2] == "in" else ""),
                f"rename the binding to {right}",
            )


def _composed(binders: Binders, definition: Pair | None, told: str) -> Iterator[Note]:
    """A note where commas compose functions whose bindings are told one by one.

    FunctionConfiguration parts the definition at semicolons; within a part a comma is a pipe, and the
    binding is called by the names of all functions (BindableFunctionProxyFactory).
    """
    for part in told.split(";") if definition is not None else ():
        names = [name.strip() for name in part.split(",") if name.strip()]
        whole = "".join(re.sub(r"[|\s]", "", name) for name in names)
        bound = {found[1] for name in binders.bindings if (found := _BINDING.fullmatch(name))}
        alone = [name for name in names if name in bound]
        if definition is None or len(alone) < 2 or whole in bound:
            continue
        right = told.replace(",", ";")
        yield _note(
            definition,
            f"{definition.name}={told} composes {', '.join(names)} into one function, but each has "
            "bindings of its own",
            f"the bindings of {' and '.join(alone)} are not bound: the composed function is bound as "
            f"{whole}-in-0",
            f"set {definition.name}={right}",
        )


def _alike(name: str, function: str, forms: bool) -> bool:
    """Whether one of two names is the other with a slip, or in another form where that tells."""
    short, long = sorted((name.lower(), function.lower()), key=len)
    if long.startswith(short):
        return forms and len(short) >= _STEM
    return bool(fields.near(name, (function,)))


def _properties(binders: Binders) -> Iterator[Note]:
    """Notes on properties of bindings and binders that are none, and nearly are."""
    for pair in binders.reader.pairs:
        parts, words = pair.parts, pair.words
        if words[:3] != ["spring", "cloud", "stream"] or len(words) < 5:
            continue
        holder, at = _holder(words)
        names = fields.of(fields.SPRING_STREAM, holder) if holder and at < len(words) else None
        if names is None or words[at] in map(relaxed, names.known):
            continue
        right = names.instead.get(parts[at]) or fields.near(parts[at], names.known)
        whole = ".".join([*parts[:at], right, *parts[at + 1 :]])
        if words[at] in _STREAMS.get(holder, ()):
            # What bindings of the Streams binder alone have, at another binder's or at all binders'.
            right, tree = parts[at], parts[4 if parts[3] == "kafka" else 3 :]
            whole = ".".join([*parts[:3], "kafka", "streams", *tree])
        if right:
            spot = Setting(pair.name, pair.text, pair.path, pair.key_at, pair.key_at, pair.name)
            yield Note(
                PROPERTY,
                spot,
                f"Spring Cloud Stream does not bind {pair.name}; did you mean {whole}?",
                f"it is silently ignored, and {right} keeps its default",
                f"rename it to {whole}",
            )


def _holder(words: list[str]) -> tuple[str, int]:
    """The object of a property of ``spring.cloud.stream.``, and which of the words names it there."""
    sides = ("consumer", "producer")
    if words[3] == "bindings":
        side = words[5] if len(words) > 6 and words[5] in sides else "binding"
        return side, 6 if side in sides else 5
    if words[3] == "default":
        return (words[4], 5) if len(words) > 5 and words[4] in sides else ("binding", 4)
    if words[3:5] == ["kafka", "bindings"] and len(words) > 7 and words[6] in sides:
        return f"kafka {words[6]}", 7
    if words[3:5] == ["kafka", "binder"]:
        return "kafka binder", 5
    if words[3:6] == ["kafka", "streams", "binder"]:
        return "streams binder", 6
    return "", 0
