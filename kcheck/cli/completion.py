"""What a shell offers for the words of a command line, beside files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from kcheck.cli.commands import KINDS

#: A shell waits for the answer: in a larger project no names are offered.
_MOST = 500


def completer(command: str, name: str) -> Callable[..., list[str]] | None:
    """What offers the values of an option, or the words of a command, by its name."""
    if command == "show" and name == "words":
        return _shown
    return {
        "subject": _subjects,
        "select": _rules,
        "extend_select": _rules,
        "ignore": _rules,
        "output": _formats,
        "cluster": _clusters,
        "topic": _topics,
        "name": _schemas if command == "schema" else None,
    }.get(name)


def _beginning(begun: str, words: list[str]) -> list[str]:
    return [word for word in dict.fromkeys(words) if word.startswith(begun)]


def _rules(begun: str) -> list[str]:
    """Names, codes, families and sets of rules; several may stand in a word, parted by commas."""
    from kcheck import rules, selection

    head, comma, last = begun.rpartition(",")
    return [f"{head}{comma}{word}" for word in _beginning(last, selection.words(rules.load()))]


def _subjects(begun: str) -> list[str]:
    """What can be explained: rules; keys, errors and metrics once a letter is there."""
    from kcheck.explain import errors, keys, metrics

    others = [*keys.known(), *errors.all_names(), *metrics.all_names()] if begun else []
    return _rules(begun) + _beginning(begun, others)


def _formats(begun: str) -> list[str]:
    from kcheck.report import FORMATS

    return _beginning(begun, [*FORMATS])


def _schemas(begun: str) -> list[str]:
    from kcheck.cli import schema

    return _beginning(begun, schema.names())


def _shown(ctx: typer.Context, begun: str) -> list[str]:
    """``show KIND NAME``: the kinds, then the names of that kind in the current folder."""
    from kcheck.cli.show import nodes_of

    before = ctx.params.get("words") or ()
    if not before:
        return _beginning(begun, [*KINDS])
    if len(before) > 1 or before[0] not in KINDS:
        return []
    kind = str(before[0])
    if kind == "cluster":
        return _clusters(begun)
    names = [node.name for cluster in _project() for node in nodes_of(cluster, kind, "*")]
    return _beginning(begun, names)


def _clusters(begun: str) -> list[str]:
    return _beginning(begun, [cluster.name for cluster in _project()])


def _topics(begun: str) -> list[str]:
    return _beginning(begun, [topic.name for cluster in _project() for topic in cluster.topics])


def _project() -> list[Any]:
    """The clusters of the current folder; none where it is large, or cannot be read."""
    from kcheck import engine
    from kcheck.cli.commands import COMMANDS
    from kcheck.cli.options import Options
    from kcheck.cli.project import opened

    show = next(command for command in COMMANDS if command.name == "show")
    options = Options({option.name: option.default for option in show.options} | {"paths": ()})
    try:
        settings, inputs = opened(options)
        if len(inputs.files()) > _MOST:
            return []
        clusters: list[Any] = engine.read_project(
            inputs, settings, inputs.lookup, inputs.named
        ).clusters
    except Exception:
        # What is wrong with the files is for commands to say; a shell shows what it gets.
        return []
    return clusters
