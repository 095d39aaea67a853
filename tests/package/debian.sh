#!/usr/bin/env bash
# usage: debian.sh PACKAGES_FOLDER SOURCE_FOLDER
# The Debian packages as a user has them: installed, used with the installed files only, in a folder away from source and build,
# installed again, and removed without a trace. Only root can do that, and only where the packages are not installed already;
# otherwise they are unpacked and used from there.
set -euo pipefail
packages=$(cd "$1" && pwd) source=$2
work=$(mktemp -d)
chmod 755 "$work"
names=()
installed=
export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}

complain() {
    echo "package: $*" >&2
    exit 1
}
apt() {
    DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -o DPkg::Lock::Timeout=300 "$@" >"$work/log" 2>&1 ||
        { cat "$work/log" >&2 && complain "apt-get $*"; }
}
clean() {
    local name
    # One at a time, users before the library that they need: a name that is not installed must not keep the others.
    if [ -n "$installed" ]; then
        for name in $(printf '%s\n' "${names[@]}" | grep -v '[0-9]$') $(printf '%s\n' "${names[@]}" | grep '[0-9]$'); do
            dpkg --purge "$name" >/dev/null 2>&1 || true
        done
    fi
    rm -rf "$work"
}
trap clean EXIT

mkdir "$work/debs" "$work/use"
cp "$packages"/*.deb "$work/debs/"
cp -r "$source/tests/package/program" "$source/models/digits.onnx" "$source/models/digits_test/input_0.pb" "$work/use/"
for deb in "$work"/debs/*.deb; do names+=("$(dpkg-deb -f "$deb" Package)"); done
version=$(dpkg-deb -f "$deb" Version)
version=${version%-*}
[ ${#names[@]} -ge 3 ] || complain "only ${#names[@]} packages in $packages"

# use ROOT: uses everything in the packages under ROOT.
use() {
    local root=$1 lib plugin
    lib=$root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
    cd "$work/use"
    rm -rf explicit.onnx results build
    mkdir build
    [ "$("$root/usr/bin/onnx-broadcast-check" --version | sed -n 1p)" = "onnx-broadcast-check $version" ] ||
        complain "another version of the command"
    "$root/usr/bin/onnx-broadcast-check" digits.onnx -o explicit.onnx --emit broadcast --quiet | grep '5 inserted' >/dev/null ||
        complain "check"
    "$root/usr/bin/onnx-broadcast-check" digits.onnx --format html >report.html
    grep -q 'id="layout-worker"' report.html || complain "the HTML report is not complete: it has no drawn graph"
    "$root/usr/bin/onnx-broadcast-run" explicit.onnx --input input_0.pb --output-dir results --quiet
    "$root/usr/bin/onnx-broadcast-run" digits.onnx --input input_0.pb --expect results --quiet || complain "the two models differ"
    for page in check run; do gzip -t "$root/usr/share/man/man1/onnx-broadcast-$page.1.gz"; done
    ./program/try.sh "$work/use/program" "$work/use/build" "$root/usr" "$version"
    if [[ " ${names[*]} " == *" python3-onnx-broadcast "* ]]; then
        PYTHONPATH=${root:+$root/usr/lib/python3/dist-packages} PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - "$version" <<'END' ||
import sys
import numpy
import onnx_broadcast as ob
from importlib.metadata import version
session = ob.InferenceSession("digits.onnx")
results = session.run(None, {session.get_inputs()[0].name: numpy.zeros((2, 1, 8, 8), numpy.uint8)})
assert len(results[0]) == 2 and ob.check("digits.onnx").errors == ()
assert ob.__version__ == version("onnx-broadcast") == sys.argv[1]
assert "/usr/lib/python3/dist-packages/" in ob.__file__, ob.__file__
END
            complain "the Python package"
    else
        echo "package: skipped the Python package, it was not built (python3-cffi and python3-dev)"
    fi
    plugin=$lib/onnx_broadcast/libonnx_broadcast_ort.so
    if [[ " ${names[*]} " == *" onnx-broadcast-ort "* ]]; then
        "${CC:-cc}" program/open_plugin.c -o build/open_plugin
        build/open_plugin "$plugin" || complain "the plugin does not open"
    else
        echo "package: skipped the plugin, it was not built (./dev onnxruntime brings the headers that it needs)"
    fi
    cd /
}

present=()
for name in "${names[@]}"; do
    ! dpkg-query -W "$name" >/dev/null 2>&1 || present+=("$name")
done
if [ "$(id -u)" -ne 0 ] || [ ${#present[@]} -gt 0 ]; then
    echo "package: skipped installing (not root, or installed already: ${present[*]:-none}); used unpacked"
    for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$work/unpacked"; done
    lib=$work/unpacked/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
    PKG_CONFIG_SYSROOT_DIR=$work/unpacked PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib use "$work/unpacked"
    exit 0
fi

# The files before, and the files of the packages.
for deb in "$work"/debs/*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar -t; done |
    sed 's|^\.||; s|/$||' | grep . | sort -u >"$work/paths"
while IFS= read -r path; do
    if [ -e "$path" ] || [ -L "$path" ]; then [ -d "$path" ] || complain "$path is there already"; else echo "$path"; fi
done <"$work/paths" >"$work/new"
[ -s "$work/new" ] || complain "the packages bring nothing"

unset PKG_CONFIG_PATH LD_LIBRARY_PATH CMAKE_PREFIX_PATH
installed=yes
apt install -y --no-install-recommends "$work"/debs/*.deb
dpkg -L "${names[@]}" | sed 's|^/\.$||' | grep . | sort -u | diff - "$work/paths" || complain "dpkg knows other files"
# To a file first: grep -q would close the pipe early, which pipefail takes for a failure.
ldconfig -p >"$work/libraries"
grep -q 'libonnx_broadcast\.so\.' "$work/libraries" || complain "the linker does not know the library"
use ""
apt install -y --no-install-recommends --reinstall "$work"/debs/*.deb
use "" >/dev/null
dpkg --verify "${names[@]}" | grep . && complain "files differ from those of the packages"

apt purge -y "${names[@]}"
installed=
while IFS= read -r path; do
    if [ -e "$path" ] || [ -L "$path" ]; then complain "left behind: $path"; fi
done <"$work/new"
ldconfig -p >"$work/libraries"
if grep 'libonnx_broadcast' "$work/libraries"; then complain "the linker still knows the library"; fi
echo "package: installed, used, installed again, used and removed: ${names[*]}; $(wc -l <"$work/new") paths came and went"
