#!/usr/bin/env bash
# usage: plugin_symbols.sh PLUGIN. It exports exactly one symbol and needs only the C library, and what the executor's reader
# of models and its functions of doubles need.
set -u
exported=$(nm -D --defined-only "$1" | awk '{ print $3 }' | sort | tr '\n' ' ')
needed=$(readelf -d "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\].*/\1/p' | sort | tr '\n' ' ')
echo "exports: $exported"
echo "needs: $needed"
[ "$exported" = "RegisterCustomOps " ] || { echo "other symbols are exported than RegisterCustomOps"; exit 1; }
for library in $needed; do
    case $library in
    libc.so.* | ld-linux* | libm.so.* | libprotobuf-c.so.* | libsleef.so.*) ;;
    *) echo "$library is needed"; exit 1 ;;
    esac
done
