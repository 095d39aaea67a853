#!/usr/bin/env bash
# usage: man.sh MAN_FOLDER COMMAND...
# Each command's manual page names exactly the options that its --help names.
set -euo pipefail
pages=$1
shift
failed=0
options() { grep -oE '(^|[^-a-zA-Z0-9])--?[a-z][-a-z]*' | grep -oE -- '--?[a-z][-a-z]*' | sort -u; }
for command in "$@"; do
    name=$(basename "$command")
    help=$("$command" --help | options)
    page=$(sed -e 's/\\-/-/g' -e 's/\\f[A-Z]/ /g' "$pages/$name.1" | grep -v '^\.\(TH\|SH\)' | sed -e "s/$name//g" | options)
    [ "$(wc -l <<<"$help")" -ge 10 ] || { echo "$name: --help names too few options" && failed=1; }
    difference=$(diff <(echo "$help") <(echo "$page")) ||
        { echo "$name: < only in --help, > only in docs/man/$name.1" && echo "$difference" && failed=1; }
done
[ "$failed" -eq 0 ] && echo "man: pages and --help agree"
exit "$failed"
