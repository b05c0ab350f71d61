#!/usr/bin/env bash
# Installs kcheck into a virtual environment of its own: KCHECK_VERSION from PyPI, else from the
# folder KCHECK_HOME. KCHECK_VENV says where.
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
if [ -n "${KCHECK_VERSION:-}" ]; then
  "$KCHECK_VENV/bin/pip" install --quiet --disable-pip-version-check "kcheck==$KCHECK_VERSION"
else
  "$KCHECK_VENV/bin/pip" install --quiet --disable-pip-version-check "$KCHECK_HOME"
fi
"$KCHECK_VENV/bin/kcheck" --version
