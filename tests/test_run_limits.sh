#!/usr/bin/env bash
# Limits of onnx-broadcast-run, and signals to both commands: they end them, and leave no temporary file.
#   test_run_limits.sh RUN CHECK
set -u
run=$1 check=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# expect STATUS TEXT ARGUMENT...: the exit status, and TEXT in the output.
expect() {
    local want=$1 text=$2
    shift 2
    "$run" --random "$@" >"$dir/out" 2>&1
    local status=$?
    [ $status -eq "$want" ] || { fail "status $status instead of $want: $*"; cat "$dir/out"; }
    grep -qF -- "$text" "$dir/out" || { fail "no \"$text\": $*"; cat "$dir/out"; }
}

# Minutes of work.
cat >"$dir/long.onnxtxt" <<'END'
<ir_version: 8, opset_import: ["" : 14]>
long (float[4000, 4000] x) => (float[4000, 4000] y) {
  a = MatMul(x, x)  b = MatMul(a, x)  c = MatMul(b, x)  d = MatMul(c, x)  e = MatMul(d, x)  f = MatMul(e, x)
  g = MatMul(f, x)  h = MatMul(g, x)  i = MatMul(h, x)  j = MatMul(i, x)  k = MatMul(j, x)  y = MatMul(k, x)
}
END
cat >"$dir/two.onnxtxt" <<'END'
<ir_version: 8, opset_import: ["" : 14]>
two (float[4] x) => (float[4] y) { a = Neg(x)  y = Abs(a) }
END

# No more threads than processors; and with little memory as many as there is room for.
if command -v taskset >/dev/null && taskset -c 0 true 2>/dev/null; then
    taskset -c 0 "$run" --random "$dir/two.onnxtxt" --threads 8 --verbose >"$dir/out" 2>&1 || fail "8 threads on one processor"
    grep -qF -- "1 thread; the process may use 1 processor" "$dir/out" ||
        { fail "one processor is not reported"; cat "$dir/out"; }
    taskset -c 0 "$run" --help | grep -F "the process may use 1 [1]" >/dev/null || fail "--help does not know of one processor"
fi
(ulimit -v 400000; timeout 20 "$run" --random "$dir/two.onnxtxt" --threads 1000 >"$dir/out" 2>&1) ||
    { fail "1000 threads under a limit"; cat "$dir/out"; }
expect 0 "y: float[4]" "$dir/two.onnxtxt" --threads 1000 --max-memory 1M

# Just under and just over.
expect 0 "y: float[4]" "$dir/two.onnxtxt" --max-nodes 2
expect 1 "the model has 2 nodes, the limit is 1: max_nodes raises it" "$dir/two.onnxtxt" --max-nodes=1
expect 0 "y: float[4]" "$dir/two.onnxtxt" --max-output-bytes 64
expect 1 "max_output_bytes raises it" "$dir/two.onnxtxt" --max-output-bytes 63
expect 0 "y: float[4]" "$dir/two.onnxtxt" --max-memory 1M --max-seconds 1e9
expect 1 "max_memory raises it" "$dir/two.onnxtxt" --max-memory 10K
expect 1 "it takes longer than max_run_ns allows" "$dir/two.onnxtxt" --max-seconds 1e-9
expect 1 "max-memory raises" "$dir/long.onnxtxt" --max-memory 60M
expect 2 "is not a number of bytes" "$dir/two.onnxtxt" --max-memory 0
expect 2 "is not a number of bytes" "$dir/two.onnxtxt" --max-memory 1Q
expect 2 "is not a number of bytes" "$dir/two.onnxtxt" --max-memory 1Gi
expect 2 "is not a number of bytes" "$dir/two.onnxtxt" --max-memory 9223372036854775807K
# All memory counts toward one limit, also under a limit of the shell that leaves little more.
(ulimit -v 4000000; "$run" "$dir/long.onnxtxt" --random --max-memory 80M --quiet) >"$dir/out" 2>&1
[ $? -eq 1 ] && grep -q "beside the .* in use are over the limit of 83886080: max_memory raises it" "$dir/out" ||
    { fail "80M"; cat "$dir/out"; }

# The contents of input files count as well: a million tensors without elements are 6 MB in a file.
printf '<ir_version: 8, opset_import: ["" : 17]>\ng (seq(float[]) s) => (n) { n = SequenceLength(s) }\n' >"$dir/seq.onnxtxt"
item='\032\004\010\000\020\001'
# shellcheck disable=SC2059
printf "$(yes "$item" | head -n 1000 | tr -d '\n')" >"$dir/thousand.pb"
{
    printf '\020\001'
    for _ in {1..1000}; do cat "$dir/thousand.pb"; done
} >"$dir/empties.pb"
expect 1 "reading it takes more than 67108864 bytes: --max-memory raises the limit" \
    "$dir/seq.onnxtxt" --input "$dir/empties.pb" --max-memory 64M
expect 0 "n: int64[] = [1000]" "$dir/seq.onnxtxt" --input "$dir/thousand.pb" --max-memory 64M

# ended SIGNAL COMMAND...: sends the signal after a while; the status must be 128 and its number.
ended() {
    local name=$1 number
    number=$(kill -l "$name")
    shift
    "$@" >"$dir/out" 2>&1 &
    local pid=$!
    sleep 0.5
    kill -s "$name" $pid
    wait $pid
    local status=$?
    [ $status -eq $((128 + number)) ] || { fail "status $status after SIG$name: $*"; cat "$dir/out"; }
}
ended TERM "$run" "$dir/long.onnxtxt" --random --quiet
ended HUP "$run" "$dir/long.onnxtxt" --random --quiet --threads 2
# Non-interactive shells start what is in the background with SIGINT ignored; it must stay ignored then, and take effect
# otherwise.
ended INT env --default-signal=INT "$run" "$dir/long.onnxtxt" --random --quiet
# In the middle of long steps, of planning, of reading and of writing: at once, whether or not a step asks.
while IFS='|' read -r what inputs body; do
    [ -n "$what" ] || continue
    printf '<ir_version: 8, opset_import: ["" : 20]>\ng (%s) => (y) { %s }\n' "$inputs" "$body" >"$dir/step.onnxtxt"
    timeout -k 30 30 "$run" "$dir/step.onnxtxt" --random --quiet --max-memory 3G --max-seconds 0.05 >"$dir/out" 2>&1
    [ $? -eq 1 ] || { fail "$what is not long, or does not run"; cat "$dir/out"; }
    ended TERM "$run" "$dir/step.onnxtxt" --random --quiet --max-memory 3G --min-time 60 --bench 1
done <<'END'
TopK|float[20000000] x|k = Constant <value = int64[1] {10000000}> () y, i = TopK <axis = 0> (x, k)
LRN|float[1, 200000, 16] x|y = LRN <size = 100001> (x)
Conv|float[1, 1, 70, 70, 70] x, float[16, 1, 30, 30, 30] w|y = Conv (x, w)
NonMaxSuppression|float[1, 100000, 4] b, float[1, 1, 100000] s|k = Constant <value = int64 {100000}> () t = Constant <value = float {1}> () y = NonMaxSuppression (b, s, k, t)
Loop|float[2] x|n = Constant <value = int64 {1000000000000}> () y = Loop <body = b (int64 i, bool c, float[2] s) => (bool d, float[2] t) { d = Identity (c) t = Neg (s) }> (n, , x)
RegexFullMatch|float[1] x|t = Constant <value = string[1] {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"}> () n = Constant <value = int64[1] {8000000}> () e = Expand (t, n) y = RegexFullMatch <pattern = "(a|aa|aaa)*b"> (e)
Expand|float[1] x|n = Constant <value = int64[1] {600000000}> () y = Expand (x, n)
a chain of constants|float[1] x|n = Constant <value = int64[2] {4000, 4000}> () m = ConstantOfShape (n) a = MatMul (m, m) b = MatMul (a, m) c = MatMul (b, m) d = MatMul (c, m) e = MatMul (d, m) y = Add (e, x)
END
# Constants of sizes that no machine has are neither made nor looked for.
while IFS='|' read -r what body; do
    [ -n "$what" ] || continue
    printf '<ir_version: 8, opset_import: ["" : 17]>\ng (float[1] x) => (y) { %s y = Add (s, x) }\n' "$body" >"$dir/fold.onnxtxt"
    (ulimit -v 400000 && exec timeout -k 20 20 "$run" "$dir/fold.onnxtxt" --random --quiet --max-memory 64M) >"$dir/out" 2>&1
    [ $? -eq 1 ] && grep -q "max_memory raises it" "$dir/out" || { fail "$what: a constant of many elements"; cat "$dir/out"; }
    (ulimit -v 400000 && exec timeout -k 20 20 "$check" "$dir/fold.onnxtxt" --quiet) >"$dir/out" 2>&1
    [ $? -le 1 ] || { fail "$what: the checker"; cat "$dir/out"; }
done <<'END'
ConstantOfShape|n = Constant <value = int64[1] {2147483648}> () c = ConstantOfShape (n) s = ReduceSum (c)
Range|a = Constant <value = float {0}> () b = Constant <value = float {1000000000}> () d = Constant <value = float {1}> () c = Range (a, b, d) s = ReduceSum (c)
Tile|o = Constant <value = float[1] {1}> () n = Constant <value = int64[1] {2000000000}> () c = Tile (o, n) s = ReduceSum (c)
Expand and Neg|o = Constant <value = float[1] {1}> () n = Constant <value = int64[1] {2000000000}> () e = Expand (o, n) c = Neg (e) s = ReduceSum (c)
Pad|o = Constant <value = float[1] {1}> () n = Constant <value = int64[2] {0, 2000000000}> () c = Pad (o, n) s = ReduceSum (c)
NonZero|n = Constant <value = int64[1] {2000000000}> () o = ConstantOfShape (n) z = NonZero (o) c = Cast <to = 1> (z) s = ReduceSum (c)
END
mkfifo "$dir/pipe"
ended TERM "$check" "$dir/pipe" </dev/null
ended TERM "$run" "$dir/two.onnxtxt" --input "$dir/pipe"

# In the middle of files: whatever the moment, the file is whole or not there, and nothing is beside it.
{
    printf '<ir_version: 8, opset_import: ["" : 14]>\nbig (float[1] x) => (float[12000000] y) <float[12000000] w = {'
    yes 0 | head -n 11999999 | tr '\n' ,
    printf '0}> { y = Add(x, w) }\n'
} >"$dir/big.onnxtxt"
"$check" --quiet "$dir/big.onnxtxt" --align-weights -o "$dir/big.onnx" >/dev/null || fail "cannot make the big model"
for delay in 0.02 0.04 0.06 0.08 0.1 0.12 0.14 0.16 0.2 0.25 0.3; do
    for command in run check; do
        rm -rf "$dir/o" && mkdir "$dir/o"
        if [ $command = run ]; then
            echo old >"$dir/o/output_0.pb"
            "$run" "$dir/big.onnx" --random --quiet --output-dir "$dir/o" >/dev/null 2>&1 &
        else
            "$check" --quiet "$dir/big.onnx" -o "$dir/o/big.onnx" >/dev/null 2>&1 &
        fi
        pid=$!
        sleep $delay
        kill -s TERM $pid 2>/dev/null
        wait $pid
        status=$?
        [ $status -eq 143 ] || [ $status -eq 0 ] || fail "status $status of $command after $delay s"
        left=$(ls "$dir/o" | grep -v '^big.onnx$' | grep -v '^output_0.pb$')
        [ -z "$left" ] || fail "$command leaves $left after $delay s"
        [ $command = check ] || [ "$(head -c 4 "$dir/o/output_0.pb")" = old ] ||
            [ "$(stat -c %s "$dir/o/output_0.pb")" -ge 48000000 ] ||
            fail "$command leaves half a file after $delay s"
    done
done

# A limit on the size of files is like a full disk: a message, the status of a failed write, no temporary file.
limited() { # STATUS COMMAND...
    local wanted=$1 status
    shift
    rm -rf "$dir/o" && mkdir "$dir/o"
    (ulimit -f 16 && "$@") >/dev/null 2>"$dir/err"
    status=$?
    [ $status -eq "$wanted" ] || fail "status $status, not $wanted, with a limit on files: $*"
    grep -q 'File too large' "$dir/err" || { fail "no message about a file that is too large: $*"; cat "$dir/err"; }
    [ -z "$(ls "$dir/o")" ] || fail "$(ls "$dir/o") is left behind: $*"
}
limited 1 "$run" "$dir/big.onnx" --random --quiet --output-dir "$dir/o"
limited 1 "$run" "$dir/big.onnx" --random --quiet --output-dir "$dir/o" --npy
limited 2 "$check" --quiet "$dir/big.onnx" -o "$dir/o/big.onnx"
exit $failed
