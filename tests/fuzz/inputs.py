"""Seeded inputs: some files of one project, its settings, a version, and what is done to them."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from seeds import ENDINGS, KEYS, SCRAPS, SEEDS, SETTINGS, VERSIONS


class Input:
    """What is linted. ``planted`` are texts that may stand in no output."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.settings: bytes | None = None
        self.version = ""
        self.planted: list[str] = []

    def size(self) -> int:
        return sum(map(len, self.files.values())) + len(self.settings or b"")


#: Puts texts into a good file that nothing may show, and gives the file and these texts.
Planter = Callable[[Random, str, str], tuple[str, list[str]]]


def nothing_planted(random: Random, path: str, text: str) -> tuple[str, list[str]]:
    return text, []


def make(random: Random, plant: Planter = nothing_planted) -> Input:
    made = Input()
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 5))):
        path, text = random.choice(SEEDS)
        text, planted = plant(random, path, text)
        made.planted += planted
        for _ in range(random.choice((0, 1, 1, 1, 2, 3, 6))):
            text = random.choice(_DAMAGES)(random, text)
        made.files[_path(random, path)] = _bytes(random, text)
    if random.random() < 0.15:
        text = SETTINGS
        for _ in range(random.choice((0, 1, 1, 2, 4))):
            text = random.choice(_DAMAGES)(random, text)
        made.settings = _bytes(random, text)
    made.version = random.choice(VERSIONS) if random.random() < 0.3 else ""
    return made


def _path(random: Random, path: str) -> str:
    """Mostly where such a file lies; now and then elsewhere, or under another ending."""
    if random.random() < 0.04:
        path = path.rpartition(".")[0] + random.choice(ENDINGS)
    if random.random() < 0.3:
        path = random.choice(("a/", "b/", "a/b/", "prod/", "templates/", "überall/")) + path
    return path


def _bytes(random: Random, text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    chance = random.random()
    if chance < 0.01:
        return text.encode("utf-16", "surrogatepass")
    if chance < 0.02:
        return text.encode("latin-1", "replace")
    if chance < 0.03:
        return b"\xef\xbb\xbf" + data
    if chance < 0.05 and data:
        at = random.randrange(len(data))
        return data[:at] + random.randbytes(random.randint(1, 4)) + data[at:]
    if chance < 0.07:
        return data.replace(b"\n", random.choice((b"\r\n", b"\r")))
    return data


# --- damages: each takes a text and gives another -------------------------------------------------

_VALUE = re.compile(r"(?<=[=:] )\S[^\n]*|(?<==)[^\s=][^\n]*")
_WORD = re.compile(r"[\w.-]{2,}")
_KEY = re.compile(r"[a-z]+(?:\.[a-z]+)+")


def _scrap(random: Random, text: str) -> str:
    start = random.randint(0, len(text))
    end = min(len(text), start + random.choice((0, 0, 1, 3, 12)))
    return text[:start] + random.choice(SCRAPS) + text[end:]


def _value(random: Random, text: str) -> str:
    return _instead(random, text, _VALUE, random.choice(SCRAPS))


def _word(random: Random, text: str) -> str:
    return _instead(random, text, _WORD, random.choice(SCRAPS))


def _key(random: Random, text: str) -> str:
    return _instead(random, text, _KEY, random.choice(KEYS))


def _slip(random: Random, text: str) -> str:
    found = list(_WORD.finditer(text))
    if not found:
        return text
    at = random.randrange(*random.choice(found).span())
    return text[:at] + random.choice(("", text[at] * 2, "x")) + text[at + 1 :]


def _instead(random: Random, text: str, pattern: re.Pattern[str], other: str) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    match = random.choice(found)
    return text[: match.start()] + other + text[match.end() :]


def _lines(random: Random, text: str) -> str:
    """A line that is moved, doubled, left out, indented or joined."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    line = lines[at]
    deed = random.randrange(6)
    if deed == 0:
        del lines[at]
    elif deed == 1:
        lines.insert(other, line)
    elif deed == 2:
        lines[at], lines[other] = lines[other], line
    elif deed == 3:
        lines[at] = random.choice(("  ", "\t", " ")) + line
    elif deed == 4:
        lines[at] = line.lstrip()
    else:
        lines[at] = line.rstrip("\n") + random.choice((" ", "\\\n", ""))
    return "".join(lines)


def _cut(random: Random, text: str) -> str:
    at = random.randint(0, len(text))
    return text[:at] if random.random() < 0.7 else text[at:]


def _many(random: Random, text: str) -> str:
    """A part of the text again and again."""
    start = random.randint(0, len(text))
    part = text[start : start + random.choice((1, 3, 10, 40))]
    return text[:start] + part * random.choice((2, 3, 10, 100)) + text[start:]


def _splice(random: Random, text: str) -> str:
    """A piece of another file in it."""
    other = random.choice(SEEDS)[1]
    start = random.randint(0, len(other))
    at = random.randint(0, len(text))
    return text[:at] + other[start : start + random.choice((10, 40, 200))] + text[at:]


def _nest(random: Random, text: str) -> str:
    opens, closes = random.choice(
        (("[", "]"), ("{", "}"), ("{a: ", "}"), ("${A:-", "}"), ("(", ")"))
    )
    start = random.randint(0, len(text))
    end = min(len(text), start + random.randint(0, 20))
    count = random.choice((1, 2, 10, 200))
    return text[:start] + opens * count + text[start:end] + closes * count + text[end:]


def _alias(random: Random, text: str) -> str:
    """An anchor at one value of a YAML file, and its alias in the place of others."""
    text = _instead(random, text, re.compile(r"(?<=: )(?=\S)"), "&z ")
    for _ in range(random.randint(1, 3)):
        text = _instead(random, text, re.compile(r"(?<=: )[^&\s][^\n]*"), "*z")
    return text


_DAMAGES: tuple[Callable[[Random, str], str], ...] = (
    *(_scrap, _scrap, _value, _value, _value, _word, _key, _key, _slip, _slip),
    *(_lines, _lines, _lines, _cut, _many, _splice, _nest, _alias),
)
