"""What hostile files cost: ``kcheck lint`` on each shape, its processor time and its memory.

    python benchmarks/adversarial.py [--size MB] [--only WORD] [--smoke] [--growth] [--markdown]

Each shape of ``adversarial_shapes`` is written at its full size and linted in a process of its
own, whose time (user and system) and peak of memory the system tells. The exit code is 1 if one
takes more than ``SECONDS`` or ``MEGABYTES``, or ends otherwise than with 0 or 1 (2
for settings that are refused). ``--smoke`` writes
small files and does not judge the time, for CI; ``--growth`` also measures a quarter and a half of the size, and names what
grows faster than its file.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import adversarial_shapes
from adversarial_shapes import SHAPES

SECONDS = 3.0
MEGABYTES = 300.0

#: The size of a shape: just below what kcheck does not read at all.
FULL = 5_000_000
SMALL = 100_000

#: What ends a process that would take the machine: the limits are far below.
_MOST_SECONDS = 12
_MOST_BYTES = 6 << 30


class Cost(NamedTuple):
    written: int
    seconds: float
    megabytes: float
    code: int
    said: str

    @property
    def wrong(self) -> bool:
        """Whether it ended otherwise than it may, or took too much memory."""
        refused = self.code == 2 and self.said.startswith("kcheck: kcheck.toml:")
        return self.megabytes > MEGABYTES or not (self.code in (0, 1) or refused)

    @property
    def broken(self) -> bool:
        return self.seconds > SECONDS or self.wrong


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_SECONDS, _MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))


def measure(name: str, size: int, output: str) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        written = adversarial_shapes.write(name, Path(folder), size)
        command = [sys.executable, "-m", "kcheck", "lint", folder, "--allow-empty"]
        if output:
            command += ["--output", output]
        with tempfile.TemporaryFile() as told:
            process = subprocess.Popen(
                command,
                stdout=subprocess.DEVNULL,
                stderr=told,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": _HERE},
                preexec_fn=_bounded,
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            told.seek(0)
            said = told.read().decode("utf-8", "replace").strip()
    scale = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Cost(
        written,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / scale,
        process.returncode,
        said[-200:],
    )


#: The tree beside this file is measured, installed or not.
_HERE = str(Path(__file__).resolve().parent.parent)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=float, default=FULL / 1e6, metavar="MB")
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--output", default="", help="the format of the report")
    asked = parser.parse_args()
    size = SMALL if asked.smoke else int(asked.size * 1e6)
    names = [name for name in SHAPES if asked.only in name]
    if asked.markdown:
        print("| shape | KB | seconds | MB |\n|---|---:|---:|---:|")
    broken: list[str] = []
    worst = [0.0, 0.0]
    for name in names:
        cost = measure(name, size, asked.output)
        worst = [max(worst[0], cost.seconds), max(worst[1], cost.megabytes)]
        mark = ""
        # A gate judges what is sure on any machine: how it ends, and what memory it takes.
        if cost.broken if not asked.smoke else cost.wrong:
            broken.append(name)
            mark = f"  BROKEN (exit code {cost.code}: {cost.said})"
        if asked.growth:
            grown = _growth(name, size, cost, asked.output)
            if grown > 1.4:
                mark += f"  GROWS as n^{grown:.1f}"
        kilobytes = cost.written / 1000
        if asked.markdown:
            print(
                f"| {name} | {kilobytes:,.0f} | {cost.seconds:.2f} | {cost.megabytes:.0f} |{mark}"
            )
        else:
            print(
                f"{name:<50} {kilobytes:>8,.0f} KB {cost.seconds:>7.2f} s "
                f"{cost.megabytes:>6.0f} MB{mark}",
                flush=True,
            )
    print(
        f"\n{len(names)} shapes: at most {worst[0]:.2f} s and {worst[1]:.0f} MB; "
        f"{len(broken)} above {SECONDS:g} s or {MEGABYTES:g} MB"
    )
    return 1 if broken else 0


def _growth(name: str, size: int, whole: Cost, output: str) -> float:
    """The exponent with which the time grows, from a quarter of the size on; 1 where it is little."""
    from math import log2

    quarter = measure(name, size // 4, output)
    empty = 0.12
    if whole.seconds < 0.6 or quarter.seconds < empty + 0.05:
        return 1.0
    return log2((whole.seconds - empty) / (quarter.seconds - empty)) / 2


if __name__ == "__main__":
    sys.exit(main())
