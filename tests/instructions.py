#!/usr/bin/env python3
"""Instruction counts of hot loops and small models, by callgrind, at the level AVX2 (valgrind has no AVX-512).

    instructions.py SOURCE_DIR BUILD_DIR [--bless]
    instructions.py SOURCE_DIR BUILD_DIR --arm64 [--bless]      the same on arm64, under qemu-user with a plugin; BUILD_DIR is
                                                                that of `./dev cross arm64`

A model is run twice, with few and with more runs; the difference is the work of the runs alone. valgrind counts only inside of
them, because the command beside them prints times, which take more or less. Counts do not depend on the load of the machine.
They depend on the compiler, so CMake adds this test for one only. --bless writes the counts to tests/instructions.txt, or
tests/instructions_arm64.txt. Exit status 77: valgrind or AVX2, or qemu and a compiler, are not there.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

FEW, MORE = 2, 12
MORE_ARM64 = 202  # there the command beside the runs counts as well, and takes more or less
HEAD = '<ir_version: 8, opset_import: ["" : 18]>\ng '


def count(build, model, runs, plugin):
    work = [os.path.join(build, "onnx-broadcast-run"), model, "--random", "--quiet", "--bench", str(runs)]
    if plugin:
        command = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "-plugin", plugin, "-d", "plugin"] + work
    else:
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
                   "--toggle-collect=ob_session_run_cells"] + work
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         env=dict(os.environ, OB_ISA="avx2"))
    found = re.search(r"(?:Collected|instructions) ?: (\d+)", run.stdout)
    if run.returncode != 0 or not found:
        raise RuntimeError(run.stdout)
    if int(found.group(1)) == 0:
        raise RuntimeError("no run was counted: does the command still call ob_session_run_cells?")
    return int(found.group(1))


def measure(source, build, folder, number, text, plugin=None):
    path = os.path.join(source, text)
    if text.startswith("("):
        path = os.path.join(folder, "%d.onnxtxt" % number)
        with open(path, "w") as file:
            file.write(HEAD + text)
    more = MORE_ARM64 if plugin else MORE
    return (count(build, path, more, plugin) - count(build, path, FEW, plugin)) / (more - FEW)


def make_plugin(source, folder):
    """The plugin of qemu-user that counts; None: it cannot be made."""
    made = os.path.join(folder, "count.so")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler or not shutil.which("qemu-aarch64"):
        return None
    run = subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", made, os.path.join(source, "tests", "count_instructions.c")])
    return made if run.returncode == 0 else None


def has_avx2():
    with open("/proc/cpuinfo") as file:
        return re.search(r"^flags.*\bavx2\b.*$", file.read(), re.M) is not None


def main():
    source, build, bless, arm64 = sys.argv[1], sys.argv[2], "--bless" in sys.argv, "--arm64" in sys.argv
    table = os.path.join(source, "tests", "instructions_arm64.txt" if arm64 else "instructions.txt")
    if not arm64 and not (shutil.which("valgrind") and has_avx2()):
        print("skipped: needs valgrind and AVX2")
        return 77
    with open(table) as file:
        lines = file.read().splitlines()
    rows = [(i, *[part.strip() for part in line.split("|", 2)]) for i, line in enumerate(lines) if not line.startswith("#")]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        plugin = make_plugin(source, folder) if arm64 else None
        if arm64 and not plugin:
            print("skipped: needs qemu-aarch64 and a compiler")
            return 77
        counts = list(pool.map(lambda row: measure(source, build, folder, row[0], row[3], plugin), rows))
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
