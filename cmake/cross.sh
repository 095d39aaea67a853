#!/usr/bin/env bash
# usage: cross.sh TARGET [all]: builds for another machine with Debian's cross compiler, warnings as errors, and runs what it
# can of it: tests under qemu-user (i386: on this machine), and on a microcontroller, which has no operating system, results of
# kernels and an emitted model under qemu-system. TARGET is a file of cmake/toolchains. protobuf-c and cmocka for the target are
# built from Debian's sources. Everything stays in build-cross/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=$1
toolchain=$PWD/cmake/toolchains/$target.cmake
all=$PWD/build-cross
folder=$all/$target
root=$folder/sysroot
build=$folder/build
jobs=$(nproc 2>/dev/null || echo 2)
value() { sed -nE "s/^set\\($1 (.*)\\)\$/\\1/p" "$toolchain"; }
triplet=$(value OB_TRIPLET)
loader=$(value OB_LOADER)
runner=("$(value OB_QEMU)" -L "/usr/$triplet")
[ -z "$loader" ] || runner=("$loader" --library-path "/usr/$triplet/lib")
n_results=0
python=/usr/bin/python3 # the one that sees Debian's packages
fail() {
    printf 'cross.sh: %s\n' "$*" >&2
    exit 1
}

# ---- results of kernels, bit for bit those of the machine that builds ----

# aot_library FOLDER [OPTION...]: the library for ahead-of-time C: kernels, operators and what they need; no model is read.
aot_library() {
    local into=$1
    shift
    cmake -S . -B "$into" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=MinSizeRel -DOB_WERROR=ON -DOB_WITH_PROTOBUF=OFF \
        -DOB_INSTALL=OFF "$@"
    cmake --build "$into" --parallel "$jobs"
}

# The baseline's results on this machine.
expected_results() {
    local here=$all/host
    aot_library "$here" -DOB_ISA_LEVELS= -DOB_WITH_SLEEF=OFF
    cc -std=c11 -O2 -ffp-contract=off -I. -Iinclude -o "$here/kernel_results" tests/kernel_results.c \
        "$here/libonnx_broadcast.a" -lm
    "$here/kernel_results" >"$here/kernel_results.txt"
}

# compare_results FILE [OTHERS]: those of the target, without lines that begin with OTHERS. arm64 rounds a product and its sum
# once, so that its sums are others.
compare_results() {
    local others=${2:-none}
    [ "$target" != arm64 ] || others=fused
    expected_results
    diff <(grep -vE "^($others)" "$all/host/kernel_results.txt") <(grep -vE "^($others)" "$1") ||
        fail "results of kernels on $target (>) are not those of this machine (<)"
    n_results=$(grep -vcE "^($others)" "$1")
}

# protobuf-c's library and cmocka as static libraries in $root/usr.
build_libraries() {
    [ ! -f "$root/complete" ] || return 0
    local protobuf_c=("$all"/sources/protobuf-c-*/configure) cmocka=("$all"/sources/cmocka-*/CMakeLists.txt)
    rm -rf "$folder"
    mkdir -p "$folder/protobuf-c"
    (
        cd "$folder/protobuf-c"
        "${protobuf_c[0]}" --quiet --host="$triplet" --prefix=/usr --libdir=/usr/lib --disable-protoc --disable-shared CFLAGS=-O2
        make -s -j "$jobs"
        make -s install DESTDIR="$root"
    ) >"$folder/protobuf-c.log" 2>&1 || fail "protobuf-c does not build: $folder/protobuf-c.log"
    {
        cmake -S "$(dirname "${cmocka[0]}")" -B "$folder/cmocka" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$toolchain" \
            -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DWITH_EXAMPLES=OFF \
            -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib -Wno-dev &&
            cmake --build "$folder/cmocka" && DESTDIR=$root cmake --install "$folder/cmocka"
    } >"$folder/cmocka.log" 2>&1 || fail "cmocka does not build: $folder/cmocka.log"
    touch "$root/complete"
}

# QEMU 7.2 has mffsl, mffscrn and mffscrni for processors of Power ISA 3.0 alone. Older ones take them for mffs, and glibc relies
# on it. Programs of powerpc run with a libm that has mffs there.
plain_mffs() {
    local libm=/usr/$triplet/lib/libm.so.6 code
    code=$("$triplet-readelf" -SW "$libm" | sed -nE 's/.* \.text +PROGBITS +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) .*/\1 \2/p')
    mkdir -p "$folder/lib"
    $python - "$libm" "$folder/lib/libm.so.6" $code <<'END'
import struct, sys
with open(sys.argv[1], "rb") as file:
    content = bytearray(file.read())
begin, n_bytes = (int(number, 16) for number in sys.argv[3:])
for at in range(begin, begin + n_bytes, 4):
    word, = struct.unpack_from(">I", content, at)
    if word & 0xfc0007ff == 0xfc00048e:
        struct.pack_into(">I", content, at, word & ~0x001ff800)
with open(sys.argv[2], "wb") as file:
    file.write(content)
END
    export QEMU_SET_ENV="LD_LIBRARY_PATH=$folder/lib"
}

# The command-line cases start the commands by their names: as ones that call the emulator.
command_lines() {
    local name commands=$folder/commands
    mkdir -p "$commands"
    for name in onnx-broadcast-check onnx-broadcast-run; do
        printf '#!/bin/sh\nexec %s %s "$@"\n' "${runner[*]}" "$build/$name" >"$commands/$name"
        chmod +x "$commands/$name"
    done
    ln -sfn "$build/tests" "$commands/tests"
    tests/cli/run.sh "$commands"
}

# ---- models as C ----

# emitted_model NAME MODEL INPUT:WIDTH... -- OPTION...: the C that this machine writes computes on the target the bits of the
# target's own session at the baseline. WIDTH: bytes of an element.
emitted_model() {
    local name=$1 model=$2 into=$folder/emitted/$1 inputs=() options=() outputs=() output saved
    shift 2
    while [ "$1" != -- ]; do
        inputs+=("$1")
        options+=(--input "${1%:*}")
        shift
    done
    shift
    rm -rf "$into"
    mkdir -p "$into"
    build/onnx-broadcast-run "$model" "$@" --emit-c "$into/c" --name m --quiet
    "$triplet-gcc" -std=c11 -O2 -ffp-contract=off -Wall -Wextra -Werror -I"$into/c" -Iinclude -o "$into/run" tests/emitted_run.c \
        "$into/c/m.c" "$build/libonnx_broadcast_ahead.a" -lm -Wl,--gc-sections
    OB_ISA=baseline "${runner[@]}" "$build/onnx-broadcast-run" "$model" "$@" "${options[@]}" --output-dir "$into" --npy --quiet
    for saved in "$into"/output_*.npy; do outputs+=("${saved%.npy}"); done
    "${runner[@]}" "$into/run" "${inputs[@]}" "${outputs[@]}" || fail "$name, written as C, ends with status $?"
    for output in "${outputs[@]}"; do
        [ -s "$output" ] && tail -c "$(stat -c %s "$output")" "$output.npy" | cmp - "$output" ||
            fail "$name, written as C, does not compute the bits of the session: $into"
    done
    n_emitted=$((n_emitted + 1))
}

n_emitted=0
emitted_models() {
    local writer=build/onnx-broadcast-run order=little data=$folder/emitted_data
    if [ ! -x "$writer" ]; then
        echo "skipped: models as C, because there is no $writer (./dev build)"
        return
    fi
    mkdir -p "$data"
    $python - "$data" <<'END'
import random, struct, sys
random.seed(1)
with open(sys.argv[1] + "/image.raw", "wb") as file:
    file.write(struct.pack("<297f", *(random.uniform(-2, 2) for _ in range(297))))
with open(sys.argv[1] + "/digit.raw", "wb") as file:
    file.write(bytes(random.randrange(17) for _ in range(64)))
END
    emitted_model digits models/digits.onnx "$data/digit.raw:1" -- --dim batch=1
    emitted_model scale_bias_nchw models/scale_bias_nchw.onnx "$data/image.raw:4" -- --dim N=1 --dim H=9 --dim W=11
    # Without exp and its like, of which targets have their own, results are those of this machine, whatever the byte order. arm64
    # rounds a product and its sum once.
    [ "$target" != arm64 ] || return 0
    if echo | "$triplet-gcc" -dM -E - | grep '__BYTE_ORDER__ __ORDER_BIG_ENDIAN__' >/dev/null; then order=big; fi
    $python -B tests/emitted.py "$writer" "$all/host/libonnx_broadcast_ahead.a" include "$folder/emitted_here" \
        models/scale_bias_nchw.onnx $(grep -LE 'Exp|Sigmoid|Softmax|Tanh' tests/emitted/*.onnxtxt) \
        --expect tests/emitted.txt --emulator "${runner[*]}" \
        --other-library "$build/libonnx_broadcast_ahead.a" --other-compiler "$triplet-gcc" --order "$order"
}

# A compiler for the target and nothing else must not end in the libraries of the machine that builds.
compiler_alone() {
    local bare=$folder/bare
    rm -rf "$bare"
    if cmake -S . -B "$bare" -G Ninja -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$(value CMAKE_SYSTEM_PROCESSOR)" \
        -DCMAKE_C_COMPILER="$triplet-gcc" >"$bare.log" 2>&1; then
        grep -E '^OB_SLEEF_IS_FOR_TARGET' "$bare/CMakeCache.txt"
        fail "a build without libraries for $target is configured: $bare.log"
    fi
    grep -q 'libprotobuf-c' "$bare.log" || fail "what is missing is not named: $bare.log"
}

# ---- a microcontroller ----

# Runs a program for the board: its text on standard output, its exit status.
on_board() {
    timeout 60 "$(value OB_QEMU)" -M mps2-an386 -nographic -monitor none -serial none -chardev stdio,id=host \
        -semihosting-config enable=on,target=native,chardev=host -kernel "$1"
}

microcontroller() {
    local board=examples/microcontroller/mps2_an386 flags
    read -ra flags <<<"$(value CMAKE_C_FLAGS_INIT | tr -d '"')"
    # newlib has enumerations of other sizes, but none in what is called.
    flags+=(-std=c11 -O2 -ffp-contract=off -Wall -Wextra -Werror -Wl,--no-enum-size-warning -Wl,--fatal-warnings "-I$board" -I.
        -Iinclude)
    aot_library "$build" -DCMAKE_TOOLCHAIN_FILE="$toolchain"
    "$triplet-gcc" "${flags[@]}" -DOB_BOARD -nostartfiles -T "$board/link.ld" -Wl,--gc-sections -o "$folder/kernel_results.elf" \
        tests/kernel_results.c "$board/start.c" "$build/libonnx_broadcast.a" -lm
    on_board "$folder/kernel_results.elf" >"$folder/kernel_results.txt" || fail "kernel_results.elf fails on the board: status $?"
    compare_results "$folder/kernel_results.txt"
    # A model that this machine writes as C reads the digit that it should.
    local writer=build/onnx-broadcast-run
    if [ -x "$writer" ]; then
        "$writer" models/digits.onnx --dim batch=1 --emit-c "$folder/digits" --name digits --quiet
        cmake -S "$folder/digits" -B "$folder/digits/build" -G Ninja --log-level=WARNING -DCMAKE_TOOLCHAIN_FILE="$toolchain" \
            -DONNX_BROADCAST_SOURCE="$PWD" -DCMAKE_BUILD_TYPE=MinSizeRel -DOB_WERROR=ON
        cmake --build "$folder/digits/build" --target digits --parallel "$jobs"
        "$triplet-gcc" "${flags[@]}" -Os -nostartfiles -T "$board/link.ld" -Wl,--gc-sections "-I$folder/digits" \
            -o "$folder/digits.elf" examples/microcontroller/digits.c "$board/start.c" "$folder/digits/build/libdigits.a" \
            "$folder/digits/build/onnx_broadcast/libonnx_broadcast_ahead.a" -lm
        on_board "$folder/digits.elf" >"$folder/digits.txt" || fail "digits.elf fails on the board: status $?"
        grep -qx 'digit 3' "$folder/digits.txt" || fail "digits.elf does not read the digit"
        "$triplet-size" "$folder/digits.elf"
        tail -1 "$folder/digits.txt"
    else
        echo "skipped: the digit model, because there is no $writer (./dev build)"
    fi
    # A fault ends the program with a status of its own: what runs to its end has met none.
    echo 'int main(void) { __builtin_trap(); }' >"$folder/fault.c"
    "$triplet-gcc" "${flags[@]}" -nostartfiles -T "$board/link.ld" -o "$folder/fault.elf" "$folder/fault.c" "$board/start.c"
    local status=0
    on_board "$folder/fault.elf" >"$folder/fault.txt" || status=$?
    [ "$status" = 70 ] || fail "a fault on the board ends with status $status, not 70"
    "$triplet-size" "$build/libonnx_broadcast.a" --totals | tail -1
}

# ---- tests ----

# Programs alone: scripts that call what was built would need an emulator inside. Left out are those that measure time. The rest
# in order of value, so that what fails first matters most: kernels, what knows the machine, everything else.
#
# An emulator is 20 to 50 times slower, so there the subset below is built and run: the kernels, algebra, the loader, operators,
# the session and models as C. `all` runs the rest, too. i386 runs everything.
subset_others=(align load malformed sparse tensor_file wire_numbers write cast einsum elementwise in_place k_.* members
    operators_run packed_rows quantize.* api_session conv_packed emit epilogue new_sizes no_heap prepared
    session session_declared session_memory session_refuse thread_bits)
left_out='^(test_run_cli|test_ort_.*|test_plugin.*|test_host|test_worker|test_run_limits|test_allocation|test_cost'
left_out+='|test_solve_limits)$'
n_tests=0
passed() { # NAME PATTERN NOT: the tests whose names match PATTERN and not NOT
    local log=$folder/$1.log
    ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$jobs" -R "$2" \
        -E "$left_out${3:+|$3}" | tee "$log"
    n_tests=$((n_tests + $(sed -nE 's/^100% tests passed, 0 tests failed out of ([0-9]+)$/\1/p' "$log")))
}
names() { # FOLDER...: the names of the tests there
    local file found=()
    for file in "${@/%//test_*.c}"; do for file in $file; do found+=("$(basename "$file" .c)"); done; done
    (IFS='|' && echo "^(${found[*]})\$")
}

# The level RVV: on processors without vectors, and with those of 128 and 256 bits. Packed weights are others there.
vectors() {
    local cpu bits level tests list=()
    tests=$(names tests/kernels)
    read -ra list <<<"$(tr -d '^()$' <<<"$tests" | tr '|' ' ')"
    cmake --build "$build" --parallel "$jobs" --target onnx_broadcast kernel_results "${list[@]}"
    for bits in '' 128 256; do
        cpu=rv64${bits:+,v=true,vlen=$bits,vext_spec=v1.0}
        export QEMU_CPU=$cpu
        "${runner[@]}" "$build/tests/kernel_results" >"$folder/kernel_results.txt"
        compare_results "$folder/kernel_results.txt" "${bits:+numbers|packed}"
        [ -z "$bits" ] || grep -q '^numbers of gemm 0 12 ' "$folder/kernel_results.txt" ||
            fail "the level RVV is not in use: $cpu"
        passed "kernels$bits" "${tests%)*}|kernel_vectors)\$" ""
        [ -z "$bits" ] || for level in 0 ~0u; do
            echo "instructions, ${bits} bits, levels $level:"
            tests/count.sh "$target" --kernels "$build/libonnx_broadcast.a" "-DKERNEL_LEVELS=$level"
        done
    done
}

[ -f "$toolchain" ] && [ -n "$triplet" ] || fail "'$target' is no file of cmake/toolchains that names a target"
if [ "$triplet" = arm-none-eabi ]; then
    echo "$target runs, on qemu-system-arm -M mps2-an386: results of kernels, the digit model as C, and a fault"
    microcontroller
    echo "$target: $n_results results of kernels have the bits of this machine"
    exit 0
fi
whole=${2:-}
[ -z "$loader" ] || whole=all
kernels=$(names tests/kernels) core=$(names tests/core) slow='^test_solve_property$'
if [ "$whole" = all ]; then
    kind="all unit tests, ONNX's node tests, the command-line cases" others='^(test_|headers_c11$|guide_sizes$)' slow=
else
    kind="unit tests of kernels, algebra, loader, operators and session (a subset; the rest: ./dev cross $target all), ONNX's"
    kind+=" node tests"
    others="^test_($(IFS='|' && echo "${subset_others[*]}"))\$"
fi
if [ -n "$(value OB_COMPILER)" ]; then
    echo "$target runs, by ${runner[0]}: results of kernels and their tests, without vectors and with those of 128 and 256 bits"
else
    echo "$target runs, by ${runner[0]}: results of kernels, models as C, $kind"
fi
cmake/debian_sources.sh "$all/sources"
build_libraries
compiler_alone
[ "$target" != powerpc ] || plain_mffs
cmake -S . -B "$build" -G Ninja --log-level=WARNING -DCMAKE_TOOLCHAIN_FILE="$toolchain" -DOB_SYSROOT="$root" \
    -DCMAKE_BUILD_TYPE=Release -DOB_WERROR=ON
if [ -n "$(value OB_COMPILER)" ]; then
    vectors
    echo "$target: $n_tests tests passed; $n_results results of kernels with vectors have the bits of this machine"
    exit 0
fi
if [ "$whole" = all ]; then
    targets=(all)
else
    mapfile -t targets < <(ctest --test-dir "$build" -N | sed -nE 's/^ *Test +#[0-9]+: (test_\w+)$/\1/p' |
        grep -E "$kernels|$core|$others" | grep -vE "$left_out|$slow")
    targets+=(onnx-broadcast-run onnx-broadcast-check onnx_broadcast_ahead kernel_results conformance)
fi
cmake --build "$build" --parallel "$jobs" --target "${targets[@]}"
OB_ISA=baseline "${runner[@]}" "$build/tests/kernel_results" >"$folder/kernel_results.txt"
compare_results "$folder/kernel_results.txt"
emitted_models
passed kernels "$kernels" ""
passed core "$core" "$slow"
passed others "$others" "$kernels|$core"
passed conformance '^conformance_node$' ""
clis=
if [ "$whole" = all ]; then
    command_lines
    clis=", and the command-line cases"
fi
[ "$target" != arm64 ] || python3 tests/instructions.py . "$build" --arm64
echo "$target: $n_tests tests passed$clis; $n_results results of kernels have the bits of this machine; $n_emitted models as C" \
    "have those of the session"
