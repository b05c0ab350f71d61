"""Print the judgements that a second reader judges again, without what the first reader said of them.

python tests/repositories/draw.py > drawn.tsv
"""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

HERE = Path(__file__).parent
SHOWN = ("repository", "commit", "path", "line", "code", "severity")
SEED = 18
# Errors are few, and a false one costs more than a false warning.
ERRORS, WARNINGS = 8, 22


def draw() -> list[tuple[str, ...]]:
    """The rows drawn, errors first, each as the columns of SHOWN."""
    judged: list[tuple[str, ...]] = []
    for table in sorted(HERE.glob("verdicts*.tsv")):
        with table.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            judged += [tuple(row[name] for name in SHOWN) for row in rows]
    chance = random.Random(SEED)
    errors = chance.sample([row for row in judged if row[-1] == "error"], ERRORS)
    return errors + chance.sample([row for row in judged if row[-1] == "warning"], WARNINGS)


if __name__ == "__main__":
    for row in [SHOWN, *draw()]:
        sys.stdout.write("\t".join(row) + "\n")
