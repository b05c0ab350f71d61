"""Single jars from Maven Central, as the generators of ``schemas/`` read them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tables import fail

COPY_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"


def jar(group: str, artifact: str, version: str, cache: Path) -> Path:
    """The jar of one artifact without what it needs, fetched by Maven unless it is there."""
    path = cache / f"{artifact}-{version}.jar"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        command = ["mvn", "--quiet", "--batch-mode", COPY_GOAL]
        command += [f"-Dartifact={group}:{artifact}:{version}", f"-DoutputDirectory={cache}"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if not path.exists():
            fail(f"Maven could not fetch {group}:{artifact}:{version}:\n{run.stdout}{run.stderr}")
    return path
