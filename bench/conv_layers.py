#!/usr/bin/env python3
"""Convolutions of whole models, layer by layer: GFLOP/s and the share of the core's peak, one thread.

    bench/conv_layers.py [--runs N] [--build DIR] [--slow] MODEL...

Each distinct layer (shapes, strides, groups) of a model is one row: its calls, the time of one call with its epilogue (mean of
all runs in a profile of the whole model, so weights are as cold as in use), GFLOP/s and the share of the peak that build/peak
measures before and after. --slow: only layers below 80 %. OB_ISA chooses the instruction-set level. Needs python3-onnx.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

import onnx
from onnx import shape_inference

here = os.path.dirname(os.path.abspath(__file__))


def sizes(value):
    return [d.dim_value for d in value.type.tensor_type.shape.dim]


def layers(path):
    """By the node's name or result: (description, multiplications and additions)."""
    model = shape_inference.infer_shapes(onnx.load(path))
    graph = model.graph
    shapes = {v.name: sizes(v) for v in list(graph.value_info) + list(graph.input) + list(graph.output)}
    shapes.update({t.name: list(t.dims) for t in graph.initializer})
    found = {}
    for node in graph.node:
        if node.op_type != "Conv" or node.domain not in ("", "ai.onnx"):
            continue
        x, w, y = shapes.get(node.input[0]), shapes.get(node.input[1]), shapes.get(node.output[0])
        if not x or not w or not y:
            continue
        a = {k.name: onnx.helper.get_attribute_value(k) for k in node.attribute}
        products = w[1]
        for k in w[2:]:
            products *= k
        results = 1
        for n in y:
            results *= n
        group = a.get("group", 1)
        text = f"{x[1]} to {w[0]}, {'x'.join(map(str, w[2:]))}, stride {a.get('strides', [1])[0]}, {'x'.join(map(str, x[2:]))}"
        if group > 1:
            text += f", {group} groups"
        found[node.output[0]] = found[node.name or node.output[0]] = (text, 2 * products * results, x[1] == group > 1)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--build", default=os.path.join(here, "..", "build"))
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    level = os.environ.get("OB_ISA", "")

    def peak():
        out = subprocess.run([os.path.join(args.build, "peak")] + ([level] if level else []), stdout=subprocess.PIPE, check=True)
        return float(out.stdout)

    for path in args.models:
        known = layers(path)
        before = peak()
        command = [os.path.join(args.build, "onnx-broadcast-run"), path, "--random", "--bench", str(args.runs), "--profile"]
        out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True, text=True).stdout
        top = max(before, peak())
        rows = collections.OrderedDict()
        for line in out.splitlines():
            m = re.match(r" *([0-9.]+) +[0-9.]+ +([0-9]+)  (\S+) +(\S+) +(\S+\[.*?\]) +(.*)", line)
            if not m or m.group(3).split("+")[0] != "Conv":
                continue
            name = m.group(6).strip()
            while name not in known and "+" in name:  # with the nodes of its epilogue
                name = name.rsplit("+", 1)[0]
            if name not in known:
                continue
            text, work, depthwise = known[name]
            row = rows.setdefault(text, [0, 0.0, 0, work, depthwise])
            row[0] += 1
            row[1] += float(m.group(1))
            row[2] += int(m.group(2))
        name = os.path.basename(path).replace(".onnx", "")
        if name == "model":
            name = os.path.basename(os.path.dirname(path))
        total = sum(r[1] / r[2] * r[0] for r in rows.values())
        flop = sum(r[3] * r[0] for r in rows.values())
        print(f"\n{name}: all convolutions {total:.2f} ms, {flop / total * 1e-6:.0f} GFLOP/s; peak {top:.0f} GFLOP/s\n")
        print("| convolution | layers | us | GFLOP/s | of the peak | of all convolutions |\n|---|---:|---:|---:|---:|---:|")
        for text, (n, ms, calls, work, depthwise) in rows.items():
            each = ms / calls
            rate = work / each * 1e-6
            if args.slow and (rate > 0.8 * top or depthwise):
                continue
            share, part = 100 * rate / top, 100 * each * n / total
            print(f"| {text}{' (depthwise)' if depthwise else ''} | {n} | {1000 * each:.0f} | {rate:.0f} | {share:.0f} % "
                  f"| {part:.0f} % |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
