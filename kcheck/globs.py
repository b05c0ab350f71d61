"""Path patterns of settings and ``--exclude``: gitignore's language without its negation.

``*`` and ``?`` stay inside one name, ``**`` crosses folders, a pattern without a slash matches a
name at any depth, and a pattern that matches a folder matches everything in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

Match = Callable[[str], bool]


def nothing(path: str) -> bool:
    return False


class GlobError(ValueError):
    """A pattern that means nothing; ``pattern`` is the one."""

    def __init__(self, pattern: str, message: str) -> None:
        super().__init__(f"pattern {pattern}: {message}")
        self.pattern = pattern


def matcher(patterns: Iterable[str]) -> Match:
    """A function that tells whether a relative path with ``/`` matches one of the patterns.

    Raises GlobError.
    """
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


#: What may lie before a run of names and characters: nothing, any text, or any folders.
_HERE, _ANYWHERE, _FOLDERS = "", "**", "**/"


def source(pattern: str, below: bool = True) -> str:
    """The regular expression of one pattern; without ``below`` it matches no more than it says.

    It cannot backtrack: each star takes as little as what follows it allows, and that choice is
    final (``(?>…)``). It may be, because a star that had taken more could only leave less room for
    what comes after: within a name up to the next slash, for ``**`` up to the end.

    Raises GlobError.
    """
    text = pattern.strip().removeprefix("./").rstrip("/")
    anchored = "/" in text
    text = text.lstrip("/")
    if text in ("", "."):
        return ""
    end = r"(?:/|\Z)" if below else r"\Z"
    parts = _parts(pattern, text, _HERE if anchored else _FOLDERS)
    out: list[str] = []
    for number, (gap, pieces) in enumerate(parts, 1):
        last = number == len(parts)
        if last and gap == _ANYWHERE and pieces == [""]:
            break  # whatever is left will do
        run = _run(pieces, end if last else "")
        if gap == _ANYWHERE:
            run = f"(?>.*?{run})"
        elif gap == _FOLDERS:
            run = f"(?>(?:.*?/)??{run})"
        out.append(run)
    return f"(?s:{''.join(out)})"


def _run(pieces: list[str], end: str) -> str:
    """Pieces with a star between each two, and what comes behind the last."""
    first, *others = pieces
    if not others:
        return first + end
    stars = [f"(?>[^/]*?{piece})" for piece in others[:-1]]
    return f"{first}{''.join(stars)}(?>[^/]*?{others[-1]}{end})"


def _parts(pattern: str, text: str, gap: str) -> list[tuple[str, list[str]]]:
    """The runs between ``**``: what may lie before each, and its pieces between single stars."""
    from re import escape

    pieces = [""]
    parts = [(gap, pieces)]
    at = 0
    while at < len(text):
        char = text[at]
        if text.startswith("**", at):
            # Folders are whole: behind half a name it is any text that ends with a slash.
            whole = text.startswith("**/", at) and (at == 0 or text[at - 1] == "/")
            pieces = [""]
            parts.append((_FOLDERS if whole else _ANYWHERE, pieces))
            at += 3 if whole else 2
        elif char == "*":
            pieces.append("")
            at += 1
        elif char == "[" and "]" in text[at + 2 :]:
            end = text.index("]", at + 2)
            pieces[-1] += _set(pattern, text[at + 1 : end])
            at = end + 1
        else:
            pieces[-1] += "[^/]" if char == "?" else escape(char)
            at += 1
    return parts


def _set(pattern: str, inside: str) -> str:
    """``[ab]``, ``[a-f]``, ``[!ab]``: one character, never a slash."""
    from re import escape

    negated = inside[0] in "!^" and len(inside) > 1
    text = inside[negated:]
    out = ""
    at = 0
    while at < len(text):
        first = text[at]
        if text[at + 1 : at + 2] == "-" and at + 2 < len(text):
            last = text[at + 2]
            if first > last:
                raise GlobError(pattern, f"{first}-{last} is not a range")
            out += f"{escape(first)}-{escape(last)}"
            at += 3
        else:
            out += escape(first)
            at += 1
    return f"(?!/)[{'^' if negated else ''}{out}]"
