#!/usr/bin/env python3
"""Instruction counts of hot loops and small models, by callgrind, at the level AVX2 (valgrind has no AVX-512).

    instructions.py SOURCE_DIR BUILD_DIR [--bless]

A model is run twice, with few and with more runs; the difference is the work of the runs alone. Counts do not depend on the load
of the machine. They depend on the compiler, so CMake adds this test for one only. --bless writes the counts to
tests/instructions.txt. Exit status 77: valgrind, or AVX2, is not there.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

FEW, MORE = 2, 12
HEAD = '<ir_version: 8, opset_import: ["" : 18]>\ng '


def count(build, model, runs):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", os.path.join(build, "onnx-broadcast-run"), model,
               "--random", "--quiet", "--bench", str(runs)]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         env=dict(os.environ, OB_ISA="avx2"))
    found = re.search(r"Collected : (\d+)", run.stdout)
    if run.returncode != 0 or not found:
        raise RuntimeError(run.stdout)
    return int(found.group(1))


def measure(source, build, folder, number, text):
    path = os.path.join(source, text)
    if text.startswith("("):
        path = os.path.join(folder, "%d.onnxtxt" % number)
        with open(path, "w") as file:
            file.write(HEAD + text)
    return (count(build, path, MORE) - count(build, path, FEW)) / (MORE - FEW)


def has_avx2():
    with open("/proc/cpuinfo") as file:
        return re.search(r"^flags.*\bavx2\b.*$", file.read(), re.M) is not None


def main():
    source, build, bless = sys.argv[1], sys.argv[2], "--bless" in sys.argv
    table = os.path.join(source, "tests", "instructions.txt")
    if not shutil.which("valgrind") or not has_avx2():
        print("skipped: needs valgrind and AVX2")
        return 77
    with open(table) as file:
        lines = file.read().splitlines()
    rows = [(i, *[part.strip() for part in line.split("|", 2)]) for i, line in enumerate(lines) if not line.startswith("#")]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = list(pool.map(lambda row: measure(source, build, folder, row[0], row[3]), rows))
    n_other = 0
    for (i, name, before, text), now in zip(rows, counts):
        lines[i] = "%s | %d | %s" % (name, now, text)
        change = 100 * (now / int(before) - 1) if int(before) else 0
        n_other += abs(change) > 3
        print("%-34s %10d %+6.1f %%%s" % (name, now, change, "  <- more than 3 %" if abs(change) > 3 else ""))
    if bless:
        with open(table, "w") as file:
            file.write("\n".join(lines) + "\n")
        return 0
    if n_other:
        print("%d of %d rows changed: a loss is a defect; a gain is noted with --bless" % (n_other, len(rows)))
    return 1 if n_other else 0


if __name__ == "__main__":
    sys.exit(main())
