#!/usr/bin/env bash
# usage: flags.sh CMAKE SOURCE_DIR GENERATOR. The user's optimisation level is the last one of every compile command.
set -euo pipefail
cmake=$1 source=$2 generator=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CFLAGS=

# levels NAME OPTION...: the last level of each compile command, each once.
levels() {
    local name=$1
    shift
    "$cmake" -S "$source" -B "$work/$name" -G "$generator" -DOB_BUILD_TESTS=OFF -DOB_BUILD_BENCH=OFF "$@" \
        >"$work/$name.log" 2>&1 ||
        { cat "$work/$name.log" >&2; exit 1; }
    sed -nE 's/^ *"command": "(.*)",?$/\1/p' "$work/$name/compile_commands.json" |
        sed -E 's/.* (-O[0-9a-z]+) .*/\1/' | sort -u | tr '\n' ' '
}
# expect NAME LEVELS OPTION...
expect() {
    local name=$1 wanted=$2 got
    shift 2
    got=$(levels "$name" "$@")
    [ "$got" = "$wanted " ] || { echo "$name ($*): the levels are $got, not $wanted" >&2; exit 1; }
}
expect default '-O2 -O3 -Os'
expect flags -Os -DCMAKE_C_FLAGS=-Os
expect release -Os -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-Os
expect build_type -Os -DCMAKE_BUILD_TYPE=MinSizeRel
expect flags_of_type -O1 -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O1
echo "five builds have the levels that were asked for"
