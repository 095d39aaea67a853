#!/usr/bin/python3
"""Faults in what rewrites.py reads: each must be found, and what is only written differently must be proved equal.

usage: test_rewrites.py; exit status 1 when one is not found, 77 without Z3.
"""
import collections
import contextlib
import copy
import io
import sys

import rewrites

# N + 1 where N = 7, and N elsewhere.
WRONG_AT_7 = ["+", 0, [1, "N"], [1, ["max", 0, ["+", 1, [-1, ["max", ["+", -7, [1, "N"]], ["+", 7, [-1, "N"]]]]]]]]
AT_LEAST_1, NOT_7 = [["nonnegative", ["+", -1, [1, "N"]]]], [["nonzero", ["+", -7, [1, "N"]]]]
RUNS = {"n": 2, "different": 0, "both_refuse": 0, "one_refuses": 0, "relation": "equal", "error": ""}


def side(shape, clauses=(AT_LEAST_1,), dtype="float", places=(), assumed=False):
    return {"places": dict(places), "contract": "complete", "clauses": list(clauses), "bounds": [], "unverified": 0,
            "outputs": ["y"], "values": [["x", dtype, False, ["N"]], ["y", dtype, assumed, shape]]}


def judged(before, after, claims=(), stated=(AT_LEAST_1,), runs=(), proved=None, changed=None):
    """The counts for one rewrite."""
    count = collections.Counter()
    line = {"model": "made", "form": "expand", "side": after, "claims": list(claims), "stated": list(stated),
            "runs": {**RUNS, **dict(runs)}, "proved": proved or {}}
    if changed:
        line.update(changed=True, proved_runs={**RUNS, **changed})
    with contextlib.redirect_stdout(io.StringIO()):
        rewrites.judge(count, rewrites.Side(copy.deepcopy(before), "before "), line)
    return count


PLAIN = side(["N", 4])
FAULTS = {
    "one axis wrong at one size": judged(PLAIN, side([WRONG_AT_7, 4])),
    "one axis wrong": judged(PLAIN, side([4, "N"])),
    "another rank": judged(PLAIN, side(["N", 4, 1])),
    "another type": judged(PLAIN, side(["N", 4], dtype="double")),
    "more sizes admitted": judged(PLAIN, side(["N", 4], clauses=[]), stated=[]),
    "fewer sizes admitted": judged(PLAIN, side(["N", 4], clauses=[AT_LEAST_1, NOT_7]), stated=[AT_LEAST_1, NOT_7]),
    "another contract stated": judged(PLAIN, PLAIN, stated=[AT_LEAST_1, NOT_7]),
    "a condition that does not hold": judged(PLAIN, PLAIN, claims=[["condition", ["equal", "N", 8]]]),
    "a declared size that is wrong at one size": judged(PLAIN, PLAIN, claims=[["shape", "new", ["N"], [WRONG_AT_7]]]),
    "a declared size that only a run knows": judged(PLAIN, PLAIN, claims=[["shape", "new", ["N"], ["?3"]]]),
    "other elements": judged(PLAIN, PLAIN, runs=[("different", 1)]),
    "one model refuses": judged(PLAIN, PLAIN, runs=[("one_refuses", 1)]),
    "a certificate proves a shape that is wrong at one size": judged(
        PLAIN, side([WRONG_AT_7, 4]), proved={"y": [True, False]}, changed={"n": 2}),
    "a certificate proves elements that differ in a run": judged(
        PLAIN, PLAIN, proved={"y": [True, True]}, changed={"different": 1}),
}
# Sizes that only a run knows are never proved equal, whatever their numbers are.
OPEN = {
    "unknown sizes": judged(side([None, 4]), side([None, 4])),
    "sizes of the run with one number": judged(side(["?3", 4]), side(["?3", 4])),
    "a size of the run in a term": judged(side([["+", 0, [2, "?3"]], 4]), side([["+", 0, [2, "?3"]], 4])),
    "declared ranks": judged(side(["N", 4], assumed=True), side(["N", 4], assumed=True)),
    "unknown ranks": judged(side(None), side(None)),
}
PROVED = {
    "equal terms": (judged(PLAIN, PLAIN), "terms"),
    "places": (judged(side(["?3", 4], places=[("?3", "x[0]")]), side(["?5", 4], places=[("?5", "x[0]")])), "terms"),
    "another term": (judged(PLAIN, side([["max", "N", ["/", ["+", 1, [1, "N"]], 2]], 4])), "z3"),
    "equal where it is admitted": (judged(PLAIN, side([["max", "N", 1], 4])), "z3"),
}


def main():
    wrong = [f"not found: {name}" for name, count in FAULTS.items() if not count["differ"]]
    wrong += [f"taken for equal: {name}" for name, count in OPEN.items() if count["differ"] or not count["outputs", "runs"]]
    wrong += [f"not proved by {how}: {name}" for name, (count, how) in PROVED.items()
              if count["differ"] or not count["outputs", how]]
    print("\n".join(wrong + [f"{len(FAULTS) + len(OPEN) + len(PROVED)} cases, {len(wrong)} wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
