#!/usr/bin/env bash
# usage: installed.sh CMAKE BUILD_FOLDER SOURCE_FOLDER LIBRARY_FOLDER VERSION
# `cmake --install`, the installed tree moved elsewhere, then used: no path of the build is left inside, programs build against it
# and run, and a request for a missing component gets an error that names it.
set -euo pipefail
cmake=$1 build=$2 source=$3 libdir=$4 version=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$source/tests/package
complain() {
    echo "package: $*" >&2
    exit 1
}

"$cmake" --install "$build" --prefix "$work/before" >"$work/log" || { cat "$work/log" && exit 1; }
mv "$work/before" "$work/after"
for path in "$work/before" "$build" "$source"; do
    if grep -rlF -- "$path" "$work/after"; then complain "installed files contain $path"; fi
done
if readelf -d "$work/after/$libdir/libonnx_broadcast.so" "$work"/after/bin/* | grep -E 'R(UN)?PATH'; then
    complain "a run path is left"
fi

lib=$work/after/$libdir
export PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib
"$here/program/try.sh" "$here/program" "$work" "$work/after" "$version"

# refused MESSAGE ARGUMENT...: configuring fails with MESSAGE.
refused() {
    local message=$1
    shift
    rm -rf "$work/refused"
    if "$cmake" -S "$here/program" -B "$work/refused" -DCMAKE_PREFIX_PATH="$work/after" "$@" >"$work/log" 2>&1; then
        complain "configures with $*"
    fi
    tr -s ' \n' ' ' <"$work/log" | grep -F "$message" >/dev/null || { cat "$work/log" && complain "does not say: $message"; }
}
refused "onnx_broadcast has no component other" -DFORM=other
refused "compatible with requested version \"99\"" -DWANTED_VERSION=99
config=$lib/cmake/onnx_broadcast/onnx_broadcast-config.cmake
cp "$config" "$work/config"
sed -i 's/IN LISTS _ob_needed/no-such-library/' "$config"
refused "libraries that it needs were not found (on Debian their packages end with -dev): libno-such-library" -DFORM=static
cp "$work/config" "$config"
rm "$lib/cmake/onnx_broadcast/"onnx_broadcast-shared-targets*.cmake
refused "The shared onnx_broadcast library cannot be used: it is not installed" -DFORM=shared

# Without the shared one the plain name means the static one.
"$cmake" -S "$here/program" -B "$work/only-static" -DCMAKE_PREFIX_PATH="$work/after" >"$work/log" 2>&1 &&
    "$cmake" --build "$work/only-static" >"$work/log" 2>&1 || { cat "$work/log" && complain "only the static library is there"; }
env -u LD_LIBRARY_PATH "$work/only-static/program_c" >/dev/null
echo "package: installed, moved, used"
