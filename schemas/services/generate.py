#!/usr/bin/env python3
"""The bounds of Aiven's brokers in ``accepts.tsv``, from its own schema of services.

    python schemas/services/generate.py service_types.yml

The schema is ``pkg/dist/service_types.yml`` of aiven/go-api-schemas; the commit is named in SOURCE.
The rows of other services come from their documents, and are written by hand: they stay as they are.
"""

from __future__ import annotations

import sys
from pathlib import Path

TABLE = Path(__file__).with_name("accepts.tsv")
SOURCE = "aiven/go-api-schemas@38697fd pkg/dist/service_types.yml"
NAME = "Aiven for Apache Kafka"
#: What Aiven takes for no bound.
_NONE = (2**31 - 1, 2**63 - 1, -(2**63))


def rows(text: str) -> list[str]:
    """The rows of Aiven's brokers, from the text of its schema."""
    import yaml

    fields = yaml.safe_load(text)["kafka"]["properties"]["kafka"]["properties"]
    found = []
    for name, field in fields.items():
        key = name.replace("_", ".")
        low, high = (field.get(bound) for bound in ("minimum", "maximum"))
        words = [one["value"] for one in field.get("enum") or []]
        accepts = "|".join(words)
        if not words and (low is not None or high is not None):
            high = "" if high is None or high in _NONE else high
            accepts = f"{'' if low is None else low}..{high}"
        if accepts and "," not in accepts:
            found.append("\t".join((NAME, "", "broker", key, accepts, "error", SOURCE)))
    return sorted(found)


def main() -> None:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(f"{NAME}\t\tbroker\t")]
    made = rows(Path(sys.argv[1]).read_text(encoding="utf-8"))
    TABLE.write_text("\n".join([*kept, *made]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
