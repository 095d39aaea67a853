#!/usr/bin/env bash
# usage: api_called.sh SOURCE_DIR. Every function of the public headers is called by a test or an example.
set -u
cd "$1" || exit 1
names() { grep -ohE '\bob_[a-z_0-9]+ *\(' "$@" | tr -d ' (' | sort -u; }

# Declarations may have several lines: the text between OB_API and the first parenthesis ends with the name.
declared=$(cat include/onnx_broadcast/*.h | sed '/^#/d' | tr '\n' ' ' | grep -oE 'OB_API [^(;]*\(' | names)
called=$(find tests examples \( -name '*.c' -o -name '*.cpp' -o -name '*.h' \) -exec cat {} + | names)
missing=$(comm -23 <(echo "$declared") <(echo "$called"))
n=$(wc -l <<<"$declared")
echo "$n functions"
[ -z "$missing" ] || printf '%s is called by no test and no example\n' $missing
[ "$n" -gt 100 ] && [ -z "$missing" ]
