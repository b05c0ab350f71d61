"""``kcheck audit`` and ``kcheck pack``: thin doors to the fleet pipeline."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable

from kcheck.cli import run, termination
from kcheck.cli.configure import configured, require_rules
from kcheck.cli.options import Options
from kcheck.cli.project import excluded
from kcheck.cli.run import Stop
from kcheck.cli.terminal import terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.fleet.audit import Plan
    from kcheck.fleet.session import Session
    from kcheck.fleet.spark_errors import GaveUp


def audit(options: Options) -> int:
    """Audit a fleet and publish the run; gives the exit code."""
    return termination.heeded(lambda: _cleared(_audit, options))


def pack(options: Options) -> int:
    """Turn trees and archives into a table; gives the exit code."""
    return termination.heeded(lambda: _cleared(_pack, options))


def _cleared(command: Callable[[Options], int], options: Options) -> int:
    """Run a command; an interrupt that comes before it holds its session leaves nothing either."""
    try:
        return command(options)
    finally:
        from kcheck.fleet import quiet

        quiet.clear()


def _audit(options: Options) -> int:
    from kcheck.fleet import audit as pipeline
    from kcheck.fleet import progress, spark_errors, work
    from kcheck.fleet.refused import Refused
    from kcheck.fleet.store import DELTA

    plan = _plan(options, run_id=options.run_id, replace=options.replace)
    plan.inventory = options.inventory
    plan.format = options.format
    fail_on = options.fail_on or plan.settings.fail_on
    with progress.shown(not options.quiet) as steps:
        formats = {plan.format, *map(work.table_format, plan.paths)}
        session = _session(options, DELTA in formats)
        steps.watch(session)
        try:
            outcome = pipeline.run(session, plan, steps.say)
        except (work.Refused, Refused) as refused:
            raise Stop(str(refused)) from None
        except spark_errors.GaveUp as gave:
            raise _stop(session, gave) from None
        finally:
            steps.end()
            session.stop()
    for remark in outcome.manifest["remarks"]:
        run.say(remark)
    if not options.quiet:
        from kcheck.fleet import summary

        color, _ = terminal(options.color)
        width = shutil.get_terminal_size((100, 40)).columns
        run.write(summary.text(outcome, fail_on, color, width))
    if outcome.broken:
        fatal = outcome.manifest["failures"]
        rows = "1 fatal row" if fatal == 1 else f"{fatal:,} fatal rows"
        run.say(f"not everything was audited: {rows} in {outcome.published.table('errors')}")
        return run.BROKEN
    return run.FOUND if outcome.fails(fail_on) else run.CLEAN


def _pack(options: Options) -> int:
    from kcheck.fleet import pack as packing
    from kcheck.fleet import progress, spark_errors, work

    plan = _plan(options)
    if os.path.exists(plan.out):
        raise Stop(f"--out {plan.out} already exists")
    with progress.shown() as steps:
        session = _session(options, "delta" in map(work.table_format, plan.paths))
        steps.watch(session)
        steps.say("pack")
        try:
            count, lost = packing.pack(session, plan)
        except work.Refused as refused:
            raise Stop(str(refused)) from None
        except spark_errors.GaveUp as gave:
            raise _stop(session, gave) from None
        finally:
            steps.end()
            session.stop()
    run.note(f"Packed {count:,} directories into {plan.out}.")
    if lost:
        run.say(f"{lost:,} of them could not be read; audit the table for the reasons")
        return run.BROKEN
    return run.CLEAN


def _stop(session: Session, gave: GaveUp) -> Stop:
    log = session.kept_log()
    return Stop(f"{gave}; Spark's log: {log}" if log else str(gave))


def _plan(options: Options, run_id: str = "", replace: bool = False) -> Plan:
    from kcheck.fleet.audit import Plan

    if not options.paths:
        raise Stop("name at least one INPUT: a folder with one folder per cluster, or a table")
    if not options.out:
        raise Stop("--out DIR is required: the folder for the results")
    _there("", options.paths)
    _there("--inventory ", filter(None, (getattr(options, "inventory", ""),)))
    local = [path for path in options.paths if "://" not in path]
    start = local[0] if local else "."
    settings = configured(options, start if os.path.exists(start) else ".")
    require_rules(settings)
    exclude, of_settings = excluded(options), settings.excluded
    settings = settings.but(excluded=lambda path: of_settings(path) or exclude(path))
    return Plan(
        tuple(options.paths),
        options.out,
        settings,
        run=run_id,
        replace=replace,
        depth=_number(options.depth, "--depth") if options.depth else None,
        partitions=_number(options.partitions, "--partitions"),
        seconds=_number(options.cluster_seconds, "--cluster-seconds"),
        megabytes=_number(options.cluster_megabytes, "--cluster-megabytes"),
        partial=bool(getattr(options, "select", ())),
    )


def _there(option: str, paths: Iterable[str]) -> None:
    """Say what is missing before Spark starts, which takes seconds."""
    for path in paths:
        if "://" not in path and not os.path.exists(path.removeprefix("file:")):
            raise Stop(f"{option}{path}: does not exist")


def _number(text: str, option: str) -> int:
    if not text.isdigit():
        raise Stop(f"{option} must be a whole number, not {text}")
    return int(text)


def _session(options: Options, delta: bool) -> Session:
    from kcheck.fleet import session
    from kcheck.fleet.quiet import Unavailable

    # Arrow's own allocator keeps what a table took, a hundred megabytes on a large fleet.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

    if options.master and options.remote:
        raise Stop("--master and --remote are mutually exclusive")
    conf = dict(word.split("=", 1) for word in options.conf if "=" in word)
    if len(conf) < len(options.conf):
        raise Stop("--conf must be KEY=VALUE, each key at most once")
    try:
        return session.started(options.master, options.remote, bool(options.verbose), conf, delta)
    except Unavailable as missing:
        raise Stop(str(missing)) from None
