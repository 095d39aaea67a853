#!/usr/bin/env bash
# usage: selected.sh CMAKE SOURCE_DIR WORK_DIR RUN. A build with the operators and loops of one model (OB_OPS): it runs that
# model as the whole library does, refuses another one by name, and its lines are all needed. WORK_DIR is kept, so that the next
# build of it is short.
set -euo pipefail
cmake=$1 source=$2 work=$3 run=$4
mkdir -p "$work"
cd "$work"
fail() {
    echo "selected.sh: $*" >&2
    exit 1
}

# configure LIST-FILE...: the smallest build of the commands; what it prints is in configure.txt.
configure() {
    "$cmake" -C "$source/tests/package/small.cmake" -S "$source" -B build -G Ninja -DOB_OPS="$1" >configure.txt 2>&1
}
refuses() { # refuses TEXT: the configuration of list.ops fails with it
    if configure "$work/list.ops"; then fail "configured without \"$1\""; fi
    tr -s '\n ' ' ' <configure.txt | grep -F "$1" >/dev/null || { cat configure.txt && fail "expected \"$1\""; }
}

# Lists that are wrong
echo "ai.onnx Foo 3 float" >list.ops
refuses "no operator ai.onnx Foo at version 3"
echo "ai.onnx Celu 3" >list.ops
refuses "no operator ai.onnx Celu at version 3"
echo "Add" >list.ops
refuses "expected DOMAIN NAME VERSION"
echo "loop add_f99" >list.ops
refuses "there is no loop add_f99"
rm list.ops
refuses "there is no file"

# A list of the model, and of several: each operator once
model=$source/models/digits.onnx other=$source/models/attention.onnx
"$run" --list-ops "$model" >digits.ops
"$run" --list-ops "$model" "$other" "$model" >both.ops
[ -z "$(cut -d ' ' -f 1-3 both.ops | uniq -d)" ] || fail "an operator is listed twice"
for line in $(cut -d ' ' -f 1-3 digits.ops | grep -v '^#\|^loop' | tr ' ' /); do
    grep -q "^${line//\// } " both.ops || fail "both.ops lacks ${line//\// }"
done
[ -z "$(grep '^loop ' digits.ops | grep -vxFf both.ops)" ] || fail "both.ops lacks loops"

configure "$work/digits.ops" || { cat configure.txt && fail "cannot configure"; }
"$cmake" --build build --target onnx-broadcast-run >build.txt 2>&1 || { tail -50 build.txt && fail "cannot build"; }
small=build/onnx-broadcast-run
"$small" --version | grep -E '^options: .*selected-operators=[0-9a-f]{12}' >/dev/null ||
    fail "--version does not tell that operators are left out"
! "$run" --version | grep selected-operators >/dev/null || fail "--version tells of a selection where there is none"
"$run" "$model" --random --seed 7 --dim batch=3 --output-dir whole >/dev/null
"$small" "$model" --random --seed 7 --dim batch=3 --expect whole >compared.txt || { cat compared.txt && fail "other results"; }
status=0
"$small" "$other" --random >refused.txt 2>&1 || status=$?
[ $status -eq 3 ] || fail "attention.onnx: status $status"
grep -qF 'Reshape: this build has only the operators that OB_OPS names; a line "ai.onnx Reshape 17" there adds it' refused.txt ||
    { cat refused.txt && fail "the refusal does not name Reshape"; }

# Casts of strings are loops of their own: the operator alone does not bring them.
echo '<ir_version: 8, opset_import: ["" : 13]> g (uint8[N] x) => (string[N] y) { y = Cast<to = 8>(x) }' >strings.onnxtxt
! "$small" strings.onnxtxt --random >refused.txt 2>&1 || fail "a cast to strings is not refused"
grep -qF 'a line "loop strings_from_numbers" there adds it' refused.txt ||
    { cat refused.txt && fail "the refusal does not name casts to strings"; }

# The list of the small build is the same.
"$small" --list-ops "$model" | cmp - digits.ops

# Every loop is needed: a build that begins with another one and adds those that refusals name ends with the list.
grep -v '^loop ' digits.ops >list.ops
echo "loop where_1" >>list.ops
for round in 1 2 3 4 5 6 7 8 end; do
    configure "$work/list.ops"
    "$cmake" --build build --target onnx-broadcast-run >build.txt 2>&1 || { tail -50 build.txt && fail "cannot build"; }
    if "$small" "$model" --random >refused.txt 2>&1; then break; fi
    grep -o 'has only the loops that OB_OPS names; a line "loop [a-z0-9_]*" there adds it' refused.txt | cut -d '"' -f 2 |
        sort -u >more.txt
    [ -s more.txt ] || { cat refused.txt && fail "the refusal names no loop"; }
    [ $round != end ] || fail "loops are refused one by one"
    cat more.txt >>list.ops
done
grep "^loop " list.ops | grep -vx "loop where_1" | sort >needed.txt
grep "^loop " digits.ops | cmp needed.txt - || fail "other loops are needed"

# Every operator is needed: without its line the model is refused by that name.
n_operators=$(grep -vc '^loop ' digits.ops)
for number in $(seq 2 "$n_operators"); do
    sed "${number}d" digits.ops >list.ops
    name=$(sed -n "${number}p" digits.ops | cut -d ' ' -f 2)
    configure "$work/list.ops"
    "$cmake" --build build --target onnx-broadcast-run >build.txt 2>&1
    if "$small" "$model" --random >refused.txt 2>&1; then fail "the line of $name is not needed"; fi
    grep -qF "not supported: $name: " refused.txt || { cat refused.txt && fail "the refusal does not name $name"; }
done
