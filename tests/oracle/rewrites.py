#!/usr/bin/python3
"""Decides for every rewrite whether shapes and contracts are the same before and after, for all sizes that are admitted.

usage: rewrites.py PROGRAM [--models FOLDER] [--random N]

PROGRAM (rewrites.c) prints models before and after as JSON. A value that exists in both under one name has equal shapes

- by terms: the same terms in the same names, which are those of the inputs' sizes
- by Z3: no sizes below 2^20 that both contracts admit make them different
- by runs only: a part of a shape is not stated on sizes of inputs. Nothing is proved then; what was run is counted

A certificate must not prove more: what it proves equal is compared with all of this, and with models in which one word is
changed.

Names of sizes that inputs leave unnamed are their places, the same in both models. Any other size without a name belongs to one
model, so it equals nothing but itself in that model. Z3 has 2 seconds for each question; where it does not answer, sizes are
tried. The last line is `N rewrites, N values equal by terms, N by Z3, N by runs only, N runs; N differ`; exit status 1 if any
differ, 77 if there is no Z3.
"""
import collections
import itertools
import json
import multiprocessing
import subprocess
import sys

try:
    import z3
except ImportError:
    print("skipped: no z3 (Debian: python3-z3)")
    sys.exit(77)
import terms

LIMIT, MILLISECONDS, PROCESSES = 2**20, 2000, 2
TRIED = (0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 64, 1000)
MOST_TRIED = 20000

# ---- Names ----


def renamed(term, names, which):
    """The term with the places of the inputs; other sizes without a name are marked as the model's own."""
    if isinstance(term, list):
        return [renamed(part, names, which) for part in term]
    if isinstance(term, str) and term.startswith("?"):
        return names.get(term, f"?{which}{term[1:]}")
    return term


def is_of_run(term):
    """Has it a part that is not a number or a size of an input?"""
    return term is None or any(name.startswith("?") for name in terms.symbols(term))


def of_inputs(clauses, names):
    """The clauses that speak of sizes of inputs."""
    made = [[renamed(literal, names, "") for literal in clause] for clause in clauses]
    return [clause for clause in made if not is_of_run(clause)]


class Side:
    """What the check found of one model, with common names."""

    def __init__(self, side, which):
        names = side["places"]
        self.clauses = of_inputs(side["clauses"], names)
        self.status, self.bounds, self.unverified = side["contract"], sorted(side["bounds"]), side["unverified"]
        self.outputs, self.names, self.which = side["outputs"], names, which
        self.values = {name: (dtype, assumed, renamed(shape, names, which)) for name, dtype, assumed, shape in side["values"]}


# ---- Decisions ----


class Differs(Exception):
    """Sizes at which two things that should be the same are not."""


def tried(clauses, names):
    """Some sizes that the clauses admit."""
    tuples = itertools.product(TRIED, repeat=len(names)) if len(TRIED)**len(names) <= MOST_TRIED else (
        [TRIED[(k * (i + 1) + k // 7) % len(TRIED)] for i in range(len(names))] for k in range(MOST_TRIED))
    for sizes in tuples:
        chosen = dict(zip(names, sizes))
        if all(terms.clause_holds(clause, chosen) for clause in clauses):
            yield chosen


def never(count, clauses, unwanted, as_number, what):
    """Proves that no admitted sizes make the formula true; `as_number` says the same of numbers, for sizes to be tried."""
    solver = z3.Solver()
    solver.set("timeout", MILLISECONDS)
    names = list(terms.symbols([clauses, what]))
    solver.add(terms.sizes_below(names, LIMIT), *(terms.clause_formula(clause) for clause in clauses), unwanted)
    answer = solver.check()
    if answer == z3.sat:
        model = solver.model()
        raise Differs({name: str(model.eval(terms.variable(name))) for name in names})
    if answer == z3.unknown:
        count["timeouts"] += 1
        for sizes in tried(clauses, names):
            if as_number(sizes):
                raise Differs(sizes)
    return answer == z3.unsat


def same_terms(count, clauses, a, b):
    """Two terms on sizes of inputs have the same number, or none, at all admitted sizes."""
    (x, x_defined), (y, y_defined) = terms.formula(a), terms.formula(b)
    unwanted = z3.Or(x_defined != y_defined, z3.And(x_defined, x != y))
    return never(count, clauses, unwanted, lambda sizes: terms.value(a, sizes) != terms.value(b, sizes), [a, b])


def follows(count, clauses, formula, as_number, what):
    return never(count, clauses, z3.Not(formula), lambda sizes: not as_number(what, sizes), what)


def same_clauses(count, a, b):
    """Both lists admit the same sizes. True: the same text; else Z3 decided."""
    if sorted(map(json.dumps, a)) == sorted(map(json.dumps, b)):
        return True
    for given, goals in ((a, b), (b, a)):
        for goal in goals:
            if goal not in given:
                follows(count, given, terms.clause_formula(goal), terms.clause_holds, goal)
    return False


# ---- A rewrite ----


def shape_verdict(count, before, after, name):
    """How the shapes of a value compare: terms, z3, or runs with the reason."""
    (dtype, assumed, shape), (other_dtype, other_assumed, other) = before.values[name], after.values[name]
    if dtype != other_dtype:
        raise Differs(f"{dtype} before, {other_dtype} after")
    if shape is None or other is None:
        return "runs", "no known rank, or no tensor"
    if len(shape) != len(other):
        raise Differs(f"rank {len(shape)} before, {len(other)} after")
    if assumed or other_assumed:
        return "runs", "a rank is only declared"
    verdict = "terms", ""
    for a, b in zip(shape, other):
        if is_of_run(a) or is_of_run(b):
            verdict = "runs", "a size is known in runs only"
        elif a != b and before.status != "contradictory":
            proved = same_terms(count, before.clauses + after.clauses, a, b)
            if verdict[0] != "runs":
                verdict = ("z3", "") if proved else ("runs", "Z3 does not answer")
    return verdict


def judge_values(count, before, after):
    """Every value that both models have under one name; outputs must be in both."""
    if before.outputs != after.outputs:
        raise Differs("other outputs")
    for name in before.values:
        if name in after.values:
            how, reason = shape_verdict(count, before, after, name)
            kind = "outputs" if name in before.outputs else "values"
            count[how] += 1
            count[kind, how] += 1
            if reason:
                count["reason", reason] += 1


def judge_contracts(count, before, after, stated):
    if (before.status, before.bounds, before.unverified) != (after.status, after.bounds, after.unverified):
        raise Differs(f"contract {before.status}, {after.status}; unverified {before.unverified}, {after.unverified}")
    count["contracts", "text" if same_clauses(count, before.clauses, after.clauses) else "Z3"] += 1
    if stated is not None:
        same_clauses(count, after.clauses, of_inputs(stated, after.names))
        count["stated"] += 1


def judge_condition(count, after, condition):
    condition = renamed(condition, after.names, after.which)
    if not is_of_run(condition):
        follows(count, after.clauses, terms.condition_formula(condition), terms.condition_holds, condition)
        count["claims"] += 1


def judge_claims(count, before, after, claims):
    """What inserted operators state: conditions, and sizes of their results. Both hold at all sizes that are admitted."""
    for kind, *parts in claims:
        if kind == "condition":
            judge_condition(count, after, parts[0])
        elif parts[0] not in before.values:  # others are the author's claims
            for declared, inferred in zip(*renamed(parts[1:], after.names, after.which)):
                if declared is not None and declared != inferred:
                    if is_of_run(inferred):
                        raise Differs(f"{parts[0]} is declared as {declared}, which is known in runs only")
                    same_terms(count, after.clauses, declared, inferred)
            count["claims"] += 1


def judge_runs(count, runs):
    count["runs"] += runs["n"]
    count["run errors"] += runs["error"] != ""
    if runs["different"] or runs["one_refuses"]:
        raise Differs(f"runs: {runs}")
    if runs["relation"] not in ("equal", "unknown"):
        raise Differs(f"the certificate's relation of contracts: {runs['relation']}")


def judge_proved(count, before, after, proved):
    """Counts what a certificate proves of the values that are compared by runs only here."""
    for name in before.values:
        if name in after.values and name in proved:
            how, _ = shape_verdict(collections.Counter(), before, after, name)
            count["certificate, shapes", how, "proved" if proved[name][0] else "open"] += 1
            count["certificate, elements", "of an output" if name in before.outputs else "inner",
                  "proved" if proved[name][1] else "open"] += 1


def judge_changed(count, before, line):
    """A model with one word changed: a certificate must prove nothing of it that is not so."""
    proved, proved_runs = line["proved"], line.get("proved_runs", {"n": 0, "different": 0})
    after = Side(line["side"], "after ")
    count["changed"] += 1
    count["changed, other results"] += line["runs"]["different"] > 0
    count["changed, runs of proved outputs"] += proved_runs["n"]
    if proved_runs["different"]:
        raise Differs(f"a certificate proves elements equal that are not: {proved_runs}")
    for name in before.values:
        if name in after.values and proved.get(name, [False])[0]:
            shape_verdict(count, before, after, name)
            count["changed, shapes proved"] += 1


def fail(text):
    raise Differs(text)


def steps_of(count, before, line):
    if "broken" in line:
        return [lambda: fail(line["broken"])]
    if "changed" in line:
        return [lambda: judge_changed(count, before, line)]
    after = Side(line["side"], "after ")
    return [lambda: judge_runs(count, line["runs"]), lambda: judge_values(count, before, after),
            lambda: judge_claims(count, before, after, line["claims"]),
            lambda: judge_contracts(count, before, after, line["stated"]),
            lambda: judge_proved(count, before, after, line["proved"])]


def judge(count, before, line):
    """One rewrite; differences are printed and counted."""
    if "refused" in line or "changed" in line and "broken" in line:
        count["refused"] += 1
        return
    count["rewrites"] += "changed" not in line
    for step in steps_of(count, before, line):
        try:
            step()
        except Differs as difference:
            count["differ"] += 1
            print(f"differs: {line['model']}, {line['form']}: {difference}", flush=True)


# ---- All ----


def work(job):
    """The counts of one part of the models."""
    count = collections.Counter()
    with subprocess.Popen(job, stdout=subprocess.PIPE, text=True) as program:
        before = None
        for text in program.stdout:
            line = json.loads(text)
            if "form" in line:
                judge(count, before, line)
            else:
                before = Side(line["side"], "before ")
                count["models"] += 1
    if program.returncode != 0:
        count["differ"] += 1
        print(f"differs: {' '.join(job)}: exit status {program.returncode}")
    return count


def main():
    jobs = [sys.argv[1:] + ["--part", str(k), str(PROCESSES)] for k in range(PROCESSES)]
    with multiprocessing.Pool(PROCESSES) as pool:
        count = sum(pool.imap(work, jobs), collections.Counter())
    for key in sorted(key for key in count if isinstance(key, tuple)):
        print(f"{' '.join(key)}: {count[key]}")
    for key in ("models", "refused", "changed", "changed, other results", "changed, shapes proved",
                "changed, runs of proved outputs", "claims", "stated", "timeouts", "run errors"):
        print(f"{key}: {count[key]}")
    print(f"{count['rewrites']} rewrites, {count['terms']} values equal by terms, {count['z3']} by Z3, "
          f"{count['runs only'] + count['outputs', 'runs'] + count['values', 'runs']} by runs only, "
          f"{count['runs']} runs; {count['differ']} differ")
    return 1 if count["differ"] or not count["rewrites"] else 0


if __name__ == "__main__":
    sys.exit(main())
