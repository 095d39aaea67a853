#!/usr/bin/env bash
# usage: quotes.sh SOURCE_DIR. Every block of code and output in docs/embedding.md occurs, line by line, in a file that a test
# compiles, runs or compares: tests/guide and examples. Indentation may differ.
set -eu
cd "$1"
shopt -s nullglob
awk '
    function trimmed(line) { gsub(/^[ \t]+|[ \t]+$/, "", line); return line }
    FILENAME == ARGV[1] {
        if (!open && match($0, /^```[a-z]+$/)) { open = 1; kind[++n] = substr($0, 4); at[n] = FNR; block[n] = "\n"; next }
        if (open && $0 == "```") { open = 0; next }
        if (open) block[n] = block[n] trimmed($0) "\n"
        next
    }
    FNR == 1 { text[++files] = "\n" }
    { text[files] = text[files] trimmed($0) "\n" }
    END {
        if (open) { print "a block is not closed"; exit 1 }
        for (i = 1; i <= n; i++) {
            if (kind[i] == "cmake" || kind[i] == "console") continue # guide_build runs these
            found = 0
            for (f = 1; f <= files && !found; f++) found = index(text[f], block[i]) > 0
            if (!found) { printf "docs/embedding.md:%d: this %s stands in no tested file\n", at[i], kind[i]; failed = 1 }
        }
        printf "%d blocks, %d files\n", n, files
        exit failed || n < 10
    }' docs/embedding.md tests/guide/*.c tests/guide/*.txt examples/*/*.c examples/*/*.txt
