"""kcheck's speed as ratios against peers, all commands interleaved in one run.

    python benchmarks/run.py [--runs N] [--smoke] [--against REV]

Needs ``pip install yamllint check-jsonschema`` beside kcheck; a peer that is missing is left out.
Figures are medians of user+system time, because wall time suffers most from a busy machine; quote
the ratios, never the milliseconds. ``--smoke`` runs everything once on a small project and judges nothing.

With ``--against`` the peer is kcheck itself at another commit: each case runs in both checkouts in
turn, with the rules that are on by default and with all, and what became slower than the bars
below allow makes the exit code 1.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from make_project import write

HERE = Path(__file__).resolve().parent

_TOPIC_SCHEMA = '{"type": "object", "required": ["apiVersion", "kind", "metadata", "spec"]}'

#: What each ratio must stay below, from the project's own targets.
LIMITS = {
    ("one file", "yamllint"): 0.6,
    ("one file", "check-jsonschema"): 0.25,
    ("project", "yamllint"): 0.05,
    ("project", "bare compose"): 1.6,
    ("project, no two topics alike", "bare compose"): 2.0,
}
PEAK_MB = 90

#: The projects that are measured.
_CASES = {
    "strimzi": "project",
    "own": "project, own YAML",
    "distinct": "project, no two topics alike",
}

#: What runs in both checkouts, and the most that a commit may take of the time of another.
_RULES = {"": ((), 1.03), ", all rules": (("--preview", "--extend-select", "all"), 1.05)}

#: As installed: pip compiles what it installs, and a checkout's byte code is written by the first
#: run, unless the environment forbids it.
_ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def measure(command: list[str], tree: Path | None = None) -> tuple[float, float]:
    """Run a command, with the kcheck of a checkout; (user + system seconds, peak memory in MB)."""
    nowhere = subprocess.DEVNULL
    environment = _ENVIRONMENT | ({"PYTHONPATH": str(tree)} if tree else {})
    process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    scale = 1024 * 1024 if sys.platform == "darwin" else 1024
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / scale


def interleaved(commands: dict[str, list[str]], runs: int) -> dict[str, tuple[float, float]]:
    """Median seconds and highest peak of each command, run in turn: A B C, A B C …"""
    times: dict[str, list[float]] = {name: [] for name in commands}
    peaks = dict.fromkeys(commands, 0.0)
    for command in commands.values():
        measure(command)  # warm up: byte code, page cache
    for _ in range(runs):
        for name, command in commands.items():
            seconds, peak = measure(command)
            times[name].append(seconds)
            peaks[name] = max(peaks[name], peak)
    return {name: (statistics.median(times[name]), peaks[name]) for name in commands}


def tool(name: str) -> str | None:
    """A program beside this Python, else on PATH."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def startup(folder: Path, runs: int) -> None:
    topic = next((folder / "strimzi" / "topics").rglob("*.yaml"))
    schema = folder / "schema.json"
    schema.write_text(_TOPIC_SCHEMA)
    commands = {"kcheck": [tool("kcheck") or "kcheck", "lint", str(topic)]}
    commands["python -c pass"] = [sys.executable, "-c", "pass"]
    for peer, arguments in (
        ("yamllint", [str(topic)]),
        ("check-jsonschema", ["--schemafile", str(schema), str(topic)]),
    ):
        found = tool(peer)
        if found:
            commands[peer] = [found, *arguments]
    report("one file", interleaved(commands, runs), runs > 1)


def project(folder: Path, name: str, runs: int) -> None:
    root = str(folder / name)
    commands = {
        "kcheck": [tool("kcheck") or "kcheck", "lint", root],
        "bare compose": [sys.executable, str(HERE / "bare_compose.py"), root],
    }
    yamllint = tool("yamllint")
    if yamllint and name == "strimzi":
        commands["yamllint"] = [yamllint, root]
    report(_CASES[name], interleaved(commands, runs), runs > 1)


def report(case: str, figures: dict[str, tuple[float, float]], judged: bool) -> None:
    seconds, peak = figures["kcheck"]
    print(f"{case}: kcheck {seconds:.3f} s, peak {peak:.0f} MB")
    for name, (other, _) in figures.items():
        if name == "kcheck":
            continue
        ratio = seconds / other
        limit = LIMITS.get((case, name)) if judged else None
        verdict = (
            "" if limit is None else f"  (at most {limit}: {'ok' if ratio <= limit else 'OVER'})"
        )
        print(f"  {ratio:6.3f}x {name}{verdict}")
    if case.startswith("project") and judged:
        print(f"  peak {peak:.0f} MB (at most {PEAK_MB}: {'ok' if peak <= PEAK_MB else 'OVER'})")


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """A work tree of this repository at another commit, for as long as it is needed."""
    git = ["git", "-C", str(HERE.parent), "worktree"]
    with tempfile.TemporaryDirectory() as temporary:
        tree = Path(temporary).resolve() / "before"
        added = [*git, "add", "--quiet", "--detach", str(tree), revision]
        subprocess.run(added, check=True)
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def against(revision: str, folder: Path, runs: int) -> bool:
    """Print what each case takes here, in terms of what it took there; whether all may."""
    topic = next((folder / "strimzi" / "topics").rglob("*.yaml"))
    cases = {"one file": topic} | {title: folder / name for name, title in _CASES.items()}
    good = True
    with checked_out(revision) as before:
        trees = HERE.parent, before
        for tree in trees:
            assert_is_used(tree, folder)
        for case, given in cases.items():
            for rules, (words, most) in _RULES.items():
                # Outside of both checkouts: Python looks for modules where it is started, too.
                command = [sys.executable, "-P", "-m", "kcheck", "lint", *words, str(given)]
                times = runs if given.is_dir() or runs == 1 else max(runs, 40)
                ratio, here, there = paired(command, trees, times)
                good &= ratio <= most or runs == 1
                verdict = "" if runs == 1 else f": {'ok' if ratio <= most else 'OVER'}"
                print(f"{case}{rules}: {here:.3f} s, {there:.3f} s at {revision}")
                print(f"  {ratio:6.3f}x  (at most {most}{verdict})", flush=True)
    return good


def paired(command: list[str], trees: tuple[Path, Path], runs: int) -> tuple[float, float, float]:
    """(median of the ratios, median seconds of each) of a command in two checkouts.

    Each ratio is of runs side by side, first of the one and then of the other: what a machine does
    beside them falls upon both.
    """
    times: list[tuple[float, float]] = []
    for tree in trees:
        measure(command, tree)  # warm up: byte code, page cache
    for turn in range(runs):
        order = trees if turn % 2 else trees[::-1]
        taken = {tree: measure(command, tree)[0] for tree in order}
        times.append((taken[trees[0]], taken[trees[1]]))
    here, there = (statistics.median(column) for column in zip(*times, strict=True))
    return statistics.median(one / other for one, other in times), here, there


def assert_is_used(tree: Path, folder: Path) -> None:
    """Whether Python takes the checkout's kcheck, whatever is installed."""
    asked = [sys.executable, "-P", "-c", "import kcheck; print(kcheck.__file__)"]
    environment = _ENVIRONMENT | {"PYTHONPATH": str(tree)}
    told = subprocess.run(
        asked, env=environment, cwd=folder, capture_output=True, text=True, check=True
    )
    if not Path(told.stdout).is_relative_to(tree):
        sys.exit(f"benchmarks/run.py: {tree} is not what runs, but {told.stdout.strip()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--smoke", action="store_true", help="once, on a small project")
    parser.add_argument("--against", metavar="REV", help="compare with kcheck at that commit")
    given = parser.parse_args()
    topics, brokers, runs = (200, 3, 1) if given.smoke else (10_000, 20, given.runs)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write(folder / "strimzi", topics, brokers, own=False)
        write(folder / "own", topics, brokers, own=True)
        write(folder / "distinct", topics, brokers, own=False, distinct=True)
        if given.against:
            sys.exit(0 if against(given.against, folder, runs) else 1)
        startup(folder, runs if given.smoke else max(runs, 20))
        project(folder, "strimzi", runs)
        project(folder, "own", runs)
        project(folder, "distinct", runs)


if __name__ == "__main__":
    main()
