#!/usr/bin/env bash
# examples/node: the function form in ONNX Runtime's Node.js binding. node.sh CHECK RUN SOURCE FOLDER
#   CHECK, RUN: the commands; FOLDER: where ./dev onnxruntime put ONNX Runtime
set -euo pipefail
check=$1 run=$2 source=$3 runtime=$4
modules=$runtime/node/node_modules

skip() {
    echo "skipped: $*"
    exit 77
}
if [ ! -d "$modules/onnxruntime-node" ]; then
    # If the library was downloaded, the module came with it.
    [ ! -e "$runtime/lib" ] || { echo "$runtime/lib is there, $modules/onnxruntime-node is not" >&2; exit 1; }
    skip "the module onnxruntime-node is not there (./dev onnxruntime brings it)"
fi
command -v node >/dev/null || skip "node is not there"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export NODE_PATH=$modules
"$check" "$source/models/scale_bias_nchw.onnx" -o function.onnx --emit function --quiet
node "$source/examples/node/run.mjs" function.onnx >output.txt
diff -u "$source/examples/node/expected.txt" output.txt

"$run" "$source/models/scale_bias_nchw.onnx" --input input.npy --output-dir . --npy --quiet
n_bytes=$((3 * 2 * 3 * 4)) # of the last run; the headers may be written differently
cmp <(tail -c $n_bytes output.npy) <(tail -c $n_bytes output_0.npy)
[ "$(tail -c $n_bytes output.npy | tr -d '\0' | wc -c)" -gt 0 ] || { echo "all results are 0" >&2; exit 1; }

# The form `fused` runs by the bodies of its functions.
"$check" "$source/models/scale_bias_nchw.onnx" -o fused.onnx --emit fused --quiet
grep -q Fused_1 fused.onnx || { echo "nothing was fused" >&2; exit 1; }
node "$source/examples/node/run.mjs" fused.onnx >output.txt
diff -u "$source/examples/node/expected.txt" output.txt

# Why the example takes this form.
"$check" "$source/models/scale_bias_nchw.onnx" -o broadcast.onnx --emit broadcast --quiet
! node "$source/examples/node/run.mjs" broadcast.onnx 2>refused.txt >/dev/null ||
    { echo "the binding runs operators of domain onnx_broadcast" >&2; exit 1; }
grep -q onnx_broadcast refused.txt || { cat refused.txt >&2; exit 1; }
echo "the same bits as onnx-broadcast-run"
