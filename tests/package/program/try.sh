#!/usr/bin/env bash
# usage: try.sh SOURCE_FOLDER WORK_FOLDER CMAKE_PREFIX VERSION
# The program in SOURCE_FOLDER, compiled as C and C++ through find_package and pkg-config, shared and static, runs and prints the
# expected line. The caller sets PKG_CONFIG_PATH, so that pkg-config finds the .pc file, and LD_LIBRARY_PATH if the library is not
# in the system's folders.
set -euo pipefail
source=$1 work=$2 prefix=$3 version=$4
expected="$version: 14 25 36 17 27 37"
cc=${CC:-cc} cxx=${CXX:-c++}
private='protobuf|blas|sleef|pthreadpool|pcre|unistring|jpeg|png|webp|tiff|openjp' # libraries that the library needs for itself
tried=0

complain() {
    echo "package: $*" >&2
    exit 1
}
# run_it WHAT PROGRAM shared|static: right output, and linked with what it asked for and nothing behind that.
run_it() {
    local out needed
    out=$("$2") || complain "$1 fails"
    [ "$out" = "$expected" ] || complain "$1 prints '$out', not '$expected'"
    needed=$(readelf -d "$2" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    case $3 in
    shared)
        grep -q '^libonnx_broadcast\.so\.' <<<"$needed" || complain "$1 is not linked with the shared library"
        if grep -E "$private" <<<"$needed"; then complain "$1 is linked with what the library needs for itself"; fi
        ;;
    static) if grep '^libonnx_broadcast' <<<"$needed"; then complain "$1 is not linked with the static library"; fi ;;
    esac
    tried=$((tried + 1))
}

for form in "" shared static; do
    cmake -S "$source" -B "$work/cmake-$form" -DCMAKE_PREFIX_PATH="$prefix" -DFORM=$form -DWANTED_VERSION="${version%.*}" \
        >"$work/log" 2>&1 &&
        cmake --build "$work/cmake-$form" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        complain "find_package, component '$form'"
    }
    for language in c cpp; do
        run_it "find_package ${form:-(no component)} $language" "$work/cmake-$form/program_$language" "${form:-shared}"
    done
done

[ "$(pkg-config --modversion onnx_broadcast)" = "$version" ] || complain "pkg-config has another version"
read -ra flags <<<"$(pkg-config --cflags --libs onnx_broadcast)"
# With both libraries in one folder the linker takes the shared one; -Bstatic around its name says otherwise.
static=$(pkg-config --static --cflags --libs onnx_broadcast)
read -ra static_flags <<<"${static//-lonnx_broadcast/-Wl,-Bstatic -lonnx_broadcast -Wl,-Bdynamic}"
cp "$source/program.c" "$work/program.cpp"
"$cc" -Wall -Werror "$source/program.c" -o "$work/pc_c" "${flags[@]}"
"$cxx" -Wall -Werror "$work/program.cpp" -o "$work/pc_cpp" "${flags[@]}"
"$cc" -Wall -Werror "$source/program.c" -o "$work/pc_static_c" "${static_flags[@]}"
"$cxx" -Wall -Werror "$work/program.cpp" -o "$work/pc_static_cpp" "${static_flags[@]}"
for language in c cpp; do
    run_it "pkg-config $language" "$work/pc_$language" shared
    run_it "pkg-config --static $language" "$work/pc_static_$language" static
done
# The public headers need nobody else's.
if "$cc" -M "${flags[@]}" "$source/program.c" | grep -E "$private"; then complain "the headers include what is private"; fi
echo "package: $tried programs built and run"
