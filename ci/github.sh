#!/usr/bin/env bash
# Lints as the step of a GitHub workflow: annotations in the log, SARIF in a file, a summary of the
# job, and the exit code as an output, so that the report is uploaded before the job fails.
set -uo pipefail

# Inputs of several lines as words of a command, whatever stands in them.
lines() {
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    [ -n "$line" ] && words+=("$line")
  done <<< "$1"
}

words=()
lines "${KCHECK_ARGS:-}"
[ -n "${KCHECK_FAIL_ON:-}" ] && words+=("--fail-on=$KCHECK_FAIL_ON")
[ -n "${KCHECK_GATE:-}" ] && words+=("--gate=$KCHECK_GATE")
since=${KCHECK_SINCE:-}
[ "$since" = auto ] && since=${KCHECK_BASE:-}
[ -n "$since" ] && words+=("--since=$since")
words+=(--)
lines "${KCHECK_PATHS:-.}"

sarif=${KCHECK_SARIF:-kcheck.sarif}
summary=$(mktemp)
"$KCHECK_VENV/bin/kcheck" lint --output=github "--output=sarif=$sarif" \
  "--output=markdown=$summary" "${words[@]}"
code=$?

[ -n "${GITHUB_STEP_SUMMARY:-}" ] && cat "$summary" >> "$GITHUB_STEP_SUMMARY"
rm -f "$summary"
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  echo "exit-code=$code" >> "$GITHUB_OUTPUT"
  [ -s "$sarif" ] && echo "sarif=true" >> "$GITHUB_OUTPUT"
fi
# Findings fail the job in a step of its own.
[ "$code" -lt 2 ]
