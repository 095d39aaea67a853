#!/usr/bin/env python3
"""The tables of docs/footprint.md about the whole library: bytes of a build by part and by family of kernels.

    footprint.py BUILD_DIR [BUILD_DIR]          two builds: before and after

BUILD_DIR is that of a build for release with the shared library. Bytes are those of sections that are loaded, out of object
files: code, constants (with tables for unwinding) and data. The columns of the library itself are those of `size`.
"""
import collections
import glob
import os
import re
import subprocess
import sys

PARTS = ("core", "kernels", "ops", "passes", "proto", "runtime")


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def library(build):
    """Text and data of the shared library."""
    path = os.path.join(build, "libonnx_broadcast.so")
    text, data = output("size", path).splitlines()[1].split()[:2]
    return int(text), int(data)


def kind(section):
    if section.startswith(".text"):
        return "code"
    if section.startswith((".rodata", ".eh_frame")):
        return "constants"
    return "data" if section.startswith(".data") else None


def name_of(part, path):
    """The row that an object file counts for."""
    if part != "kernels":
        return part
    level = re.search(r"__(\w+)\.c\.o$", path)
    return "kernels, " + (level.group(1) if level else "one form for all levels")


def family_of(part, path):
    found = re.match(r"(\w+/\w+?)(__\w+)?\.c\.o$", path)
    return re.sub(r"_(types|small|f64|integers|rare|run)$", "", found.group(1)) if part == "kernels" and found else None


def objects(build):
    """(part, path below the part's objects, kind, bytes) of each section that is loaded."""
    for part in PARTS:
        root = os.path.join(build, part, "CMakeFiles", "ob_%s.dir" % part)
        files = glob.glob(os.path.join(glob.escape(root), "**", "*.o"), recursive=True)
        path = None
        for line in output("size", "-A", *files).splitlines():
            fields = line.split()
            if line.endswith(" :"):
                path = os.path.relpath(line[:-1].rstrip(), root)
            elif len(fields) == 3 and fields[1].isdigit() and kind(fields[0]):
                yield part, path, kind(fields[0]), int(fields[1])


def measure(build):
    """Bytes by part and kind, and by family of kernels."""
    parts, families = collections.Counter(), collections.Counter()
    for part, path, which, n in objects(build):
        parts[name_of(part, path), which] += n
        family = family_of(part, path)
        if family:
            families[family] += n
    return parts, families


def row(name, *columns):
    print("| %s | %s |" % (name, " | ".join(columns)))


def number(n):
    return "{:,}".format(n).replace(",", " ")


def main():
    builds = sys.argv[1:]
    measured = [measure(build) for build in builds]
    kinds = ("code", "constants", "data")
    row("Part", *[k for _ in builds for k in kinds])
    row("---", *["--:" for _ in builds for _ in kinds])
    for name in sorted({name for parts, _ in measured for name, _ in parts}):
        row(name, *[number(parts[name, k]) for parts, _ in measured for k in kinds])
    print()
    row("Library", *[head for _ in builds for head in ("text", "data")])
    row("---", *["--:" for _ in builds for _ in range(2)])
    row("`libonnx_broadcast.so`", *[number(n) for build in builds for n in library(build)])
    print()
    row("Family of kernels, all levels", *["bytes" for _ in builds])
    row("---", *["--:" for _ in builds])
    for family in sorted({f for _, families in measured for f in families}, key=lambda f: -measured[0][1][f]):
        row("`%s`" % family, *[number(families[family]) for _, families in measured])
    return 0


if __name__ == "__main__":
    sys.exit(main())
