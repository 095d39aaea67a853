#!/usr/bin/env python3
"""Proves every goal of a Why3 file, or says which one is not proved.

usage: prove.py FILE.mlw [MODULE...]

A goal is proved when one prover proves it whole, or when each of its parts is proved by one of them (Why3's split_vc
and split_all_full). The provers take turns from the cheapest attempt on. Why3's own list of provers is not used: one is
made for this run. An attempt after the first gives a goal up when several of its parts are not proved (MOST_SECONDS):
a large goal has a hundred parts. A contradiction among the definitions would prove everything, so each module is also
given the goal `false`, which nobody may prove. The last line is `N goals proved, M not proved`; the exit status is 0 if M is 0.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

FOLDER = tempfile.TemporaryDirectory(prefix="prove-")
CONFIG = os.path.join(FOLDER.name, "why3.conf")
WHOLE, PARTS, CASES = (), ("split_vc",), ("split_vc", "split_all_full")  # cases: hypotheses are split as well
ATTEMPTS = [("cvc4", PARTS, 2), ("cvc4", CASES, 5), ("z3", WHOLE, 5), ("z3", PARTS, 5), ("z3", CASES, 5), ("cvc4", PARTS, 30)]
MOST_SECONDS = 10  # on parts that nobody has proved, for one goal in one attempt after the first
BLOCK = re.compile(r"^(?:Goal (?P<goal>\S+)\.|Sub-goal (?P<part>.*) of goal (?P<of>\S+)\.)$")


def modules(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r"^module (\w+)", file.read(), re.M)


def command_of(path, module, goals, prover, split, seconds):
    command = ["why3", "prove", "-C", CONFIG, "-P", prover, "-t", str(seconds)]
    for transformation in split:
        command += ["-a", transformation]
    command += [path, "-T", module]
    for goal in goals or []:
        command += ["-G", goal]
    return command


def run(command, known, most):
    """({goal: [is each part proved]}, a goal that was given up, or None) of one run of why3.

    known: {goal: [is each part proved already]}. A goal is given up when more than `most` parts are not proved; why3 has no
    limit of its own for that.
    """
    found, goal, missing = {}, None, 0
    with tempfile.TemporaryFile("w+") as told, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told, text=True,
                                                               start_new_session=True) as why3:
        for line in why3.stdout:
            block = BLOCK.match(line.rstrip("\n"))
            if block and (block["goal"] or block["of"]) != goal:
                goal, missing = block["goal"] or block["of"], 0
            elif line.startswith("Prover result is: ") and goal:
                proved, before = found.setdefault(goal, []), known.get(goal, [])
                proved.append(line.startswith("Prover result is: Valid"))
                missing += not (proved[-1] or (len(before) >= len(proved) and before[len(proved) - 1]))
            if missing > most:
                os.killpg(why3.pid, signal.SIGKILL)
                return found, goal
        status = why3.wait()
        told.seek(0)
        errors = told.read().strip()
    if status not in (0, 2) or (errors and not found):
        sys.exit(f"prove: {' '.join(command)}: {errors}")
    return found, None


def attempt(path, module, goals, how, known=None):
    """{goal: [is each part proved]} over these goals (None: all of the module). Goals that are given up are left out."""
    prover, split, seconds = how
    made, most = {}, MOST_SECONDS // seconds if goals else sys.maxsize
    while True:
        found, given_up = run(command_of(path, module, goals, prover, split, seconds), known or {}, most)
        made.update({goal: proved for goal, proved in found.items() if goal != given_up})
        goals = goals and [goal for goal in goals if goal not in found]
        if not given_up or not goals:
            return made


def prove(path, module):
    """(number of goals, names of those that nobody proves)"""
    parts, left, n = {}, None, 0
    for how in ATTEMPTS:
        split = how[1]
        if left is not None and not left:
            break
        found = attempt(path, module, left, how, {goal: proved for (goal, how), proved in parts.items() if how == split})
        if left is None:
            left, n = list(found), len(found)
        for goal, proved in found.items():
            before = parts.get((goal, split), [False] * len(proved))
            parts[goal, split] = [a or b for a, b in zip(before, proved)]
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
               (attempt(changed, module, ["contradiction"], (prover, WHOLE, 1)) for prover in ("cvc4", "z3")))


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
