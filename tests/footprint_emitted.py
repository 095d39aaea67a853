#!/usr/bin/env python3
"""usage: footprint_emitted.py RUN LIBRARY INCLUDE MODEL...

The table "Models as C" of docs/footprint.md. RUN is onnx-broadcast-run, LIBRARY a libonnx_broadcast_ahead.a of the type
MinSizeRel with one level and without SLEEF. MODEL is a file, or a folder with model.onnx and test_data_set_0, whose inputs give
the sizes. Code and tables are all that the program loads, without its weights.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile


def call(command, folder):
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


def loaded(program):
    """The bytes of the sections of code, constants and data."""
    kept = (".text", ".rodata", ".data.rel.ro", ".data", ".eh_frame", ".eh_frame_hdr")
    rows = (line.split() for line in subprocess.run(["size", "-A", program], check=True, stdout=subprocess.PIPE,
                                                    text=True).stdout.splitlines())
    return sum(int(row[1]) for row in rows if row and row[0] in kept)


def weights(folder):
    binary = folder + "/m_weights.bin"
    if os.path.exists(binary):
        return os.path.getsize(binary)
    with open(folder + "/m.c", encoding="ascii") as file:
        found = re.findall(r"_Alignas\(16\) uint(\d+)_t m_c\d+\[(\d+)\]", file.read())
    return sum(int(width) // 8 * int(n) for width, n in found)


def row(run, library, include, model):
    inputs = sorted(glob.glob(model + "/test_data_set_0/input_*.pb"))
    sizes = [argument for path in inputs for argument in ("--input", os.path.abspath(path))] or ["--random"]
    path = model if model.endswith(".onnx") else model + "/model.onnx"
    with tempfile.TemporaryDirectory() as folder:
        call([run, os.path.abspath(path), *sizes, "--emit-c", folder, "--name", "m", "--quiet"], folder)
        sources = ["m.c", "m_main.c"] + (["m_weights.S"] if os.path.exists(folder + "/m_weights.S") else [])
        call(["cc", "-Os", "-fno-pie", "-no-pie", "-fno-asynchronous-unwind-tables", "-I" + include, "-I.", *sources, library,
              "-lm", "-Wl,--gc-sections", "-o", "m"], folder)
        call(["./m"], folder)
        with open(folder + "/m.h", encoding="ascii") as file:
            arena = int(re.search(r"#define m_ARENA_BYTES (\d+)", file.read())[1])
        own = weights(folder)
        name = os.path.basename(path)[:-5] if model.endswith(".onnx") else os.path.basename(model.rstrip("/"))
        return f"| {name} | {loaded(folder + '/m') - own:,} | {own:,} | {arena:,} |".replace(",", " ")


def main():
    run, library, include = (os.path.abspath(path) for path in sys.argv[1:4])
    print("| Model | code and tables | weights | work memory |\n|---|--:|--:|--:|")
    for model in sys.argv[4:]:
        print(row(run, library, include, model))


if __name__ == "__main__":
    main()
