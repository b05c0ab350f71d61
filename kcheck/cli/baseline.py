"""``kcheck baseline create`` and ``prune``, and how ``lint`` uses a baseline."""

from __future__ import annotations

import os
from collections.abc import Callable

from kcheck import baseline, discover, fingerprint, registry, regular
from kcheck.baseline import Baseline, BaselineError
from kcheck.cli import run
from kcheck.cli.configure import require_rules
from kcheck.cli.options import Options
from kcheck.cli.project import complain, linted, opened, prefix_of
from kcheck.cli.run import Stop
from kcheck.engine import Project
from kcheck.matching import Places
from kcheck.paths import inside
from kcheck.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DEFAULT_NAME = "kcheck-baseline.jsonl"
#: A million findings take half of it.
_MOST = 1_000_000_000


def load(path: str) -> Baseline:
    """The baseline in a file. Raises Stop: who names a baseline must not go on without."""
    try:
        return baseline.load(regular.read(path, _MOST))
    except OSError as error:
        raise Stop(f"baseline {path}: {(error.strerror or str(error)).lower()}") from None
    except BaselineError as error:
        raise Stop(f"baseline {path}: {error}") from None


def judge(
    settings: Settings, inputs: discover.Inputs, project: Project
) -> Callable[[dict[str, Any]], bool]:
    """Whether a run would have found again what an entry stands for.

    It would if the rule ran (or is no more) and the file was read along with what is around it
    (or is no more).
    """
    prefix = prefix_of(inputs.root)
    read = {
        fingerprint.from_root(document.path, prefix)
        for document in project.documents
        if inputs.reported(document.path)
    }
    known = registry.known(settings)

    def judged(entry: dict[str, Any]) -> bool:
        rule = known.get(entry["rule"])
        if rule is not None and not settings.enabled(rule):
            return False
        path = entry["path"]
        if path in read:
            return inputs.walks
        return not os.path.exists(os.path.join(inputs.root, path))

    return judged


def around(inputs: discover.Inputs, project: Project) -> Places:
    """What there is in the project of today, by which renames are told."""
    root = inputs.root
    return Places(
        project.documents, prefix_of(root), lambda path: os.path.exists(os.path.join(root, path))
    )


def renamed(inputs: discover.Inputs, path: str) -> Callable[[], dict[str, str]]:
    """Asks git which files were renamed since the baseline at that path was committed."""

    def ask() -> dict[str, str]:
        from kcheck.revision import renamed_since

        prefix = prefix_of(inputs.root)
        found = renamed_since(inputs, path).items()
        from_root = fingerprint.from_root
        return {from_root(old, prefix): from_root(new, prefix) for old, new in found}

    return ask


def create(options: Options) -> int:
    """Write the findings of today into the baseline; gives the exit code."""
    settings, inputs, project, code = _linted(options)
    if code != run.CLEAN:
        return code
    path = written(options, settings, inputs)
    made = baseline.create(project.findings, prefix_of(inputs.root))
    run.save(path, made.text())
    run.say(f"{path}: {_entries(len(made))}")
    return run.CLEAN


def prune(options: Options) -> int:
    """Take out what is found no more, or with ``--check`` only tell; gives the exit code."""
    settings, inputs, project, code = _linted(options)
    if code != run.CLEAN:
        return code
    path = written(options, settings, inputs)
    held = load(path)
    kept = baseline.prune(
        held,
        project.findings,
        prefix_of(inputs.root),
        judge(settings, inputs, project),
        around(inputs, project),
        renamed(inputs, path),
    )
    gone = len(held) - len(kept)
    if options.check:
        run.say(f"{path}: {_entries(gone)} of {len(held):,} no longer match")
        return run.FOUND if gone else run.CLEAN
    if gone:
        run.save(path, kept.text())
    run.say(f"{path}: {_entries(gone)} removed, {len(kept):,} left")
    return run.CLEAN


def _linted(options: Options) -> tuple[Settings, discover.Inputs, Project, int]:
    settings, inputs = opened(options)
    require_rules(settings)
    project = linted(options, settings, inputs)
    return settings, inputs, project, complain(options, inputs, project)


def written(options: Options, settings: Settings, inputs: discover.Inputs) -> str:
    """The baseline to write. Raises Stop where settings, not the user, lead out of the project."""
    named: str = options.baseline
    path = named or settings.baseline or _DEFAULT_NAME
    if not named and not inside(os.path.realpath(path), os.path.realpath(inputs.root)):
        raise Stop(f"baseline {path} is outside {inputs.root}: use --baseline to write it there")
    return path


def _entries(count: int) -> str:
    return f"{count:,} entry" if count == 1 else f"{count:,} entries"
