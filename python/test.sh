#!/usr/bin/env bash
# usage: python/test.sh FOLDER PYTHON. Installs the package from a source distribution into a new virtual environment in FOLDER,
# and tests the installed package: its tests, its types, the examples in its comments. Ends in one line with the counts.
set -euo pipefail
folder=$1 python=$2
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
rm -rf "$folder/venv" "$folder/sdist" "$folder/unpacked" "$folder/results.xml" "$folder/doctests.xml"
unset PYTHONPATH
cd "$top"

say() { printf '\n== %s\n' "$*"; }
passed=0 failed=0
count() { # WHAT STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "failed: $1"; fi
}
# The counts of a run of pytest; a run without a report failed as a whole.
count_report() {
    local counts
    if ! counts=$("$folder/venv/bin/python" - "$1" <<'END'
import sys
import xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()[0].attrib
bad = int(suite["failures"]) + int(suite["errors"])
print(int(suite["tests"]) - bad - int(suite["skipped"]), bad)
END
    ); then
        count "$1" 1
        return
    fi
    passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
    if [ "$counts" = "0 0" ]; then count "$1: no test ran" 1; fi
}

say "Source distribution"
"$python" -m venv --system-site-packages "$folder/venv"
"$python" setup.py -q egg_info --egg-base "$folder" sdist --dist-dir "$folder/sdist" --formats gztar
mkdir "$folder/unpacked"
tar -xzf "$folder"/sdist/*.tar.gz -C "$folder/unpacked"

say "Install"
status=0
(cd "$folder/unpacked"/* && "$folder/venv/bin/pip" install --no-index --no-build-isolation --no-deps .) \
    >"$folder/install.log" 2>&1 || status=$?
[ "$status" -eq 0 ] || tail -40 "$folder/install.log"
tail -1 "$folder/install.log"
count "install from the source distribution" "$status"
wheel=$(sed -nE 's/.*filename=([^ ]+) size=([0-9]+).*/\1, \2 bytes/p' "$folder/install.log")
echo "$wheel"
count "the wheel is for the stable ABI" "$([[ $wheel == *-abi3-* ]] && echo 0 || echo 1)"

say "Tests"
"$folder/venv/bin/python" -m pytest -q -p no:cacheprovider --junitxml "$folder/results.xml" python/tests || true
count_report "$folder/results.xml"
say "Examples in comments"
package=$("$folder/venv/bin/python" -c 'import onnx_broadcast, os; print(os.path.dirname(onnx_broadcast.__file__))')
"$folder/venv/bin/python" -m pytest -q -p no:cacheprovider --doctest-modules --rootdir "$top" --junitxml "$folder/doctests.xml" \
    "$package" || true
count_report "$folder/doctests.xml"
say "Types"
status=0
"$folder/venv/bin/python" -m mypy --config-file pyproject.toml --cache-dir "$folder/mypy" || status=$?
count mypy "$status"

printf '\n%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
