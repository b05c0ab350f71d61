"""What ``lint``, ``files``, ``show`` and ``baseline`` share: options → settings, inputs, project."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from kcheck import discover, engine
from kcheck.circumstances import Circumstances
from kcheck.cli import run
from kcheck.cli.configure import configured
from kcheck.cli.options import Options
from kcheck.cli.run import Stop
from kcheck.engine import FAULT, Project
from kcheck.globs import GlobError, Match, matcher, nothing
from kcheck.model import FAILED, READ, WORDS
from kcheck.paths import inside, relative
from kcheck.runner import Runner
from kcheck.settings import Settings

STDIN = "-"

#: A format that names what is not Kafka's at all.
_FOREIGN = (None, "not-kafka", "kustomize")


def opened(options: Options) -> tuple[Settings, discover.Inputs]:
    """Settings and inputs of a command that takes ``[PATH]…``. Raises Stop or SettingsError."""
    paths: tuple[str, ...] = options.paths or (".",)
    given: dict[str, bytes] = {}
    stdin_filename: str = getattr(options, "stdin_filename", "")
    if STDIN in paths:
        if not stdin_filename:
            raise Stop("- reads standard input: --stdin-filename is required to name its path")
        given[relative(stdin_filename)] = _stdin()
    elif stdin_filename:
        raise Stop("--stdin-filename requires -, standard input")
    start = stdin_filename if paths[0] == STDIN else paths[0]
    settings = configured(options, start)
    inputs = discover.Inputs(
        [path for path in paths if path != STDIN],
        getattr(options, "context", ()),
        _either(settings.excluded, excluded(options)),
        options.force_exclude,
        given,
    )
    if options.verbose and settings.file:
        run.say(f"settings of {settings.file}")
    return settings, inputs


def excluded(options: Options) -> Match:
    """What --exclude leaves out. Raises Stop."""
    try:
        return matcher(options.exclude)
    except GlobError as error:
        raise Stop(f"--exclude: {error}") from None


def circumstances(options: Options, inputs: discover.Inputs) -> Circumstances:
    """What the run that was asked for looks at. Options that a command lacks are not given."""
    return Circumstances(
        partial=bool(getattr(options, "select", ())) or not inputs.walks,
        changes=bool(getattr(options, "since", "") or getattr(options, "since_state", "")),
        use_ignores=not getattr(options, "no_ignores", False),
    )


#: A run of fewer files is over before other processes have begun.
_LARGE = 1000


def linted(
    options: Options,
    settings: Settings,
    inputs: discover.Inputs,
    also: Callable[[Project, Runner], None] | None = None,
    about: Circumstances | None = None,
) -> Project:
    """The project with its findings, over several processes where there is much to do.

    ``also`` sees all of it in one process (see ``engine.lint_project``); ``about`` are the
    circumstances where they are not those of ``inputs``. Raises Stop for a number of processes that is none.
    """
    about = about or circumstances(options, inputs)
    asked: str = getattr(options, "jobs", "")
    if asked and not (asked.isascii() and asked.isdigit() and int(asked)):
        raise Stop(f"--jobs must be a number of at least 1, not {asked}")
    project: Project | None = None
    several = asked != "1" and len(inputs.files()) >= (2 if asked else _LARGE)
    if several and inputs.fans and also is None:
        from kcheck import pool

        project = pool.lint_project(inputs, settings, int(asked or 0), about)
    if project is None:
        project = engine.lint_project(inputs, settings, inputs.lookup, inputs.named, also, about)
    project.documents.extend(inputs.documents(searched=True))
    return project


def _stdin() -> bytes:
    data: bytes = sys.stdin.buffer.read()
    return data


def _either(one: Match, other: Match) -> Match:
    if nothing in (one, other):
        return other if one is nothing else one
    return lambda path: one(path) or other(path)


def complain(options: Options, inputs: discover.Inputs, project: Project) -> int:
    """Say on stderr what went wrong beside the findings; the exit code that follows from it."""
    code = run.CLEAN
    for path, reason in inputs.missing:
        run.say(f"{path or 'an empty path'}: {reason}")
        code = run.BROKEN
    # What has been said, or is said below with the reason.
    said = {path for path, _ in inputs.missing}
    for document in project.documents:
        if document.status == FAILED:
            if not (document.path in said or document.problems or document.reason == FAULT):
                run.say(f"{document.path}: {document.reason}")
        elif document.status != READ and options.verbose:
            run.say(f"{document.path}: {WORDS[document.status]}: {document.reason}")
    for failure in project.failures:
        run.say(f"internal error: {failure}")
        code = run.BROKEN
    allowed = getattr(options, "allow_empty", True)
    if code == run.CLEAN and inputs.only_folders and not allowed and _empty(project):
        where = ", ".join(options.paths or (".",))
        run.say(f"no Kafka configuration found in {where} (--allow-empty exits with 0)")
        code = run.BROKEN
    return code


def _empty(project: Project) -> bool:
    return not project.findings and not any(
        d.status == READ or d.problems or d.format not in _FOREIGN for d in project.documents
    )


def prefix_of(root: str) -> str:
    """From the project's root to the working directory; "" where that lies outside of it."""
    here = os.getcwd()
    if here == root or not inside(here, root):
        return ""
    return os.path.relpath(here, root).replace(os.sep, "/")
