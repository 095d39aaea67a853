#!/usr/bin/env bash
# Shows what the project is for, on the models of this folder. Called by `./dev demo` after the build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=/usr/bin/python3
out=build/demo
rm -rf "$out"
mkdir -p "$out"

say() { printf '\n== %s\n\n' "$*"; }
run() {
    printf '$ %s\n' "$*"
    "$@"
}
# expect STATUS COMMAND...: runs a command that ends with that exit status.
expect() {
    local wanted=$1 status=0
    shift
    run "$@" || status=$?
    [ "$status" -eq "$wanted" ] || {
        echo "demo: exit status $status, expected $wanted" >&2
        exit 1
    }
    [ "$wanted" -eq 0 ] || echo "(exit status $status)"
}
same() { # FOLDER FOLDER: the outputs are equal, bit for bit
    run diff -r "$1" "$2" || { echo "demo: $1 and $2 differ" >&2; exit 1; }
    echo "identical: $(ls "$1" | tr '\n' ' ')"
}

check=build/onnx-broadcast-check
runner=build/onnx-broadcast-run

say "1. A trained classifier of handwritten digits: what broadcasts in it, and is it sound?"
expect 0 $check models/digits.onnx

say "2. The same model with every broadcast written down"
expect 0 $check models/digits.onnx -o $out/digits_explicit.onnx --emit broadcast --quiet
expect 0 $check $out/digits_explicit.onnx --quiet

say "3. Both recognise 360 images that they were not trained on"
expect 0 $runner models/digits.onnx --input models/digits_test/input_0.pb --output-dir $out/digits
expect 0 $runner $out/digits_explicit.onnx --input models/digits_test/input_0.pb --output-dir $out/digits_explicit
same $out/digits $out/digits_explicit
run $python models/accuracy.py $out/digits/output_1.pb models/digits_test/labels.pb

say "4. A model that is plainly wrong"
expect 1 $check models/wrong.onnx

say "5. A model that runs and does something else than was meant"
expect 0 $check models/accidental.onnx

say "6. An attention block with open batch and length: made explicit in standard ONNX, run, compared"
expect 0 $check models/attention.onnx
expect 0 $check models/attention.onnx -o $out/attention_expand.onnx --emit expand --quiet
test_set=models/attention_test/test_data_set_0
inputs=(--input $test_set/input_0.pb --input $test_set/input_1.pb)
expect 0 $runner models/attention.onnx "${inputs[@]}" --output-dir $out/attention --expect $test_set
expect 0 $runner $out/attention_expand.onnx "${inputs[@]}" --output-dir $out/attention_expand
same $out/attention $out/attention_expand

say "7. Opset 6: broadcast=1 with axis, mapped to BroadcastInDim"
expect 0 $check models/legacy_axis.onnx -o $out/legacy_explicit.onnx --emit broadcast
test_set=models/legacy_axis_test/test_data_set_0
expect 0 $runner models/legacy_axis.onnx --input $test_set/input_0.pb --output-dir $out/legacy --expect $test_set
expect 0 $runner $out/legacy_explicit.onnx --input $test_set/input_0.pb --output-dir $out/legacy_explicit
same $out/legacy $out/legacy_explicit

say "All of it worked. The rewritten models and results are in $out"
