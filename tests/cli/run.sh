#!/usr/bin/env bash
# Runs the command-line cases of this folder: NAME.cmd is a bash snippet; its standard output, standard error and exit status must
# be exactly NAME.stdout, NAME.stderr and NAME.status (a missing file stands for no output, or for status 0).
#
#   run.sh COMMAND-FOLDER [--bless] [NAME...]     --bless writes the actual output instead of comparing
#
# A snippet runs in an empty folder. $check and $run are the commands, $models, $cases, $examples and $libraries
# (of operators, built by tests/op_library) are folders.
set -u
build=$(cd "$1" && pwd)
shift
export cases
cases=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export models=$cases/../../models check=$build/onnx-broadcast-check
export examples=$cases/../../examples run=$build/onnx-broadcast-run libraries=$build/tests/op_library
export LC_ALL=C NO_COLOR= TERM=dumb
bless=
[ "${1-}" = --bless ] && { bless=yes; shift; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0 n_run=0
names=("$@")
[ ${#names[@]} -gt 0 ] || for file in "$cases"/*.cmd; do names+=("$(basename "$file" .cmd)"); done

# expected FILE: its content; nothing if there is no file.
expected() { [ -f "$1" ] && cat "$1"; return 0; }
keep() { if [ -s "$1" ]; then cp "$1" "$2"; else rm -f "$2"; fi; }

for name in "${names[@]}"; do
    mkdir "$folder/work"
    (cd "$folder/work" && bash "$cases/$name.cmd") >"$folder/stdout" 2>"$folder/stderr" </dev/null
    status=$?
    [ $status -eq 0 ] && : >"$folder/status" || echo $status >"$folder/status"
    # Paths of this machine have no place in expectations.
    sed -i "s|$models|MODELS|g; s|$examples|EXAMPLES|g; s|$cases|CASES|g; s|$libraries|LIBRARIES|g; s|$folder/work|WORK|g" \
        "$folder/stdout" "$folder/stderr"
    rm -rf "$folder/work"
    n_run=$((n_run + 1))
    for part in stdout stderr status; do
        if [ -n "$bless" ]; then
            keep "$folder/$part" "$cases/$name.$part"
        elif ! expected "$cases/$name.$part" | cmp -s - "$folder/$part"; then
            echo "== $name: $part differs (- expected, + now)"
            diff -u <(expected "$cases/$name.$part") "$folder/$part" | tail -n +3 | head -60
            failed=$((failed + 1))
        fi
    done
done
echo "$n_run cases, $failed differences"
[ $failed -eq 0 ]
