"""Charts that scripts install with ``helm install`` or ``helm upgrade``: what ``--set`` and files of
values say of brokers, workers and topics.

A file is looked for in the folder of the script and in that of the project. What a shell fills in, and
values of a release that is there already, are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats import Lookup
from kcheck.formats.commands.tools import is_known
from kcheck.formats.helm.release import MOST_SET, Release, take
from kcheck.formats.origins import Origins, within
from kcheck.model import Document
from kcheck.syntax import trees
from kcheck.syntax.nodes import Scalar
from kcheck.syntax.shell_command import Call
from kcheck.syntax.shell_values import Word

_TOOL = re.compile(r"(?:\S*/)?helm3?")
_DOES = ("install", "upgrade", "template")
#: Options without a value; all other ones have one.
_FLAG = re.compile(
    r"-[ig]|--(?:install|wait(?:-for-jobs)?|atomic|create-namespace|debug|dry-run|devel|force|replace|tls"
    r"|re(?:use|set|set-then-reuse)-values|dep(?:endency-update|-up)|generate-name|cleanup-on-fail|no-hooks"
    r"|(?:skip|include)-crds|verify|disable-openapi-validation|insecure-skip-tls-verify|pass-credentials"
    r"|render-subchart-notes|rollback-on-failure|server-side|hide-(?:notes|secret)|take-ownership)"
)
_SETS, _FILES = ("--set", "--set-string"), ("-f", "--values")
#: Where values come from that nobody reads here.
_OPEN = ("--reuse-values", "--reset-then-reuse-values", "--set-file", "--set-json", "--set-literal")


def read(document: Document, calls: list[Call], data: bytes, place: Placed, lookup: Lookup) -> bool:
    """Add what charts are told; whether any call installs one that kcheck knows."""
    origins = Origins(document, data, lookup)
    before = len(document.resources)
    made = [one for call in calls for one in _release(document, call, place, origins)]
    take(document, lookup, made, origins)
    return len(document.resources) > before


def _release(document: Document, call: Call, place: Placed, origins: Origins) -> Iterator[Release]:
    words = call.words
    at = next((n for n, word in enumerate(words) if _TOOL.fullmatch(word.text)), None)
    if call.prints or at is None or at + 1 >= len(words) or words[at + 1].text not in _DOES:
        return
    plain, told = _arguments(words[at + 2 :])
    given = {name: word.text for name, word in told}
    origin, _, name = (plain[-1].text if plain else "").rpartition("/")
    made = Release(
        given.get("--name", plain[0].text if len(plain) > 1 else "") or name,
        given.get("--namespace", given.get("-n", "")),
        name,
        given.get("--repo", origin),
        given.get("--version", ""),
    )
    folder = document.path.rpartition("/")[0]
    for _, word in (one for one in told if one[0] in _FILES):
        paths = [within(folder, word.text), within("", word.text)] if is_known(word) else []
        made.lay_file(next((one for one in paths if one and origins.has(one)), ""), origins)
    for option, word in told:
        made.open = made.open or option in _OPEN
        if option in _SETS:
            _set(made, word, place)
    if made.values is not None:
        yield made


def _arguments(words: list[Word]) -> tuple[list[Word], list[tuple[str, Word]]]:
    """The arguments that are no options, and the options with their values."""
    plain: list[Word] = []
    told: list[tuple[str, Word]] = []
    rest = iter(words)
    for word in rest:
        name, sign, _ = word.text.partition("=")
        if not name.startswith("-"):
            plain.append(word)
        elif sign or _FLAG.fullmatch(name):
            told.append((name, word.part(len(name) + len(sign))))
        else:
            told += [(name, value) for value in (next(rest, None),) if value is not None]
    return plain, told


def _set(release: Release, word: Word, place: Placed) -> None:
    """Lay what ``--set`` says over the values, ``A=B`` or several of them."""
    for piece in _parts(word)[:MOST_SET]:
        route, sign, _ = piece.text.partition("=")
        key, value = piece.part(0, len(route)), piece.part(len(route) + 1)
        if not (sign and is_known(key) and is_known(value)) or value.text.startswith("{"):
            release.open = True
            continue
        name = Scalar(route, place(key.start, key.end))
        text = value.text.replace("\\,", ",")
        release.lay(trees.planted(route, name, Scalar(text, place(value.start, value.end))))


def _parts(word: Word) -> list[Word]:
    """What is between commas that no backslash and no braces keep."""
    made: list[Word] = []
    start = depth = 0
    for at, sign in enumerate(word.text):
        depth += (sign == "{") - (sign == "}")
        if sign == "," and not depth and word.text[at - 1 : at] != "\\":
            made.append(word.part(start, at))
            start = at + 1
    return [*made, word.part(start)]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed
