#!/usr/bin/env python3
"""Reads the C of guards back as formulas, and compares them with the contracts.

usage: guards.py GUARD_CASES FOLDER [RANDOM GUARDED CLAUSES]

GUARD_CASES is the program of guards.c, with its numbers of random cases; its files go to FOLDER. The claims, for each guard:

- It returns -3 exactly if a size is below 0 or beyond 62 bits; elsewhere N if clause N is the first that does not hold, and
  otherwise 0, or -2 if the contract is partial. If a number leaves the range, a clause may be unknown, which neither holds nor
  fails: the answer is -1 unless another clause fails. For all sizes to 2^62; below the bound that is printed no number leaves it.
- A clause of the C is the clause of the contract: as a formula with the checks of every number (guard_meaning.py), and as
  terms.py understands it, which knows no range.
- The function for values asks of each input what the contract asks of it; see guard_values.py.

The helpers of the file are proved first (guard_helpers.py). Clauses whose formulas differ in form are compared by Z3 at sizes
below 2^20, and by the compiled guard where Z3 does not decide. All guards are also compiled, and asked at edges.

The last line is `N guards, N clauses equal by form, N by Z3, N by enumeration; N differ`; the exit status is 1 if one differs,
77 if there is no Z3 or no pycparser.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

try:
    import z3
    from c_reader import File, string
except ImportError as missing:
    print(f"skipped: no {missing.name} (Debian: python3-z3, python3-pycparser)")
    sys.exit(77)
import guard_runs
import guard_values
import terms
from c_exec import Address, Machine, Unreadable, all_of, as_bool, as_int, both, negated
from guard_helpers import Helpers, either_of, prove
from guard_meaning import Formulas, safe_bits

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BITS, PARTS = 20, 4
HELPERS = Helpers()
FORMULAS = {}  # by the bound of sizes: contracts share terms


def formulas_for(contract):
    return FORMULAS.setdefault(contract["most"], Formulas(contract["most"]))


# ---- The function: which number it returns ----


def result_of(returns):
    """The returned number as one expression. The last return is reached where no other is."""
    made = as_int(returns[-1][1])
    for conditions, value, _ in reversed(returns[:-1]):
        made = z3.If(as_bool(all_of(conditions)), as_int(value), made)
    return made


def expected_result(contract, answers):
    """The same by the contract, where clause k has the answer k."""
    made = z3.IntVal(-2 if contract["status"] == "partial" else 0)
    if contract["status"] == "contradictory":
        made = z3.IntVal(len(answers) + 1)
    else:
        made = z3.If(as_bool(either_of(answer.unknown for answer in answers)), z3.IntVal(-1), made)
    for number, answer in reversed(list(enumerate(answers, 1))):
        made = z3.If(as_bool(answer.no()), z3.IntVal(number), made)
    return z3.If(as_bool(bad_sizes(contract)), z3.IntVal(-3), made)


def bad_sizes(contract):
    return either_of(z3.Or(z3.Int(name) < 0, z3.Int(name) > contract["most"]) for name in contract["sizes"])


def text_problem(returns, variable, texts):
    """What is wrong with the text that is stored with each number."""
    for _, number, variables in returns:
        stored = variables.get(variable, "nothing")
        if isinstance(number, int) and 1 <= number <= len(texts):
            wanted = texts[number - 1].encode()
            wanted = (wanted[:1000] + b"..." if len(wanted) > 1000 else wanted).decode("utf-8", "replace")
            if not isinstance(stored, str) or string(stored) != wanted:
                return f"the text of {number} is {stored}"
        elif not (isinstance(number, int) and number == len(texts) + 1 and isinstance(stored, str)) and stored != 0:
            return f"a text with {number}"
    return None


def control_problem(contract, machine, returns, wanted, variable, texts):
    """Compares the number that is returned, with the answers to questions as symbols."""
    if machine.obligations:
        return "arithmetic that no helper does"
    known = [as_bool(negated(both(cut.symbols.yes, cut.symbols.unknown))) for cut in machine.cuts]
    found = prove(known, result_of(returns) == wanted)
    return f"other numbers are returned: {found}" if found else text_problem(returns, variable, texts)


# ---- Clauses ----


def same_form(a, b):
    return z3.simplify(as_bool(a)).eq(z3.simplify(as_bool(b)))


def conjuncts(formula):
    """The parts of a conjunction, each as the set of its alternatives, in a form that does not depend on their order."""
    if z3.is_and(formula):
        return set().union(*(conjuncts(part) for part in formula.children()))
    if z3.is_not(formula) and z3.is_or(formula.arg(0)):
        return set().union(*(conjuncts(z3.Not(part)) for part in formula.arg(0).children()))
    if z3.is_not(formula) and z3.is_and(formula.arg(0)):
        formula = z3.Or(*(z3.Not(part) for part in formula.arg(0).children()))
    alternatives = [ordered(part) for part in (formula.children() if z3.is_or(formula) else [formula])]
    return set() if any(map(z3.is_true, alternatives)) else {frozenset(alternatives)}


def ordered(formula):
    return z3.simplify(formula, arith_lhs=True)


def literal_is_meant(literal, formulas):
    """Is the literal, where no number leaves the range, that of terms.py in form?"""
    key = str(literal)
    if key not in MEANT:
        made = as_bool(formulas.without_range(literal).yes)
        MEANT[key] = conjuncts(ordered(made)) == conjuncts(ordered(terms.literal_formula(literal)))
    return MEANT[key]


MEANT = {}


def equal_by_form(found, literals, formulas):
    wanted = formulas.answer(literals)
    return (same_form(found.yes, wanted.yes) and same_form(found.unknown, wanted.unknown)
            and all(literal_is_meant(literal, formulas) for literal in literals))


def compared(contract, found, literals, formulas):
    """"form", "Z3", "enumeration", or what is wrong."""
    if equal_by_form(found, literals, formulas):
        return "form"
    below = terms.sizes_below(contract["sizes"], 2**BITS)
    meant, wanted = terms.clause_formula(literals), formulas.answer(literals)
    goal = z3.And(z3.Implies(as_bool(found.yes), meant), z3.Implies(as_bool(found.no()), z3.Not(meant)),
                  as_bool(found.unknown) == as_bool(wanted.unknown))
    problem = prove([below], goal, seconds=2)
    return "Z3" if not problem else "enumeration" if problem.startswith("Z3") else problem


# ---- A guard ----


class Found:
    """What was found of some guards."""

    def __init__(self):
        self.counts, self.problems, self.safe = collections.Counter(), [], collections.Counter()

    def add(self, other, times=1):
        for name in ("counts", "safe"):
            getattr(self, name).update({key: times * n for key, n in getattr(other, name).items()})
        self.problems += other.problems


def check_sizes(contract, file, calls, found):
    machine, formulas = Machine(file, calls), formulas_for(contract)
    returns = machine.returns("guard", [[z3.Int(name) for name in contract["sizes"]], Address("clause")])
    if len(machine.cuts) != len(contract["clauses"]):
        raise Unreadable(f"{len(machine.cuts)} clauses, and the contract has {len(contract['clauses'])}")
    wanted = expected_result(contract, [cut.symbols for cut in machine.cuts])
    problem = control_problem(contract, machine, returns, wanted, "*clause", contract["texts"])
    if problem:
        raise Unreadable(problem)
    for number, (cut, literals) in enumerate(zip(machine.cuts, contract["clauses"]), 1):
        how = compared(contract, cut, literals, formulas)
        if how not in ("form", "Z3", "enumeration"):
            raise Unreadable(f"clause {number}, {contract['texts'][number - 1]}: {how}")
        found.counts[how] += 1
    found.safe[min(safe_bits(contract), BITS)] += 1


def check_values(contract, file, calls, found):
    formulas = formulas_for(contract)
    machine, returns, wanted, wrong = guard_values.run(contract, file, calls, formulas)
    wanted = z3.If(as_bool(bad_sizes(contract)), z3.IntVal(-3), wanted) if contract["bounds"] else z3.IntVal(0)
    texts = [bound["text"] for bound in contract["bounds"]]
    problem = wrong[0] if wrong else control_problem(contract, machine, returns, wanted, "*condition", texts)
    if problem:
        raise Unreadable(f"values: {problem}")
    found.counts["bounds"] += len(contract["bounds"])


VISITS = {}  # text of obg_within and obg_element -> None or what is wrong


def check_elements(folder, file):
    """The functions that visit elements, once for each text."""
    if "obg_within" not in file.functions:
        return
    text = file.functions["obg_within"], file.functions["obg_element"]
    if text not in VISITS:
        VISITS[text] = guard_values.visit_problem(file) or guard_runs.element_problem(folder, text[1])
    if VISITS[text]:
        raise Unreadable(f"elements: {VISITS[text]}")


def path_of(folder, contract):
    return os.path.join(folder, contract["name"] + ".c")


def text_of(folder, contract):
    with open(path_of(folder, contract), encoding="utf-8") as file:
        return file.read()


def check(folder, contract, lib):
    """A Found of one guard."""
    found, rng = Found(), guard_runs.generator(contract)
    found.counts["guards"] += 1
    try:
        guard = guard_runs.Guard(lib, contract["name"])
        file = File(text_of(folder, contract), contract["name"])
        calls, wrong = HELPERS.calls(file)
        if wrong:
            raise Unreadable("; ".join(wrong))
        check_sizes(contract, file, calls, found)
        check_values(contract, file, calls, found)
        check_elements(folder, file)
        problem = guard_runs.sizes_problem(guard, contract, rng) or guard_runs.values_problem(guard, contract, rng)
        if not problem and found.counts["enumeration"]:
            problem = guard_runs.enumeration_problem(guard, contract, rng)
        if problem:
            raise Unreadable(f"compiled: {problem}")
    except (Unreadable, ValueError) as wrong:
        found.problems.append(f"{contract['name']} ({contract['model']}): {wrong}")
    return found


def check_some(job):
    """job: (folder, its number, contracts)"""
    folder, number, contracts = job
    found = Found()
    try:
        lib = guard_runs.library(folder, f"some_{number}", [path_of(folder, contract) for contract in contracts])
    except guard_runs.Uncompiled as wrong:
        found.problems.append(f"a guard cannot be compiled: {wrong}")
        return found
    for contract in contracts:
        found.add(check(folder, contract, lib), contract["times"])
    return found


# ---- All guards ----


def models():
    """(the files of models that are there, what is skipped)"""
    shared = os.environ.get("OB_SHARED", os.path.join(os.path.dirname(TOP), "shared"))
    found, skipped = [], []
    for folder, pattern in ((TOP, "models/*.onnx"), (TOP, "models/accidents/*.onnxtxt"), (shared, "models/*/model.onnx"),
                            (TOP, "tests/graphs/*.txt"), (TOP, "tests/soundness/cases/*.txt")):
        files = sorted(glob.glob(os.path.join(folder, pattern)))
        found += files
        skipped += [] if files else [os.path.join(folder, pattern)]
    return found, skipped


def contracts_of(program, folder, counts, quiet=False):
    os.makedirs(folder, exist_ok=True)
    files, skipped = models()
    for pattern in [] if quiet else skipped:
        print(f"skipped: no models {pattern}")
    run = subprocess.run([program, folder, *map(str, counts), *files], stdout=subprocess.PIPE, text=True, check=True)
    return different(folder, [json.loads(line) for line in run.stdout.splitlines()])


def different(folder, contracts):
    """Those that differ in the contract or in the text of the guard; `times` counts equal ones."""
    found = {}
    for contract in contracts:
        text = re.sub(rf"\b{contract['name']}(?=\b|_)", "guard", text_of(folder, contract))
        key = text, json.dumps({**contract, "name": "", "model": ""})
        found.setdefault(key, {**contract, "times": 0})["times"] += 1
    return list(found.values())


def main():
    if len(sys.argv) not in (3, 6):
        sys.exit(__doc__)
    counts = [int(x) for x in sys.argv[3:]] or [1500, 500, 200]
    contracts = contracts_of(sys.argv[1], sys.argv[2], counts)
    jobs = [(sys.argv[2], number, contracts[number::2 * PARTS]) for number in range(2 * PARTS)]
    total = Found()
    with ProcessPoolExecutor(2) as pool:
        for found in pool.map(check_some, jobs):
            total.add(found)
    print(f"{len(contracts)} different guards")
    return report(total)


def report(total):
    for problem in total.problems[:20]:
        print(f"differs: {problem}")
    n, safe = total.counts, sorted(total.safe.items(), reverse=True)
    print("no number leaves the range at sizes below " + ", ".join(f"2^{bits} ({count} guards)" for bits, count in safe))
    print(f"{n['bounds']} conditions on values equal by form")
    print(f"{n['guards']} guards, {n['form']} clauses equal by form, {n['Z3']} by Z3, {n['enumeration']} by enumeration; "
          f"{len(total.problems)} differ")
    return 1 if total.problems or n["guards"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
