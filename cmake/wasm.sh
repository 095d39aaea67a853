#!/usr/bin/env bash
# usage: wasm.sh: builds the WebAssembly module with Debian's emscripten, and makes of it the npm package build-wasm/package and
# the static page build-wasm/site. protobuf-c is built from Debian's sources. Everything stays in build-wasm/ and build-cross/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$PWD/build-wasm
root=$folder/sysroot/usr
jobs=$(nproc 2>/dev/null || echo 2)
fail() {
    printf 'wasm.sh: %s\n' "$*" >&2
    exit 1
}

build_protobuf_c() {
    [ ! -f "$root/complete" ] || return 0
    local source=("$PWD"/build-cross/sources/protobuf-c-*/protobuf-c/protobuf-c.c)
    [ -f "${source[0]}" ] || fail "no source of protobuf-c in build-cross/sources"
    local top version
    top=$(dirname "$(dirname "${source[0]}")")
    version=${top##*-}
    rm -rf "$root"
    mkdir -p "$root/lib/pkgconfig" "$root/include/protobuf-c"
    emcc -O2 -I "$top" -c "${source[0]}" -o "$root/protobuf-c.o"
    emar rcs "$root/lib/libprotobuf-c.a" "$root/protobuf-c.o"
    cp "$top/protobuf-c/protobuf-c.h" "$root/include/protobuf-c/"
    cp "$top/LICENSE" "$root/protobuf-c.license"
    printf '%s\n' 'prefix=/usr' 'Name: libprotobuf-c' 'Description: protobuf-c' "Version: $version" \
        'Libs: -L${prefix}/lib -lprotobuf-c' 'Cflags: -I${prefix}/include' >"$root/lib/pkgconfig/libprotobuf-c.pc"
    touch "$root/complete"
}

# The licences of all that is inside the module.
write_licences() {
    local title=0
    for file in "$root/protobuf-c.license" "$folder/page_layout/dist/dagre.min.js.LEGAL.txt" "$folder/page_layout/LICENSE" \
        /usr/share/doc/emscripten/copyright; do
        [ -s "$file" ] || continue
        [ "$title" -eq 0 ] || printf '\n%s\n\n' "----------------------------------------------------------------"
        case $file in
        *protobuf-c*) echo "protobuf-c, which reads models:" ;;
        *page_layout*) echo "dagre, in the HTML report:" ;;
        *) echo "The C library of emscripten (musl, and compiler-rt of LLVM), from Debian's record of its licences:" ;;
        esac
        echo
        cat "$file"
        title=1
    done
}

# make_folder FOLDER FILE...: FOLDER with these files and nothing else.
make_folder() {
    rm -rf "$1"
    mkdir -p "$1"
    cp "${@:2}" "$1/"
}

command -v emcc >/dev/null || fail "emcc is missing: install the package emscripten"
cmake/debian_sources.sh "$PWD/build-cross/sources"
mkdir -p "$folder"
build_protobuf_c
cmake/page_layout.sh "$folder/page_layout"
cmake -S . -B "$folder" -G Ninja --log-level=WARNING -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/toolchains/wasm32.cmake" \
    -DOB_SYSROOT="$folder/sysroot" -DCMAKE_BUILD_TYPE=Release -DOB_BUILD_SHARED=OFF -DOB_BUILD_TOOLS=OFF -DOB_BUILD_TESTS=OFF \
    -DOB_BUILD_BENCH=OFF -DOB_INSTALL=OFF -DOB_WITH_THREADS=OFF -DOB_WITH_DLOPEN=OFF
cmake --build "$folder" --parallel "$jobs"
make_folder "$folder/package" web/package/* "$folder/onnx-broadcast.wasm" LICENSE
write_licences >"$folder/package/THIRD-PARTY-LICENSES.txt"
# The package's version is the library's.
version=$(sed -nE 's/^CMAKE_PROJECT_VERSION:STATIC=(.*)$/\1/p' "$folder/CMakeCache.txt")
sed -i "s/\"version\": \"0.0.0\"/\"version\": \"$version\"/" "$folder/package/package.json"
make_folder "$folder/site" web/site/*
make_folder "$folder/site/onnx-broadcast" "$folder"/package/*
