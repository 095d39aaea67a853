#!/usr/bin/env python3
"""Scores a runtime with the kit, and writes tables of scores. docs/kit.md has examples."""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import sys
import threading

import adapters
import score
from elements import read
from runners import Command, Server

KEPT = 3000  # failures of a runtime that are listed


def load(folder):
    with open(os.path.join(folder, "kit.json"), encoding="utf-8") as file:
        return json.load(file)


def wanted(folder, one):
    return [read(os.path.join(folder, one["folder"], f"output_{k}.pb")) for k in range(len(one.get("outputs", ())))]


def run_all(kit, folder, make_runner, jobs, only):
    """[(case, set, verdict, detail, largest error)] in the kit's order; each worker has a runner of its own."""
    work = [(case, one) for case in kit["cases"] if not only or re.search(only, case["id"]) for one in case["sets"]]
    local, runners, lock = threading.local(), [], threading.Lock()

    def run_one(item):
        case, one = item
        if not hasattr(local, "runner"):
            local.runner = make_runner()
            with lock:
                runners.append(local.runner)
        place = os.path.join(folder, case["id"])
        return (case, one) + score.judge(case, one, wanted(place, one), local.runner.run(case, place, one))

    try:
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(run_one, work))
    finally:
        for runner in runners:
            runner.close()


def scored(name, version, kit, results):
    """The content of the file of a runtime."""
    rows = collections.defaultdict(dict)
    for (group, feature), counter in score.summarize([r[:3] for r in results if r[0]["settled"]]).items():
        rows[group][feature] = dict(counter)
    unsettled = collections.Counter(r[2] for r in results if not r[0]["settled"])
    failures = [{"case": f"{case['id']}/{one['folder']}", "settled": case["settled"], "verdict": verdict, "detail": detail,
                 "tags": one["tags"]}
                for case, one, verdict, detail, _ in results if verdict != "passed"]
    errors = [(error, f"{case['id']}/{one['folder']}") for case, one, _, _, error in results if error is not None]
    return {"runtime": name, "version": version, "kit": kit["kit"], "seed": kit["seed"], "sha256": kit["sha256"], "rows": rows,
            "unsettled": dict(unsettled), "worst": max(errors)[1] if errors else None, "failures": failures[:KEPT]}


def report(result, verbose):
    every = collections.Counter(result["rows"]["all"][""])
    print(f"{result['runtime']} {result['version']}: {score.percent(every)}; " +
          ", ".join(f"{every[v]} {v}" for v in score.VERDICTS))
    unsettled = collections.Counter(result["unsettled"])
    print(f"not settled by the specification: {unsettled['passed']} of {sum(unsettled.values())} passed")
    for failure in result["failures"][:verbose]:
        print(f"  {failure['verdict']}: {failure['case']}: {failure['detail']}")
    return sum(every.values()) - every["passed"]


def score_runtime(options, kit):
    """The number of sets that failed."""
    if options.command:
        name, version = options.name or options.command.split()[0], options.runtime_version or "unknown"
        make_runner = lambda: Command(options.command, options.time_limit, options.unsupported_status)
    elif options.server:
        name, version = options.name or options.server.split()[0], options.runtime_version or "unknown"
        make_runner = lambda: Server(options.server.split(), options.time_limit)
    else:
        adapter = adapters.find(options.adapter)
        name, version = adapter.name, adapter.version()
        make_runner = lambda: adapter.runner(options.time_limit)
    results = run_all(kit, options.kit, make_runner, options.jobs, options.only)
    if not any(case["settled"] for case, *_ in results):
        raise SystemExit("run.py: no case matches")
    result = scored(name, version, kit, results)
    failed = report(result, options.show)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1, sort_keys=True)
            file.write("\n")
    passed = sum(row[2] == "passed" for row in results if row[0]["settled"])
    print(f"{passed} passed, {failed} failed")
    return failed


def write_tables(options):
    scores = []
    for path in options.tables:
        with open(path, encoding="utf-8") as file:
            scores.append(json.load(file))
    if len({(one["sha256"], one["kit"]) for one in scores}) > 1:
        raise SystemExit("run.py: these scores are of different kits")
    if options.html:
        with open(options.html, "w", encoding="utf-8") as file:
            file.write(score.page(scores))
    text = score.tables(scores)
    if not options.into:
        print(text, end="")
        return 0
    with open(options.into, encoding="utf-8") as file:
        before, _, rest = file.read().partition("<!-- scores -->\n")
    _, end, after = rest.partition("<!-- end of scores -->")
    if not end:
        raise SystemExit(f"run.py: {options.into} has no place for the tables")
    with open(options.into, "w", encoding="utf-8") as file:
        file.write(f"{before}<!-- scores -->\n{text}{end}{after}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kit", nargs="?", help="the folder that write.py wrote")
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--command", metavar="TEMPLATE",
                     help="a command with {model}, {input} (repeated for each) and {output}, the folder for output_0.pb ...")
    way.add_argument("--server", metavar="COMMAND", help="a process that serves requests, a line of JSON each")
    way.add_argument("--adapter", help="a runtime that the kit knows: " + ", ".join(adapters.NAMES))
    way.add_argument("--tables", nargs="+", metavar="SCORES", help="write the tables of these scores instead")
    parser.add_argument("--name")
    parser.add_argument("--runtime-version")
    parser.add_argument("--unsupported-status", type=int,
                        help="the exit status of a command for an operator or type that it does not have")
    parser.add_argument("--time-limit", type=float, default=20, metavar="SECONDS")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", metavar="REGEX", help="only the cases whose names match")
    parser.add_argument("--show", type=int, default=10, metavar="N", help="print the first N failures")
    parser.add_argument("--json", metavar="FILE", help="write the scores")
    parser.add_argument("--into", metavar="FILE", help="with --tables: replace the tables in a Markdown file")
    parser.add_argument("--html", metavar="FILE", help="with --tables: write a page")
    options = parser.parse_args()
    if options.tables:
        return write_tables(options)
    if not options.kit:
        parser.error("the folder of the kit is missing")
    return 1 if score_runtime(options, load(options.kit)) else 0


if __name__ == "__main__":
    sys.exit(main())
