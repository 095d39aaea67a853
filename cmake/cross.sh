#!/usr/bin/env bash
# usage: cross.sh TARGET: builds for another machine with Debian's cross compiler, warnings as errors, and runs tests under
# qemu-user. TARGET is a file of cmake/toolchains. protobuf-c and cmocka for the target are built from Debian's sources.
# Everything stays in build-cross/.
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
qemu=$(value OB_QEMU)
fail() {
    printf 'cross.sh: %s\n' "$*" >&2
    exit 1
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

# The command-line cases start the commands by their names: as ones that call the emulator.
command_lines() {
    local name commands=$folder/commands
    mkdir -p "$commands"
    for name in onnx-broadcast-check onnx-broadcast-run; do
        printf '#!/bin/sh\nexec %s -L /usr/%s %s "$@"\n' "$qemu" "$triplet" "$build/$name" >"$commands/$name"
        chmod +x "$commands/$name"
    done
    ln -sfn "$build/tests" "$commands/tests"
    tests/cli/run.sh "$commands"
}

# A compiler for the target and nothing else must not end in the libraries of the machine that builds.
compiler_alone() {
    local bare=$folder/bare
    rm -rf "$bare"
    if cmake -S . -B "$bare" -G Ninja -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$target" \
        -DCMAKE_C_COMPILER="$triplet-gcc" >"$bare.log" 2>&1; then
        grep -E '^OB_SLEEF_IS_FOR_TARGET' "$bare/CMakeCache.txt"
        fail "a build without libraries for $target is configured: $bare.log"
    fi
    grep -q 'libprotobuf-c' "$bare.log" || fail "what is missing is not named: $bare.log"
}

[ -f "$toolchain" ] && [ -n "$triplet" ] || fail "'$target' is no file of cmake/toolchains that names a target"
cmake/debian_sources.sh "$all/sources"
build_libraries
compiler_alone
cmake -S . -B "$build" -G Ninja --log-level=WARNING -DCMAKE_TOOLCHAIN_FILE="$toolchain" -DOB_SYSROOT="$root" \
    -DCMAKE_BUILD_TYPE=Release -DOB_WERROR=ON
cmake --build "$build" --parallel "$jobs"
# Programs alone: scripts that call what was built would need an emulator inside. The last of those that are left out take minutes
# under an emulator.
ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$jobs" \
    -R '^(test_|conformance_node$|headers_c11$|guide_sizes$)' \
    -E '^(test_run_cli|test_ort_.*|test_plugin.*|test_host|test_worker|test_run_limits|test_allocation|test_cost)$'
command_lines
[ "$target" != arm64 ] || python3 tests/instructions.py . "$build" --arm64
