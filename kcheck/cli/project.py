"""What ``lint``, ``files``, ``show`` and ``baseline`` share: options → settings and inputs."""

from __future__ import annotations

import sys

from kcheck import discover
from kcheck.cli import run
from kcheck.cli.configure import configured
from kcheck.cli.options import Options
from kcheck.cli.run import Stop
from kcheck.globs import Match, matcher
from kcheck.model import FAILED, READ, Document
from kcheck.settings import Settings

STDIN = "-"

#: A format that names what is not Kafka's at all.
_FOREIGN = (None, "not-kafka")


def opened(options: Options) -> tuple[Settings, discover.Inputs]:
    """Settings and inputs of a command that takes ``[PATH]…``. Raises Stop or SettingsError."""
    paths: tuple[str, ...] = options.paths or (".",)
    given: dict[str, bytes] = {}
    stdin_filename: str = getattr(options, "stdin_filename", "")
    if STDIN in paths:
        if not stdin_filename:
            raise Stop("- reads standard input: --stdin-filename has to say what file it would be")
        given[discover.relative(stdin_filename)] = _stdin()
    elif stdin_filename:
        raise Stop("--stdin-filename is for -, the text on standard input")
    start = stdin_filename if paths[0] == STDIN else paths[0]
    settings = configured(options, start)
    inputs = discover.Inputs(
        [path for path in paths if path != STDIN],
        getattr(options, "context", ()),
        _either(settings.excluded, matcher(options.exclude)),
        options.force_exclude,
        given,
    )
    settings.partial = bool(getattr(options, "select", ())) or not inputs.walks
    settings.use_ignores = not getattr(options, "no_ignores", False)
    if options.verbose and settings.file:
        run.say(f"settings of {settings.file}")
    return settings, inputs


def _stdin() -> bytes:
    data: bytes = sys.stdin.buffer.read()
    return data


def _either(one: Match, other: Match) -> Match:
    return lambda path: one(path) or other(path)


def complain(options: Options, inputs: discover.Inputs, documents: list[Document]) -> int:
    """Say on stderr what could not be read; the exit code that follows from it alone."""
    for path, reason in inputs.missing:
        run.say(f"{path}: {reason}")
    named = {path for path, _ in inputs.missing}
    for document in documents:
        if document.status == FAILED and document.path not in named and not document.problems:
            run.say(f"{document.path}: {document.reason}")
    if options.verbose:
        for document in documents:
            if document.status not in (READ, FAILED):
                run.say(f"{document.path}: {document.status}: {document.reason}")
    if inputs.missing:
        return run.BROKEN
    if inputs.only_folders and not getattr(options, "allow_empty", True) and _empty(documents):
        where = ", ".join(options.paths or (".",))
        run.say(f"no Kafka configuration found in {where} (--allow-empty makes that no failure)")
        return run.BROKEN
    return run.CLEAN


def _empty(documents: list[Document]) -> bool:
    return not any(d.status == READ or d.format not in _FOREIGN for d in documents)
