"""What no run looks into, and why: folders of tools and builds, and the samples of an unpacked Kafka."""

from __future__ import annotations

import os

#: Folders of tools: no input of anybody, so not even counted.
TOOLS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".jj",
        ".idea",
        ".vscode",
        ".venv",
        ".tox",
        ".nox",
        ".gradle",
        ".mvn",
        ".cache",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        "__pycache__",
    }
)
#: Folders of what is built or fetched: copies of what stands elsewhere.
BUILT = {
    "node_modules": "installed packages",
    "target": "build output",
    "build": "build output",
    "dist": "build output",
    ".terraform": "fetched by terraform",
    ".terragrunt-cache": "fetched by terragrunt",
    "site-packages": "installed packages",
}

SHIPPED = "shipped with Kafka"

#: Why something is left out on purpose: nothing that anybody has to know of.
MEANT = frozenset({"excluded", SHIPPED, *BUILT.values()})


def is_distribution(prefix: str) -> bool:
    """Whether the folder is an unpacked Kafka: its ``config`` holds the samples as shipped."""
    if os.path.exists(f"{prefix}bin/kafka-server-start.sh"):
        return True
    try:
        return any(
            name.startswith(("kafka_", "kafka-clients-")) and name.endswith(".jar")
            for name in os.listdir(f"{prefix}libs")
        )
    except OSError:
        return False
