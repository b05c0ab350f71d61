"""What systemd makes of a unit that starts a program of Kafka's, where its author meant a shell.

By systemd.service(5) and systemd.exec(5), and by the start scripts of Kafka, which leave the JVM to
itself with ``-daemon``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.text import templated
from kcheck.model import ERROR, WARNING, Document, Problem, Setting

CODE = "KC2040"
_DIRECTIVE = re.compile(r"\s*([A-Za-z]+)\s*=\s*(.*)$")
#: The start scripts of Kafka and of the programs around it.
_SCRIPT = re.compile(
    r"(?:kafka-server|zookeeper-server|schema-registry|ksql-server|kafka-rest|connect-(?:distributed|standalone)"
    r"|connect-mirror-maker)(?:-start)?(?:\.sh)?"
)
_DAEMON = ("-daemon", "--daemon")
#: What is of a shell alone, as a word of its own.
_SHELLS_OWN = re.compile(r"\d?>{1,2}(?:&\d)?.*|&&|\|{1,2}|&|<")
#: What may stand before the path of a program (Special executable prefixes).
_PREFIXES = "@-:+!|"
_NAME = re.compile(r"[A-Za-z_]\w*=")
#: A variable as shells write it; a password may have a dollar sign, too.
_VARIABLE = re.compile(r"\$\{?[A-Z][A-Z0-9_]{2,}\b\}?")
#: What a unit does with what its main process leaves behind.
_LEAVES = ("process", "none")
#: So many lines are one at most.
_MOST = 50


def tell(document: Document, lines: list[tuple[str, int, str, int]]) -> None:
    """Report what a unit's directives do not do; ``lines`` are those of the unit and its drop-ins, each
    with its file, number, text and by how much its columns are too large."""
    told: dict[str, tuple[str, int, str, int]] = {}
    assigned: list[tuple[str, int, str, int]] = []
    for path, number, line, shift in _joined(lines):
        found = _DIRECTIVE.match(line)
        if found is None or templated(found[2]) or shift:
            continue
        placed = (path, number, found[2].strip(), found.start(2) + 1)
        if found[1] == "Environment":
            assigned.append(placed)
        else:
            told[found[1]] = placed
    start = told.get("ExecStart")
    if start is None or not any(map(_is_script, start[2].split())):
        return
    kind = told.get("Type", ("", 0, "simple", 0))[2]
    kept = told.get("KillMode", ("", 0, "", 0))[2] in _LEAVES or "RemainAfterExit" in told
    document.problems += [
        *_started(start, kind, kept),
        *(one for placed in assigned for one in _variables(placed)),
    ]


def _joined(lines: list[tuple[str, int, str, int]]) -> Iterator[tuple[str, int, str, int]]:
    """The lines, those that end with a backslash with the next one."""
    open_: tuple[str, int, str, int] | None = None
    count = 0
    for path, number, line, shift in lines:
        if open_ is not None and open_[0] == path and count < _MOST:
            path, number, line, shift = path, open_[1], f"{open_[2]} {line.lstrip()}", open_[3]
        count = count + 1 if line.endswith("\\") else 0
        if line.endswith("\\"):
            open_ = (path, number, line[:-1], shift)
        else:
            open_ = None
            yield path, number, line, shift


def _is_script(word: str) -> bool:
    return _SCRIPT.fullmatch(word.rpartition("/")[2]) is not None


def _started(start: tuple[str, int, str, int], kind: str, kept: bool) -> Iterator[Problem]:
    words = start[2].split()
    program = words[0].lstrip(_PREFIXES)
    if not _is_script(program):
        return
    name = program.rpartition("/")[2]
    if "/" in program and not program.startswith(("/", "$", "%")):
        yield _problem(
            start,
            f"ExecStart={program} is no absolute path",
            "systemd does not load the unit: the executable path is not absolute",
            "write the whole path",
        )
    daemon = next((one for one in words if one in _DAEMON), "")
    if daemon and kind in ("simple", "exec", "notify", "idle") and not kept:
        yield _problem(
            start,
            f"ExecStart of Type={kind} starts {name} with {daemon}",
            f"{name} starts the JVM in the background and ends: systemd takes the unit for ended, and "
            "stops the JVM",
            f"remove {daemon}",
        )
    elif not daemon and kind == "forking" and words[-1] != "&":
        yield _problem(
            start,
            f"Type=forking waits for {name} to end, which stays in the foreground",
            "systemd takes the start for failed after TimeoutStartSec (90 s), and stops the program",
            "set Type=simple",
        )
    shells = next((one for one in words[1:] if _SHELLS_OWN.fullmatch(one)), "")
    if shells:
        yield _problem(
            start,
            f"ExecStart has {shells}, but systemd starts no shell",
            f"{name} gets it and what follows as arguments, and does not start with them",
            "remove it (StandardOutput= is for the output), or start /bin/sh -c '…'",
        )


def _variables(placed: tuple[str, int, str, int]) -> Iterator[Problem]:
    text = placed[2]
    name = text.partition("=")[0]
    if "'" not in text and '"' not in text:
        lost = [one for one in text.split()[1:] if not _NAME.match(one)]
        if lost:
            yield _problem(
                placed,
                f"Environment={name}=… ends at the first blank: {' '.join(lost)} is ignored",
                f"systemd separates assignments by blanks, so {name} has its first word only",
                f'write Environment="{text}"',
                WARNING,
                name,
            )
    found = _VARIABLE.search(text)
    if found is not None:
        yield _problem(
            placed,
            f"Environment={name.strip(chr(34))}=… has {found[0]}, which systemd does not replace",
            "the program gets the dollar sign and the name as they are",
            "write the value",
            WARNING,
            name.strip('"'),
        )


def _problem(
    placed: tuple[str, int, str, int],
    message: str,
    breaks: str,
    fix: str,
    severity: str = ERROR,
    key: str = "ExecStart",
) -> Problem:
    path, number, text, column = placed
    at = (number, column, number, column + len(text))
    told = Setting(key, text, path, at, at)
    return Problem(message, at, CODE, severity, breaks, fix, setting=told)
