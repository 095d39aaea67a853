#!/usr/bin/env bash
# Brings the library that lays out the graph of the HTML report: cmake/page_layout.sh FOLDER
# It is the npm package @dagrejs/dagre, in the version and with the checksum of web/page/package-lock.json. None of its scripts
# run. FOLDER is whole or not there.
set -euo pipefail

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../web/page" && pwd)
folder=$1
part=$folder.part

fail() {
    printf 'page layout: %s\n' "$*" >&2
    exit 1
}

version=$(sed -nE 's/.*"@dagrejs\/dagre": "([0-9.]+)".*/\1/p' "$source/package.json" | head -n 1)
[ -n "$version" ] || fail "no version of @dagrejs/dagre in $source/package.json"

is_whole() {
    grep -q "\"version\": \"$version\"" "$folder/package.json" 2>/dev/null && [ -s "$folder/dist/dagre.min.js" ] &&
        [ -s "$folder/dist/dagre.min.js.LEGAL.txt" ]
}

mkdir -p "$(dirname "$folder")"
exec 9>"$folder.lock"
flock 9
is_whole && exit 0
command -v npm >/dev/null || fail "npm is missing: install the package npm"
rm -rf "$part" "$folder"
mkdir -p "$part"
cp "$source/package.json" "$source/package-lock.json" "$part/"
(cd "$part" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1) >"$part/npm.log" 2>&1 ||
    fail "npm cannot fetch @dagrejs/dagre@$version: $(tail -n 3 "$part/npm.log" | tr '\n' ' ')"
mv "$part/node_modules/@dagrejs/dagre" "$folder"
rm -rf "$part"
is_whole || fail "@dagrejs/dagre@$version does not hold dist/dagre.min.js with its licence"
printf 'page layout: @dagrejs/dagre %s is in %s\n' "$version" "$folder"
