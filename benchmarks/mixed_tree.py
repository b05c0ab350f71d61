"""What the walk of a mixed tree costs, beside reading all of it:
``python benchmarks/mixed_tree.py [--files 100000]``.

Most files of a repository are none of Kafka's: source code, documents, manifests, pictures. Those that
could configure something are searched for Kafka's keys, so that none is passed over in silence.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

#: The walk may take so many times what ``cat`` takes.
MOST = 2.5
RUNS = 5

_WORDS = [
    "service",
    "port",
    "host",
    "name",
    "value",
    "true",
    "false",
    "8080",
    "data",
    "image",
    "app",
    "team",
    "env",
    "replicas",
    "path",
]
#: (share, ending, how a line is made of words)
_KINDS = (
    (38, ".java", "        return {0}.{1}({2});"),
    (12, ".py", "    {0} = {1}({2})"),
    (12, ".md", "The {0} of a {1} is its {2}."),
    (12, ".yaml", "  {0}{1}: {2}"),
    (8, ".json", '  "{0}": "{1} {2}",'),
    (5, ".xml", '  <{0} id="{1}">{2}</{0}>'),
    (4, ".properties", "{0}.{1}={2}"),
    (3, ".tf", '  {0} = "{1}-{2}"'),
    (3, ".sh", 'echo "{0} {1}" > {2}'),
    (2, ".cfg", "{0} = {1} {2}"),
    (1, "", "{0}: {1}"),
)


def make(folder: Path, files: int, seed: int = 7) -> None:
    """A repository of so many files, 50 in a folder, and git's index of it."""
    chance = random.Random(seed)
    weights = [share for share, _, _ in _KINDS]
    for number in range(files):
        _, ending, form = chance.choices(_KINDS, weights)[0]
        lines = (form.format(*chance.sample(_WORDS, 3)) for _ in range(chance.randint(10, 220)))
        path = folder / f"m{number // 2500}" / f"d{number // 50}" / f"f{number}{ending}"
        if number % 50 == 0:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for command in ("git init -q", "git add -A"):
        subprocess.run(command.split(), cwd=folder, check=True)


def seconds(command: str, folder: Path) -> float:
    """The processor time of a command and of what it starts: what else runs here does not count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, shell=True, cwd=folder, check=False, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=100_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root)
        make(folder, given.files)
        cat = "git ls-files -z | xargs -0 cat"
        walk = f"{sys.executable} -m kcheck lint --isolated ."
        ratios = []
        for _ in range(RUNS):
            read, walked = seconds(cat, folder), seconds(walk, folder)
            ratios.append(walked / read)
            print(f"cat {read:.2f} s, kcheck lint {walked:.2f} s: {ratios[-1]:.2f}x")
        best = sorted(ratios)[len(ratios) // 2]
        print(f"median {best:.2f}x, budget {MOST}x")
        return 0 if best <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
