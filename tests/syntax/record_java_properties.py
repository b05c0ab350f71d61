"""Records what java.util.Properties reads from texts that are full of its traps.

    python tests/syntax/record_java_properties.py

writes ``java_properties.jsonl`` anew: one ``[text, pairs]`` a line, ``pairs`` being null where
Java throws. Needs ``java`` of a JDK on the path; the same seed gives the same file.
"""

from __future__ import annotations

import itertools
import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
RECORDING = HERE / "java_properties.jsonl"
SEED = 20_260_101
COUNT = 2_000

Pairs = dict[str, str] | None

_ENDS = ["\n", "\n", "\n", "\r\n", "\r\n", "\r", "\n\n", "\r\r\n", ""]
_BLANKS = ["", "", "", " ", "  ", "\t", "\f", " \t\f "]
_SEPARATORS = [
    *["=", "=", "=", ":", " ", " = ", "\t:\t", "==", "=:", " \f", "\t", "\f", ""],
    *["\\=", "\\:", "\\ "],
]
_WORDS = [
    *["a", "b", "c.d", "key", "value", "PLAINTEXT://h:9092", "1", "x y", "x=y", "é"],
    *["#", "!", "# no"],
]
_ESCAPES = [
    *["\\", "\\\\", "\\\\\\", "\\t", "\\n", "\\r", "\\f", "\\u0041", "\\u003d", "\\u005C", "\\#"],
    *["\\z", '\\"', "\\ud83d\\ude00", "\\ud83d", "\\u00e9", "\\uFEFF", "\\U0041", "\\u000a"],
]
_RARE = ["\\u", "\\u12", "\\u12g4", "\\u 123", "\\u+123", "\\u1_23", "\\u12\n34", "\\u12\\\n34"]
_ODD = ["\ufeff", "\x0b", "\x85", "\xa0", "\u2028", "\x1c", "\0", "😀", "ü", "٣"]


def texts(seed: int, count: int) -> Iterator[str]:
    """Random texts, half of them shaped like properties files and half of them token soup."""
    chance = random.Random(seed)
    pick = chance.choice
    soup = [*_ENDS, *_BLANKS, *_SEPARATORS, *_ESCAPES, *"\\\\\\#!=: \r\nab"]

    def word() -> str:
        at = chance.random()
        if at < 0.004:
            return pick(_RARE)
        if at < 0.03:
            return pick(_ODD)
        return pick(_ESCAPES) if at < 0.25 else pick(_WORDS)

    def line() -> str:
        at = chance.random()
        if at < 0.1:
            return pick(_BLANKS) + pick("#!") + word() + pick(["", "", "\\", "\\\\"])
        if at < 0.2:
            return pick(_BLANKS) + pick(["", "\\", "\\", "\\\\"])
        key = "".join(word() for _ in range(chance.randint(0, 2)))
        value = "".join(word() for _ in range(chance.randint(0, 3)))
        joint = pick(["", "", "", "\\", "\\", "\\\\", "\\\\\\"])
        return pick(_BLANKS) + key + pick(_SEPARATORS) + pick(_BLANKS) + value + joint

    for number in range(count):
        if number % 2:
            yield "".join(line() + pick(_ENDS) for _ in range(chance.randint(1, 5)))
        else:
            length = chance.randint(1, 14)
            yield "".join(pick(soup) if chance.random() < 0.9 else word() for _ in range(length))


def short_texts() -> Iterator[str]:
    """Every text of up to four of the characters that steer the grammar, and one plain one."""
    for length in range(4):
        for characters in itertools.product("\\\n\r# =a", repeat=length):
            yield "".join(characters)
    for characters in itertools.product("\\\n\r#a", repeat=4):
        yield "".join(characters)


def ask_java(texts: list[str]) -> list[Pairs]:
    """The pairs that the Java on the path reads from each text; None where it throws."""
    lines = "".join(text.encode("utf-16-be").hex() + "\n" for text in texts)
    command = ["java", str(HERE / "JavaProperties.java")]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [_pairs(line) for line in done.stdout.split("\n")[:-1]]


def _pairs(line: str) -> Pairs:
    if line == "!":
        return None
    return dict(map(_pair, line.split()))


def _pair(text: str) -> tuple[str, str]:
    key, value = (
        bytes.fromhex(half).decode("utf-16-be", "surrogatepass") for half in text.split(":")
    )
    return key, value


def main() -> None:
    asked = list(dict.fromkeys([*short_texts(), *texts(SEED, COUNT)]))
    with RECORDING.open("w", encoding="ascii", newline="\n") as file:
        for text, pairs in zip(asked, ask_java(asked), strict=True):
            file.write(json.dumps([text, pairs], separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
