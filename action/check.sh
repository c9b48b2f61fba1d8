#!/usr/bin/env bash
# Runs `holdfast check` for the action; everything it needs comes by environment.
set -uo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

fail() {
  echo "::error title=Holdfast check::$1"
  [ -n "${GITHUB_OUTPUT:-}" ] && echo "exit-code=2" >>"$GITHUB_OUTPUT"
  exit 2
}

case "${HOLDFAST_FAIL_ON:=error}" in
  error | warning | note | never) ;;
  *) fail "fail-on is error, warning, note or never" ;;
esac
case "${HOLDFAST_SUMMARY:=true}" in
  true | false) ;;
  *) fail "summary is true or false" ;;
esac

paths=()
while IFS= read -r path; do
  path="${path#"${path%%[![:space:]]*}"}"
  path="${path%"${path##*[![:space:]]}"}"
  [ -n "$path" ] && paths+=("$path")
done <<<"${HOLDFAST_FROM:-}"
# Without a path the cluster of a kubeconfig that happens to be there would be read.
[ "${#paths[@]}" -gt 0 ] || fail "from names nothing to read"

arguments=(check --fail-on "$HOLDFAST_FAIL_ON")
for path in "${paths[@]}"; do arguments+=(--from "$path"); done
[ -n "${HOLDFAST_NODES:-}" ] && arguments+=(--nodes "$HOLDFAST_NODES")
while IFS= read -r argument; do
  # Where the reports go is said by inputs of their own; check runs once for each.
  case "$argument" in
    -o* | --output | --output=* | --output-file*) fail "args cannot set the output: use sarif-file, html-file and summary" ;;
  esac
  [ -n "$argument" ] && arguments+=("$argument")
done <<<"${HOLDFAST_ARGS:-}"

holdfast() { "$here/node_modules/.bin/node" "$here/src/cli/main.ts" "$@"; }

holdfast "${arguments[@]}"
code=$?
[ -n "${GITHUB_OUTPUT:-}" ] && echo "exit-code=$code" >>"$GITHUB_OUTPUT"

# A report that could not be written fails the step, whatever it would have said.
report() {
  holdfast "${arguments[@]}" "${@:2}" >/dev/null
  [ $? -eq 2 ] && fail "could not write the report to $1"
}

# Where there was nothing usable to read, there is nothing more to write.
if [ "$code" -ne 2 ] && [ "$code" -ne 3 ]; then
  if [ "$HOLDFAST_SUMMARY" = true ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    holdfast "${arguments[@]}" -o markdown >>"$GITHUB_STEP_SUMMARY"
  fi
  [ -n "${HOLDFAST_SARIF:-}" ] && report sarif-file -o sarif --output-file "$HOLDFAST_SARIF"
  [ -n "${HOLDFAST_HTML:-}" ] && report html-file -o html --output-file "$HOLDFAST_HTML"
fi
exit "$code"
