#!/usr/bin/env bash
# usage: commands.sh BUILD_FOLDER SOURCE_FOLDER
# The commands linked with the shared library, so with its public functions only, do what the installed ones do.
set -euo pipefail
build=$1 models=$2/models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for kind in "" -shared; do
    folder=$work/out$kind
    check=$build/onnx-broadcast-check run=$build/onnx-broadcast-run
    [ -z "$kind" ] || check=$build/tests/onnx-broadcast-check-shared run=$build/tests/onnx-broadcast-run-shared
    mkdir "$folder"
    cd "$folder"
    "$check" "$models/digits.onnx" -o explicit.onnx --emit broadcast >report
    "$run" explicit.onnx --input "$models/digits_test/input_0.pb" --output-dir results --quiet
done
for command in check run; do
    readelf -d "$build/tests/onnx-broadcast-$command-shared" | grep 'NEEDED.*libonnx_broadcast\.so\.' >/dev/null || {
        echo "onnx-broadcast-$command-shared is not linked with the shared library"
        exit 1
    }
done
[ -s "$work/out/results/output_0.pb" ]
diff -r "$work/out" "$work/out-shared" && echo "commands: the same with the shared library"
