#!/usr/bin/env python3
"""Plants a fault in each step of the solver, records what the programs then ask and answer, and expects that the oracle
finds a difference.

usage: solver_faults.py BUILD FOLDER [WORDS...]     WORDS: only faults whose names have one of them

A record that is the same without the fault is not checked again. The last line is `N faults, N found`; the exit status is
0 if all are found.
"""
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import contracts
import records
from fault_table import FAULTS

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from planted import Planter, tell  # noqa: E402

PROGRAMS = {"test_solve": [], "test_solve_property": [], "random_contracts": ["400"]}
MOST_JUDGED = 1500  # changed records of one program
SECONDS = 120


def record(program, arguments, path):
    """Runs it. A test that a fault makes fail has recorded what it asked until then."""
    if os.path.exists(path):
        os.remove(path)
    try:
        subprocess.run([program, *arguments], env=dict(os.environ, OB_RECORD=path), stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        pass
    return records.read([path])[0] if os.path.exists(path) else []


class Hunt:
    def __init__(self, build, folder):
        self.build, self.folder = os.path.abspath(build), os.path.abspath(folder)
        os.makedirs(self.folder, exist_ok=True)
        self.sound = {}
        for name, arguments in PROGRAMS.items():
            found = record(os.path.join(self.build, "recorded", name), arguments, os.path.join(self.folder, name + ".jsonl"))
            self.sound[name] = {repr(one) for one in found}

    def find(self, number, fault):
        """(fault, the program whose records tell, what is wrong) or (fault, None, how many records changed)"""
        folder, n_changed = os.path.join(self.folder, str(number)), 0
        for name, arguments in PROGRAMS.items():
            planter = Planter(SOURCE, self.build, "recorded_" + name, folder)
            program = planter.program(*fault[1:])
            found = record(program, arguments, os.path.join(folder, "records.jsonl"))
            changed = [one for one in found if repr(one) not in self.sound[name]]
            n_changed += len(changed)
            n_gaps = 0
            for one in changed[:MOST_JUDGED]:
                counts, wrong = contracts.judge(one)
                n_gaps += counts["gaps"]
                if n_gaps > contracts.MOST_GAPS:
                    wrong = wrong or [f"more than {contracts.MOST_GAPS} gaps"]
                if wrong:
                    return fault, name, wrong[0]
        return fault, None, f"{n_changed} records changed"


def main():
    build, folder, *words = sys.argv[1:]
    hunt = Hunt(build, folder)
    wanted = [fault for fault in FAULTS if not words or any(word in fault[0] or word in fault[1] for word in words)]
    with ProcessPoolExecutor(2) as pool:
        hunts = [pool.submit(hunt.find, number, fault) for number, fault in enumerate(wanted)]
        results = (done.result() for done in hunts)
        return tell((f"{fault[0]} ({fault[1]})", name is not None, f"by {name}: {what}" if name else what)
                    for fault, name, what in results)


if __name__ == "__main__":
    sys.exit(main())
