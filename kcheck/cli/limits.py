"""``kcheck limits``: what bounds a cluster, how much of it is used, and what that rests on."""

from __future__ import annotations

import os
import shutil

from kcheck import engine
from kcheck.cli import limits_markdown, limits_record, limits_text, run
from kcheck.cli.options import Options
from kcheck.cli.project import STDIN, complain, opened
from kcheck.cli.run import Stop
from kcheck.cli.terminal import terminal
from kcheck.formats.declarations.declared import ASSUMPTIONS
from kcheck.graph.cluster import Cluster
from kcheck.limits import assumptions, catalogue
from kcheck.report.printable import in_json
from kcheck.selection import nearest
from kcheck.settings import ClusterSettings

#: What wraps the text where nobody looks at it on a terminal.
_WIDTH = 100


def limits(options: Options) -> int:
    """Print the limits of the clusters that are asked for; gives the exit code."""
    options.paths, names = _parted(options.paths)
    settings, inputs = opened(options)
    _assume(settings.told, options.assume)
    project = engine.read_project(inputs, settings, inputs.lookup, inputs.named)
    project.documents.extend(inputs.documents())
    code = complain(options, inputs, project)
    views = [
        limits_record.View(cluster, catalogue.of(cluster), settings)
        for cluster in _chosen(project.clusters, names, options.cluster)
    ]
    if options.output == "json":
        from json import dumps

        document = {"version": 1, "clusters": [limits_record.record(view) for view in views]}
        run.write(in_json(dumps(document, indent=2, ensure_ascii=False)) + "\n")
    elif options.output == "markdown":
        run.write("\n".join(map(limits_markdown.text, views)))
    else:
        color, _ = terminal(options.color)
        columns = shutil.get_terminal_size((_WIDTH, 24)).columns
        run.write("\n".join(limits_text.text(view, columns, color) for view in views))
    return code


def _parted(words: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """(paths, names of clusters): a word that no path has is a cluster's name."""
    paths = tuple(word for word in words if word == STDIN or os.path.lexists(word))
    return paths, [word for word in words if word not in paths]


def _chosen(clusters: list[Cluster], words: list[str], option: str) -> list[Cluster]:
    """Those of the words and of ``--cluster``, all if there are none. Raises Stop."""
    if not clusters:
        raise Stop("no Kafka configuration found")
    known = [cluster.name for cluster in clusters]
    names = [*words, option] if option else words
    for name in names:
        if name not in known:
            near = nearest(name, known)
            hint = f"did you mean {near}?" if near else f"there are {', '.join(known[:5])}"
            what = "neither a path nor" if name in words else "not the name of"
            raise Stop(f"{name} is {what} a cluster; {hint}")
    return [cluster for cluster in clusters if cluster.name in names] if names else clusters


def _assume(told: ClusterSettings, given: tuple[str, ...]) -> None:
    """``--assume NAME=VALUE``: it wins over what files say. Raises Stop for what is none."""
    for text in given:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals:
            raise Stop(f"--assume {text}: write NAME=VALUE")
        if name not in assumptions.table():
            near = nearest(name, assumptions.table())
            hint = f"; did you mean {near}?" if near else f" ({', '.join(assumptions.table())})"
            raise Stop(f"--assume: unknown assumption {name}{hint}")
        try:
            meant = assumptions.meant(name, value.strip())
        except ValueError as error:
            raise Stop(f"--assume: {name} {error}, not {value.strip() or 'nothing'}") from None
        told.facts[ASSUMPTIONS + name] = (value.strip(), meant)
