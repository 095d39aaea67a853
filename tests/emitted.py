#!/usr/bin/env python3
"""usage: emitted.py RUN LIBRARY INCLUDE WORK_DIR [--level LEVEL] [--expect FILE] MODEL_FOLDER...

Emits models as C, compiles them, and compares their results with the session's, byte by byte. A model folder has model.onnx
(or is a file beside NAME_test) and test_data_set_0 with inputs; shared:FOLDER: all of ../shared/FOLDER, beside the project. A
model as text (.onnxtxt) has no data: its plans run with random elements, and fail where the session fails.
What cannot be emitted must be refused by name, before a file is written.

--expect FILE: a line `MODEL: REASON` for each model that is not emitted or compared; the program fails when it is otherwise.
"""
import argparse
import concurrent.futures
import ctypes
import glob
import os
import random
import re
import shutil
import subprocess
import sys

import numpy
import onnx

WIDTHS = {1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8, 14: 8, 15: 16, 16: 2,
          17: 1, 18: 1, 19: 1, 20: 1, 24: 1}
FIELDS = {1: ("float_data", "<f4"), 6: ("int32_data", "<i4"), 7: ("int64_data", "<i8"), 11: ("double_data", "<f8"),
          12: ("uint64_data", "<u4"), 13: ("uint64_data", "<u8"), 2: ("int32_data", "u1"), 3: ("int32_data", "i1"),
          4: ("int32_data", "<u2"), 5: ("int32_data", "<i2"), 9: ("int32_data", "u1"), 10: ("int32_data", "<u2"),
          16: ("int32_data", "<u2")}


class Unread(Exception):
    pass


def tensor_bytes(path):
    """The elements of a file, as they lie in memory."""
    tensor = onnx.TensorProto()
    with open(path, "rb") as file:
        try:
            tensor.ParseFromString(file.read())
        except Exception as error:
            raise Unread("not a tensor") from error
    kind = tensor.data_type
    if kind not in WIDTHS:
        raise Unread(f"elements of type {kind}")
    if tensor.HasField("raw_data") or kind not in FIELDS:
        return tensor.raw_data
    field, form = FIELDS[kind]
    return numpy.array(getattr(tensor, field)).astype(form).tobytes()


def aligned(n_bytes):
    """A buffer of that size (at least 1) at a multiple of 64."""
    buffer = ctypes.create_string_buffer(n_bytes + 64)
    address = ctypes.addressof(buffer)
    return buffer, (address + 63) // 64 * 64


def call(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def header_numbers(text):
    return {name: int(value) for name, value in re.findall(r"#define (\w+) (\d+)\n", text)}


def refusal(emitted, folder):
    """The reason of a model that was not emitted."""
    left = os.listdir(folder) if os.path.isdir(folder) else []
    if emitted.returncode != 3 or left:
        return f"FAILED: exit status {emitted.returncode}, files {left}: {emitted.stdout.strip()}"
    reason = re.search(r"cannot be written as C: (.*)", emitted.stdout)
    return reason[1] if reason else emitted.stdout.strip().split(": ")[-1]


def build(paths, work):
    """The text of an error; None: m.so is there."""
    sources = glob.glob(work + "/c/m.c") + glob.glob(work + "/c/*.S")
    built = call([paths.compiler, "-O0", "-g0", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-I", paths.include, "-I",
                  work + "/c", "-Wa,-I" + work + "/c", *sources, paths.library, "-o", work + "/m.so", *paths.links, "-Wl,-z,defs",
                  "-Wl,--gc-sections"])
    if built.returncode:
        return "FAILED: it does not compile: " + "\n".join(built.stdout.split("\n")[:8])
    symbols = call(["nm", work + "/m.so"]).stdout.split()
    unwanted = {"ob__find_conversion": True, "ob__run_bodies": "ob__run_control_step" not in symbols}
    for name, is_unwanted in unwanted.items():
        if is_unwanted and name in symbols:
            return f"FAILED: it links {name}"
    return None


def compare(paths, model, data, work, level):
    """What came of one model."""
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    if model.endswith(".onnxtxt"):
        return compare_text(paths, model, [], work, level)
    inputs = sorted(glob.glob(f"{data}/input_*.pb"), key=lambda p: int(re.search(r"_(\d+)\.pb", p)[1]))
    given = [argument for path in inputs for argument in ("--input", path)]
    environment = dict(os.environ, OB_ISA=level)
    ran = call([paths.run, model, *given, "--random", "--output-dir", work + "/expected", "--quiet"], env=environment)
    if ran.returncode:
        return "not run: " + ran.stdout.strip().split("\n")[-1]
    emitted = call([paths.run, model, *given, "--random", "--emit-c", work + "/c", "--name", "m", "--level", level, "--quiet"])
    if emitted.returncode:
        return refusal(emitted, work + "/c")
    failed = build(paths, work)
    if failed:
        return failed
    with open(work + "/c/m.h", encoding="ascii") as file:
        numbers = header_numbers(file.read())
    try:
        n_in = sum(name.startswith("m_INPUT_") for name in numbers)
        if len(inputs) < n_in:
            raise Unread("inputs without data")
        contents = [tensor_bytes(path) for path in inputs[:n_in]]
        for i, content in enumerate(contents):
            if len(content) != numbers[f"m_INPUT_{i}_BYTES"]:
                raise Unread(f"input {i} has packed elements")
        return run_emitted(work, 0, contents, numbers, True)
    except Unread as error:
        return f"not compared: {error}"


def draw(choices, kind, count):
    """Random elements, as bytes."""
    if kind == "bool":
        return bytes(choices.randrange(2) for _ in range(count))
    if kind.startswith(("int", "uint")):
        return numpy.array([choices.randrange(4) for _ in range(count)]).astype(kind).tobytes()
    return numpy.array([choices.uniform(-2, 2) for _ in range(count)]).astype(kind.replace("float", "float32", kind == "float")
                                                                              .replace("double", "float64")).tobytes()


def compare_text(paths, model, sizes, work, level, rounds=4):
    """The same of a model without data; sizes: options."""
    emitted = call([paths.run, model, *sizes, "--emit-c", work + "/c", "--name", "m", "--level", level, "--quiet"])
    if emitted.returncode:
        return refusal(emitted, work + "/c")
    failed = build(paths, work)
    if failed:
        return failed
    with open(work + "/c/m.h", encoding="ascii") as file:
        text = file.read()
    numbers = header_numbers(text)
    inputs = re.findall(r"^    const .*\*input\d+; /\* (.*): (.*) \*/$", text, re.M)
    choices = random.Random(os.path.basename(model))
    environment = dict(os.environ, OB_ISA=level)
    for i in range(rounds * numbers["m_PLANS"]):
        plan = i % numbers["m_PLANS"]
        contents, given = [], []
        for k, (name, forms) in enumerate(inputs):
            kind, dims = re.match(r"(\w+) \[(.*)\]", forms.split(" or ")[plan]).groups()
            contents.append(draw(choices, kind, int(numpy.prod([int(d) for d in dims.split(", ") if d], dtype=int))))
            with open(f"{work}/input_{k}.raw", "wb") as file:
                file.write(contents[-1])
            given += ["--input", f"{name}={work}/input_{k}.raw:{kind}[{dims.replace(' ', '')}]"]
        ran = call([paths.run, model, *given, "--output-dir", work + "/expected", "--quiet"], env=environment)
        result = run_emitted(work, plan, contents, numbers, ran.returncode == 0)
        if result != "same":
            return result + f" (plan {plan}, round {i}: {ran.stdout.strip()})"
    return "same"


def run_emitted(work, plan, contents, numbers, works):
    """works: the session does."""
    n_in = sum(name.startswith("m_INPUT_") for name in numbers)
    n_out = sum(name.startswith("m_OUTPUT_") for name in numbers)
    keep = []

    def memory(content, n_bytes):
        buffer, address = aligned(n_bytes)
        ctypes.memset(address, 0xA5, n_bytes)
        if content:
            ctypes.memmove(address, content, len(content))
        keep.append(buffer)
        return address

    pointers = [memory(content, len(content)) for content in contents]
    outputs = [memory(None, numbers[f"m_OUTPUT_{i}_BYTES"]) for i in range(n_out)]
    library = ctypes.CDLL(work + "/m.so")
    arena = memory(None, numbers["m_ARENA_BYTES"] + 64)
    in_array = (ctypes.c_void_p * max(n_in, 1))(*pointers)
    out_array = (ctypes.c_void_p * max(n_out, 1))(*outputs)
    status = library.m_run_plan(plan, in_array, out_array, ctypes.c_void_p(arena))
    if (status == 0) != works:
        return f"FAILED: m_run_plan returned {status}"
    if ctypes.string_at(arena + numbers["m_ARENA_BYTES"], 64) != b"\xA5" * 64:
        return "FAILED: it wrote behind its arena"
    for i in range(n_out if works else 0):
        expected = tensor_bytes(f"{work}/expected/output_{i}.pb")
        n_bytes = numbers[f"m_OUTPUT_{i}_BYTES"] if numbers["m_PLANS"] == 1 else len(expected)
        if len(expected) != n_bytes:
            raise Unread(f"output {i} has packed elements")
        if ctypes.string_at(outputs[i], n_bytes) != expected:
            return f"FAILED: output {i} differs"
    return "same"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("run")
    parser.add_argument("library")
    parser.add_argument("include")
    parser.add_argument("work")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--level", default="baseline")
    parser.add_argument("--links", default="-lm")  # of the library
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--expect")
    parser.add_argument("--write", action="store_true", help="write the file of --expect")
    paths = parser.parse_args()
    paths.links = paths.links.split()
    jobs = []
    folders = []
    for folder in paths.models:
        if folder.startswith("shared:"):
            shared = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../shared", folder[7:])
            if not os.path.isdir(shared):
                print(f"skipped: there is no ../shared/{folder[7:]}")
                return 77
            folders += sorted(os.path.dirname(path) for path in glob.glob(shared + "/*/model.onnx"))
        else:
            folders.append(folder)
    for folder in folders:
        folder = folder.rstrip("/")
        if folder.endswith(".onnxtxt"):
            jobs.append((os.path.basename(folder)[:-8], folder, None))
        elif folder.endswith(".onnx"):
            data = folder[:-5] + "_test"
            below = data + "/test_data_set_0"
            jobs.append((os.path.basename(folder)[:-5], folder, below if os.path.isdir(below) else data))
        else:
            jobs.append((os.path.basename(folder), folder + "/model.onnx", folder + "/test_data_set_0"))
    expected = {}
    if paths.expect and os.path.exists(paths.expect):
        with open(paths.expect, encoding="ascii") as file:
            expected = dict(line.rstrip("\n").split(": ", 1) for line in file if not line.startswith("#"))
    results = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = {name: pool.submit(compare, paths, model, data, f"{paths.work}/{name}", paths.level)
                   for name, model, data in jobs}
        for name, future in futures.items():
            results[name] = future.result()
    failed = 0
    for name, result in results.items():
        wanted = expected.get(name, "same")
        good = result == wanted and not result.startswith("FAILED")
        if paths.write:
            good = not result.startswith("FAILED")
        failed += not good
        if not good or not paths.expect:
            print(f"{name}: {result}" + ("" if good or result.startswith("FAILED") else f" (expected: {wanted})"))
    if paths.write:
        with open(paths.expect, "w", encoding="utf-8") as file:
            file.write("# Models that are not emitted, with the reason: tests/emitted.py --write\n")
            file.writelines(f"{name}: {result}\n" for name, result in sorted(results.items())
                            if result != "same" and not result.startswith("FAILED"))
    same = sum(result == "same" for result in results.values())
    others = len(results) - same
    print(f"{len(results)} models: {same} have the same results, {others} are not emitted or compared, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
