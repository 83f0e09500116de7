#!/usr/bin/env bash
# build_times.sh [DIR]: measures the steps of docs/build.md's table in a fresh build tree, without ccache, and prints a
# row for each: wall time, and processor time, which other programs on the machine influence less. DIR is deleted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
dir=$(realpath -m "${1:-/tmp/tensh_build_times}")
export CCACHE_DISABLE=1
rm -rf "$dir"
row() {
  local name=$1
  shift
  /usr/bin/time -o /tmp/build_times.$$ -f '%e %U %S' "$@" >"$dir.log" 2>&1 || { tail -n 20 "$dir.log"; exit 1; }
  awk -v name="$name" '{ printf "| %s | %d min %02d s | %d s |\n", name, $1 / 60, $1 % 60, $2 + $3 }' /tmp/build_times.$$
  rm -f /tmp/build_times.$$
}
echo '| step | wall | processor |'
echo '|---|---|---|'
row './dev run' ./dev -B "$dir" run --version
row './dev test after it' ./dev -B "$dir" test
touch ops/math/elementwise/square.cc
row 'one op touched: rebuilt and tested' ./dev -B "$dir" test 'unit.ops$'
row 'nothing to do' ./dev -B "$dir" run --version
rm -rf "$dir" "$dir.log"
