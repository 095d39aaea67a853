#!/usr/bin/env bash
# usage: build.sh SOURCE_DIR BUILD_DIR GENERATOR. The first program of docs/embedding.md, built against the installed library with
# the command lines and the CMakeLists.txt of the guide, prints the output that the guide shows.
set -eu -o pipefail
source=$1 build=$2 generator=$3 work=$2/guide
rm -rf "$work"
mkdir -p "$work/program"
cmake --install "$build" --prefix "$work/stage" >"$work/log"
cd "$work/program"
ln -s "$source/models" models
# block KIND [N]: the Nth, by default the first
block() {
    awk -v kind="$1" -v n="${2:-1}" '/^```$/ { inside = 0 } inside { print } $0 == "```" kind { inside = --n == 0 }' \
        "$source/docs/embedding.md"
}
block c >first.c
block cmake >CMakeLists.txt
block console >session.txt
[ -s first.c ] && [ -s CMakeLists.txt ] && [ -s session.txt ]
grep -v '^\$ ' session.txt >expected.txt
pc=$(dirname "$(find "$work/stage" -name onnx_broadcast.pc)")
export PKG_CONFIG_PATH=$pc LD_LIBRARY_PATH=${pc%/pkgconfig}

sed -n 's/^\$ //p' session.txt >commands.sh
bash -e commands.sh | diff -u expected.txt -

cmake -S . -B by-cmake -G "$generator" -DCMAKE_PREFIX_PATH="$work/stage" >"$work/log" && cmake --build by-cmake >"$work/log" || {
    cat "$work/log"
    exit 1
}
by-cmake/first | diff -u expected.txt -
cp "$source/tests/guide/square.c" .
block console 2 | sed -n 's/^\$ //p' >commands.sh
[ -s commands.sh ]
bash -e commands.sh
"$build/onnx-broadcast-run" --op-library ./square.so --random --quiet "$source/tests/guide/square.onnxtxt"
echo "built and run by pkg-config and by CMake"
