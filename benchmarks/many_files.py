"""What a folder of very many names costs: ``python benchmarks/many_files.py [--files 1000000]``.

Every name is one that kcheck would read, and leads nowhere; one file beside them has a finding.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

#: For a million names on two cores.
SECONDS, MEGABYTES = 60, 1500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=1_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        (Path(root) / "server.properties").write_text("broker.id=1\nmin.insync.replicas=x\n")
        folder = Path(root) / "many"
        folder.mkdir()
        for number in range(given.files):
            os.symlink("nowhere", folder / f"{number}.yaml")
        began = time.monotonic()
        ran = subprocess.run(
            [sys.executable, "-m", "kcheck", "lint", root, "--output", "concise"],
            capture_output=True,
            text=True,
        )
        seconds = time.monotonic() - began
    told = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{given.files:,} names: {seconds:.1f} s, {told.ru_utime + told.ru_stime:.1f} s of CPU "
        f"(<= {SECONDS}), {told.ru_maxrss / 1024:.0f} MB (<= {MEGABYTES}), exit code {ran.returncode}"
    )
    print(ran.stderr.strip())


if __name__ == "__main__":
    main()
