#!/usr/bin/env python3
"""Compares the library's broadcasting with the program that Why3 extracts from proofs/broadcast.mlw.

usage: compare.py BUILD_DIR [--every K]

Extracts the program, compiles it with proofs/answers.ml, and runs BUILD_DIR/tests/compare_definition over its answers in two
processes. --every K: triples with each K-th first operand only. The last line has the counts; the exit status is 1 if
anything differs.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROOFS = os.path.join(SOURCE, "proofs")
PROCESSES = 2


def make_answers(folder):
    """The path of the file with the program's answers, made in the folder."""
    os.makedirs(folder, exist_ok=True)
    shutil.copy(os.path.join(PROOFS, "answers.ml"), folder)
    for command in (
            ["why3", "extract", "-D", "ocaml64", "-L", PROOFS, "broadcast.Program", "-o", "program.ml"],
            ["ocamlfind", "ocamlopt", "-package", "zarith", "-linkpkg", "program.ml", "answers.ml", "-o", "answers"],
            ["./answers", "answers.bin"]):
        subprocess.run(command, cwd=folder, check=True)
    return os.path.join(folder, "answers.bin")


def counts_of(line):
    """[(text, number)] of a line such as `3 pairs, 0 differ`."""
    return [(text, int(number)) for number, text in re.findall(r"(\d+) ([^,]+)", line)]


def compare(program, answers, options=()):
    """([(text, sum of the processes)], lines that say what differs); None instead of the sums if a process fails otherwise."""
    started = [subprocess.Popen([program, answers, "--part", f"{i}/{PROCESSES}", *options], stdout=subprocess.PIPE, text=True)
               for i in range(PROCESSES)]
    outputs = [process.communicate()[0].splitlines() for process in started]
    told = [line for lines in outputs for line in lines[:-1]]
    if any(process.returncode not in (0, 1) for process in started):
        return None, told
    totals = {}
    for lines in outputs:
        for text, number in counts_of(lines[-1]):
            totals[text] = totals.get(text, 0) + number
    return list(totals.items()), told


def main():
    parser = argparse.ArgumentParser(description="the library against the program of its definition")
    parser.add_argument("build")
    parser.add_argument("--every", type=int, default=1, metavar="K")
    options = parser.parse_args()
    answers = make_answers(os.path.join(options.build, "definition"))
    totals, told = compare(os.path.join(options.build, "tests", "compare_definition"), answers, ["--every", str(options.every)])
    for line in told:
        print(line)
    if totals is None:
        sys.exit("compare_definition failed")
    print(", ".join(f"{number} {text}" for text, number in totals))
    return 1 if dict(totals)["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
