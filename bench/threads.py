#!/usr/bin/env python3
"""More threads than processors: the time of whole models with some numbers of threads, as a ratio to that with one.

    bench/threads.py [--threads 2,4,8,16] [--processors LIST] [--load N] [--rounds R] [--milliseconds M] [--most X] MODEL...

Every round runs a model with one thread and with each of the numbers, in processes of their own (onnx-broadcast-run --bench),
so that other work of the machine slows all of them. A row shows the best run with one thread, and for each number two ratios:
that of the best runs, and the median over the rounds of the ratio of a round's means. The mean is the time that a host loses:
under load a run either keeps its processor or waits while another process uses it, and a median shows only one of the two.
--processors 0 or 0,1 confines the runs to these processors; --load N lets N processes compute beside them the whole time.
Inputs come from test_data_set_0 beside the model, else they are random. Exit status 1 when a median is over --most.
"""
import argparse
import glob
import json
import os
import statistics
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))


def number_of(path):
    return int(os.path.basename(path)[len("input_"):-len(".pb")])


def inputs_of(model):
    files = sorted(glob.glob(os.path.join(os.path.dirname(model), "test_data_set_0", "input_*.pb")), key=number_of)
    return [argument for file in files if os.path.getsize(file) for argument in ("--input", file)] or ["--random"]


def measure(arguments, model, threads):
    """Best and mean of one process in milliseconds, or None."""
    command = ["taskset", "-c", arguments.processors] if arguments.processors else []
    command += [arguments.command, model, "--quiet", "--bench", "2", "--min-time", str(arguments.milliseconds / 1000),
                "--threads", str(threads)]
    done = subprocess.run(command + inputs_of(model), capture_output=True, text=True)
    if done.returncode != 0:
        print("%s: %s" % (model, done.stderr.strip()), file=sys.stderr)
        return None
    times = json.loads(done.stdout.splitlines()[-1])
    return times["min_ms"], times["mean_ms"]


def row(arguments, model, numbers):
    """The best run with one thread, and for each number the ratio of the best runs and the median ratio."""
    rounds = []
    for _ in range(arguments.rounds):
        times = [measure(arguments, model, n) for n in [1] + numbers]
        if None in times:
            return None
        rounds.append(times)
    best = [min(r[i][0] for r in rounds) for i in range(len(numbers) + 1)]
    return best[0], [(best[i + 1] / best[0], statistics.median(r[i + 1][1] / r[0][1] for r in rounds))
                     for i in range(len(numbers))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--threads", default="2,4,8,16")
    parser.add_argument("--processors", default="")
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--milliseconds", type=float, default=100)
    parser.add_argument("--most", type=float, default=1.3)
    parser.add_argument("--command", default=os.path.join(here, "..", "build", "onnx-broadcast-run"))
    arguments = parser.parse_args()
    numbers = [int(n) for n in arguments.threads.split(",")]
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(arguments.load)]
    over = []
    try:
        print("| model | one thread, ms | %s |" % " | ".join("%d threads" % n for n in numbers))
        print("|---|---:|%s" % ("---:|" * len(numbers)))
        for model in arguments.models:
            result = row(arguments, model, numbers)
            name = os.path.basename(model).removesuffix(".onnx")
            name = os.path.basename(os.path.dirname(model)) if name == "model" else name
            if result is None:
                over.append(name)
                continue
            print("| %s | %.4g | %s |" % (name, result[0], " | ".join("%.2f, %.2f" % pair for pair in result[1])), flush=True)
            if max(median for _, median in result[1]) > arguments.most:
                over.append(name)
    finally:
        for process in load:
            process.kill()
            process.wait()
    print("\nover %.2f, or not measured: %s" % (arguments.most, ", ".join(over) or "none"))
    sys.exit(1 if over else 0)


main()
