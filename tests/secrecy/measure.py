#!/usr/bin/env python3
"""How many values that are no secrets kcheck hides in the files of a folder.

    python tests/secrecy/measure.py FOLDER [--most 2.0] [--verbose]

Hiding too much is a fault as hiding too little is: nobody trusts a report whose evidence is blank.
Two shares are measured: of the values that kcheck reads from the files, and of the lines of all
files, as excerpts show them. What is no secret is told here without asking kcheck: by names that
mean nothing secret to a human reader, and by values that nobody would choose as a password. A value
counts as secret if it was blanked (``changeit``, ``********`` and the like).
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from kcheck import engine, secrets
from kcheck.settings import Settings

#: What a reader takes for the name of a secret, at its end.
SECRET_NAME = re.compile(
    r"(?i)(pass(word|wd|phrase)?s?|pwd|secrets?|tokens?|credentials?|jaas[._-]?config|user[._-]?info"
    r"|(api|access|private|secret|master|account|encryption|license|ssl|keystore)[._-]?key|license"
    r"|certificates?|chain|pem|masterkey|authorization|storepass|keypass)([._-]?\d+)?$"
)
#: What nobody chooses as a password, or what stands for one.
PUBLIC_VALUE = re.compile(
    r"(?i)(true|false|null|none|\d{1,7}|/[\w./-]+|\$\{[\w.]+\}|\{\{[\w. ]+\}\}|[\w.]+\.[A-Z]\w+)$"
)
BLANKED = re.compile(r"(?i)changeit|changeme|your[-_]|<[^>]*>|\*{3,}|x{4,}|\[hidden\]|secret|pass")
#: A secret that a text gives away: a login, an assignment, a header, a key.
GIVEN_AWAY = re.compile(
    r"(?i)(pass|secret|token|credential|key|pwd|jaas|user_\w+|user[._]?info)\S*[\"']?\s*(=|:|\s)"
    r"|://[^\s/@]*@|LoginModule|BEGIN |Authorization|^\s*-{1,2}"
)
PAIR = re.compile(r"""([\w.-]+)["']?\s*(?:=>|[=:])\s*["']?([^\s"',;]+)""")


def is_public(name: str, value: str) -> bool:
    """Whether a reader would be surprised not to see the value."""
    if BLANKED.search(value):
        return False
    if PUBLIC_VALUE.match(value):
        return True
    return not SECRET_NAME.search(name) and not GIVEN_AWAY.search(value)


def files_of(folder: Path) -> list[tuple[str, bytes]]:
    return [
        (str(path.relative_to(folder)), path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and os.path.getsize(path) < 4 << 20
    ]


def of_values(files: list[tuple[str, bytes]]) -> tuple[int, list[str]]:
    """The settings that kcheck reads: how many are no secrets, and which of those it hides."""
    project = engine.read_project(files, Settings())
    count, hidden = 0, []
    for document in project.documents:
        for resource in document.resources:
            for setting in resource.stated:
                if not setting.text or not is_public(setting.name or setting.key, setting.text):
                    continue
                count += 1
                shown = secrets.shown(setting.key, setting.text, setting.name)
                if shown != setting.text:
                    hidden.append(f"{document.path}: {setting.name}={setting.text[:100]}")
    return count, hidden


def of_lines(files: list[tuple[str, bytes]]) -> tuple[int, list[str]]:
    """The names with values in the text: how many are no secrets, and which of those are hidden."""
    count, hidden = 0, []
    for path, data in files:
        lines = data.decode("utf-8", "replace").split("\n")
        for line, spans in zip(lines, secrets.spans_of_lines(lines, 0, len(lines)), strict=True):
            for match in PAIR.finditer(line):
                if not is_public(match.group(1), match.group(2)):
                    continue
                count += 1
                start, end = match.span(2)
                if any(begin < end and stop > start for begin, stop in spans):
                    hidden.append(f"{path}: {line.strip()[:140]}")
    return count, hidden


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=float, default=2.0, help="percent that may be hidden")
    parser.add_argument("--verbose", action="store_true", help="name what is hidden")
    options = parser.parse_args()
    files = files_of(options.folder)
    over = False
    for what, (count, hidden) in (("values", of_values(files)), ("lines", of_lines(files))):
        share = 100 * len(hidden) / max(1, count)
        over = over or share > options.most
        print(f"{what}: {count:,} are no secrets, {len(hidden):,} of them hidden ({share:.2f}%)")
        if options.verbose:
            print("".join(f"  {one}\n" for one in hidden), end="")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
