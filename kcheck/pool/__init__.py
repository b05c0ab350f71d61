"""A large project over worker processes: what ``engine.lint_project`` makes of it, sooner."""

from __future__ import annotations

from kcheck.circumstances import Circumstances
from kcheck.discover import Inputs
from kcheck.engine import Project
from kcheck.pool import processes, worker
from kcheck.pool.batches import split
from kcheck.pool.merge import Merge
from kcheck.pool.worker import Work
from kcheck.settings import Settings

#: So many files with something in them for rules are worth the workers, by the way of making these.
_WORTH = {processes.FORK: 1000, processes.SPAWN: 4000}
#: Without being asked for a number, so many workers at most: each needs its memory.
_MOST = 8
#: Of more than this share of entangled folders, one process makes an end sooner.
_ENTANGLED = 0.25
#: What a file costs beside its bytes, in bytes.
_FILE = 512


def lint_project(
    inputs: Inputs,
    settings: Settings,
    jobs: int = 0,
    circumstances: Circumstances | None = None,
    *,
    how: str = "",
    patience: float = processes.PATIENCE,
) -> Project | None:
    """The project of ``inputs``; None where one process has to do it, or would be as quick.

    ``jobs`` is the number of workers; with 0 there are as many as processors, where that is worth
    it. ``how`` they are made and with how much ``patience`` they are waited for is for tests.
    """
    how = how or processes.method()
    worth = 0 if jobs else _WORTH[how]
    jobs = jobs or min(processes.processors(), _MOST)
    files = inputs.files()
    parted = split(files, inputs.fans)
    if jobs < 2 or not parted.even:
        return None
    merge = Merge(inputs, settings, circumstances)
    merge.read(parted.loose)
    sample = parted.sample()
    tasted = [number for unit in sample for number in unit]
    merge.read(tasted)
    if merge.telling(tasted) * len(files) < worth or merge.entangled(sample) > _ENTANGLED:
        return None
    merge.forget(tasted)
    batches = parted.batches(lambda number: inputs.size(files[number]) + _FILE, jobs)
    work = Work(files, inputs.plain(), settings, batches, circumstances)
    if how == processes.FORK:
        # What rules and formats load for the first of all files, workers then have.
        worker.lint(work, tasted)
    with processes.Crew(work, jobs, how, patience) as workers:
        for number, part in workers.parts():
            if part is None:
                merge.read(batches[number])
            else:
                merge.add(part)
    return merge.project()
