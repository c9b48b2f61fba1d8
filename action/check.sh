#!/usr/bin/env bash
# Runs `holdfast check` for the action; everything it needs comes by environment.
set -uo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

arguments=(check --fail-on "${HOLDFAST_FAIL_ON:-error}")
while IFS= read -r path; do
  [ -n "$path" ] && arguments+=(--from "$path")
done <<<"${HOLDFAST_FROM:-}"
[ -n "${HOLDFAST_NODES:-}" ] && arguments+=(--nodes "$HOLDFAST_NODES")
while IFS= read -r argument; do
  [ -n "$argument" ] && arguments+=("$argument")
done <<<"${HOLDFAST_ARGS:-}"

holdfast() { "$here/node_modules/.bin/node" "$here/src/cli/main.ts" "$@"; }

holdfast "${arguments[@]}"
code=$?
[ -n "${GITHUB_OUTPUT:-}" ] && echo "exit-code=$code" >>"$GITHUB_OUTPUT"

# Where there was nothing usable to read, there is nothing more to write.
if [ "$code" -ne 2 ] && [ "$code" -ne 3 ]; then
  if [ "${HOLDFAST_SUMMARY:-true}" = true ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    holdfast "${arguments[@]}" -o markdown >>"$GITHUB_STEP_SUMMARY"
  fi
  if [ -n "${HOLDFAST_SARIF:-}" ]; then
    holdfast "${arguments[@]}" -o sarif --output-file "$HOLDFAST_SARIF"
  fi
fi
exit "$code"
