#!/usr/bin/env bash
# usage: parts.sh CMAKE SOURCE_DIR WORK_DIR RUN CC NM. Builds without a part (cmake/parts.cmake), each with warnings as errors:
# they do what is left as the whole library does, say what they are, and refuse what is missing by name. WORK_DIR is kept, so
# that the next builds of it are short.
set -euo pipefail
cmake=$1 source=$2 work=$3 run=$4 cc=$5 nm=$6
mkdir -p "$work"
cd "$work"
small=build/onnx-broadcast-run
fail() {
    echo "parts.sh: $*" >&2
    exit 1
}

# build PARTS OPTION...: builds with these options; the build names its parts so, in every place.
build() {
    local parts=$1 all=()
    shift
    for part in PROTOBUF CHECKER TEXT GRADIENT BODIES TERMS DYNAMIC GROUPS; do all+=("-DOB_WITH_$part=ON"); done
    "$cmake" -C "$source/tests/package/small.cmake" -S "$source" -B build -G Ninja "${all[@]}" -DOB_MAX_RANK=32 \
        -DOB_WITH_THREADS=ON "$@" >configure.txt 2>&1 || { cat configure.txt && fail "cannot configure: $*"; }
    rm -f build/onnx-broadcast-* # those of the build before
    "$cmake" --build build >build.txt 2>&1 || { tail -50 build.txt && fail "cannot build: $*"; }
    size -t build/libonnx_broadcast.a | tail -1 | { read -r text data bss _ && echo "$text $((data + bss)) $*" >>sizes.txt; }
    rm -rf installed
    "$cmake" --install build --prefix "$work/installed" >install.txt
    pc=$(find installed -name onnx_broadcast.pc)
    grep -qxF "parts=$parts" "$pc" || fail "$pc does not say \"parts=$parts\""
    grep -rqxF "set(onnx_broadcast_PARTS ${parts// /;})" installed --include=onnx_broadcast-config.cmake ||
        fail "the package for CMake does not list \"$parts\""
    [ ! -x $small ] || $small --version | grep -E "^options: $parts( [a-z-]+)*\$" >/dev/null ||
        fail "--version does not say \"$parts\""
}

# refuses STATUS TEXT COMMAND...
refuses() {
    local wanted=$1 text=$2 status=0
    shift 2
    "$@" >refused.txt 2>&1 || status=$?
    [ $status -eq "$wanted" ] || { cat refused.txt && fail "status $status: $*"; }
    grep -qF "$text" refused.txt || { cat refused.txt && fail "expected \"$text\""; }
}

# flags: those of programs that use what is installed.
flags() { PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags onnx_broadcast; }
# links_program NAME: makes parts/NAME.c with the static library alone.
links_program() {
    # shellcheck disable=SC2046 # flags are words
    "$cc" -std=c11 -Wall -Wextra -Werror $(flags) -o "$1" "$source/tests/package/parts/$1.c" \
        "$(find installed -name libonnx_broadcast.a)" -lm || fail "the program of $1 does not link"
}
refuses_header() {
    echo "#include <onnx_broadcast/$1.h>" >header.c
    # shellcheck disable=SC2046 # flags are words
    if "$cc" -fsyntax-only $(flags) header.c 2>header.txt; then fail "$1.h can be included"; fi
    grep -qF "this build of onnx_broadcast has no checker" header.txt || { cat header.txt && fail "$1.h: another message"; }
}

rm -f sizes.txt
digits=$source/models/digits.onnx
cat >clash.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]>
clash (float[N] x, float[M] b) => (float[K] y) { y = Add(x, b) }
END
cat >gradient.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17, "ai.onnx.preview.training" : 1]>
gradient (float[N] x) => (float[N] g) {
    y = Mul(x, x)
    g = ai.onnx.preview.training.Gradient <xs = ["x"], y = "y"> (x)
}
END
rm -rf whole gradients
"$run" "$digits" --random --seed 7 --dim batch=3 --output-dir whole >/dev/null
"$run" gradient.onnxtxt --random --seed 7 --dim N=3 --output-dir gradients >/dev/null
runs_digits() {
    $small "$digits" --random --seed 7 --dim batch=3 --expect whole >compared.txt || { cat compared.txt && fail "digits"; }
}
runs_gradient() {
    $small gradient.onnxtxt --random --seed 7 --dim N=3 --expect gradients >compared.txt ||
        { cat compared.txt && fail "gradient"; }
}

# Without the checker: sessions test their conditions as ever.
build "protobuf checker text gradient bodies terms dynamic groups" -DOB_WITH_CHECKER=ON # all of them, as it is without options
build "protobuf text gradient bodies terms dynamic groups" -DOB_WITH_CHECKER=OFF
runs_digits
runs_gradient
status=0
"$run" clash.onnxtxt --random --dim N=3 --dim M=4 2>whole.txt || status=$?
[ $status -eq 1 ] || fail "clash.onnxtxt: status $status"
status=0
$small clash.onnxtxt --random --dim N=3 --dim M=4 2>small.txt || status=$?
[ $status -eq 1 ] && cmp whole.txt small.txt || fail "clash.onnxtxt: another refusal without the checker"
refuses 3 "this build has no checker (OB_WITH_CHECKER is off)" $small "$digits" --check-independent - --random
printf 'PK\003\004 and no model' >archive.zip
refuses 2 "not an ONNX file" $small archive.zip --random
[ ! -e build/onnx-broadcast-check ] && [ -z "$(find installed -name 'onnx-broadcast-check*')" ] ||
    fail "onnx-broadcast-check is built"
defined=$("$nm" --defined-only build/libonnx_broadcast.a | awk '$2 == "T" { print $3 }')
if grep -xE 'ob_(check|rewrite|fix_model|compare|certify|report_.*|cost_.*)' <<<"$defined"; then fail "the checker is built"; fi
for header in check report rewrite fix cost compare contract independence passes target baseline certificate; do
    refuses_header $header
done
echo "#include <onnx_broadcast/onnx_broadcast.h>" >header.c
# shellcheck disable=SC2046
"$cc" -fsyntax-only $(flags) header.c || fail "the header of the whole API cannot be included"

# Without text: binary models run, and are written; text is refused.
build "protobuf checker gradient bodies terms dynamic groups" -DOB_WITH_TEXT=OFF
runs_digits
build/onnx-broadcast-check "$digits" -o copy.onnx >/dev/null
$small copy.onnx --random --seed 7 --dim batch=3 --expect whole >/dev/null || fail "the copy gives other results"
refuses 3 "the model is text: this build has binary files only (OB_WITH_TEXT is off)" $small clash.onnxtxt --random
for ending in onnxtxt textproto json; do
    refuses 2 "this build has binary files only (OB_WITH_TEXT is off)" build/onnx-broadcast-check "$digits" -o "copy.$ending"
    [ ! -e "copy.$ending" ] || fail "copy.$ending is left"
done

# Without derivatives
build "protobuf checker text bodies terms dynamic groups" -DOB_WITH_GRADIENT=OFF
runs_digits
refuses 3 "this build has no derivatives (OB_WITH_GRADIENT is off)" $small gradient.onnxtxt --random --dim N=3

# Without terms: shapes with sums and with sizes that data decides are planned when a run knows their numbers, and what does not
# fit is refused.
cat >sizes.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]>
sizes (float[N, M] x, float[K] b) => (float[R, C] y, float[D, E] found) {
    twice = Concat <axis = 1> (x, x)
    y = Add(twice, b)
    at = NonZero(x)
    rows = Transpose(at)
    found = Cast <to = 1> (rows)
}
END
if (build "" -DOB_WITH_TERMS=OFF) >refused.txt 2>&1; then fail "a checker without terms is built"; fi
grep -qF "OB_WITH_TERMS is off, which the checker needs" refused.txt || { cat refused.txt && fail "the checker's refusal"; }
build "protobuf text gradient bodies dynamic groups" -DOB_WITH_CHECKER=OFF -DOB_WITH_TERMS=OFF
runs_digits
runs_gradient
rm -rf sized
"$run" sizes.onnxtxt --random --seed 7 --dim N=3 --dim M=4 --dim K=8 --output-dir sized >/dev/null
$small sizes.onnxtxt --random --seed 7 --dim N=3 --dim M=4 --dim K=8 --expect sized >compared.txt ||
    { cat compared.txt && fail "sizes"; }
refuses 1 "does not broadcast with 5" $small sizes.onnxtxt --random --dim N=3 --dim M=4 --dim K=5
refuses 1 "3 does not broadcast with 4" $small clash.onnxtxt --random --dim N=3 --dim M=4
if "$nm" --defined-only build/libonnx_broadcast.a | grep -E " ob__(solve|poly_[a-z]+)$"; then fail "the solver is built"; fi
links_program terms
./terms || fail "terms that are written down"

# Without bodies: nodes run that have kernels.
cat >body.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
body (uint8[3] x, float s, uint8 zero) => (float[3] y) { y = com.microsoft.DequantizeLinear(x, s, zero) }
END
cat >function.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17, "local" : 1]>
function (float[3] x) => (float[3] y) { y = local.twice(x) }
<opset_import: ["" : 17], domain: "local">
twice (a) => (b) { b = Add(a, a) }
END
"$run" function.onnxtxt --random >/dev/null && "$run" body.onnxtxt --random >/dev/null || fail "functions of the whole library"
build "protobuf text terms dynamic groups" -DOB_WITH_CHECKER=OFF -DOB_WITH_BODIES=OFF
runs_digits
refuses 3 "this build has no bodies of operators (OB_WITH_BODIES is off)" $small body.onnxtxt --random
refuses 3 "this build has no functions: the model has to be written out (OB_WITH_BODIES is off)" $small function.onnxtxt --random

# Planned before a run
cat >branch.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]>
branch (bool c, float[3] x) => (float[3] y) {
    y = If (c) <then_branch = t () => (float[3] a) { a = Neg(x) }, else_branch = e () => (float[3] b) { b = Abs(x) }>
}
END
"$run" branch.onnxtxt --random >/dev/null || fail "the branch of the whole library"
build "protobuf text gradient bodies terms groups" -DOB_WITH_CHECKER=OFF -DOB_WITH_DYNAMIC=OFF
runs_digits
runs_gradient
refuses 3 "this build has no If, Loop and Scan (OB_WITH_DYNAMIC is off)" $small branch.onnxtxt --random
refuses 3 "this build has only tensors whose sizes are known before the run (OB_WITH_DYNAMIC is off)" \
    $small sizes.onnxtxt --random --dim N=3 --dim M=4 --dim K=8

# Without groups: each node is a step of its own, and gives the same bits. Loops are chains in the whole library where rows are
# short or operands are several.
cat >rows.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]>
rows (float[N, 16] x, float[16] b, float[N, 16] c) => (float[N, 16] y, float[N, 16] sum) {
    y = Add(x, b)
    sum = Sum(x, b, c, x, c)
}
END
steps() {
    "$1" "$digits" --random --seed 7 --dim batch=3 --explain-plan >steps.txt || return
    grep -cE "^ +[0-9]+ +[A-Z][A-Za-z]+\\+" steps.txt
}
[ "$(steps "$run")" -ge 3 ] || fail "groups of the whole library are not seen"
build "protobuf text gradient bodies terms dynamic" -DOB_WITH_CHECKER=OFF -DOB_WITH_GROUPS=OFF
runs_digits
runs_gradient
for n in 0 1 50; do
    rm -rf rows
    "$run" rows.onnxtxt --random --seed 7 --dim N=$n --output-dir rows >/dev/null
    $small rows.onnxtxt --random --seed 7 --dim N=$n --expect rows --rtol 0 --atol 0 >compared.txt ||
        { cat compared.txt && fail "short rows, $n"; }
done
[ "$(steps $small)" -eq 0 ] || { cat steps.txt && fail "groups are planned"; }

# Sessions alone, with few axes and without threads
cat >axes.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]>
axes (float[1, 2, 1, 1, 1, 1, 1, 1, 3] x) => (float[1, 2, 1, 1, 1, 1, 1, 1, 3] y) { y = Relu(x) }
END
rm -f axes.onnx
"${run%run}check" axes.onnxtxt -o axes.onnx >/dev/null
"$run" axes.onnx --random >/dev/null || fail "nine axes in the whole library"
build "protobuf" -DOB_WITH_CHECKER=OFF -DOB_WITH_TEXT=OFF -DOB_WITH_GRADIENT=OFF -DOB_WITH_BODIES=OFF -DOB_WITH_TERMS=OFF \
    -DOB_WITH_DYNAMIC=OFF -DOB_WITH_GROUPS=OFF -DOB_MAX_RANK=8 -DOB_WITH_THREADS=OFF
runs_digits
$small "$digits" --random --dim batch=1 --verbose >verbose.txt 2>&1 && grep -qF "baseline, a build without threads" verbose.txt ||
    { cat verbose.txt && fail "the session does not say that there are no threads"; }
refuses 3 "this build has no threads" $small "$digits" --random --dim batch=1 --threads 2
if "$nm" -u build/libonnx_broadcast.a | grep -E "^ +U pthread_"; then fail "the library needs threads"; fi
refuses 1 "input x has rank 9, at most 8 is supported" $small axes.onnx --random
grep -qF -- "-DOB_MAX_RANK=8" "$pc" || fail "$pc does not tell programs the most axes"

# Without model files: a static library of kernels, that needs no other library, no loader and no threads.
build "" -DOB_WITH_PROTOBUF=OFF
[ ! -e $small ] || fail "onnx-broadcast-run is built"
needs=$("$nm" -u build/libonnx_broadcast.a | awk '$1 == "U" { print $2 }' | sort -u)
[ "$(wc -l <<<"$needs")" -ge 50 ] || fail "names of the library are not seen"
if grep -E '^(protobuf_c_|onnx__|pthread_|dl(m?open|sym)$|f?open$|mmap$)' <<<"$needs"; then fail "the library needs these"; fi
links_program kernels
[ "$(./kernels)" = "11 21 31 12 22 32 ()" ] || fail "kernels: $(./kernels)"

# What each of them takes: a row in docs/footprint.md. Its compiler is another one: status 77.
status=0
python3 -B "$source/tests/footprint_parts.py" sizes.txt || status=$?
[ $status -eq 0 ] || [ $status -eq 77 ] ||
    fail "$work/sizes.txt and docs/footprint.md differ (tests/footprint_parts.py $work/sizes.txt --write)"
