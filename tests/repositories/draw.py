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
# The reviews that there were when the rows were drawn.
TABLES = ("verdicts-2.tsv", "verdicts.tsv")
# Errors are few, and a false one costs more than a false warning.
ERRORS, WARNINGS = 8, 22


def draw() -> list[dict[str, str]]:
    """The rows drawn, errors first, as the first reader left them."""
    judged: list[dict[str, str]] = []
    for table in TABLES:
        with (HERE / table).open(encoding="utf-8", newline="") as file:
            judged += csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    chance = random.Random(SEED)
    errors = chance.sample([row for row in judged if row["severity"] == "error"], ERRORS)
    warnings = [row for row in judged if row["severity"] == "warning"]
    return errors + chance.sample(warnings, WARNINGS)


if __name__ == "__main__":
    for cells in [SHOWN, *([row[name] for name in SHOWN] for row in draw())]:
        sys.stdout.write("\t".join(cells) + "\n")
