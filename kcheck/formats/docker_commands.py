"""Brokers and workers that shell files start with ``docker run`` or ``podman run``.

The image and its variables mean what they mean in a compose file; what a shell fills in is unknown. A
container with a command of its own is mostly one of Kafka's tools, and one without variables tells
nothing: neither is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import images
from kcheck.formats.containers import Image, container
from kcheck.formats.environment import Variable
from kcheck.model import DOCKER, Document
from kcheck.syntax.shell_calls import Call
from kcheck.syntax.shell_values import Word

FORMAT = "docker-commands"

_TOOL = re.compile(r"(?:\S*/)?(?:docker|podman)")
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


def read(document: Document, calls: list[Call], place: Placed) -> bool:
    """Add the brokers and workers that a script's commands start; whether there are any."""
    found = [words for words in map(_started, calls) if words and _image(words) is not None]
    for words in found:
        _container(document, words, place)
    return bool(found)


def _started(call: Call) -> list[Word]:
    """The words behind ``run``, unless the command is only printed."""
    for number, word in enumerate(call.words):
        if call.prints or not _TOOL.fullmatch(word.text):
            continue
        behind = [one.text for one in call.words[number + 1 : number + 3]]
        at = 1 if behind[:1] == ["container"] else 0
        return call.words[number + 2 + at :] if behind[at : at + 1] == ["run"] else []
    return []


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
                begin = place + 1 + (word.text[place + 1] == "=")
                yield name, word.part(begin)
                continue
        elif name in _FLAGS:
            continue
        elif equals:
            yield name, word.part(len(name) + 1)
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


def _container(document: Document, words: list[Word], place: Placed) -> None:
    image = _image(words)
    if image is None:
        return

    path, name, complete = document.path, "", True
    variables: dict[str, Variable] = {}
    for option, value in _options(words):
        if value is None:
            continue
        if option in _VARIABLES:
            key, equals, _ = value.text.partition("=")
            told, named = value.part(len(key) + bool(equals)), value.part(0, len(key))
            raw = told.text if equals and value.known else None
            at = place(told.start, told.end) if equals else place(value.start, value.end)
            made = Variable(key, raw, path, at, place(named.start, named.end))
            variables[key] = made
        elif option == "--env-file":
            complete = False
        elif option == "--name" and value.known:
            name = value.text
    at = place(image.start, image.end)
    given = Image(image.text, at)
    made_of = container(name or image.text, path, at, given, variables, complete, DOCKER)
    if made_of is not None:
        document.resources.append(made_of)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.tool_commands import Placed
