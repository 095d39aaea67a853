#!/usr/bin/env bash
# usage: reference.sh SOURCE_DIR BUILD_DIR. Renders the reference into BUILD_DIR/doc/html. Fails on any warning, and when a public
# item is missing or has no text. 77 when doxygen is not there.
set -eu -o pipefail
source=$1 folder=$2/doc failed=0
command -v doxygen >/dev/null || {
    echo "skipped: doxygen is not installed"
    exit 77
}
rm -rf "$folder/html" "$folder/xml"
doxygen "$folder/Doxyfile" || failed=1

# Doxygen passes over a header that declares no group, so each name of the headers is looked up in the groups.
cd "$source/include/onnx_broadcast"
names() {
    grep -ohE '^OB_API [^(]*\bob_[a-z0-9_]+\(' -- *.h | grep -oE 'ob_[a-z0-9_]+\($' | tr -d '('
    grep -ohE '^(} |typedef [^(]* )ob_[a-z0-9_]+;' -- *.h | grep -oE 'ob_[a-z0-9_]+;$' | tr -d ';'
    grep -ohE '^typedef .*\(\*ob_[a-z0-9_]+\)' -- *.h | grep -oE 'ob_[a-z0-9_]+\)$' | tr -d ')'
    grep -ohE '^ *# *define +OB_[A-Z0-9_]+' -- *.h | grep -oE 'OB_[A-Z0-9_]+$' | grep -v '_ENUM$'
}
n=0
for name in $(names | sort -u); do
    n=$((n + 1))
    grep -qE ">$name<" "$folder"/xml/group__*.xml || {
        echo "$name: not in the reference"
        failed=1
    }
done
[ "$n" -gt 100 ] || failed=1

# Older versions of Doxygen do not warn of a value of an enum that has no text; what the lists' rows quote is none.
awk '/<enumvalue / { inside = 1; text = 0; name = "" }
     inside && /<name>/ { name = $0; gsub(/<[^>]*>| /, "", name) }
     inside && /<para>|<linebreak/ { gsub(/&quot;[^&]*&quot;(, [0-9]+ bytes)?|<[^>]*>/, ""); if (/[A-Za-z0-9]/) text = 1 }
     /<\/enumvalue>/ { inside = 0; values++; if (!text) { print name ": no text"; failed = 1 } }
     END { print values " values of enums"; exit failed || values < 50 }' "$folder"/xml/group__*.xml || failed=1
echo "$n public items"
exit "$failed"
