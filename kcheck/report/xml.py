"""XML of our own making: a few elements, every text escaped, nothing that XML 1.0 cannot hold."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.report.printable import printable

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def escaped(text: object) -> str:
    """A text for between the tags or within quotes; no control character is left in it."""
    clean = "\n".join(map(printable, str(text).split("\n")))
    # The two characters of Unicode's first plane that are none, and stray surrogates.
    clean = clean.replace("\ufffe", "·").replace("\uffff", "·")
    return clean.encode("utf-8", "replace").decode().translate(_ESCAPES)


def tag(name: str, attributes: dict[str, object], inside: Iterable[str] | None = None) -> str:
    """One element; ``inside`` is XML already, None makes it empty."""
    told = "".join(f' {key}="{escaped(value)}"' for key, value in attributes.items())
    if inside is None:
        return f"<{name}{told}/>\n"
    return f"<{name}{told}>\n{''.join(inside)}</{name}>\n"
