#!/usr/bin/env bash
# usage: run.sh SOURCE_DIR EXPECTED PROGRAM [ARGUMENT...]. The program, run in the source folder, prints the contents of EXPECTED.
set -eu -o pipefail
cd "$1"
expected=$2
shift 2
"$@" | diff -u "$expected" -
