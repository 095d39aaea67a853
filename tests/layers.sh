#!/usr/bin/env bash
# usage: layers.sh COMPILER SOURCE_DIR LAYER=DIR:DIR... ...
# Each layer sees its own headers, the public ones and those of the layers below it, and no other. DIRs are the layer's include
# folders.
set -u
compiler=$1 source=$2
shift 2
failed=0

allowed() { # of a layer; this table is the rule, independent of the build
    case $1 in
    core) echo "core" ;;
    proto) echo "proto core" ;;
    kernels) echo "kernels core" ;;
    ops) echo "ops kernels core" ;;
    passes) echo "passes ops core" ;;
    runtime) echo "runtime passes ops kernels core" ;;
    *) echo "unknown layer $1" >&2 && exit 1 ;;
    esac
}

# compiles_with HEADER DIR:DIR...
compiles_with() {
    local header=$1 flags=() dirs dir
    IFS=: read -ra dirs <<<"$2"
    for dir in "${dirs[@]}"; do flags+=(-I "$dir"); done
    printf '#include "%s"\n' "$header" | "$compiler" -E "${flags[@]}" -x c - >/dev/null 2>&1
}

complain() {
    echo "$*"
    failed=1
}

tried=0
for layer in "$@"; do
    name=${layer%%=*} dirs=${layer#*=}
    compiles_with onnx_broadcast/onnx_broadcast.h "$dirs" || complain "$name cannot include the public headers"
    for other in core kernels proto ops passes runtime; do
        # A layer without a header of its own is tried with a file of any kind: only the path has to be found.
        file=$(cd "$source" && find "$other" -name '*.h' -not -path '*/ort/*' | sort | head -1)
        [ -n "$file" ] || file=$other/CMakeLists.txt
        if [[ " $(allowed "$name") " == *" $other "* ]]; then
            [[ $file == *.h ]] && ! compiles_with "$file" "$dirs" && complain "$name cannot include $file, which it may"
        else
            compiles_with "$file" "$dirs" && complain "$name can include $file, which it must not"
        fi
        tried=$((tried + 1))
    done
done
[ "$tried" -ge 36 ] || complain "only $tried pairs of layers were tried"

# Commands and benchmarks use the public headers only; no file includes a path with "..".
while IFS= read -r line; do complain "not a public header: $line"; done < <(
    cd "$source" && grep -rnE '#include "(core|kernels|proto|ops|passes|runtime)/' tools bench --include='*.[ch]')
while IFS= read -r line; do complain "relative include: $line"; done < <(
    cd "$source" &&
        grep -rnE '#include "\.\./' core kernels proto ops passes runtime tools bench include tests --include='*.[ch]')

# The operands that an operator stretches are a column of its row: no pass contains one of these names.
one_way=$(sed -nE 's/^OB_OP\("[^"]*", ([A-Za-z]+),.* (UNI|UNI_ASKED|BATCH|BATCH_SCALED)\(.*/\1/p' \
    "$source"/ops/*/family.def | sort -u)
[ "$(wc -w <<<"$one_way")" -ge 7 ] || complain "only these operators of ops.def broadcast one way: $one_way"
for operator in $one_way; do
    while IFS= read -r line; do complain "a pass that knows $operator by name: $line"; done < <(
        cd "$source" && grep -nF "\"$operator\"" passes/*.c passes/*/*.c)
done
while IFS= read -r line; do complain "a pass that asks for an operator that stretches by name: $line"; done < <(
    cd "$source" && grep -nE '(strcmp|ob__is_standard)\(.*"(Expand|Tile)"' passes/*.c passes/*/*.c)

# Shared code of shape rules knows no operator by name: it reads the row.
while IFS= read -r line; do complain "asks for an operator by name: $line"; done < <(
    cd "$source" && grep -nE 'ob__op_is\(infer|strn?cmp\(.*"[A-Z][A-Za-z]+"' ops/infer/*.c ops/window/*.c)

# Inside a layer a folder includes its own headers and those of the folders listed after it.
rooms="core/base:
core/dims: core/base
core/solve: core/dims core/base
core/graph: core/dims core/base
passes/check:
passes/origin: passes/check
passes/contract: passes/check
passes/accident: passes/origin passes/contract passes/check
passes/target: passes/check
passes/report: passes/target passes/contract passes/check
passes/format: passes/report passes/origin passes/target passes/contract passes/check
passes/cost: passes/report passes/target passes/contract passes/check
passes/compare: passes/format passes/report passes/target passes/contract passes/check
passes/optimize: passes/check
passes/rewrite: passes/optimize passes/cost passes/target passes/contract passes/check
passes/expand: passes/check
passes/fix: passes/rewrite passes/contract passes/check
passes/independence: passes/origin passes/expand passes/check
ops/table:
ops/infer: ops/table
ops/kernel: ops/table
ops/window: ops/infer ops/kernel ops/table
ops/body: ops/kernel ops/table
ops/library: ops/infer ops/kernel ops/table"
# Families of operators do not include each other, except these.
declare -A beside=(
    [conv]="ops/window" # kernel sizes, strides and padding
    [pool]="ops/window ops/quantize"
    [quantize]="ops/conv ops/elementwise" # integers in place of floats, in the same steps
    [recurrent]="ops/quantize"
    [norm]="ops/random" # Dropout draws
)
families=$(sed -nE 's/^#include OB_FAMILY\((.*)\)/\1/p' "$source/ops/table/families.def")
[ "$(wc -w <<<"$families")" -ge 20 ] || complain "only these families of operators were found: $families"
for family in $families; do
    rooms+=$'\n'"ops/$family: ops/infer ops/kernel ops/table ${beside[$family]-}"
done
# Every folder of ops/ has such a line.
for room in "$source"/ops/*/; do
    room=ops/$(basename "$room")
    grep -q "^$room:" <<<"$rooms" || complain "$room is neither a family nor listed here"
done
while IFS=: read -r room below; do
    [ -d "$source/$room" ] || complain "$room is not there"
    while IFS=: read -r file _ line; do
        header=$(cut -d'"' -f2 <<<"$line") other=$(cut -d'"' -f2 <<<"$line" | cut -d/ -f1,2)
        [ "$other" = "$room" ] || [[ " $below " == *" $other "* ]] ||
            complain "$file includes $header, which is above it or beside it"
    done < <(cd "$source" && grep -nE "#include \"${room%%/*}/" "$room"/*.[ch])
done <<<"$rooms"

# The umbrella header is the whole public API.
for header in "$source"/include/onnx_broadcast/*.h; do
    name=onnx_broadcast/$(basename "$header")
    [ "$name" = onnx_broadcast/onnx_broadcast.h ] ||
        grep -qF "#include \"$name\"" "$source/include/onnx_broadcast/onnx_broadcast.h" ||
        complain "onnx_broadcast.h does not include $name"
done

[ "$failed" -eq 0 ] && echo "layers: $tried pairs hold"
exit "$failed"
