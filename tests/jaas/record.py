"""Records what Kafka makes of texts for ``sasl.jaas.config`` that are full of their traps.

    python tests/jaas/record.py

writes ``recorded.jsonl`` anew: one ``[text, module, options]`` a line, ``module`` being null where
Kafka refuses the text. Needs a JDK on the path and the jars that the oracle keeps; the same seed
gives the same file.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
RECORDING = HERE / "recorded.jsonl"
JARS = Path.home() / ".cache" / "kcheck" / "jars"
RELEASE = "4.4.0"
SEED = 20_260_102
COUNT = 1_200

_MODULES = ["org.apache.kafka.common.security.plain.PlainLoginModule", "A", "a.B$C", "_x-y", "é.Z"]
_FLAGS = ["required", "Requisite", "sufficient", "optional", "REQUIRED", '"required"'] * 4 + [
    "need"
]
_NAMES = ["username", "password", "user_a", "a-b", "k.1", "serviceName"]
_VALUES = [
    *['"b"', "'b'", "b", "b.c", "true", '"a b;c"', '"a\\"b"', '"\\d\\n\\101"', "'it\"s'", '""'],
    *['"c d"', "'e;f'", "x_y", "$x$", '"/etc/x"', '"{}"', '"1"', "c-d.e"] * 3,
    *["1", "-1", "1a", "-a", ".5", "/etc/x", "a/b", "{x}", "$x", "a=b", '"open', "é", "b,c", "*"],
]
_ODD = [
    "//c\n",
    "/*c*/",
    "/",
    "\n",
    "\t",
    ";",
    "=",
    '"',
    "'",
    "\\",
    " ",
    "#",
    "-",
    ".",
    "é",
    "_",
    "$",
]


def texts(seed: int, count: int) -> Iterator[str]:
    """Random texts, most of them shaped like a login module, the others soup."""
    chance = random.Random(seed)
    pick = chance.choice

    def option() -> str:
        middle = pick(["="] * 18 + [" = ", "", " "])
        return pick(_NAMES) + middle + pick(_VALUES)

    def module() -> str:
        parts = [pick(_MODULES), pick(_FLAGS)] + [option() for _ in range(chance.randint(0, 3))]
        return pick([" ", " ", "\n  "]).join(parts) + pick([";"] * 12 + [" ;", ""])

    for number in range(count):
        if number % 5 == 4:
            soup = [*_ODD, *_VALUES, *_NAMES, "A required", "="]
            yield "".join(pick(soup) for _ in range(chance.randint(0, 9)))
            continue
        text = module() + (pick([" ", "\n"]) + module() if chance.random() < 0.1 else "")
        for _ in range(chance.choice([0, 0, 0, 1])):
            at = chance.randint(0, len(text))
            text = text[:at] + pick(_ODD) + text[at:]
        yield text


def ask(asked: list[str]) -> list[tuple[str | None, dict[str, str]]]:
    """(login module, options) that Kafka reads in each text; None for a module where it refuses."""
    path = ":".join(map(str, sorted((JARS / RELEASE).rglob("*.jar"))))
    done = subprocess.run(
        ["java", "-cp", path, str(HERE / "AskJaas.java")],
        input="".join(text.encode().hex() + "\n" for text in asked),
        capture_output=True,
        text=True,
        check=True,
    )
    return [_answer(line) for line in done.stdout.split("\n")[:-1]]


def _answer(line: str) -> tuple[str | None, dict[str, str]]:
    if line == "!":
        return None, {}
    module, *options = line.split(" ")
    pairs = (option.split("=") for option in options)
    return _text(module), {_text(name): _text(value) for name, value in pairs}


def _text(digits: str) -> str:
    return bytes.fromhex(digits).decode()


def main() -> None:
    asked = list(dict.fromkeys(texts(SEED, COUNT)))
    with RECORDING.open("w", encoding="ascii", newline="\n") as file:
        for text, (module, options) in zip(asked, ask(asked), strict=True):
            file.write(json.dumps([text, module, options], separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
