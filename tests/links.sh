#!/usr/bin/env bash
# usage: links.sh SOURCE_DIR. Every relative link in the documents leads to a file or folder that exists.
set -u
cd "$1" || exit 1
failed=0 n=0
while IFS= read -r page; do
    while IFS= read -r link; do
        case $link in http*://* | '#'* | mailto:*) continue ;; esac
        n=$((n + 1))
        [ -e "$(dirname "$page")/${link%%#*}" ] || {
            echo "$page: no such file: $link"
            failed=1
        }
    done < <(grep -oE '\]\([^) ]+\)' "$page" | sed -E 's/^\]\((.*)\)$/\1/')
done < <(find . -name '*.md' -not -path './build*' -not -path './.git/*')
[ "$n" -gt 0 ] || failed=1
echo "$n links"
exit "$failed"
