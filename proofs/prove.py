#!/usr/bin/env python3
"""Proves every goal of a Why3 file, or says which one is not proved.

usage: prove.py FILE.mlw [MODULE...]

A goal is proved when one prover proves it whole, or when each of its parts is proved by one of them (Why3's split_vc
and split_all_full). The provers take turns from the cheapest attempt on. Why3's own list of provers is not used: one is
made for this run. A contradiction among the definitions would prove everything, so each module is also given the goal
`false`, which nobody may prove. The last line is `N goals proved, M not proved`; the exit status is 0 if M is 0.
"""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

FOLDER = tempfile.TemporaryDirectory(prefix="prove-")
CONFIG = os.path.join(FOLDER.name, "why3.conf")
WHOLE, PARTS, CASES = (), ("split_vc",), ("split_vc", "split_all_full")  # cases: hypotheses are split as well
ATTEMPTS = [("cvc4", PARTS, 2), ("cvc4", CASES, 5), ("z3", WHOLE, 5), ("z3", PARTS, 5), ("z3", CASES, 5), ("cvc4", PARTS, 30)]
BLOCK = re.compile(r"^(?:Goal (?P<goal>\S+)\.|Sub-goal (?P<part>.*) of goal (?P<of>\S+)\.)$")


def modules(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r"^module (\w+)", file.read(), re.M)


def attempt(path, module, goals, prover, split, seconds):
    """{goal: [is each part proved]} of one run of why3 over these goals (None: all of the module)."""
    command = ["why3", "prove", "-C", CONFIG, "-P", prover, "-t", str(seconds)]
    for transformation in split:
        command += ["-a", transformation]
    command += [path, "-T", module]
    for goal in goals or []:
        command += ["-G", goal]
    run = subprocess.run(command, capture_output=True, text=True)
    found, goal = {}, None
    for line in run.stdout.splitlines():
        block = BLOCK.match(line)
        if block:
            goal = block["goal"] or block["of"]
        elif line.startswith("Prover result is: ") and goal:
            found.setdefault(goal, []).append(line.startswith("Prover result is: Valid"))
    if run.returncode not in (0, 2) or (not found and run.stderr):
        sys.exit(f"prove: {' '.join(command)}: {run.stderr.strip()}")
    return found


def prove(path, module):
    """(number of goals, names of those that nobody proves)"""
    parts, left, n = {}, None, 0
    for prover, split, seconds in ATTEMPTS:
        if left is not None and not left:
            break
        found = attempt(path, module, left, prover, split, seconds)
        if left is None:
            left, n = list(found), len(found)
        for goal, proved in found.items():
            known = parts.get((goal, split), [False] * len(proved))
            parts[goal, split] = [a or b for a, b in zip(known, proved)]
        left = [goal for goal in left if not any(all(parts.get((goal, split), [False])) for split in (WHOLE, PARTS, CASES))]
    return n, left


def proves_false(path, module):
    """Whether the module's own definitions and lemmas prove `false`."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin = text.index(f"module {module}\n")
    end = text.index("\nend\n", begin)
    changed = os.path.join(FOLDER.name, f"{module}.mlw")
    with open(changed, "w", encoding="utf-8") as file:
        file.write(f"{text[:end]}\n  goal contradiction: false{text[end:]}")
    return any(any(found.get("contradiction", [])) for found in
               (attempt(changed, module, ["contradiction"], prover, WHOLE, 1) for prover in ("cvc4", "z3")))


def main():
    path, wanted = sys.argv[1], sys.argv[2:] or modules(sys.argv[1])
    detected = subprocess.run(["why3", "-C", CONFIG, "config", "detect"], capture_output=True, text=True)
    if detected.returncode != 0:
        sys.exit(f"prove: why3 finds no provers: {detected.stderr.strip()}")
    total, failed = 0, 0
    with ThreadPoolExecutor(2) as pool:
        for module, (n, left) in zip(wanted, pool.map(lambda module: prove(path, module), wanted)):
            print(f"{module}: {n - len(left)} of {n} goals proved", flush=True)
            for goal in left:
                print(f"  not proved: {goal}")
            if proves_false(path, module):
                sys.exit(f"prove: the definitions of module {module} contradict themselves")
            total, failed = total + n, failed + len(left)
    print(f"{total - failed} goals proved, {failed} not proved")
    return 1 if failed or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
