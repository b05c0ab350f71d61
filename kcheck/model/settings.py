"""Settings as files write them, and the words for severities, positions and origins."""

from __future__ import annotations

ERROR, WARNING, INFO = "error", "warning", "info"
#: Severities from the mildest to the gravest.
SEVERITY_RANK = {INFO: 0, WARNING: 1, ERROR: 2}
#: (line, column, end line, end column) inside one file.
Position = tuple[int, int, int, int]
START: Position = (1, 1, 1, 1)
# Where a value comes from (the contract's words).
SET, INHERITED, DEFAULT, ABSENT, FACT = "set", "inherited", "default", "absent", "fact"
#: What Java's ``trim`` takes away; other blanks, as the one that does not break, are letters to it.
_TRIMMED = "".join(map(chr, range(33)))


class Setting:
    """One key that some file sets, as found there.

    ``key`` is Kafka's own name, ``name`` what the file writes (``KAFKA_CFG_LOG_DIRS``), ``text``
    the value as Kafka reads it after trimming, or None where it cannot be known (a template, a
    secret from elsewhere). ``raw`` is the text before trimming. ``amount`` is what the text of a
    fact means where it is no plain text: a number (of bytes, cores …), true or false.
    """

    __slots__ = ("amount", "at", "key", "key_at", "name", "path", "raw", "text")

    def __init__(
        self,
        key: str,
        raw: str | None,
        path: str,
        at: Position,
        key_at: Position | None = None,
        name: str | None = None,
    ) -> None:
        self.key = key
        self.raw = raw
        self.text = raw if raw is None else raw.strip(_TRIMMED)
        self.path = path
        self.at = at
        self.key_at = key_at or at
        self.name = name or key
        self.amount: float | None = None

    def __repr__(self) -> str:
        return f"Setting({self.key}={self.raw!r} {self.path}:{self.at[0]}:{self.at[1]})"


class Derived(Setting):
    """A setting that its file writes in another unit or form, or tells without being its source.

    No text in the place of what stands there would be right: no fix edits it.
    """

    __slots__ = ()


class Torn(Setting):
    """A setting that ends with its line, because no backslash continues it.

    ``keys`` are those that the indented lines below it became.
    """

    __slots__ = ("keys",)

    keys: tuple[str, ...]


class Framed(Setting):
    """A setting whose text is unknown, for something else fills in a part of it.

    ``frame`` is what the file writes, placeholders and all.
    """

    __slots__ = ("frame",)

    def __init__(
        self,
        key: str,
        frame: str,
        path: str,
        at: Position,
        key_at: Position | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(key, None, path, at, key_at, name)
        self.frame = frame
