#!/usr/bin/env python3
"""The table of docs/footprint.md about single models: a complete program that reads a model, plans it and runs it, with the
smallest library that can, -Os and static with musl.

    footprint_models.py --run RUN --check CHECK --work DIR [--cmake CMAKE] [--write] [MODEL...]

RUN and CHECK are onnx-broadcast-run and onnx-broadcast-check of a whole build. DIR is kept, so that the next build is short. A
figure that differs from the table by more than 3 % is a failure; --write writes the table. MODEL: these only.
Skipped (status 77) without musl-gcc
or protobuf-c's static library, and with another compiler than that of the table. Shared models that are absent are left out.
"""
import argparse
import glob
import os
import re
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(SOURCE, "docs", "footprint.md")
SHARED = os.environ.get("OB_SHARED", os.path.join(SOURCE, "..", "shared"))
# The file, the sizes of its inputs, and the parts that its build needs beside the reader.
MODELS = {
    "digits": (os.path.join(SOURCE, "models", "digits.onnx"), ["batch=1"], []),
    "micro_kws_qdq": (os.path.join(SHARED, "models", "micro_kws_qdq", "model.onnx"), ["unk__68=1"], ["BODIES"]),
    "wakeword_alice": (os.path.join(SHARED, "models", "wakeword_alice", "model.onnx"), [], []),
    "tract_qlstm": (os.path.join(SHARED, "models", "tract_qlstm", "model.onnx"), ["input[0]=1"], ["BODIES", "DYNAMIC"]),
}
PARTS = ("BODIES", "TERMS", "DYNAMIC", "GROUPS")
COLUMNS = ("text", "data", "heap_peak", "heap_held", "stack_made", "stack_run", "arena", "copied", "file")
HEADS = ("text", "data and bss", "heap while made", "heap in runs", "stack while made", "stack of a run", "work memory",
         "constants copied", "file")
TOLERANCE = 0.03
MAX_RANK = 8


def output(*command, **settings):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings)
    if done.returncode != 0:
        sys.exit("footprint: %s\n%s%s" % (" ".join(command), done.stdout[-3000:], done.stderr[-3000:]))
    return done.stdout


def compiler():
    return "GCC " + output("gcc", "-dumpfullversion").strip()


def skip(why):
    print("footprint: skipped: " + why)
    sys.exit(77)


# ---- Measuring ----

def sizes(path):
    """Text, and data with bss."""
    text, data, bss = output("size", path).splitlines()[-1].split()[:3]
    return int(text), int(data) + int(bss)


def library(options, name, headers):
    """Builds the library for musl with the operators of a list."""
    work = os.path.join(options.work, "build")
    flags = "-I%s -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables" % headers
    output(options.cmake, "-C", os.path.join(SOURCE, "tests", "package", "small.cmake"), "-S", SOURCE, "-B", work, "-G", "Ninja",
           "-DCMAKE_C_COMPILER=musl-gcc", "-DCMAKE_C_FLAGS=" + flags, "-DCMAKE_POSITION_INDEPENDENT_CODE=OFF",
           "-DOB_BUILD_TOOLS=OFF", "-DOB_WITH_CHECKER=OFF", "-DOB_WITH_TEXT=OFF", "-DOB_WITH_GRADIENT=OFF",
           "-DOB_WITH_THREADS=OFF", "-DOB_WITH_DLOPEN=OFF", "-DOB_MAX_RANK=%d" % MAX_RANK,
           "-DOB_OPS=" + os.path.join(options.work, name + ".ops"),
           *("-DOB_WITH_%s=%s" % (part, "ON" if part in MODELS[name][2] else "OFF") for part in PARTS))
    output(options.cmake, "--build", work, "--target", "onnx_broadcast")
    return os.path.join(work, "libonnx_broadcast.a")


def measure(options, name, archive):
    model, dims, _ = MODELS[name]
    headers = os.path.join(options.work, "include")
    os.makedirs(headers, exist_ok=True)
    if not os.path.exists(os.path.join(headers, "protobuf-c")):
        os.symlink("/usr/include/protobuf-c", os.path.join(headers, "protobuf-c"))
    listed = output(options.run, "--list-ops", model)
    path = os.path.join(options.work, name + ".ops")
    if not os.path.exists(path) or open(path).read() != listed:
        with open(path, "w") as f:
            f.write(listed)
    aligned = os.path.join(options.work, name + ".onnx")
    output(options.check, model, "--emit", "implicit", "--align-weights", "--force", "-o", aligned)
    built = library(options, name, headers)
    program = os.path.join(options.work, name)
    output("musl-gcc", "-std=c11", "-Os", "-static", "-fno-pie", "-no-pie", "-ffunction-sections", "-fdata-sections",
           "-DOB_WITHOUT_CHECKER", "-DOB_MAX_RANK=%d" % MAX_RANK, "-I" + os.path.join(SOURCE, "include"), "-o", program,
           os.path.join(SOURCE, "tests", "footprint", "main.c"), built, archive, "-lm", "-Wl,--gc-sections", "-s")
    printed = output(program, name + ".onnx", *dims, cwd=options.work)  # a path would be a part of the heap
    figures = {key: int(n) for key, n in (line.split() for line in printed.splitlines())}
    figures["text"], figures["data"] = sizes(program)
    figures["file"] = os.path.getsize(aligned)
    return [figures[column] for column in COLUMNS]


# ---- The page ----

def number(n):
    return "{:,}".format(n).replace(",", " ")


def section(page, what):
    """(compiler, rows by name, place) of a generated table."""
    found = re.search(r"<!-- footprint: %s: (.*?) -->\n(.*?)<!-- end of footprint -->" % what, page, re.S)
    if not found:
        sys.exit("footprint: %s has no table \"%s\"" % (PAGE, what))
    rows = {}
    for line in found.group(2).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and re.match(r"[\d ]+$", cells[1]):
            rows[cells[0].strip("`")] = [int(cell.replace(" ", "")) for cell in cells[1:]]
    return found.group(1), rows, found.span()


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    lines += ["| `%s` | %s |" % (name, " | ".join(number(n) for n in row)) for name, row in rows.items()]
    return "\n".join(lines) + "\n"


def write(what, heads, rows):
    page = open(PAGE).read()
    _, _, (begin, end) = section(page, what)
    text = "<!-- footprint: %s: %s -->\n%s<!-- end of footprint -->" % (what, compiler(), table(heads, rows))
    with open(PAGE, "w") as f:
        f.write(page[:begin] + text + page[end:])


def differences(heads, rows, known):
    """One line for each figure that is not within the tolerance of the table."""
    wrong = []
    for name, row in rows.items():
        if name not in known:
            wrong.append("%s: no row in the table" % name)
            continue
        for head, now, was in zip(heads, row, known[name]):
            if abs(now - was) > TOLERANCE * was:
                wrong.append("%s: %s: %d, the table has %d" % (name, head, now, was))
    return wrong


def judge(what, heads, rows):
    known_compiler, known, _ = section(open(PAGE).read(), what)
    if known_compiler != compiler():
        skip("the table is of %s, this is %s" % (known_compiler, compiler()))
    wrong = differences(heads[1:], rows, known)
    # A guard that sees nothing would pass: a figure that is 4 % off must be seen.
    planted = {name: [known_figure * 1.04 for known_figure in row] for name, row in known.items()}
    if not differences(heads[1:], planted, known):
        wrong.append("a figure that is 4 % off is not seen")
    for line in wrong:
        print("footprint: " + line)
    if wrong:
        print("footprint: if that is as it should be: the same command with --write writes the table again")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    for name in ("run", "check", "work"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("models", nargs="*", default=list(MODELS), metavar="MODEL")
    options = parser.parse_args()
    what, heads = "models", ("Model",) + HEADS
    archive = next(iter(glob.glob("/usr/lib/*/libprotobuf-c.a")), None)
    if subprocess.run(["sh", "-c", "command -v musl-gcc"], stdout=subprocess.DEVNULL).returncode != 0:
        skip("no musl-gcc (musl-tools)")
    if not archive:
        skip("no libprotobuf-c.a (libprotobuf-c-dev)")
    options.work = os.path.abspath(options.work)
    os.makedirs(options.work, exist_ok=True)
    rows = {}
    for name in options.models:
        model = MODELS[name][0]
        if os.path.exists(model):
            rows[name] = measure(options, name, archive)
            print("footprint: %s: %s" % (name, ", ".join("%s %d" % pair for pair in zip(COLUMNS, rows[name]))))
        else:
            print("footprint: skipped: there is no " + model)
    if options.write:
        write(what, heads, rows)
        return 0
    return judge(what, heads, rows)


if __name__ == "__main__":
    sys.exit(main())
