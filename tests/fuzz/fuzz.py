"""Fuzz kcheck in one process: damaged files of all formats, through all commands.

    python tests/fuzz/fuzz.py [--inputs N] [--seed S] [--only NUMBER] [--keep DIR] [--plant MODULE]

Tells exceptions, commands that take longer than two seconds, outputs that grow beyond their input,
and planted texts that are shown. An input is made of the seed and its number alone: ``--only``
makes one of them again, ``--keep`` writes the files of those that are at fault. ``--plant`` names
a module beside this one whose ``plant`` puts texts into files that nothing may show (see
``inputs.Planter``). The exit code is 1 if anything is at fault.
"""

from __future__ import annotations

import argparse
import gc
import resource
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent)]

import deeds  # noqa: E402
import inputs  # noqa: E402

#: What the process may come to hold beyond what it held after the first inputs.
MEGABYTES = 400
_WARM = 300


def fuzz(
    count: int,
    seed: int,
    folder: Path,
    plant: inputs.Planter = inputs.nothing_planted,
    only: int | None = None,
    keep: Path | None = None,
    progress: bool = False,
) -> list[tuple[int, deeds.Fault]]:
    """What is at fault, by the number of the input; of faults that are alike the first."""
    found: list[tuple[int, deeds.Fault]] = []
    seen: set[tuple[str, ...]] = set()
    held = 0
    began = time.monotonic()
    for number in range(count) if only is None else (only,):
        random = Random(f"{seed}:{number}")
        given = inputs.make(random, plant)
        deeds.lay(given, folder)
        for command in deeds.commands(random, given):
            fault, _ = deeds.run(given, command, folder)
            if fault is None or fault.likeness in seen:
                continue
            seen.add(fault.likeness)
            found.append((number, fault))
            print(f"input {number}: {fault.kind}: kcheck {' '.join(command)}\n{fault.words}")
            if keep is not None:
                deeds.lay(given, keep / f"{seed}-{number}")
        if number % 50 == 0:
            gc.collect()
        if number == _WARM:
            held = _peak()
        elif held and number % 1000 == 0 and _peak() > held + MEGABYTES:
            found.append((number, deeds.Fault("growth", (), f"{_peak()} MB are held")))
            break
        if progress and number and number % 1000 == 0:
            each = (time.monotonic() - began) / (number + 1) * 1000
            print(
                f"{number:,} inputs, {each:.1f} ms each, {_peak()} MB, {len(found)} faults",
                flush=True,
            )
    return found


def _peak() -> int:
    scale = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // scale


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=2000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--only", type=int, metavar="NUMBER")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("--plant", default="", metavar="MODULE")
    asked = parser.parse_args()
    plant = import_module(asked.plant).plant if asked.plant else inputs.nothing_planted
    with tempfile.TemporaryDirectory() as folder:
        found = fuzz(
            asked.inputs,
            asked.seed,
            Path(folder) / "p",
            plant,
            asked.only,
            asked.keep,
            progress=True,
        )
    print(f"{asked.inputs if asked.only is None else 1:,} inputs, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
