#!/usr/bin/env bash
# usage: needs.sh BUILD_DIR. The table from tests to targets, from which ./dev test NAME builds, has a row for each test.
set -eu
cd "$1"
diff <(ctest -N | sed -nE 's/^ *Test +#[0-9]+: ([^ ]+).*/\1/p' | sort) <(cut -d: -f1 tests/needs.txt | sort) || {
    echo "tests (<) and rows (>) differ: declare tests with ob_test (cmake/tests.cmake)"
    exit 1
}
echo "$(wc -l <tests/needs.txt) tests, each with its targets"
