#!/bin/sh
# The command onnx-broadcast-run: exit codes, messages, files. Usage: test_run_cli.sh COMMAND FOLDER-OF-NODE-TESTS
run=$1
data=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# expect CODE TEXT ARGUMENTS...: the command ends with CODE and prints TEXT (a fixed string) somewhere.
expect() {
    want=$1 text=$2
    shift 2
    "$run" "$@" >"$dir/out" 2>&1 </dev/null
    got=$?
    if [ $got -ne "$want" ]; then
        echo "FAILED: $* : exit $got, expected $want"; cat "$dir/out"; failed=1
    elif ! grep -qF -- "$text" "$dir/out"; then
        echo "FAILED: $* : no \"$text\" in:"; cat "$dir/out"; failed=1
    fi
}

# graph NAME TEXT: the file NAME.onnxtxt, a model of opset 17 with this graph.
graph() { printf '%s\n' '<ir_version: 8, opset_import: ["" : 17]>' "$2" >"$dir/$1.onnxtxt"; }

expect 0 "usage: onnx-broadcast-run" --help
expect 0 "onnx-broadcast-run 0" --version
expect 2 "no model is given"
expect 2 "unknown option --foo" --foo
expect 2 "needs a value" model.onnx --input
expect 2 "not a whole number" model.onnx --bench x
expect 2 "NAME=SIZE" model.onnx --dim N
expect 2 "only one model can be run" a b
# Expected results: the tolerances of a data.json beside them, the number of elements that differ, and the worst.
graph is 'g () => (float[2,3] y) { y = Constant <value = float[2,3] {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}> () }'
graph wanted 'g () => (float[2,3] y) { y = Constant <value = float[2,3] {1.0, 2.01, 3.0, 4.0, 5.2, 6.0}> () }'
mkdir "$dir/model"
expect 0 "y" "$dir/wanted.onnxtxt" --output-dir "$dir/model/data_0"
expect 1 "2 of 6 elements, beyond rtol 0.001 and atol 1e-07; the worst, [1, 1], is 5, expected 5.2" \
    "$dir/is.onnxtxt" --expect "$dir/model/data_0"
printf '{"atol": 0, "rtol" : 0.03}' >"$dir/model/data.json"
expect 1 "1 of 6 elements, beyond rtol 0.03 and atol 0; the worst, [1, 1], is 5" "$dir/is.onnxtxt" --expect "$dir/model/data_0"
printf '{"rtol": 0.1}' >"$dir/model/data_0/data.json"
expect 0 "as expected, largest error 0.2" "$dir/is.onnxtxt" --expect "$dir/model/data_0"
expect 1 "2 of 6 elements" "$dir/is.onnxtxt" --expect "$dir/model/data_0" --rtol 0
expect 2 "$dir/none.onnx" "$dir/none.onnx"
printf 'not a model at all' >"$dir/bad.onnx"
expect 2 "$dir/bad.onnx" "$dir/bad.onnx"
: >"$dir/empty.onnx"
expect 2 "$dir/empty.onnx" "$dir/empty.onnx"
graph claim 'g (float[3] x) => (float[4] y) { y = Relu (x) }'
expect 0 'axis 0 of "y" is declared as 4 and inferred as 3' "$dir/claim.onnxtxt" --random
expect 1 'axis 0 of "y" is declared as 4 and inferred as 3' "$dir/claim.onnxtxt" --strict
# Generated inputs are always reported, and an error about a wrong name lists the valid ones.
graph two 'g (float[N,3] x, int64[3] name, optional(float[2]) o) => (y) { a = Cast <to = 1> (name) y = Add (x, a) }'
expect 2 "input x is not given (float [N, 3]): --input x=FILE gives it, --random makes one" "$dir/two.onnxtxt"
expect 2 "input name is not given (int64 [3]): --input name=FILE gives it, --random makes one" "$dir/two.onnxtxt"
expect 0 "y: float[1, 3]" "$dir/two.onnxtxt" --random
expect 0 "y: float[2, 3]" "$dir/two.onnxtxt" --random --seed 7 --dim N=2
expect 2 "--input nme=$dir/none.pb: no input is called nme, and there is no file of that name; the inputs are: name, x, o" \
    "$dir/two.onnxtxt" --input "nme=$dir/none.pb"
expect 2 "--input =$dir/none.pb: no input is called " "$dir/two.onnxtxt" --input "=$dir/none.pb"
expect 2 "the model has no symbol 'foo'" "$dir/two.onnxtxt" --random --dim foo=3
# Inputs in JSON and as raw elements: one file for all inputs, or one for each.
printf '{"x": [[0, 1, 2], [3, 4, NaN]], "name": {"shape": [3], "data": [10, 20, 30]}}' >"$dir/both.json"
printf '[10, 20, 30]' >"$dir/name.json"
printf '\0\0\200\077\0\0\0\100\0\0\100\100' >"$dir/x.bin" # 1, 2, 3
cp "$dir/x.bin" "$dir/x.data"
expect 0 "y: float[2, 3] = [10, 21, 32, 13, 24, nan]" "$dir/two.onnxtxt" --input "$dir/both.json"
expect 0 "y: float[1, 3] = [11, 22, 33]" "$dir/two.onnxtxt" --input "$dir/x.bin" --input "$dir/name.json"
expect 0 "y: float[1, 3] = [11, 22, 33]" "$dir/two.onnxtxt" --input "x=$dir/x.data:float[1,3]" --input "name=$dir/both.json"
expect 1 "the model takes [N, 3]" "$dir/two.onnxtxt" --input "x=$dir/x.data:float[3]" --input "$dir/name.json"
expect 2 "12 bytes do not fit the shape" "$dir/two.onnxtxt" --input "x=$dir/x.data:float[4]"
expect 2 "elements of type string have no raw form" "$dir/two.onnxtxt" --input "x=$dir/x.data:string[1]"
expect 2 "none of the 2 tensors in this file is called o" "$dir/two.onnxtxt" --input "o=$dir/both.json"
expect 2 "was given before" "$dir/two.onnxtxt" --input "$dir/both.json" --input "$dir/both.json"
printf '{"y": [1]}' >"$dir/other.json"
expect 2 "other.json: no input is called y; the inputs are: x, o, name" "$dir/two.onnxtxt" --input "$dir/other.json"
printf '{"y": [1' >"$dir/cut.json"
expect 2 "not JSON at byte 8" "$dir/two.onnxtxt" --input "$dir/cut.json"
printf 'PK\003\004 and no more' >"$dir/cut.npz"
expect 2 "damaged archive" "$dir/two.onnxtxt" --input "$dir/cut.npz"
expect 0 '"random_inputs": "some"' "$dir/two.onnxtxt" --input "x=$dir/x.bin" --random --bench 3
expect 0 '"random_inputs": "none"' "$dir/two.onnxtxt" --input "$dir/both.json" --bench 3
graph seq 'g (seq(float[]) s, float[2] x) => (y) { y = SequenceLength (s) }'
expect 2 "input s is not given (a sequence): --input s=FILE gives it" "$dir/seq.onnxtxt"
expect 2 "input s is a sequence: give it with --input" "$dir/seq.onnxtxt" --random
graph none 'g () => (y) { y = Constant <value = float {1}> () }'
expect 0 "y: float" "$dir/none.onnxtxt"
expect 2 "the inputs are: none" "$dir/none.onnxtxt" --input "a=$dir/none.pb"

add=$data/test_add_bcast
if [ ! -f "$add/model.onnx" ]; then
    echo "skipped: the rest needs $add"
    [ $failed -eq 0 ] || exit 1
    exit 77
fi
set0=$add/test_data_set_0
expect 0 "bytes of work memory" "$add/model.onnx" --random --verbose --quiet
expect 0 "sum: float[3, 4, 5] = [" "$add/model.onnx" --random
expect 0 "as expected" "$add/model.onnx" --input "$set0/input_0.pb" --input "$set0/input_1.pb" --expect "$set0"
expect 0 "as expected" "$add/model.onnx" --input "y=$set0/input_1.pb" --input "$set0/input_0.pb" --expect "$set0" --no-optimize
expect 0 "as expected" "$add/model.onnx" --input "x=$set0/input_0.pb" --input "y=$set0/input_1.pb" --output-dir "$dir/o" \
    --expect "$set0"
expect 0 "as expected" "$add/model.onnx" --input "x=$set0/input_0.pb" --input "y=$set0/input_1.pb" --expect "$dir/o"
expect 0 "sum" "$add/model.onnx" --input "x=$set0/input_0.pb" --input "y=$set0/input_1.pb" --output-dir "$dir/n" --npy
[ -s "$dir/n/output_0.npy" ] || { echo "FAILED: no output_0.npy"; failed=1; }
# A result written as .npy can be read as an input.
expect 0 "sum" "$add/model.onnx" --random --input "x=$dir/n/output_0.npy"
expect 1 "input x: the model takes [3, 4, 5], but [5] was given" "$add/model.onnx" --random --input "x=$set0/input_1.pb"
expect 1 "DIFFERS" "$add/model.onnx" --random --expect "$set0"
expect 2 "one too many" "$add/model.onnx" --input "$set0/input_0.pb" --input "$set0/input_1.pb" --input "$set0/input_1.pb"
expect 2 "given before" "$add/model.onnx" --input "x=$set0/input_0.pb" --input "x=$set0/input_0.pb"
expect 2 "$dir/none.pb" "$add/model.onnx" --input "$dir/none.pb"
expect 2 "$dir/bad.onnx" "$add/model.onnx" --input "$dir/bad.onnx"
for field in runs threads min_ms median_ms p50_ms p90_ms p99_ms max_ms create_ms peak_rss_kib; do
    expect 0 "\"$field\": " "$add/model.onnx" --random --bench 3 --warmup 1
done
expect 0 "\"runs\": 5," "$add/model.onnx" --random --bench=5
# The memory of a large program before it started the command is not counted.
if command -v python3 >/dev/null; then
    python3 -c 'import subprocess, sys; large = b"x" * (256 << 20); sys.exit(subprocess.run(sys.argv[1:]).returncode)' \
        "$run" "$add/model.onnx" --random --bench 1 >"$dir/out" 2>&1
    peak=$(sed -n 's/.*"peak_rss_kib": \([0-9]*\).*/\1/p' "$dir/out")
    [ "${peak:-0}" -gt 500 ] && [ "$peak" -lt 200000 ] || { echo "FAILED: peak_rss_kib is ${peak:-missing}"; failed=1; }
fi
expect 0 "binary" "$add/model.onnx" --random --profile="$dir/trace.json"
grep -q '"traceEvents"' "$dir/trace.json" || { echo "FAILED: no trace"; failed=1; }
# A trace that cannot be written whole leaves the old file and nothing beside it; it never replaces the model.
mkdir "$dir/t" && cp "$dir/trace.json" "$dir/t/trace.json"
(ulimit -f 4; exec "$run" "$add/model.onnx" --random --quiet --bench 1000 --profile="$dir/t/trace.json") >/dev/null 2>"$dir/err"
[ $? -eq 2 ] && grep -q 'cannot write' "$dir/err" || { echo "FAILED: a trace over the file size"; cat "$dir/err"; failed=1; }
cmp -s "$dir/trace.json" "$dir/t/trace.json" && [ "$(ls "$dir/t")" = trace.json ] ||
    { echo "FAILED: the old trace is lost"; ls "$dir/t"; failed=1; }
cp "$add/model.onnx" "$dir/t/model.onnx"
expect 2 "would replace the model" "$dir/t/model.onnx" --profile="$dir/t/model.onnx"
cmp -s "$add/model.onnx" "$dir/t/model.onnx" || { echo "FAILED: the model is lost"; failed=1; }
printf '<ir_version: 3, opset_import: ["" : 1]>\ng (float[2] x) => (float[2] y) { y = ATen(x) }\n' >"$dir/aten.txt"
expect 3 "not supported" "$dir/aten.txt" --random

# The same model through standard input, whole and cut.
"$run" - --random <"$add/model.onnx" >"$dir/out" 2>&1 || { echo "FAILED: standard input"; cat "$dir/out"; failed=1; }
head -c 60 "$add/model.onnx" | "$run" - >"$dir/out" 2>&1
[ $? -eq 2 ] || { echo "FAILED: a cut model on standard input"; cat "$dir/out"; failed=1; }
exit $failed
