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
_FLAGS = frozenset(
    "--install -i --wait --wait-for-jobs --atomic --create-namespace --debug --dry-run --devel --force "
    "--reuse-values --reset-values --reset-then-reuse-values --dependency-update --dep-up "
    "--generate-name -g --cleanup-on-fail --no-hooks --skip-crds --include-crds --verify --replace "
    "--disable-openapi-validation --insecure-skip-tls-verify --pass-credentials --render-subchart-notes "
    "--tls --rollback-on-failure --server-side --hide-notes --hide-secret --take-ownership".split()
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
    plain: list[Word] = []
    told: list[tuple[str, Word]] = []
    rest = iter(words[at + 2 :])
    for word in rest:
        name, sign, _ = word.text.partition("=")
        if not name.startswith("-"):
            plain.append(word)
        elif name in _FLAGS:
            told.append((name, word))
        elif sign:
            told.append((name, word.part(len(name) + 1)))
        else:
            value = next(rest, None)
            told.extend([(name, value)] if value is not None else [])
    given = {name: word.text for name, word in told}
    chart = plain[-1].text if plain else ""
    called = given.get("--name", plain[0].text if len(plain) > 1 else "")
    origin, _, name = chart.rpartition("/")
    made = Release(
        called or name, given.get("--namespace", given.get("-n", "")), name,
        given.get("--repo", origin), given.get("--version", ""),
    )  # fmt: skip
    folder = document.path.rpartition("/")[0]
    for option, word in told:
        if option in _FILES:
            paths = [within(folder, word.text), within("", word.text)] if is_known(word) else []
            found = next((one for one in paths if one and origins.has(one)), "")
            made.lay_file(found, origins)
    for option, word in told:
        made.open = made.open or option in _OPEN
        if option in _SETS:
            _set(made, word, place)
    if made.values is not None:
        yield made


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
    from kcheck.formats.commands.topics import Placed
