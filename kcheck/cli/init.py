"""``kcheck init``: the first settings of a repository, written from what is found in it.

It asks nothing and overwrites nothing: what is there already is left alone, and what would have to
go into it is printed.
"""

from __future__ import annotations

import os

from kcheck import HOME, SOURCE, __version__, engine, regular
from kcheck.cli import run
from kcheck.cli.options import Options
from kcheck.cli.project import complain, linted, opened, prefix_of
from kcheck.cli.run import Stop
from kcheck.engine import Project
from kcheck.graph.cluster import Cluster
from kcheck.grouping.evidence import ANCHOR
from kcheck.grouping.gather import gathered, names
from kcheck.grouping.homes import Homes
from kcheck.grouping.place import environments
from kcheck.model import READ
from kcheck.paths import inside
from kcheck.report.printable import printable
from kcheck.settings import NAME, Settings

_BASELINE = "kcheck-baseline.jsonl"
#: So many clusters are told one by one.
_MANY = 50
_FEW = 3


def init(options: Options) -> int:
    """Write the settings, and what else is asked for; gives the exit code."""
    folder: str = options.path or "."
    if not os.path.isdir(folder):
        raise Stop(f"{folder}: {'is not a folder' if os.path.exists(folder) else 'does not exist'}")
    options.paths = (folder,)
    settings, inputs = opened(options)
    project = engine.read_project(inputs, settings, inputs.lookup, inputs.named)
    project.documents.extend(inputs.documents())
    code = complain(options, inputs, project)
    files: list[tuple[str, str, str]] = []
    has = settings.file or _settings_of(folder)
    if has:
        run.say(f"{has} already exists and is not changed")
        if options.baseline and not settings.baseline:
            run.say(f'to use the baseline, add: baseline = "{_BASELINE}"')
    else:
        files.append((NAME, _settings(project, folder, options.baseline), ""))
    if options.baseline:
        files.append((settings.baseline or _BASELINE, _baseline(options), ""))
    files += _recipes(options)
    for name, text, entry in files:
        path = os.path.join(folder, name)
        if name == settings.baseline and not _lies_in(path, inputs.root):
            raise Stop(f"baseline {name} is outside {inputs.root}")
        _put(path, text, entry)
    return code


def _recipes(options: Options) -> list[tuple[str, str, str]]:
    """(path, text, entry for a file that is there already) of what is to run kcheck."""
    files: list[tuple[str, str, str]] = []
    if options.pre_commit:
        files.append((".pre-commit-config.yaml", f"{_NOT_RELEASED}repos:\n{_HOOKS}", _HOOKS))
    if options.ci == "github":
        files.append((".github/workflows/kcheck.yml", _GITHUB, ""))
    elif options.ci == "gitlab":
        files.append((".gitlab-ci.yml", _GITLAB, _GITLAB))
    if files:
        run.say(f"kcheck is not released yet: replace {SOURCE} in what is written")
    return files


def _lies_in(path: str, root: str) -> bool:
    return inside(os.path.realpath(path), os.path.realpath(root))


def _settings_of(folder: str) -> str:
    """The settings file that the folder has of its own, though nobody reads it in this run."""
    path = os.path.join(folder, NAME)
    return os.path.normpath(path) if os.path.exists(path) else ""


def _put(path: str, text: str, entry: str) -> None:
    path = os.path.normpath(path)
    if os.path.lexists(path):
        more = f"; add to it:\n\n{entry}" if entry and not _holds(path) else ""
        run.note(f"kcheck: {path} already exists and is not changed{more}")
        return
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    except OSError as error:
        raise Stop(f"cannot write {path}: {(error.strerror or str(error)).lower()}") from None
    run.save(path, text)
    run.say(f"{path} written")


#: What a CI's own files do not exceed.
_MOST = 10_000_000


def _holds(path: str) -> bool:
    """Whether the file speaks of kcheck already."""
    try:
        return b"kcheck" in regular.read(path, _MOST)
    except OSError:
        return False


def _baseline(options: Options) -> str:
    from kcheck import baseline

    settings, inputs = opened(options)
    project = linted(options, settings, inputs)
    return baseline.create(project.findings, prefix_of(inputs.root)).text()


# -- kcheck.toml ---------------------------------------------------------------------------------


def _settings(project: Project, folder: str, baseline: bool) -> str:
    read = sum(document.status == READ for document in project.documents)
    clusters = project.clusters
    parts = [_head(read, len(clusters))]
    parts.append(f'required-version = ">={".".join(__version__.split(".")[:2])}"\n')
    if baseline:
        parts.append(
            f'\n# Findings that existed at adoption; they are not reported.\nbaseline = "{_BASELINE}"\n'
        )
    parts.append(_GENERAL)
    if len(clusters) > _MANY:
        parts.append(
            f"\n# {len(clusters):,} clusters were found; list them with kcheck show cluster.\n"
        )
    else:
        entries = [_entry(cluster, clusters, folder, project.homes) for cluster in clusters]
        if entries:
            parts.append(_CLUSTERS)
        # What is written may say nothing else than what kcheck found without it.
        if not _changes_nothing("".join(parts + entries), project, folder):
            entries = [_commented(entry) for entry in entries]
        parts += entries
    parts.append(_EXAMPLES)
    return "".join(parts)


def _head(read: int, clusters: int) -> str:
    return (
        f"# Settings of kcheck, written by kcheck init: {HOME}\n"
        f"# It read {read:,} file{'' if read == 1 else 's'} and found {clusters:,} "
        f"cluster{'' if clusters == 1 else 's'}. kcheck files lists how each file is read,\n"
        "# kcheck config FILE which of these settings apply to it.\n\n"
    )


_GENERAL = """
# Findings at or above this severity fail a run: error, warning, info or never.
# fail-on = "error"
# Warnings that fail a run as well: acks=1 under min.insync.replicas, one replica in production …
# gate = "default"

# Files to leave out when reading folders.
# exclude = ["examples/**"]

# Every ignore must give a reason.
# require-reason = true
"""
_CLUSTERS = """
# The clusters that were found. Rules that need an unknown fact are silent: fill it in.
"""
_EXAMPLES = """
# Settings for some paths only.
# [[overrides]]
# paths = ["dev/**"]
# environment = "development"

# A rule of your own.
# [[require]]
# code = "ORG001"
# on = "topic"
# key = "retention.ms"
# max = "30d"
"""


def _entry(cluster: Cluster, clusters: list[Cluster], folder: str, homes: Homes) -> str:
    """The ``[[clusters]]`` entry of one cluster, its facts as comments where files say them."""
    paths = _paths(cluster, clusters, folder)
    evidence = [f"# {printable(line)}" for line in _evidence(cluster, folder, homes)]
    lines = ["", *evidence, "[[clusters]]", f"name = {_quoted(cluster.name)}"]
    lines.append(f"paths = [{', '.join(map(_quoted, paths))}]")
    if cluster.version.known:
        lines.append(f'# kafka-version = "{cluster.version.text}"   # read from the files')
    else:
        lines.append('# kafka-version = "4.1"   # not stated in any file')
    words = {w for r in cluster.resources for w in environments(r.path)}
    if cluster.environment != "unknown":
        lines.append(f'# environment = "{cluster.environment}"   # read from the files')
    elif words and all(word.startswith("prod") for word in words):
        lines.append('# environment = "production"   # suggested by the path')
    elif words and not any(word.startswith("prod") for word in words):
        lines.append('# environment = "development"   # suggested by the path')
    else:
        lines.append('# environment = "production"   # or development; not stated in any file')
    return "\n".join(lines) + "\n"


def _evidence(cluster: Cluster, folder: str, homes: Homes) -> list[str]:
    """Why the first files are of the cluster, where they do not hold its brokers themselves."""
    found: dict[str, str] = {}
    for path in dict.fromkeys(r.path for r in cluster.resources):
        known = [home for home in homes.of(path) if home.id == cluster.id]
        if known and all(home.evidence not in (None, ANCHOR) for home in known):
            found[path] = f"{_inside(path, folder)} by {known[0].sentence()}"
    more = f"{len(found) - _FEW:,} more: kcheck files --verbose"
    return [*list(found.values())[:_FEW], *([more] if len(found) > _FEW else [])]


def _paths(cluster: Cluster, clusters: list[Cluster], folder: str) -> list[str]:
    """Patterns for the files of the cluster and of no other: its folder, else the files."""
    own = {_inside(r.path, folder) for r in cluster.resources}
    others = {_inside(r.path, folder) for c in clusters if c is not cluster for r in c.resources}
    common = os.path.commonpath([os.path.dirname(path) for path in own]) if own else ""
    if common and not any(path.startswith(f"{common}/") for path in others):
        return [f"{common}/**"]
    if not others:
        return ["**"]
    # With the slash a pattern means that file alone, wherever it lies.
    return sorted(f"/{path}" for path in own)


def _inside(path: str, folder: str) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")


def _quoted(text: str) -> str:
    from json import dumps

    return dumps(text, ensure_ascii=False)


def _commented(text: str) -> str:
    lines = text.splitlines()
    return "".join(f"{line}\n" if line[:1] in ("", "#") else f"# {line}\n" for line in lines)


def _changes_nothing(text: str, project: Project, folder: str) -> bool:
    """Whether kcheck says the same with these settings as it does without."""
    from kcheck import globs
    from kcheck.settings import ClusterEntry, ClusterSettings
    from kcheck.syntax import toml

    clusters: list[ClusterEntry] = []
    entries = toml.load(text).get("clusters")
    for entry in entries if isinstance(entries, list) else ():
        match = globs.matcher(entry["paths"])

        def matches(path: str, match: globs.Match = match) -> bool:
            return match(_inside(path, folder))

        clusters.append(ClusterEntry(entry["name"], matches, ClusterSettings(), ""))
    settings = Settings(clusters=tuple(clusters))
    # A file that is not Kafka's now would be one of the cluster, and its faults ours.
    foreign = [d.path for d in project.documents if d.format is None]
    if any(settings.cluster_of(path) is not None for path in foreign):
        return False
    return _grouped(project, settings) == _grouped(project, Settings())


def _grouped(project: Project, settings: Settings) -> set[tuple[str, frozenset[str]]]:
    """The clusters' names, and the files of each."""
    groups = gathered(project.documents, settings).groups
    return {
        (name, frozenset(document.path for document in group.documents))
        for group, name in zip(groups, names(groups), strict=True)
    }


# -- the others ----------------------------------------------------------------------------------

_NOT_RELEASED = f"""\
# kcheck is not released yet: put the address of a copy of its repository, and a commit or tag of
# that, in place of {SOURCE}.
"""
_HOOKS = f"""\
  - repo: {SOURCE}
    rev: v{__version__}
    hooks:
      - id: kcheck
"""
_GITHUB = f"""\
{_NOT_RELEASED}\
name: kcheck
on: [push, pull_request]
permissions:
  contents: read
  security-events: write
jobs:
  kcheck:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@34e114876b0b11c390a56381ad16ebd13914f8d5 # v4.3.1
        with: {{fetch-depth: 0}}
      - uses: {SOURCE}@v{__version__}
        with: {{gate: default}}
"""
_GITLAB = f"""\
{_NOT_RELEASED}\
include:
  - remote: {SOURCE}/ci/gitlab.yml
variables:
  KCHECK_SPEC: {SOURCE}
  KCHECK_ARGS: --gate=default
"""
