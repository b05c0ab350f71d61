#!/usr/bin/env bash
# The bill of materials of what `pip install WHEEL` brings: bill.sh WHEEL FOLDER. Of an environment of
# its own without pip; checked against CycloneDX's schema. Needs the tools of ci/tools.txt.
set -euo pipefail
wheel=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
install() { "$python" -m uv pip install --quiet --target "$work/site" --no-build "$@"; }
install --require-hashes -r "$here/locked.txt"
install --no-deps "$wheel"
name=$(basename "$wheel")
bill=$out/${name%-py3-none-any.whl}.cdx.json
"$python" "$here/sbom.py" "$work/site" --out "$bill"
"$python" - "$bill" <<'P'
import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

text = Path(sys.argv[1]).read_text(encoding="utf-8")
if fault := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
    sys.exit(f"{sys.argv[1]}: {fault}")
P
