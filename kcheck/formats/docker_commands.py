"""Brokers and workers that shell files start with ``docker run`` or ``podman run``.

The image and its variables mean what they mean in a compose file; what a shell fills in is unknown. A
container with a command of its own is mostly one of Kafka's tools, and one without variables tells
nothing: neither is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import images
from kcheck.formats import Lookup, topic_commands
from kcheck.formats.containers import Image, container
from kcheck.formats.environment import Variable
from kcheck.model import DOCKER, Document, Position

FORMAT = "docker-commands"

_RUN = re.compile(
    r"(?<![\w./-])(?:/\S*/)?(?:docker|podman)[ \t]+(?:container[ \t]+)?run(?=[ \t\\])"
)
#: A word with its quotes, a continued line, or what ends the command.
_PART = re.compile(
    r"""(?P<blank>(?:[ \t]|\\\r?\n)+)|(?P<end>\r?\n|[;&|)])|(?P<single>'[^']*')"""
    r"""|(?P<double>"(?:[^"\\]|\\.)*")|(?P<plain>(?:[^\s'"\\;&|)]|\\.)+)""",
    re.DOTALL,
)
#: Options of ``docker run`` without a value; all other long ones have one.
_FLAGS = frozenset(
    (
        *("--rm", "--detach", "--init", "--interactive", "--tty", "--privileged", "--read-only"),
        *("--publish-all", "--no-healthcheck", "--oom-kill-disable", "--quiet", "--replace"),
        *("--disable-content-trust", "--sig-proxy"),
    )
)
_VARIABLES = ("-e", "--env")
#: Short options with a value; the others can stand together: -dit.
_VALUED = frozenset("evphuwlmca")
_FILLED = re.compile(r"[$`]")


class Word:
    """A word of a command as the shell passes it on; ``known`` unless the shell fills it in."""

    __slots__ = ("end", "known", "start", "text")

    def __init__(self, text: str, start: int, end: int, known: bool) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.known = known


def recognise(path: str, data: bytes) -> str | None:
    if b" run" not in data or not (b"docker" in data or b"podman" in data):
        return None
    text = data.decode("utf-8", "replace")
    return FORMAT if any(_image(words) is not None for words in commands(text)) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    text = data.decode("utf-8", "replace")
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    for words in commands(text):
        _container(document, words, starts)
    if topic_commands.recognise(document.path, data) is not None:
        topic_commands.read(document, data, lookup)


def commands(text: str) -> Iterator[list[Word]]:
    """The words behind ``run`` of each command that is no comment and is not only printed."""
    for found in _RUN.finditer(text):
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if "#" in line or topic_commands.printed(line):
            continue
        yield _words(text, found.end())


def _words(text: str, at: int) -> list[Word]:
    words: list[Word] = []
    parts: list[tuple[str, bool]] = []
    begin = at
    while at < len(text):
        found = _PART.match(text, at)
        kind = found.lastgroup if found is not None else "end"
        if found is None or kind in ("blank", "end"):
            if parts:
                known = all(one for _, one in parts)
                words.append(Word("".join(part for part, _ in parts), begin, at, known))
                parts = []
            if found is None or kind == "end":
                return words
            at = begin = found.end()
            continue
        parts.append(_shell(found[0], kind or ""))
        at = found.end()
    if parts:
        words.append(
            Word("".join(part for part, _ in parts), begin, at, all(one for _, one in parts))
        )
    return words


def _shell(text: str, kind: str) -> tuple[str, bool]:
    """What the shell makes of one part of a word, and whether it is known."""
    if kind == "single":
        return text[1:-1], True
    known = _FILLED.search(re.sub(r"\\.", "", text)) is None
    if kind == "double":
        return re.sub(r'\\([$`"\\]|\n)', r"\1", text[1:-1]), known
    return re.sub(r"\\(.)", r"\1", text), known


def _options(words: list[Word]) -> Iterator[tuple[str, Word | None]]:
    """(name, value) of each option, and at the end ("", image) and ("command", …) if there are any."""
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.text.startswith("-"):
            yield "", word
            if at < len(words):
                yield "command", words[at]
            return
        name, equals, _ = word.text.partition("=")
        if not word.text.startswith("--"):
            place = next((i for i, c in enumerate(word.text) if c in _VALUED), 0)
            if not place:
                continue
            name = f"-{word.text[place]}"
            if place + 1 < len(word.text):
                rest = word.text[place + 1 :].removeprefix("=")
                yield name, Word(rest, word.end - len(rest), word.end, word.known)
                continue
        elif name in _FLAGS:
            continue
        elif equals:
            rest = word.text[len(name) + 1 :]
            yield name, Word(rest, word.end - len(rest), word.end, word.known)
            continue
        if at < len(words):
            yield name, words[at]
            at += 1


def _image(words: list[Word]) -> Word | None:
    """The image of the command, if its own script starts with variables that kcheck knows."""
    image, varied = None, False
    for name, value in _options(words):
        if name in ("command", "--entrypoint"):
            return None
        if not name:
            image = value
        varied = varied or name in _VARIABLES
    if image is None or not varied or not image.known:
        return None
    return image if images.family_of(images.split(image.text)[0]) is not None else None


def _container(document: Document, words: list[Word], starts: list[int]) -> None:
    image = _image(words)
    if image is None:
        return

    def place(start: int, end: int) -> Position:
        line = topic_commands.line_of(starts, start)
        return line + 1, start - starts[line] + 1, line + 1, end - starts[line] + 1

    path, name, complete = document.path, "", True
    variables: dict[str, Variable] = {}
    for option, value in _options(words):
        if value is None:
            continue
        if option in _VARIABLES:
            key, equals, text = value.text.partition("=")
            begin = max(value.start, value.end - len(text)) if equals else value.start
            raw = text if equals and value.known else None
            key_end = min(value.start + len(key), value.end)
            made = Variable(key, raw, path, place(begin, value.end), place(value.start, key_end))
            variables[key] = made
        elif option == "--env-file":
            complete = False
        elif option == "--name" and value.known:
            name = value.text
    at = place(image.start, image.end)
    told = Image(image.text, at)
    made_of = container(name or image.text, path, at, told, variables, complete, DOCKER)
    if made_of is not None:
        document.resources.append(made_of)
