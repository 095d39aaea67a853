#!/usr/bin/env bash
# usage: exported.sh COMPILER NM INCLUDE_FOLDER LIBRARY
# The shared library exports the functions that the public headers declare, every one, and nothing else.
set -euo pipefail
compiler=$1 nm=$2 include=$3 library=$4
# ahead.h is for the library that emitted models link.
text=$(printf '#include "%s"\n' "$include"/onnx_broadcast/*.h | grep -vF -e /ahead.h -e /onnx_broadcast.h |
    "$compiler" -E -P -I "$include" -x c - | tr '\n' ' ')
# Names before a parenthesis, but not the result types of function pointers, "ob_status (*", and without the inline functions of
# the headers.
names() { grep -oE '\bob_[a-z0-9_]+ *\(([^*]|$)' | sed 's/(.*//' | tr -d ' (' | sort -u; }
inline=$(grep -oE 'static inline [^(]*\(' <<<"$text" | names || true)
declared=$(names <<<"$text" | comm -23 - <(printf '%s\n' "$inline" | sort -u))
exported=$("$nm" -D --defined-only "$library" | awk '{ print $3 }' | sort -u)
failed=0
while IFS= read -r name; do
    [ -z "$name" ] || { echo "declared, not exported: $name (OB_API in its header? a definition?)" && failed=1; }
done < <(comm -23 <(echo "$declared") <(echo "$exported"))
while IFS= read -r name; do
    [ -z "$name" ] || { echo "exported, not declared in a public header: $name" && failed=1; }
done < <(comm -13 <(echo "$declared") <(echo "$exported"))
count=$(wc -l <<<"$exported")
[ "$count" -ge 100 ] || { echo "only $count functions seen" && failed=1; }
[ "$failed" -eq 0 ] && echo "exported: $count functions"
exit "$failed"
