"""``kcheck partition``: where keys, groups and transactions go, and what more partitions move."""

from __future__ import annotations

import sys

from kcheck.cli import counts, partition_view, run
from kcheck.cli.options import Options
from kcheck.cli.run import Stop
from kcheck.cli.terminal import terminal
from kcheck.partition.keys import ENCODINGS, TEXT, NotAKey, lines
from kcheck.partition.partitioners import PARTITIONERS, coordinator
from kcheck.partition.spread import Key, Spread
from kcheck.report.printable import in_json

#: The brokers' protocol counts partitions in 32 bits.
_MOST = 2**31 - 1
#: More partitions than a cluster has.
_SPREAD = 1_000_000
_STDIN = "-"


def partition(options: Options) -> int:
    """Print where everything that is named goes; gives the exit code."""
    asked = (*options.keys, *options.group, *options.transactional_id)
    if not asked and not options.file:
        raise Stop("name a KEY, a --file of keys, a --group or a --transactional-id")
    partitioner = PARTITIONERS[options.partitioner]
    project = counts.Project(options)
    listed, passed_over = _listed(options)
    view = partition_view.View(partitioner, coordinators=_coordinators(options, project))
    if options.keys or options.file:
        view.partitions = _count(options.partitions, "--partitions")
        view.after = _count(options.to, "--to")
        if options.topic:
            if view.partitions:
                raise Stop("--topic and --partitions are mutually exclusive")
            view.partitions = project.topic(options.topic)
        if not view.partitions:
            raise Stop("--partitions is required (or --topic NAME --in PATH)")
        view.keys = listed
        view.passed_over = passed_over
        view.every = options.all or not options.file
        if options.file:
            if max(view.partitions, view.after) > _SPREAD:
                raise Stop(f"--file supports at most {_SPREAD:,} partitions")
            view.before = Spread(listed, partitioner, view.partitions)
            view.then = Spread(listed, partitioner, view.after) if view.after else None
    if options.output == "json":
        from json import dumps

        run.write(in_json(dumps(view.record(), indent=2, ensure_ascii=False)) + "\n")
    else:
        color, _ = terminal(options.color)
        run.write(view.text(color))
    return run.CLEAN


def _count(text: str, option: str) -> int:
    """A number of partitions; 0 where none is given. Raises Stop."""
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) < 11 and 0 < int(text) <= _MOST):
        raise Stop(f"{option} must be a number from 1 to {_MOST:,}, not {text}")
    return int(text)


def _listed(options: Options) -> tuple[list[Key], int]:
    """The keys of the command line and of the file, each once; and how many lines were empty."""
    named = [word for word in ENCODINGS if getattr(options, word, False)]
    if len(named) > 1:
        raise Stop(f"--{named[0]} and --{named[1]} are mutually exclusive")
    encode = ENCODINGS[named[0] if named else TEXT]
    found: dict[bytes, Key] = {}
    empty = 0
    texts = [("", word) for word in options.keys]
    if options.file:
        where = "standard input" if options.file == _STDIN else options.file
        for number, line in enumerate(lines(_read(options.file)), 1):
            if line:
                texts.append((f"{where}:{number}: ", line))
            else:
                empty += 1
    for where, written in texts:
        try:
            data = encode(written)
        except NotAKey as wrong:
            raise Stop(f"{where}{wrong}") from None
        if data in found:
            found[data].records += 1
        else:
            found[data] = Key(written, data)
    return list(found.values()), empty


def _read(path: str) -> bytes:
    try:
        if path == _STDIN:
            data: bytes = sys.stdin.buffer.read()
            return data
        with open(path, "rb") as source:
            return source.read()
    except OSError as error:
        raise Stop(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from None


def _coordinators(options: Options, project: counts.Project) -> list[partition_view.Coordinator]:
    found: list[partition_view.Coordinator] = []
    for kind, names, topic in (
        ("group", options.group, counts.OFFSETS),
        ("transactional id", options.transactional_id, counts.TRANSACTIONS),
    ):
        if names:
            count, origin = project.internal(topic)
            found += (
                partition_view.Coordinator(
                    kind, name, topic, coordinator(name, count), count, origin
                )
                for name in names
            )
    return found
