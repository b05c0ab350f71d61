"""Path patterns of settings and ``--exclude``: gitignore's language without its negation.

``*`` and ``?`` stay inside one name, ``**`` crosses folders, a pattern without a slash matches a
name at any depth, and a pattern that matches a folder matches everything in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

Match = Callable[[str], bool]


def nothing(path: str) -> bool:
    return False


def matcher(patterns: Iterable[str]) -> Match:
    """A function that tells whether a relative path with ``/`` matches one of the patterns."""
    sources = [source(pattern) for pattern in patterns]
    if not sources:
        return nothing
    # Imported here: most runs have no patterns, and ``re`` costs more than reading a file.
    import re

    return _Matcher(re.compile("|".join(sources)).match)


class _Matcher:
    """A class, because what a function closes over cannot travel to another process."""

    __slots__ = ("_found",)

    def __init__(self, found: Callable[[str], object]) -> None:
        self._found = found

    def __call__(self, path: str) -> bool:
        return self._found(path) is not None


def source(pattern: str, below: bool = True) -> str:
    """The regular expression of one pattern; without ``below`` it matches no more than it says."""
    from re import escape

    text = pattern.strip().removeprefix("./").rstrip("/")
    anchored = "/" in text
    text = text.lstrip("/")
    if text in ("", "."):
        return r"(?s:.*)\Z"
    out: list[str] = [] if anchored else ["(?:.*/)?"]
    at = 0
    while at < len(text):
        char = text[at]
        if text.startswith("**/", at):
            out.append("(?:.*/)?")
            at += 3
        elif text.startswith("**", at):
            out.append(".*")
            at += 2
        elif char == "*":
            out.append("[^/]*")
            at += 1
        elif char == "?":
            out.append("[^/]")
            at += 1
        elif char == "[" and "]" in text[at + 2 :]:
            end = text.index("]", at + 2)
            inside = text[at + 1 : end].replace("\\", "\\\\")
            out.append("[" + ("^" + inside[1:] if inside[0] == "!" else inside) + "]")
            at = end + 1
        else:
            out.append(escape(char))
            at += 1
    return "(?s:" + "".join(out) + (r"(?:/.*)?)\Z" if below else r")\Z")
