#!/usr/bin/env bash
# usage: debian_sources.sh FOLDER: brings Debian's sources of protobuf-c and cmocka into FOLDER, for builds for other machines.
# The package lists for it are its own: the machine's stay as they are.
set -euo pipefail
sources=$1
apt=$sources.apt
[ ! -f "$sources/complete" ] || exit 0
rm -rf "$apt" "$sources"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$sources"
apt=$(cd "$apt" && pwd)
apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Component: main' |
    sort -u >"$apt/sources.list"
printf '%s\n' "Dir::State::lists \"$apt/lists\";" "Dir::Cache \"$apt/cache\";" "Dir::Etc::sourcelist \"$apt/sources.list\";" \
    "Dir::Etc::sourceparts \"$apt/none\";" 'APT::Sandbox::User "root";' >"$apt/apt.conf"
export APT_CONFIG=$apt/apt.conf
apt-get update -q
(cd "$sources" && apt-get source -q protobuf-c cmocka)
touch "$sources/complete"
