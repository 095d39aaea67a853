#!/usr/bin/env python3
"""usage: emitted.py RUN LIBRARY INCLUDE WORK_DIR [--level LEVEL] [--expect FILE] MODEL_FOLDER...

Emits models as C, compiles them, and compares their results with the session's, byte by byte. A model folder has model.onnx
(or is a file beside NAME_test) and test_data_set_0 with inputs; shared:FOLDER: all of ../shared/FOLDER, beside the project. A
model as text (.onnxtxt) has no data: its plans run with random elements, and fail where the session fails.
What cannot be emitted must be refused by name, before a file is written.

--emulator COMMAND --other-library LIBRARY --other-compiler COMPILER: the files are also compiled for another machine, whose
programs COMMAND runs. Its results are those of this machine with the first library, which is as small (no SLEEF).

--random PROGRAM --count N --seed S: N random models of PROGRAM (tests/random_sizes), with one or two sets of sizes, at a random
level, among them models with names that try to be code; and calls with bad options, which must be refused.

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
import onnx.parser

WIDTHS = {1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8, 14: 8, 15: 16, 16: 2,
          17: 1, 18: 1, 19: 1, 20: 1, 24: 1}
PACKED = {21: (4, False), 22: (4, True), 23: (4, False), 25: (2, False), 26: (2, True)}  # bits in a file, signed
FIELDS = {1: ("float_data", "<f4"), 6: ("int32_data", "<i4"), 7: ("int64_data", "<i8"), 11: ("double_data", "<f8"),
          12: ("uint64_data", "<u4"), 13: ("uint64_data", "<u8"), 2: ("int32_data", "u1"), 3: ("int32_data", "i1"),
          4: ("int32_data", "<u2"), 5: ("int32_data", "<i2"), 9: ("int32_data", "u1"), 10: ("int32_data", "<u2"),
          16: ("int32_data", "<u2"), **{kind: ("int32_data", "u1") for kind in (17, 18, 19, 20, 24)},
          14: ("float_data", "<f4"), 15: ("double_data", "<f8")}


# For another machine: the arguments are a plan, inputs, and the folder of the outputs.
DRIVER = """#include <stdio.h>
#include <stdlib.h>
#include "m.h"

static void *block(size_t n_bytes) {
    unsigned char *at = aligned_alloc(64, (n_bytes + 127) / 64 * 64);
    for (size_t i = 0; i < n_bytes; i++) at[i] = 0xA5;
    return at;
}

int main(int argc, char **argv) {
    static const size_t in_bytes[] = {%s 0}, out_bytes[] = {%s 0};
    void *in[%u], *out[%u];
    unsigned char *arena = block(m_ARENA_BYTES + 64);
    for (size_t i = 0; in_bytes[i]; i++) {
        FILE *file = fopen(argv[2 + i], "rb");
        in[i] = block(in_bytes[i]);
        if (!file || fread(in[i], 1, in_bytes[i], file) > in_bytes[i]) return 100;
        fclose(file);
    }
    for (size_t i = 0; out_bytes[i]; i++) out[i] = block(out_bytes[i]);
    const int status = m_run_plan(atoi(argv[1]), (const m_inputs *)(void *)in, (const m_outputs *)(void *)out, arena);
    for (size_t i = 0; i < 64; i++)
        if (arena[m_ARENA_BYTES + i] != 0xA5) return 101;
    for (size_t i = 0; out_bytes[i] && status == 0; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%%s/output_%%zu", argv[argc - 1], i);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(out[i], 1, out_bytes[i], file) != out_bytes[i] || fclose(file) != 0) return 102;
    }
    return status;
}
"""


class Unread(Exception):
    pass


def unpacked(tensor):
    """One byte for each element."""
    bits, is_signed = PACKED[tensor.data_type]
    data = tensor.raw_data if tensor.HasField("raw_data") else numpy.array(tensor.int32_data).astype("u1").tobytes()
    each = 8 // bits
    codes = numpy.repeat(numpy.frombuffer(data, "u1"), each)
    codes = (codes >> (numpy.arange(codes.size) % each * bits).astype("u1")) & ((1 << bits) - 1)
    if is_signed:
        codes = numpy.where(codes >> (bits - 1), codes | (0xFF << bits & 0xFF), codes)
    return codes.astype("u1").tobytes()[:int(numpy.prod(tensor.dims, dtype=int))]


def tensor_bytes(path):
    """The elements of a file, as they lie in memory."""
    tensor = onnx.TensorProto()
    with open(path, "rb") as file:
        try:
            tensor.ParseFromString(file.read())
        except Exception as error:
            raise Unread("not a tensor") from error
    kind = tensor.data_type
    if kind in PACKED:
        return unpacked(tensor)
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


def emit_options(paths, work, level):
    weights = ["--weights", "c"] if paths.order == "big" else []
    return ["--emit-c", work + "/c", "--name", "m", "--level", level, "--quiet", *weights]


def build(paths, work):
    """The text of an error; None: m.so is there."""
    sources = glob.glob(work + "/c/m.c") + glob.glob(work + "/c/*.S")
    if paths.emulator:
        failed = build_program(paths, work, sources)
        if failed:
            return failed
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


def build_program(paths, work, sources):
    with open(work + "/c/m.h", encoding="ascii") as file:
        numbers = header_numbers(file.read())
    kinds = [[f"m_{kind}_{i}_BYTES + 1," for i in range(count(numbers, kind))] for kind in ("INPUT", "OUTPUT")]
    with open(work + "/driver.c", "w", encoding="ascii") as file:
        file.write(DRIVER % (" ".join(kinds[0]), " ".join(kinds[1]), len(kinds[0]) + 1, len(kinds[1]) + 1))
    built = call([paths.other_compiler, "-O0", "-Wall", "-Wextra", "-Werror", "-I", paths.include, "-I", work + "/c", *sources,
                  work + "/driver.c", paths.other_library, "-o", work + "/m", "-lm", "-Wl,--gc-sections"])
    return "FAILED: it does not compile: " + "\n".join(built.stdout.split("\n")[:8]) if built.returncode else None


def emit(paths, model, options, work, level):
    """The text of the header of the emitted and built model, and None; or None, and what came of it."""
    emitted = call([paths.run, model, *options, *emit_options(paths, work, level)])
    failed = refusal(emitted, work + "/c") if emitted.returncode else build(paths, work)
    if failed:
        return None, failed
    with open(work + "/c/m.h", encoding="ascii") as file:
        return file.read(), None


def count(numbers, kind):
    return sum(name.startswith(f"m_{kind}_") for name in numbers)


def swapped(paths, work, side, i, content):
    """Elements of the other byte order, if the machine has it."""
    if paths.order == "little":
        return content
    with open(work + "/c/m.h", encoding="ascii") as file:
        kind = re.search(rf"(\w+) \*{side}{i};", file.read())[1]
    width = {"float": 4, "double": 8}.get(kind) or int(re.search(r"\d+", kind)[0]) // 8
    return numpy.frombuffer(content, f"<u{width}").byteswap().tobytes()


def run_program(paths, work, plan, contents, n_out):
    """The status, and the outputs."""
    files = []
    for i, content in enumerate(contents):
        files.append(f"{work}/given_{i}")
        with open(files[-1], "wb") as file:
            file.write(swapped(paths, work, "input", i, content))
    ran = call([*paths.emulator.split(), work + "/m", str(plan), *files, work])
    outputs = []
    for i in range(n_out if ran.returncode == 0 else 0):
        with open(f"{work}/output_{i}", "rb") as file:
            outputs.append(swapped(paths, work, "output", i, file.read()[:-1]))
    return ran.returncode, outputs


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
    header, failed = emit(paths, model, [*given, "--random"], work, level)
    if failed:
        return failed
    numbers = header_numbers(header)
    try:
        n_in = count(numbers, "INPUT")
        if len(inputs) < n_in:
            raise Unread("inputs without data")
        contents = [tensor_bytes(path) for path in inputs[:n_in]]
        for i, content in enumerate(contents):
            if len(content) != numbers[f"m_INPUT_{i}_BYTES"]:
                raise Unread(f"input {i} has packed elements")
        return run_emitted(paths, work, 0, contents, numbers, True)
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
    header, failed = emit(paths, model, sizes, work, level)
    if failed:
        return failed
    numbers = header_numbers(header)
    inputs = re.findall(r"^    const .*\*input\d+; /\* (.*): (.*) \*/$", header, re.M)
    choices = random.Random(os.path.basename(model))
    environment = dict(os.environ, OB_ISA=level)
    for i in range(rounds * numbers["m_PLANS"]):
        plan = i % numbers["m_PLANS"]
        contents, given = [], []
        for k, (_, forms) in enumerate(inputs):
            kind, dims = re.match(r"(\w+) \[(.*)\]", forms.split(" or ")[plan]).groups()
            contents.append(draw(choices, kind, int(numpy.prod([int(d) for d in dims.split(", ") if d], dtype=int))))
            with open(f"{work}/input_{k}.raw", "wb") as file:
                file.write(contents[-1])
            given += ["--input", f"{work}/input_{k}.raw:{kind}[{dims.replace(' ', '')}]"]
        ran = call([paths.run, model, *given, "--output-dir", work + "/expected", "--quiet"], env=environment)
        result = run_emitted(paths, work, plan, contents, numbers, ran.returncode == 0)
        if result != "same":
            return result + f" (plan {plan}, round {i}: {ran.stdout.strip()})"
    return "same"


# ---- Random models ----

ATTACKS = ["*/ int evil; /*", "x\\", "a??/b", '"; system("x', "line\nbreak\r\t", "%s%n", "\u202e evil", "*\\\n/ x", "// y\\",
           "#if 0"]
BAD_NAMES = ["", "1a", "a b", "a/../b", "while", "main", "ob_x", "_x", "x" * 33, "a\nb", "a;b", "\u00e9", "../m"]
BAD_PLANS = ["", "N", "N=", "=3", "N=-1", "N=x", "N=99999999999999999999", ",", "N=3,,N=4", "N=3;M=4"]


def with_hostile_names(paths, text, path, choices):
    """The model as a file, with other names of values, nodes and the graph. False: it has no such form."""
    model = onnx.ModelProto()
    try:
        model = onnx.parser.parse_model(text)
    except Exception:  # words that only this project reads
        return False
    used = {}

    def renamed(name):
        if name and name not in used:
            used[name] = f"{choices.choice(ATTACKS)}{len(used)}"
        return used.get(name, "")

    def rename(graph):
        for value in [*graph.input, *graph.output, *graph.value_info, *graph.initializer]:
            value.name = renamed(value.name)
        for node in graph.node:
            node.name = choices.choice(ATTACKS)
            node.doc_string = choices.choice(ATTACKS)
            node.input[:] = [renamed(name) for name in node.input]
            node.output[:] = [renamed(name) for name in node.output]
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    rename(attribute.g)

    rename(model.graph)
    model.graph.name = model.producer_name = model.graph.doc_string = choices.choice(ATTACKS)
    onnx.save(model, path)
    return True


def has_attack(folder):
    for path in glob.glob(folder + "/*"):
        with open(path, "rb") as file:
            content = file.read()
        if path.endswith(".bin"):
            continue
        if b"evil; /*" in content or b"??/" in content or b'system("' in content or any(c > 126 or c < 10 for c in content):
            return True
    return False


def compare_random(paths, path, work):
    """What came of one random model: same, refused, or a failure."""
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    choices = random.Random(os.path.basename(path))
    head = text.split(") =>", 1)[0]
    symbols = [symbol for symbol in "NMK" if re.search(rf"\b{symbol}\b", head)]
    sizes = []
    for dims, name in re.findall(r"\[([^\]]*)\] (v\d+)", head):
        for axis, dim in enumerate(dims.split(",")):
            if dim.strip() == "?":
                sizes += ["--dim", f"{name}[{axis}]={choices.choice([1, 3, 3, 2, 4])}"]
    drawn = {symbol: choices.choice([1, 2, 3, 4, 0, 3]) for symbol in symbols}
    for symbol, size in drawn.items():
        sizes += ["--dim", f"{symbol}={size}"]
    level = choices.choice(paths.levels)
    ran = call([paths.run, path, "--random", *sizes, "--quiet"])
    if symbols and choices.randrange(2):
        sizes += ["--plan", ",".join(f"{symbol}={choices.choice([drawn[symbol], 1, 3])}" for symbol in symbols)]
    model = path
    if not any("[" in size for size in sizes) and choices.randrange(3) == 0 and \
            with_hostile_names(paths, text, work + "/hostile.onnx", choices):
        model = work + "/hostile.onnx"
    result = compare_text(paths, model, sizes, work, level, 2)
    if has_attack(work + "/c"):
        return "FAILED: text of the model is in the files"
    if result.startswith("FAILED: exit status 1, files []") and (ran.returncode or "--plan" in sizes):
        return "refused: these sizes are not possible"
    return result if result == "same" or result.startswith("FAILED") else "refused: " + result


def check_bad_options(paths, work):
    """The number of calls with bad options that are not refused, or leave files."""
    failed = 0
    model = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../models/digits.onnx")
    for options in [["--name", name] for name in BAD_NAMES] + [["--plan", plan] for plan in BAD_PLANS] + \
                   [["--level", level] for level in ("", "avx", "sse9", "AVX2")] + [["--weights", "x"], ["--dim", "batch=-1"]]:
        shutil.rmtree(work, ignore_errors=True)
        ran = call([paths.run, model, "--dim", "batch=1", "--emit-c", work, "--quiet", *options])
        if ran.returncode not in (1, 2) or not ran.stdout or (os.path.isdir(work) and os.listdir(work)):
            print(f"FAILED: {options}: exit status {ran.returncode}: {ran.stdout.strip()}")
            failed += 1
    return failed


def check_alignment(paths, work):
    """1: memory that is not aligned is not refused."""
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    model = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../models/scale_bias_nchw.onnx")
    header, failed = emit(paths, model, ["--random"], work, "baseline")
    if failed:
        print(f"FAILED: {failed}")
        return 1
    numbers = header_numbers(header)
    contents = [bytes(numbers[f"m_INPUT_{i}_BYTES"]) for i in range(count(numbers, "INPUT"))]
    status = {kind: call_library(work, 0, contents, numbers, kind)[0] for kind in ("", "input", "output", "arena")}
    if status.pop("") == 0 and all(status.values()):
        return 0
    print(f"FAILED: calls with memory at odd addresses: {status}")
    return 1


def run_random(paths):
    texts = paths.work + "/texts"
    shutil.rmtree(texts, ignore_errors=True)
    os.makedirs(texts)
    subprocess.run([paths.random, "--texts", texts, "--count", str(paths.count), "--seed", str(paths.seed)], check=True)
    files = sorted(glob.glob(texts + "/*.onnxtxt"), key=lambda path: int(os.path.basename(path).split(".")[0]))
    failed = check_bad_options(paths, paths.work + "/bad") + check_alignment(paths, paths.work + "/aligned")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda path: compare_random(paths, path, f"{paths.work}/{os.path.basename(path)[:-8]}"), files))
    for path, result in zip(files, results):
        if result.startswith("FAILED"):
            print(f"{os.path.basename(path)}: {result}")
            failed += 1
        else:
            shutil.rmtree(f"{paths.work}/{os.path.basename(path)[:-8]}")
    same = results.count("same")
    print(f"{len(files)} random models: {same} have the same results, {failed} failed")
    return failed != 0 or same * 5 < len(files)  # most of the others depend on data


def call_library(work, plan, contents, numbers, shifted=None):
    """The status, and the outputs. shifted: memory of this kind lies at odd addresses."""
    keep = []

    def memory(kind, content, n_bytes):
        buffer, address = aligned(n_bytes + 1)
        address += kind == shifted
        ctypes.memset(address, 0xA5, n_bytes)
        if content:
            ctypes.memmove(address, content, len(content))
        keep.append(buffer)
        return address

    sizes = [numbers[f"m_OUTPUT_{i}_BYTES"] for i in range(count(numbers, "OUTPUT"))]
    pointers = [memory("input", content, len(content)) for content in contents]
    outputs = [memory("output", None, n_bytes) for n_bytes in sizes]
    library = ctypes.CDLL(work + "/m.so")
    arena = memory("arena", None, numbers["m_ARENA_BYTES"] + 64)
    in_array = (ctypes.c_void_p * max(len(contents), 1))(*pointers)
    out_array = (ctypes.c_void_p * max(len(sizes), 1))(*outputs)
    status = library.m_run_plan(plan, in_array, out_array, ctypes.c_void_p(arena))
    if ctypes.string_at(arena + numbers["m_ARENA_BYTES"], 64) != b"\xA5" * 64:
        status = 101
    return status, [ctypes.string_at(address, n_bytes) for address, n_bytes in zip(outputs, sizes)]


def run_emitted(paths, work, plan, contents, numbers, works):
    """works: the session does."""
    status, outputs = call_library(work, plan, contents, numbers)
    if paths.emulator:
        other, others = run_program(paths, work, plan, contents, count(numbers, "OUTPUT"))
        if other != status:
            return f"FAILED: m_run_plan returned {status}, on the other machine {other}"
        differ = [i for i, output in enumerate(outputs) if others and output != others[i]]
        return f"FAILED: output {differ[0]} differs" if differ else "same"
    if status == 101:
        return "FAILED: it wrote behind its arena"
    if (status == 0) != works or status >= 100:
        return f"FAILED: m_run_plan returned {status}"
    for i, output in enumerate(outputs if works else []):
        expected = tensor_bytes(f"{work}/expected/output_{i}.pb")
        if len(expected) != len(output) and numbers["m_PLANS"] == 1:
            raise Unread(f"output {i} has packed elements")
        if output[:len(expected)] != expected:
            return f"FAILED: output {i} differs"
    return "same"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("run")
    parser.add_argument("library")
    parser.add_argument("include")
    parser.add_argument("work")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--random")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--levels", default="baseline")  # of random models, by commas
    parser.add_argument("--level", default="baseline")
    parser.add_argument("--links", default="-lm")  # of the library
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--emulator")
    parser.add_argument("--other-library")
    parser.add_argument("--other-compiler")
    parser.add_argument("--order", choices=["little", "big"], default="little")  # of bytes, on the other machine
    parser.add_argument("--expect")
    parser.add_argument("--write", action="store_true", help="write the file of --expect")
    paths = parser.parse_args()
    paths.links = paths.links.split()
    paths.levels = paths.levels.split(",")
    if paths.random:
        return run_random(paths)
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
