#!/usr/bin/env bash
# Installs kcheck from the folder KCHECK_HOME into a virtual environment of its own, KCHECK_VENV.
# Never by a name: none on the package index is the project's yet.
set -euo pipefail
for python in python3.13 python3.12 python3.11 python3; do
  if command -v "$python" > /dev/null &&
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
    break
  fi
  python=
done
if [ -z "$python" ]; then
  echo "::error::kcheck needs Python 3.11 or newer (actions/setup-python)" >&2
  exit 2
fi
"$python" -m venv "$KCHECK_VENV"
"$KCHECK_VENV/bin/pip" install --quiet --disable-pip-version-check "$KCHECK_HOME"
"$KCHECK_VENV/bin/kcheck" --version
