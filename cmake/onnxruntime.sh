#!/usr/bin/env bash
# Brings ONNX Runtime for the tests: cmake/onnxruntime.sh VERSION FOLDER
#   FOLDER/lib/libonnxruntime.so.1    from the npm package onnxruntime-node
#   FOLDER/node/node_modules/         the same package and onnxruntime-common, for use from Node.js
#   FOLDER/include/*.h                C headers, from Debian 13's package libonnxruntime-dev
# The library speaks every API version up to its own, so headers of an older version do. What comes is put together beside
# FOLDER and renamed at the end: FOLDER is whole or not there.
set -euo pipefail

debian=trixie # the Debian release whose headers are taken
version=$1
folder=$2
part=$folder.part

fail() {
    printf 'onnxruntime: %s\n' "$*" >&2
    exit 1
}
note() { printf '%s\n' "$*"; }

is_whole() {
    [ "$(cat "$folder/version" 2>/dev/null)" = "$version" ] && [ -s "$folder/lib/libonnxruntime.so.1" ] &&
        [ -s "$folder/include/onnxruntime_c_api.h" ] && [ -s "$folder/node/node_modules/onnxruntime-node/package.json" ] &&
        [ -s "$folder/node/node_modules/onnxruntime-common/package.json" ]
}

# ---- Library and Node.js binding ---------------------------------------------------------------------------------------

# npm_package NAME: its content into node/node_modules/NAME. None of its scripts run.
npm_package() {
    local name=$1 log=$part/npm.log archive
    (cd "$part" && npm pack --loglevel=error --fetch-retries=1 "$name@$version") >"$log" 2>&1 ||
        fail "npm cannot fetch $name@$version: $(tail -n 3 "$log" | tr '\n' ' ')"
    archive=$part/$(grep '\.tgz$' "$log" | tail -n 1)
    [ -s "$archive" ] || fail "npm pack $name@$version left no archive: $(tail -n 3 "$log" | tr '\n' ' ')"
    mkdir -p "$part/node/node_modules/$name"
    # Of the binaries only those for this machine.
    tar -xzf "$archive" -C "$part/node/node_modules/$name" --strip-components=1 --exclude='*/darwin' --exclude='*/win32' \
        --exclude="*/linux/$other" || fail "$archive cannot be extracted"
    rm -f "$archive"
}

fetch_library() {
    local machine other library
    case $(uname -m) in
    x86_64) machine=x64 other=arm64 ;;
    aarch64) machine=arm64 other=x64 ;;
    *) fail "the npm package onnxruntime-node has no library for $(uname -m); install libonnxruntime-dev (Debian 13)" ;;
    esac
    command -v npm >/dev/null || fail "npm is missing: install the package npm"
    note "onnxruntime: library $version (npm package onnxruntime-node)"
    npm_package onnxruntime-node
    npm_package onnxruntime-common
    library=$(find "$part/node/node_modules/onnxruntime-node/bin" -path "*/linux/$machine/libonnxruntime.so*" | sort | head -n 1)
    [ -n "$library" ] || fail "onnxruntime-node@$version holds no libonnxruntime.so for linux/$machine"
    mkdir -p "$part/lib"
    ln "$library" "$part/lib/libonnxruntime.so.1" || cp "$library" "$part/lib/libonnxruntime.so.1"
}

# ---- Headers -----------------------------------------------------------------------------------------------------------

# The machine's own Debian archives, for another release: entries of component main whose suite is the machine's release.
write_sources() {
    local release=$1 to=$2 file
    mkdir -p "$to"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        # deb [options] address suite component ...
        [ ! -f "$file" ] || awk -v release="^($release)/?$" -v debian="$debian" '
            $1 == "deb" {
                at = 2
                if ($at ~ /^\[/) while (at < NF && $at !~ /\]$/) at++
                if ($2 ~ /^\[/) at++
                if ($(at + 1) !~ release || !/[ \t]main([ \t#]|$)/) next
                for (i = 1; i <= at; i++) printf "%s ", $i
                print debian, "main"
            }' "$file"
    done | sort -u >"$to/debian.list"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -f "$file" ] || awk -v release="$release" -v debian="$debian" '
            function has(list, wanted,    n, items, i) {
                n = split(list, items, /[ \t]+/)
                for (i = 1; i <= n; i++) if (items[i] ~ ("^(" wanted ")/?$")) return 1
                return 0
            }
            function flush_entry() {
                if (has(types, "deb") && has(suites, release) && has(components, "main") && enabled !~ /^(no|false|off|0)$/)
                    printf "Types: deb\nSuites: %s\nComponents: main\n%s\n", debian, rest
                types = suites = components = enabled = rest = field = ""
            }
            /^[ \t]*$/ { flush_entry(); next }
            /^#/ { next }
            {
                if (!/^[ \t]/) { field = tolower($0); sub(/:.*/, "", field); value = $0; sub(/^[^:]*:[ \t]*/, "", value) }
                else { value = $0; sub(/^[ \t]+/, " ", value) }
                if (field == "types") types = types value
                else if (field == "suites") suites = suites value
                else if (field == "components") components = components value
                else if (field == "enabled") enabled = tolower(value)
                else rest = rest $0 "\n"
            }
            END { flush_entry() }' "$file"
    done >"$to/debian.sources"
    [ -s "$to/debian.list" ] || [ -s "$to/debian.sources" ]
}

fetch_headers() {
    local release apt=$part/apt log=$part/apt.log
    command -v apt-get >/dev/null || fail "not a Debian system: install ONNX Runtime's C headers and library yourself"
    # shellcheck source=/dev/null
    release=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
    write_sources "${release:-stable}|stable|oldstable" "$apt/sources" ||
        fail "no Debian archive of release '${release:-unknown}' among the package sources: install onnxruntime_c_api.h by hand"
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/preferences"
    # Own lists and cache; as root the downloads are not handed to another user, who may not be able to reach this folder.
    local options=(-o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$apt/sources"
                   -o "Dir::Etc::preferences=/dev/null" -o "Dir::Etc::preferencesparts=$apt/preferences"
                   -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root -q)
    note "onnxruntime: headers (Debian package libonnxruntime-dev, release $debian)"
    # A source that fails does no harm as long as the package is found.
    apt-get "${options[@]}" update >"$log" 2>&1 || true
    (cd "$apt" && apt-get "${options[@]}" download libonnxruntime-dev) >>"$log" 2>&1 ||
        fail "apt-get cannot fetch libonnxruntime-dev of $debian: $(grep -E '^[EW]:' "$log" | tail -n 3 | tr '\n' ' ')"
    dpkg -x "$apt"/libonnxruntime-dev_*.deb "$apt/package" || fail "libonnxruntime-dev cannot be unpacked"
    mkdir -p "$part/include"
    find "$apt/package/usr/include" -name '*.h' -path '*onnxruntime*' -exec cp {} "$part/include/" \;
    [ -s "$part/include/onnxruntime_c_api.h" ] || fail "libonnxruntime-dev of $debian holds no onnxruntime_c_api.h"
    rm -rf "$apt"
}

mkdir -p "$(dirname "$folder")"
exec 9>"$folder.lock" # two at once would undo each other's work
flock 9
if is_whole; then
    note "onnxruntime: $version is in $folder"
    exit 0
fi
rm -rf "$part"
mkdir -p "$part"
part=$(cd "$part" && pwd) # apt and dpkg work elsewhere
fetch_library
fetch_headers
printf '%s\n' "$version" >"$part/version"
rm -rf "$folder"
mv "$part" "$folder"
is_whole || fail "$folder is not whole; this is a defect of this script"
note "onnxruntime: $version is in $folder"
