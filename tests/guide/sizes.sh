#!/usr/bin/env bash
# usage: sizes.sh SOURCE_DIR BUILD_DIR [--write]. Measures the tables of section "Sizes" in docs/embedding.md and compares: each
# figure of the page is within 15 % of the measured one. --write writes the measured tables into the page. Compilers and options
# change the sizes, so other builds than plain ones for release are skipped (exit status 77).
set -eu -o pipefail
export LC_ALL=C
source=$1 build=$2 write=${3-}
page=$source/docs/embedding.md
begin='<!-- sizes: tests/guide/sizes.sh measures these tables, ./dev bless writes them -->' end='<!-- end of sizes -->'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip() {
    echo "skipped: the page has the sizes of a plain release build, and $*"
    exit 77
}
option() { sed -nE "s/^$1:[A-Z]+=//p" "$build/CMakeCache.txt"; }
compiled() { grep -qs "^set($1 \"$2\")" "$build"/CMakeFiles/*/"$3"; }
[ "$(option CMAKE_BUILD_TYPE)" = Release ] || skip "this build has another build type"
[ -z "$(option CMAKE_C_FLAGS)$(option OB_SANITIZE)" ] || skip "this build has compile options of its own"
[ "$(option OB_COVERAGE)" != ON ] && [ "$(option OB_ANALYZE)" != ON ] || skip "this build counts lines or analyses the code"
[ "$(option OB_ISA_LEVELS)" = "avx2;avx512" ] || skip "this build has other instruction-set levels"
[ "$(option OB_WITH_SLEEF)" = ON ] && [ "$(option OB_WITH_THREADS)" = ON ] || skip "this build leaves out SLEEF or threads"
compiled CMAKE_C_COMPILER_ID GNU CMakeCCompiler.cmake || skip "this build is not made by GCC"
compiled CMAKE_SYSTEM_PROCESSOR x86_64 CMakeSystem.cmake || skip "this build is not for x86-64"

# Two digits are enough for readers.
readable() {
    awk -v n="$1" 'BEGIN {
        if (n >= 1e6) printf "%.1f MB", n / 1e6
        else if (n >= 1e4) printf "%.0f KB", n / 1e3
        else printf "%.1f KB", n / 1e3
    }'
}
row() { echo "| $1 | $(readable "$2") |"; }
# code FOLDER [PATTERN...]: bytes of code and constants in the object files that find selects.
code() {
    local folder=$build/$1
    shift
    find "$folder" -name '*.o' "$@" -print0 | xargs -0 size | awk '$1 != "text" { n += $1 + $2 } END { print n }'
}
# session PATTERN MODEL NAME=SIZE...: the figure after PATTERN in the output of guide_sizes.
session() {
    local pattern=$1 model=$2
    shift 2
    "$build/tests/guide/guide_sizes" "$source/models/$model.onnx" "$@" | sed -nE "s/.*$pattern ([0-9]+).*/\1/p" | head -1
}

library=$(ls "$build"/libonnx_broadcast.so.*.*)
strip -o "$work/library.so" "$library"
{
    echo
    echo "| Part of the library | Bytes |"
    echo "|---|---|"
    row '`libonnx_broadcast.so`, stripped, all parts' "$(stat -c %s "$work/library.so")"
    row 'kernels for every processor (baseline)' "$(code kernels/CMakeFiles/ob_kernels.dir -name '*__baseline.*')"
    row 'kernels for AVX2' "$(code kernels/CMakeFiles/ob_kernels.dir -name '*__avx2.*')"
    row 'kernels for AVX-512' "$(code kernels/CMakeFiles/ob_kernels.dir -name '*__avx512.*')"
    row 'operators' "$(code ops/CMakeFiles/ob_ops.dir)"
    row 'sizes, conditions and the graph' "$(code core/CMakeFiles/ob_core.dir)"
    row 'check, report and rewrite, without the page of HTML reports (170 KB)' \
        "$(code passes/CMakeFiles/ob_passes.dir -not -name 'page_data*')"
    row 'model files' "$(code proto/CMakeFiles/ob_proto.dir)"
    row 'sessions' "$(code runtime/CMakeFiles/ob_runtime.dir)"
    echo
    echo "| Memory of a session | Bytes | Arguments of \`build/tests/guide/guide_sizes\` |"
    echo "|---|---|---|"
    # memory TEXT PATTERN MODEL NAME=SIZE...
    memory() { echo "| $1 | $(readable "$(session "${@:2}")") | \`models/$3.onnx ${*:4}\` |"; }
    memory '`models/attention.onnx` (35 nodes, a file of 20 KB)' session attention batch=2 length=7
    memory 'work memory of its runs with shape (2, 7, 32)' 'work of a run' attention batch=2 length=7
    memory 'work memory of its runs with shape (1, 128, 32)' 'work of a run' attention batch=1 length=128
    memory '`models/digits.onnx` (15 nodes, a file of 28 KB)' session digits batch=1
    memory 'folded constants, part of these' constants digits batch=1
    echo
} >"$work/measured"

if [ -n "$write" ]; then
    awk -v begin="$begin" -v end="$end" -v measured="$work/measured" '
        $0 == end { inside = 0 }
        !inside { print }
        $0 == begin { inside = 1; while ((getline line < measured) > 0) print line }' "$page" >"$work/page"
    cat "$work/page" >"$page"
    exit 0
fi
awk -v begin="$begin" -v end="$end" '$0 == end { inside = 0 } inside { print } $0 == begin { inside = 1 }' "$page" >"$work/stated"
paste -d '\t' "$work/stated" "$work/measured" | awk -F '\t' '
    # The figure of a row, in bytes, and the row without it.
    function figure(line) {
        if (!match(line, /\| [0-9.]+ [KM]B \|/)) return -1
        number = substr(line, RSTART + 2, RLENGTH - 4)
        return number * (number ~ /MB/ ? 1e6 : 1e3)
    }
    function words(line) { sub(/\| [0-9.]+ [KM]B \|/, "| |", line); return line }
    {
        page = figure($1); now = figure($2)
        if (words($1) != words($2)) { print "the page has   " $1 "\nmeasured       " $2; failed = 1; next }
        if (now < 0) next
        n++
        if (page > 1.15 * now || page < 0.85 * now) { print "the page has   " $1 "\nmeasured       " $2; failed = 1 }
    }
    END {
        if (failed) print "./dev bless measures the tables of docs/embedding.md again"
        else print n " figures of the page are within 15 % of the measured ones"
        exit failed || n < 14
    }'
