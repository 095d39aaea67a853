#!/usr/bin/env bash
# usage: subdirectory.sh CMAKE SOURCE_FOLDER WORK_FOLDER VERSION
# The project inside another one (add_subdirectory): it builds, passes on nothing but its headers and libraries, and installs
# nothing of its own.
set -euo pipefail
cmake=$1 source=$2 work=$3 version=$4
rm -rf "$work" # the same folder each time, for ccache
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
complain() {
    echo "package: $*" >&2
    exit 1
}
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache); fi
"$cmake" -S "$source/tests/package/parent" -B "$work/build" -DOB_SOURCE="$source" "${launcher[@]}" >"$work/log" 2>&1 &&
    "$cmake" --build "$work/build" --parallel "$(nproc)" >"$work/log" 2>&1 || { cat "$work/log" && complain "does not build"; }
grep -qE '^CMAKE_BUILD_TYPE:STRING=$' "$work/build/CMakeCache.txt" || complain "the build type was set"
for program in static shared; do
    out=$("$work/build/bin/program_$program")
    [ "$out" = "$version: 14 25 36 17 27 37" ] || complain "program_$program prints '$out'"
done
"$cmake" --install "$work/build" --prefix "$work/installed" >/dev/null
[ "$(cd "$work/installed" && find . -type f)" = ./bin/program_static ] || complain "installs files of its own"
echo "package: works as part of another project"
