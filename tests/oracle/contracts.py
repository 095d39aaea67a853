#!/usr/bin/env python3
"""Checks what the solver was asked and answered (record.c) by Z3 and by numbers, with no code of the solver.

usage: contracts.py FILE.jsonl... | --run PROGRAM

PROGRAM: is run first, and leaves such a file. Differences are shown, then a line for each kind of record; the last line is
`N records, N proved, N enumerated, N wrong`. The exit status is 1 if something is wrong, 77 without Z3.
"""
import argparse
import collections
import multiprocessing
import os
import subprocess
import sys
import tempfile

try:
    import claims
    import direct
    import readable
    import records
    import settle
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-z3)")
    sys.exit(77)

SHOWN = 10
MOST_GAPS = 14  # records with a contradiction that the solver has not seen; this number may only decrease

WORDS = {settle.PROVED: "proved", settle.TRIED: "enumerated", settle.WRONG: "wrong", settle.OPEN: "without sizes that show it",
         settle.GAP: "not so, as the solver has not seen a contradiction"}


def judge(record):
    """(counts, sentences about what is wrong)"""
    counts, wrong = collections.Counter(), list(direct.of_solution(record))
    how, has_gap = settle.PROVED, False
    for claim in claims.OF[record["kind"]](record):
        answer = settle.settle(claim)
        counts[claim.what, answer.how] += 1
        counts["where defined"] += answer.where_defined
        has_gap |= answer.how == settle.GAP
        if answer.how == settle.WRONG:
            wrong.append(f"not so: {claim.what}; sizes {answer.sizes}")
        elif answer.how in (settle.TRIED, settle.OPEN):
            how = settle.TRIED
    counts["wrong" if wrong else how] += 1
    counts["gaps"] += has_gap
    counts["undecided"] += record.get("truths", []).count("undecided")
    counts["assumed"] += any(clause["assumed"] for clause in record.get("given", []))
    return counts, wrong


def judge_numbered(numbered):
    number, record = numbered
    return number, *judge(record)


def show(record, wrong):
    print("==", "; ".join(wrong))
    for line in readable.record(record):
        print("   " + line)


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", metavar="PROGRAM")
    parser.add_argument("files", nargs="*")
    return parser.parse_args()


def read(given):
    if not given.run:
        return records.read(given.files)
    with tempfile.TemporaryDirectory(prefix="oracle-") as folder:
        path = os.path.join(folder, "records.jsonl")
        subprocess.run([given.run], env=dict(os.environ, OB_RECORD=path), stdout=subprocess.DEVNULL, check=True)
        return records.read([path])


def main():
    found, n_lines, n_long = read(options())
    counts, n_shown = collections.defaultdict(collections.Counter), 0
    with multiprocessing.Pool(2) as pool:
        for number, count, wrong in pool.imap_unordered(judge_numbered, enumerate(found), 16):
            counts[found[number]["kind"]] += count
            if wrong and n_shown < SHOWN:
                show(found[number], wrong)
                n_shown += 1
    return report(counts, n_lines, n_long)


def report(counts, n_lines, n_long):
    """The exit status."""
    total = sum(counts.values(), collections.Counter())
    for kind, count in counts.items():
        print(f"{kind}: {count['proved']} proved, {count['tried']} enumerated, {count['wrong']} wrong; "
              f"{count['assumed']} have assumptions, {count['undecided']} answers are undecided")
        for what, how in sorted(key for key in count if isinstance(key, tuple)):
            print(f"    {what}: {count[what, how]} {WORDS[how]}")
    print(f"{n_lines} lines, {n_long} too long to be recorded; {total['where defined']} claims only where terms are defined; "
          f"{total['gaps']} records with a contradiction that is not seen, of at most {MOST_GAPS}")
    n = total["proved"] + total["tried"] + total["wrong"]
    print(f"{n} records, {total['proved']} proved, {total['tried']} enumerated, {total['wrong']} wrong")
    return total["wrong"] > 0 or total["gaps"] > MOST_GAPS


if __name__ == "__main__":
    sys.exit(main())
