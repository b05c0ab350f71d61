"""Words of a value that Kafka hands to Java or a library, which looks them up by name.

ConfigDef takes any text for them: ``schemas/keys/words.tsv``. Vendors bring words of their own, so
that only what is nearly one of the known ones is wrong.
"""

from __future__ import annotations

from kcheck import data
from kcheck.lexicon.suggest import distance

#: How many letters may be wrong, and in words of how many letters only one.
_SLIP, _SHORT = 2, 6


class Row:
    """The words of one key; ``instead`` has what other words for them stand for."""

    __slots__ = ("folds", "instead", "what", "why", "words")

    def __init__(self, cells: list[str]) -> None:
        words, instead, fold, self.what, self.why = cells[:5]
        self.words = tuple(words.split())
        parts = (word.partition("=") for word in instead.split())
        self.instead = {wrong: right for wrong, _, right in parts}
        self.folds = fold == "ci"

    def meant(self, text: str) -> str:
        """The word that a text, which is none, nearly is; "" where it is one, or far from all."""
        if text in self.words or (self.folds and text.upper() in map(str.upper, self.words)):
            return ""
        upper = text.upper()
        found = self.instead.get(upper)
        bare = _bare(text)
        if found is None:
            found = next((word for word in self.words if _bare(word) == bare), None)
        if found is not None:
            return found
        near: list[tuple[int, str]] = []
        for word in self.words:
            limit = _SLIP if len(word) > _SHORT else 1
            apart = distance(upper, word.upper(), limit)
            if apart <= limit:
                near.append((apart, word))
        near.sort()
        return near[0][1] if near and (len(near) == 1 or near[0][0] < near[1][0]) else ""


def _bare(text: str) -> str:
    """A word without separators, in one case; of versions only the number counts."""
    return "".join(filter(str.isalnum, text)).upper().replace("TLSV", "TLS")


_rows: dict[str, Row] = {}


def row(key: str) -> Row | None:
    """The row of a key; None for a key whose words nobody knows."""
    if not _rows:
        for name, *cells in data.rows("keys/words.tsv"):
            _rows[name] = Row(cells)
    return _rows.get(key)


def wrong(key: str, text: str) -> tuple[str, str, str, Row] | None:
    """(word, what it was meant to be, the whole text with that, the row) of the first such word."""
    known = row(key)
    if known is None:
        return None
    items = [item.strip() for item in text.split(",")]
    meant = [known.meant(item) if item else "" for item in items]
    at = next((at for at, right in enumerate(meant) if right), -1)
    if at < 0:
        return None
    whole = ",".join(right or item for item, right in zip(items, meant, strict=True))
    return items[at], meant[at], whole, known
