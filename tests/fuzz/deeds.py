"""What is done with an input, in this process: the commands, their outputs, and what may not happen."""

from __future__ import annotations

import io
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from types import FrameType

import typer.main
from inputs import Input

from kcheck.__main__ import main
from kcheck.cli import app

#: Processor time of one command.
SECONDS = 2.0
#: What ends a command that does not come back: seconds on the wall.
_HANG = 30
#: An output may be so many times as large as the input, and so much in any case.
TIMES, FREE = 400, 1_000_000

_LINT = (
    "text",
    "json",
    "sarif",
    "html",
    "markdown",
    "github",
    "gitlab",
    "junit",
    "checkstyle",
    "concise",
)

#: The commands, and how often each is asked for.
COMMANDS: tuple[tuple[int, tuple[str, ...]], ...] = (
    *(
        (3 if kind in ("text", "json") else 1, ("lint", "--allow-empty", "--output", kind))
        for kind in _LINT
    ),
    (1, ("lint", "--allow-empty", "--preview", "--extend-select", "all")),
    (1, ("lint", "--allow-empty", "--no-ignores", "--statistics")),
    (2, ("lint", "--allow-empty", "--diff")),
    (2, ("lint", "--allow-empty", "--unsafe-fixes", "--diff")),
    (1, ("lint", "--allow-empty", "--unsafe-fixes")),
    (2, ("show",)),
    (1, ("show", "--all", "--output", "json")),
    (1, ("show", "--graph", "dot")),
    (2, ("limits", "--output", "json")),
    (1, ("limits", "--output", "markdown")),
    (2, ("upgrade", "--allow-empty", "--from", "3.9", "--to", "4.4")),
    (1, ("upgrade", "--allow-empty", "--output", "json", "--from", "2.8")),
    (1, ("files", "--output", "json")),
    (1, ("files", "--verbose")),
    (1, ("baseline", "create")),
)
_CHOICE = [command for count, command in COMMANDS for _ in range(count)]


#: Building the commands takes longer than most of them: it is done once.
_program = cache(lambda: typer.main.get_command(app.built()))


def _main(args: list[str]) -> int | str | None:
    if args[0] == "lint":
        return main(args)
    try:
        _program()(args, prog_name="kcheck")
    except SystemExit as ended:
        return ended.code
    return 0


class Hang(BaseException):
    """A command does not come back."""


class Fault:
    """What went wrong with an input: the kind, the command, and more in words."""

    def __init__(self, kind: str, command: tuple[str, ...], words: str) -> None:
        self.kind = kind
        self.command = command
        self.words = words

    @property
    def likeness(self) -> tuple[str, ...]:
        return self.kind, self.words.strip().splitlines()[-1][:160] if self.words.strip() else ""


def commands(random: Random, given: Input) -> list[tuple[str, ...]]:
    """Some commands for an input."""
    found: list[tuple[str, ...]] = []
    for chosen in random.sample(_CHOICE, 2):
        takes = given.version and chosen[0] not in ("upgrade", "files")
        found.append((*chosen, "--kafka-version", given.version) if takes else chosen)
    return found


def lay(given: Input, folder: Path) -> None:
    """Write the files of an input into a folder that holds nothing else then."""
    if folder.exists():
        for left in folder.iterdir():
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left)
            else:
                left.unlink()
    # It is a project of its own, wherever it lies.
    files = {".git": b"", **given.files}
    if given.settings is not None:
        files["kcheck.toml"] = given.settings
    for path, data in files.items():
        target = folder / path
        if not target.parent.is_dir():
            target.parent.mkdir(parents=True)
        target.write_bytes(data)


def run(given: Input, command: tuple[str, ...], folder: Path) -> tuple[Fault | None, str]:
    """Run a command on what lies in the folder; what is wrong, and all that it wrote."""
    said, told = io.BytesIO(), io.BytesIO()
    began = time.process_time()
    code: int | str | None = None
    with _at(folder), _streams(said, told), _bounded():
        try:
            code = _main(list(command))
        except Hang:
            return Fault("hang", command, traceback.format_exc()), ""
        except BaseException:
            return Fault("exception", command, traceback.format_exc()), ""
    taken = time.process_time() - began
    output = said.getvalue() + told.getvalue()
    text = output.decode("utf-8", "replace")
    return _judged(
        given, command, code, told.getvalue().decode("utf-8", "replace"), text, taken
    ), text


def _judged(
    given: Input,
    command: tuple[str, ...],
    code: int | str | None,
    told: str,
    text: str,
    taken: float,
) -> Fault | None:
    if code not in (0, 1, 2):
        return Fault("exit code", command, str(code))
    if "internal error" in told or "Traceback" in told:
        return Fault("exception", command, told)
    if taken > SECONDS:
        return Fault("hang", command, f"took {taken:.1f} s")
    if given.size() < 200_000 and "and was aborted" in text:
        return Fault("hang", command, "gave a small file up")
    if len(text) > FREE + TIMES * given.size():
        return Fault("growth", command, f"{given.size():,} B became {len(text):,} characters")
    for planted in given.planted:
        if planted in text:
            return Fault("leak", command, f"shows {planted}")
    return None


@contextmanager
def _at(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _streams(out: io.BytesIO, err: io.BytesIO) -> Iterator[None]:
    before = sys.stdout, sys.stderr
    sys.stdout = io.TextIOWrapper(out, "utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(err, "utf-8", write_through=True)
    try:
        yield
    finally:
        sys.stdout.detach()
        sys.stderr.detach()
        sys.stdout, sys.stderr = before


@contextmanager
def _bounded() -> Iterator[None]:
    def end(number: int, frame: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(_HANG)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
