#!/usr/bin/env python3
"""Checks many models on an engine for distributed work, here Dask, and writes one line of JSON for each.

    check_corpus.py FOLDER_OR_LISTING --out RESULTS [--scheduler ADDRESS | --workers N]

- FOLDER_OR_LISTING: a folder, whose *.onnx files at any depth are checked, or a text file with one path in a line.
- RESULTS/results.jsonl: one object for each model, written when its chunk is done. Started again, the program checks only models
  that have no line: a line belongs to the content of a file, the version of the library and the options.
- RESULTS/summary.html: counts, and the models with findings.

Each model is checked in a process of its own, with limits of time and memory: a model can be made to crash or to fill the memory.
`check_many` knows nothing of Dask; docs/python.md shows it under Ray and Spark.
"""
import argparse
import collections
import hashlib
import html
import json
import os
import resource
import subprocess
import sys

CHUNK, SECONDS, BYTES = 50, 60, 4 << 30


# ---- Workers ----


def check_here(path):
    """One row, in this process."""
    import onnx_broadcast

    report = onnx_broadcast.check(path)
    counts = collections.Counter(finding.id for finding in report.findings)
    return {"errors": report.summary["errors"], "warnings": report.summary["warnings"], "nodes": report.summary["nodes"],
            "broadcasts": report.summary["broadcasts"], "contract": report.contract.status,
            "findings": dict(sorted(counts.items()))}


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def check_one(key, path, program):
    """One row, whatever the model does: a crash and a timeout are rows too."""
    row = {"key": key, "file": path}
    try:
        done = subprocess.run([sys.executable, program, "--one", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=SECONDS, preexec_fn=limited, check=False)
    except subprocess.TimeoutExpired:
        return {**row, "failure": f"took more than {SECONDS} s"}
    if done.returncode < 0:
        return {**row, "failure": f"ended by signal {-done.returncode}"}
    try:
        return {**row, **json.loads(done.stdout)}
    except ValueError:
        return {**row, "failure": done.stderr.decode(errors="replace")[-300:].strip() or f"status {done.returncode}"}


def check_many(chunk, program=os.path.abspath(__file__)):
    """The rows of a chunk of (key, path). Running it twice gives the same rows."""
    return [check_one(key, path, program) for key, path in chunk]


# ---- What is left to do ----


def paths_of(source):
    if os.path.isdir(source):
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(source) for name in names
                      if name.endswith(".onnx"))
    with open(source, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip()]


def key_of(path):
    import onnx_broadcast

    digest = hashlib.sha256(f"{onnx_broadcast.__version__}\0{path}\0".encode("utf-8", "surrogateescape"))
    try:
        with open(path, "rb") as file:
            for piece in iter(lambda: file.read(1 << 20), b""):
                digest.update(piece)
    except OSError as problem:
        digest.update(str(problem).encode())
    return digest.hexdigest()


def read_rows(path):
    """The rows so far. A last line without an end was being written when the program died: it is cut off."""
    rows = {}
    if not os.path.exists(path):
        return rows
    with open(path, "r+b") as file:
        data = file.read()
        end = data.rfind(b"\n") + 1
        file.truncate(end)
    for line in data[:end].splitlines():
        row = json.loads(line)
        rows[row["key"]] = row
    return rows


def chunks_of(items, n):
    return [items[at:at + n] for at in range(0, len(items), n)]


# ---- Dask ----


def run_on_dask(client, chunks, write, function=check_many):
    """Keeps a few chunks for each worker in flight. A chunk that kills its workers is divided down to single models. Those are
    run again at the end, one at a time: what only waited on a worker that another model killed is then done.
    """
    from distributed import KilledWorker, as_completed

    waiting, suspects, flying = collections.deque(chunks), collections.deque(), {}
    workers = max(1, len(client.scheduler_info()["workers"]))
    done = as_completed()

    def submit():
        while waiting and len(flying) < 3 * workers:
            fly(waiting.popleft(), False)
        if suspects and not flying:
            fly(suspects.popleft(), True)

    def fly(chunk, alone):
        future = client.submit(function, chunk, pure=False)
        flying[future.key] = chunk, alone
        done.add(future)

    submit()
    while flying:
        future = next(done)
        chunk, alone = flying.pop(future.key)
        failure = future.exception() if future.status == "error" else None
        if failure is None:
            write(future.result())
        elif isinstance(failure, KilledWorker) and len(chunk) > 1:
            half = len(chunk) // 2
            waiting.extend([chunk[:half], chunk[half:]])
        elif isinstance(failure, KilledWorker) and not alone:
            suspects.append(chunk)
        else:
            write([{"key": key, "file": path, "failure": type(failure).__name__} for key, path in chunk])
        submit()


# ---- The whole ----


def summary_page(rows):
    total, kinds = collections.Counter(), collections.Counter()
    for row in rows:
        total["failed" if "failure" in row else "errors" if row["errors"] else "warnings" if row["warnings"] else "clean"] += 1
        kinds.update(row.get("findings", {}))
    lines = ["<!DOCTYPE html><meta charset='utf-8'><title>Models</title><h1>Models</h1>",
             "<p>" + ", ".join(f"{total[kind]} {kind}" for kind in ("clean", "warnings", "errors", "failed")) + "</p>",
             "<table><tr><th>finding<th>number</tr>"]
    lines += [f"<tr><td>{html.escape(name)}<td>{n}</tr>" for name, n in sorted(kinds.items())]
    lines.append("</table><table><tr><th>model<th>errors<th>warnings<th>failure</tr>")
    for row in sorted(rows, key=lambda row: (-row.get("errors", 1 << 30), -row.get("warnings", 0), row["file"]))[:1000]:
        if row.get("errors") or row.get("warnings") or "failure" in row:
            cells = (row["file"], row.get("errors", ""), row.get("warnings", ""), row.get("failure", ""))
            lines.append("<tr>" + "".join(f"<td>{html.escape(str(cell))}" for cell in cells) + "</tr>")
    return "\n".join(lines + ["</table>", ""])


def check_corpus(source, out, client):
    """Checks what has no row yet. Returns the number of models checked now, and all rows."""
    os.makedirs(out, exist_ok=True)
    results = os.path.join(out, "results.jsonl")
    rows = read_rows(results)
    wanted = {key_of(path): path for path in paths_of(source)}
    left = [(key, path) for key, path in wanted.items() if key not in rows]
    with open(results, "a", encoding="utf-8") as file:
        def write(new):
            for row in new:
                if row["key"] not in rows:
                    rows[row["key"]] = row
                    file.write(json.dumps(row, sort_keys=True) + "\n")
            file.flush()

        run_on_dask(client, chunks_of(left, CHUNK), write)
    current = [rows[key] for key in wanted]
    with open(os.path.join(out, "summary.html.tmp"), "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(summary_page(current))
    os.replace(os.path.join(out, "summary.html.tmp"), os.path.join(out, "summary.html"))
    return len(left), current


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("--out", default="results")
    parser.add_argument("--scheduler", help="address of a running scheduler")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        try:
            print(json.dumps(check_here(arguments.source)))
        except RuntimeError as problem:  # an OBError: the model cannot be read
            print(json.dumps({"failure": str(problem)}))
        return 0
    from distributed import Client, LocalCluster

    cluster = arguments.scheduler or LocalCluster(n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client:
        n, rows = check_corpus(arguments.source, arguments.out, client)
    bad = sum(1 for row in rows if row.get("errors") or "failure" in row)
    print(f"{n} models checked, {len(rows) - n} known already; {bad} with errors: {arguments.out}/summary.html")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
