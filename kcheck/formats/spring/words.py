"""Words of Spring Boot's properties for Kafka that no enumeration of Spring's has."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.formats import unknown_words
from kcheck.formats.pairs import Pair, Texts, relaxed
from kcheck.lexicon import fields
from kcheck.model import Document

#: Properties with an enumeration of Spring's own, in the form in which Spring compares names.
_NAMES = {
    "spring.kafka.listener.ackmode": "listener.ack-mode",
    "spring.kafka.listener.type": "listener.type",
    "spring.kafka.jaas.controlflag": "jaas.control-flag",
}


def tell(document: Document, pairs: Iterable[tuple[str, Pair]], texts: Texts) -> None:
    """Report the values that Spring cannot convert; the pairs are named by their relaxed form."""
    for form, pair in pairs:
        name = _NAMES[form]
        text = texts.filled(pair.text) or ""
        words = fields.words_of(fields.SPRING, name)
        if relaxed(text) not in map(relaxed, words):
            unknown_words.word_of_spring(document, words, pair, text)
