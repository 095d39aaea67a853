#!/usr/bin/env python3
"""Checking speed: load and check a chain of broadcasting nodes, beside onnx's own C++ checker and shape inference.

    bench/check_speed.py [--nodes N] [--rounds R] [--command PATH]

Rounds are interleaved and the best of each counts. Exit status 1 when the ratio asked for is not reached.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
from onnx import TensorProto, checker, helper, numpy_helper, shape_inference

here = os.path.dirname(os.path.abspath(__file__))


def make_chain(path, n):
    """x[N,4,8] and then n times: + (4,1), * (8), + (1,4,8) ..., each a broadcast."""
    operands = [np.ones((4, 1), np.float32), np.ones((8,), np.float32), np.ones((1, 4, 8), np.float32)]
    weights = [numpy_helper.from_array(a, "w%d" % i) for i, a in enumerate(operands)]
    nodes = []
    value = "x"
    for i in range(n):
        result = "y" if i + 1 == n else "v%d" % i
        nodes.append(helper.make_node("Add" if i % 2 else "Mul", [value, "w%d" % (i % 3)], [result], name="node_%d" % i))
        value = result
    graph = helper.make_graph(
        nodes, "chain", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 4, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 4, 8])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="check_speed")
    model.ir_version = 7
    onnx.save(model, path)


def time_onnx(path):
    """The C++ code alone, bytes in, bytes out: no Python objects between."""
    start = time.perf_counter()
    with open(path, "rb") as file:
        data = file.read()
    checker.C.check_model(data)
    shape_inference.C.infer_shapes(data, True, True, False)
    return time.perf_counter() - start


def time_onnx_calls(path):
    """The calls that a user of the Python package makes."""
    start = time.perf_counter()
    model = onnx.load(path)
    checker.check_model(model)
    shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    return time.perf_counter() - start


def time_ours(command, path, *options):
    start = time.perf_counter()
    done = subprocess.run([command, path, *options], stdout=subprocess.DEVNULL)
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit("%s failed with status %d" % (command, done.returncode))
    return elapsed


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--nodes", type=int, default=100000)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--command", default=os.path.join(here, "..", "build", "onnx-broadcast-check"))
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        chain, long_chain = os.path.join(folder, "chain.onnx"), os.path.join(folder, "long.onnx")
        make_chain(chain, given.nodes)
        make_chain(long_chain, given.nodes * 10)
        times = {"onnx": [], "calls": [], "quiet": [], "full": [], "long": []}
        for _ in range(given.rounds):
            times["onnx"].append(time_onnx(chain))
            times["calls"].append(time_onnx_calls(chain))
            times["quiet"].append(time_ours(given.command, chain, "--quiet"))
            times["full"].append(time_ours(given.command, chain))
            times["long"].append(time_ours(given.command, long_chain, "--quiet"))
        best = {name: min(list_) for name, list_ in times.items()}
    print("| %d broadcasting nodes | seconds (best of %d) | spread |" % (given.nodes, given.rounds))
    print("|---|---|---|")
    rows = [("calls", "onnx: load, checker, shape inference from Python"),
            ("onnx", "onnx: the C++ checker and shape inference alone"),
            ("quiet", "onnx-broadcast-check --quiet (process start included)"),
            ("full", "onnx-broadcast-check, every broadcast printed"),
            ("long", "onnx-broadcast-check --quiet, 10 times the nodes")]
    for name, title in rows:
        print("| %s | %.3f | %.3f |" % (title, best[name], max(times[name]) - best[name]))
    faster, growth = best["calls"] / best["quiet"], best["long"] / best["quiet"]
    print("\n%.1f times faster than onnx (wanted: 5), %.1f times than its C++ code alone; "
          "10 times the nodes take %.1f times as long (wanted: about 10)"
          % (faster, best["onnx"] / best["quiet"], growth))
    return 0 if faster >= 5 and growth <= 12 else 1


if __name__ == "__main__":
    sys.exit(main())
