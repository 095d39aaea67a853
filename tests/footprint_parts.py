#!/usr/bin/env python3
"""The table of docs/footprint.md about builds without parts, from the sizes that tests/package/parts.sh has measured.

    footprint_parts.py SIZES [--write]

SIZES: lines "text data OPTION...", text and data of the static library of a build with these options. A figure that differs from
the table by more than 3 % is a failure; --write writes the table. Skipped (status 77) with another compiler than that of the
table."""
import sys

from footprint_models import judge, write

WHAT, HEADS = "parts", ("Options", "text", "data and bss")


def read(path):
    rows = {}
    with open(path) as f:
        for line in f:
            text, data, *options = line.split()
            rows[" ".join(options)] = [int(text), int(data)]
    return rows


def main():
    rows = read(sys.argv[1])
    if len(rows) < 10:
        sys.exit("footprint: %s has %d builds, 10 or more were expected" % (sys.argv[1], len(rows)))
    if sys.argv[2:] == ["--write"]:
        write(WHAT, HEADS, rows)
        return 0
    return judge(WHAT, HEADS, rows)


if __name__ == "__main__":
    sys.exit(main())
