"""Charts that scripts install with single values: ``helm install NAME CHART --set a.b=c``.

A command with files of values, or with values that another command gives it, is left out: the files are
judged where they are, and what goes over them is a part of nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats import Lookup
from kcheck.formats.helm.release import MOST_SET, Release, take
from kcheck.formats.origins import Origins
from kcheck.model import Document
from kcheck.syntax import trees
from kcheck.syntax.nodes import Scalar
from kcheck.syntax.shell_command import Call
from kcheck.syntax.shell_values import Word

_TOOL = re.compile(r"(?:\S*/)?helm3?")
_VERBS = ("install", "upgrade")
_SETS = ("--set", "--set-string")
#: Options whose values are not here: with one of them the command says nothing by itself.
_ELSEWHERE = ("-f", "--values", "--set-json", "--set-file", "--set-literal", "--reuse-values")
_VALUED = frozenset(
    (
        *(*_SETS, "--version", "-n", "--namespace", "--timeout", "--repo", "--kubeconfig"),
        *("--kube-context", "--description", "--history-max", "--username", "--password"),
        *(
            "--ca-file",
            "--cert-file",
            "--key-file",
            "--keyring",
            "--post-renderer",
            "-o",
            "--output",
        ),
    )
)
#: A comma that parts assignments: outside of braces and without a backslash.
_COMMA = re.compile(r"(?<!\\),(?![^{}]*\})")
_CHARTS = re.compile(
    r"(?:\S*/)?(?:bitnami|bitnamicharts|redpanda|confluentinc)/(?:kafka|redpanda|cp-helm-charts)"
)


def read(document: Document, data: bytes, calls: list[Call], place: Placed, lookup: Lookup) -> None:
    """Add what the values of a script's commands say of brokers."""
    before = len(document.resources)
    found = [one for call in calls for one in _releases(call, place)]
    take(document, lookup, found, Origins(document, data, lookup))
    for made in document.resources[before:]:
        # Nobody knows whether the cluster beside the script is this one.
        made.traits.apart = made.traits.partial = True


def _releases(call: Call, place: Placed) -> Iterator[Release]:
    words = call.words
    start = next((at for at, one in enumerate(words[:5]) if _TOOL.fullmatch(one.text)), None)
    if start is None or call.prints:
        return
    options: dict[str, list[Word]] = {}
    named: list[Word] = []
    for name, value in _options(words[start + 1 :]):
        if name in _ELSEWHERE:
            return
        options.setdefault(name, []).append(value)
        if not name:
            named.append(value)
    if len(named) != 3 or named[0].text not in _VERBS or not _CHARTS.fullmatch(named[2].text):
        return

    def text(*names: str) -> str:
        told = [value for name in names for value in options.get(name, ())]
        return told[-1].text if told and told[-1].known else ""

    own = named[1].text if named[1].known else ""
    origin, _, chart = named[2].text.rpartition("/")
    made = Release(own, text("-n", "--namespace"), chart, origin, text("--version"))
    for word in [one for name in _SETS for one in options.get(name, ())][:MOST_SET]:
        for part in _assignments(word):
            route, equals, _ = part.text.partition("=")
            key, value = part.part(0, len(route)), part.part(len(route) + 1)
            if equals and key.known:
                node = Scalar(_value(value), place(value.start, value.end), "")
                at = Scalar(route, place(key.start, key.end), "")
                made.lay(trees.planted(route, at, node))
    yield made


def _value(word: Word) -> str:
    return word.text if word.known else "${?}"


def _options(words: list[Word]) -> Iterator[tuple[str, Word]]:
    """The options with their values, or themselves where they have none; "" for what is no option."""
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        name, equals, _ = word.text.partition("=")
        if not word.text.startswith("-"):
            yield "", word
        elif equals and word.text.startswith("--"):
            yield name, word.part(len(name) + 1)
        elif word.text in _VALUED and at < len(words):
            yield word.text, words[at]
            at += 1
        else:
            yield word.text, word


def _assignments(word: Word) -> Iterator[Word]:
    begin = 0
    for found in _COMMA.finditer(word.text):
        yield word.part(begin, found.start())
        begin = found.end()
    yield word.part(begin)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.commands.tools import Placed
