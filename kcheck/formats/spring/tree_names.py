"""Names that stand in none of Spring's trees for Kafka, and nearly in one: ``sprnig.kafka.consumer.group-id``.

A part of the tree's own name is misspelt (``springc.cloud.stream``), or missing
(``spring.cloud.function.bindings``); what stands below it must be what the tree has there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kcheck.formats.pairs import Pair
from kcheck.formats.spring import names as spring_names
from kcheck.lexicon import suggest
from kcheck.model import WARNING, Document, Problem, Setting

_CODE = "KC0135"
_STREAM = ("spring", "cloud", "stream")
_KAFKA = ("spring", "kafka")
_FUNCTION = (*_STREAM, "function", "bindings")
#: The trees, longer ones first.
_TREES = (_FUNCTION, (*_STREAM, "bindings"), (*_STREAM, "kafka"), _KAFKA)
#: The parts of a tree's name that are left out; without others the name is that of another tree.
_LEFT_OUT = ("cloud", "stream")
#: What a binding has, and the Kafka binder.
_BINDING = ("destination", "group", "consumer", "producer", "contenttype", "binder")
_BINDER = ("binder", "bindings", "streams", "default")
#: The name of a binding as its function makes it.
_OF_FUNCTION = re.compile(r"-(?:in|out)-\d+\Z")


def tell(document: Document, pairs: Iterable[Pair]) -> None:
    """Report the names among the suspects that can only be meant for a tree."""
    for pair in pairs:
        right = next(_meant(pair), "")
        if right and pair.path == document.path:
            document.problems.append(
                Problem(
                    f"{pair.written} is in no tree that Spring reads; did you mean {right}?",
                    pair.key_at,
                    _CODE,
                    WARNING,
                    "Spring ignores it: the default applies",
                    f"rename it to {right}",
                    setting=Setting(pair.written, None, pair.path, pair.key_at, pair.key_at),
                )
            )


def _meant(pair: Pair) -> Iterator[str]:
    words = pair.words
    for tree in _TREES:
        size = len(tree)
        apart = [i for i, (mine, own) in enumerate(zip(words, tree, strict=False)) if mine != own]
        slipped = (
            len(words) > size and len(apart) == 1 and _is_slip(words[apart[0]], tree[apart[0]])
        )
        if slipped and _has(tree, words[size:], pair.parts[size:]):
            yield ".".join((*tree, *pair.parts[size:]))
        for left_out in _LEFT_OUT if len(words) >= size else ():
            short = tuple(part for part in tree if part != left_out)
            same = len(short) < size and tuple(words[: size - 1]) == short
            if same and _has(tree, words[size - 1 :], pair.parts[size - 1 :]):
                yield ".".join((*tree, *pair.parts[size - 1 :]))


def _is_slip(word: str, own: str) -> bool:
    """Whether a word can only be a slip of a part of a tree's name: people number trees of their own, and
    call them by longer names."""
    if not word.isalpha() or (own == "kafka" and word.startswith(own)):
        return False
    return suggest.distance(word, own, 1 if len(own) < 6 else 2) <= (1 if len(own) < 6 else 2)


def _has(tree: tuple[str, ...], rest: list[str], parts: list[str]) -> bool:
    """Whether a tree has that name below its own."""
    if tree == _KAFKA:
        inner = rest[1:] if rest[0] in spring_names.GROUPS else rest
        return ".".join(rest) in spring_names.properties() or (
            len(inner) > 1 and inner[0] == "properties"
        )
    if tree == _FUNCTION:
        return any(map(_OF_FUNCTION.search, parts))
    if tree[-1] == "kafka":
        return len(rest) > 1 and rest[0] in _BINDER
    return len(rest) > 1 and rest[1] in _BINDING
