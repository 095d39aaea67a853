#!/usr/bin/env python3
"""Elementwise broadcasting, one thread: this library beside NumPy and the memory limit.

    bench/run.py [--rounds R] [--milliseconds M] [--only TEXT] [--program PATH] [--output FILE]

In every round each case is timed three times in turn: our calls, the memory limit (a loop that only moves the bytes that the
case must move: each input and the output once) and NumPy (writing into given arrays, as our calls do). The time of a round is
the median of its executions. The best round counts, and the spread tells how much slower the median round was. Before timing,
results are compared. Exit status 1 when a row is slower than NumPy or the geometric mean of the ratios to the limit, over the
rows of 64 KiB and more, exceeds 2.
"""
import argparse
import math
import os
import subprocess
import sys
import tempfile
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"
import numpy as np  # noqa: E402

here = os.path.dirname(os.path.abspath(__file__))

DTYPES = {"float": np.float32, "float16": np.float16, "int8": np.int8, "int64": np.int64, "bool": np.bool_}


def raw_bits(n):
    """The upper halves of a linear congruential sequence, as bench_elementwise makes them."""
    factor, constant = 1664525, 1013904223
    x = np.array([(12345 * factor + constant) % 2**32], np.uint64)
    while len(x) < n:
        x = np.concatenate([x, (x * factor + constant) % 2**32])
        factor, constant = factor * factor % 2**32, (constant * factor + constant) % 2**32
    return x[:n] >> 16


def make_array(dtype, shape):
    n = int(np.prod(shape, dtype=np.int64))
    bits = raw_bits(n)
    if dtype == "float":
        data = np.float32(0.5) + bits.astype(np.float32) / np.float32(65536)
    elif dtype == "float16":
        data = (0x3800 + bits % 1024).astype(np.uint16).view(np.float16)
    elif dtype == "bool":
        data = (bits & 1).astype(np.bool_)
    else:
        data = (bits % 9 + 1).astype(DTYPES[dtype])
    return data.reshape(shape)


class Case:
    """inputs: (name, type, shape); calls: (operator, result, operands...); peer: the same with NumPy on the named arrays."""

    def __init__(self, title, inputs, calls, peer, model=None):
        self.title, self.inputs, self.calls, self.peer, self.model = title, inputs, calls, peer, model


def binary(title, op, function, a, b, dtype="float", result=None):
    def peer(v, out):
        function(v["a"], v["b"], out=out)

    inputs = [("a", dtype, a), ("b", dtype, b)]
    return Case(title, inputs, [(op, "z", "a", "b")], (peer, result or dtype, np.broadcast_shapes(a, b)))


def pow_case():
    def peer(v, out):
        np.power(v["a"], v["b"], out=out)

    return Case("Pow [1024,1024], scalar exponent", [("a", "float", (1024, 1024)), ("b", "float", ())], [("Pow", "z", "a", "b")],
                (peer, "float", (1024, 1024)))


def where_case(title, shapes, shape):
    def peer(v, out):
        np.copyto(out, v["y"])
        np.copyto(out, v["x"], where=v["c"])

    def plain(v, out):
        out[...] = np.where(v["c"], v["x"], v["y"])

    def quicker(v, out):
        (plain if out.size < 1 << 16 else peer)(v, out)

    inputs = [("c", "bool", shapes[0]), ("x", "float", shapes[1]), ("y", "float", shapes[2])]
    return Case(title, inputs, [("Where", "z", "c", "x", "y")], (quicker, "float", shape))


def four(title, op, function):
    def peer(v, out):
        function(v["a"], v["b"], out=out)
        function(out, v["c"], out=out)
        function(out, v["d"], out=out)

    inputs = [("a", "float", (8, 64, 56, 56)), ("b", "float", (64, 1, 1)), ("c", "float", ()), ("d", "float", (8, 1, 56, 56))]
    return Case(title, inputs, [(op, "z", "a", "b", "c", "d")], (peer, "float", (8, 64, 56, 56)))


def scale_and_bias():
    def peer(v, out):
        np.multiply(v["x"], v["scale"], out=out)
        np.add(out, v["bias"], out=out)

    shape = (1, 64, 112, 112)
    inputs = [("x", "float", shape), ("scale", "float", (64, 1, 1)), ("bias", "float", (64, 1, 1))]
    calls = [("Mul", "z", "x", "scale"), ("Add", "z", "z", "bias")]
    return Case("x*scale+bias [1,64,112,112]", inputs, [], (peer, "float", shape), model=lambda: chain_model(inputs, calls))


def chain():
    shape = (1, 64, 112, 112)
    steps = [("Mul", np.multiply, "s"), ("Add", np.add, "b"), ("Max", np.maximum, "k"), ("Sub", np.subtract, "r"),
             ("Mul", np.multiply, "r"), ("Div", np.divide, "s"), ("Min", np.minimum, "b"), ("Add", np.add, "k")]

    def peer(v, out):
        value = v["x"]
        for _, function, operand in steps:
            function(value, v[operand], out=out)
            value = out

    inputs = [("x", "float", shape), ("s", "float", (64, 1, 1)), ("b", "float", (64, 1, 1)), ("k", "float", ()),
              ("r", "float", (1, 1, 1, 112))]
    calls = []
    value = "x"
    for op, _, operand in steps:
        calls.append((op, "z", value, operand))
        value = "z"
    return Case("chain of 8 operators [1,64,112,112]", inputs, [], (peer, "float", shape),
                model=lambda: chain_model(inputs, calls))


def save_model(name, nodes, shapes, initializers=()):
    """A model with result z, of the shape of the first input, in a temporary file."""
    from onnx import TensorProto, helper, save

    tensors = [helper.make_tensor_value_info(tensor, TensorProto.FLOAT, shape) for tensor, shape in shapes]
    output = [helper.make_tensor_value_info("z", TensorProto.FLOAT, shapes[0][1])]
    model = helper.make_model(helper.make_graph(nodes, name, tensors, output, list(initializers)),
                              opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 7
    file = tempfile.NamedTemporaryFile(suffix=".onnx", delete=False)
    file.close()
    save(model, file.name)
    return file.name


def chain_model(inputs, calls):
    """The calls as nodes; a result that is written again gets a name of its own."""
    from onnx import helper

    nodes, latest = [], {}
    for i, (op, result, *operands) in enumerate(calls):
        name = result if i + 1 == len(calls) else "step%d" % i
        nodes.append(helper.make_node(op, [latest.get(operand, operand) for operand in operands], [name]))
        latest[result] = name
    return save_model("chain", nodes, [(name, list(shape)) for name, _, shape in inputs])


def layer_norm_model():
    from onnx import helper, numpy_helper

    nodes = [
        helper.make_node("ReduceMean", ["x"], ["mean"], axes=[-1]),
        helper.make_node("Sub", ["x", "mean"], ["centered"]),
        helper.make_node("Mul", ["centered", "centered"], ["squares"]),
        helper.make_node("ReduceMean", ["squares"], ["variance"], axes=[-1]),
        helper.make_node("Add", ["variance", "epsilon"], ["shifted"]),
        helper.make_node("Sqrt", ["shifted"], ["deviation"]),
        helper.make_node("Div", ["centered", "deviation"], ["normal"]),
        helper.make_node("Mul", ["normal", "g"], ["scaled"]),
        helper.make_node("Add", ["scaled", "b"], ["z"]),
    ]
    return save_model("layer_norm", nodes, [("x", [1, 128, 768]), ("g", [768]), ("b", [768])],
                      [numpy_helper.from_array(np.float32(1e-5), "epsilon")])


def layer_norm():
    scratch = np.empty((1, 128, 768), np.float32)

    def peer(v, out):
        np.subtract(v["x"], v["x"].mean(axis=-1, keepdims=True), out=out)
        np.multiply(out, out, out=scratch)
        deviation = np.sqrt(scratch.mean(axis=-1, keepdims=True) + np.float32(1e-5))
        np.divide(out, deviation, out=out)
        np.multiply(out, v["g"], out=out)
        np.add(out, v["b"], out=out)

    inputs = [("x", "float", (1, 128, 768)), ("g", "float", (768,)), ("b", "float", (768,))]
    return Case("LayerNorm written out, [1,128,768]", inputs, [], (peer, "float", (1, 128, 768)), model=layer_norm_model)


def all_cases():
    square = (1024, 1024)
    return [
        binary("[1024,1024] + same", "Add", np.add, square, square),
        binary("[1024,1024] + row", "Add", np.add, square, (1024,)),
        binary("[1024,1024] + column", "Add", np.add, square, (1024, 1)),
        binary("[1024,1024] + scalar", "Add", np.add, square, ()),
        binary("[4096,4096] + same (beyond the caches)", "Add", np.add, (4096, 4096), (4096, 4096)),
        binary("[1,1024] + [1024,1]", "Add", np.add, (1, 1024), (1024, 1)),
        binary("[64,1,128,128] * [32,1,1]", "Mul", np.multiply, (64, 1, 128, 128), (32, 1, 1)),
        binary("[8,1,5,1,16] + [8,7,1,5,16]", "Add", np.add, (8, 1, 5, 1, 16), (8, 7, 1, 5, 16)),
        binary("[64,32,1,16] + [64,1,32,1]", "Add", np.add, (64, 32, 1, 16), (64, 1, 32, 1)),
        binary("[65536,3] + [3]", "Add", np.add, (65536, 3), (3,)),
        binary("[65536,3] + [65536,1]", "Add", np.add, (65536, 3), (65536, 1)),
        binary("[8,256,7,7] + [256,1,1]", "Add", np.add, (8, 256, 7, 7), (256, 1, 1)),
        binary("mask [1,12,128,128] + [1,1,1,128]", "Add", np.add, (1, 12, 128, 128), (1, 1, 1, 128)),
        binary("row, float16", "Add", np.add, square, (1024,), "float16"),
        binary("row, int8", "Add", np.add, square, (1024,), "int8"),
        binary("row, int64", "Add", np.add, square, (1024,), "int64"),
        binary("Div row", "Div", np.divide, square, (1024,)),
        binary("Less row", "Less", np.less, square, (1024,), result="bool"),
        pow_case(),
        where_case("Where 3-way [1024,1], [1,1024], [1024,1024]", [(1024, 1), (1, 1024), square], square),
        where_case("Where mask [1,1,128,128], [1,12,128,128], scalar",
                   [(1, 1, 128, 128), (1, 12, 128, 128), ()], (1, 12, 128, 128)),
        four("Sum of 4: [8,64,56,56], [64,1,1], scalar, [8,1,56,56]", "Sum", np.add),
        four("Max of 4: the same", "Max", np.maximum),
        scale_and_bias(),
        chain(),
        layer_norm(),
    ]


class Program:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(str(w) for w in words) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("bench_elementwise ended")
        return answer.strip()


def median_time(function, milliseconds):
    """Nanoseconds of one execution: as bench_elementwise does it."""
    function()
    start = time.perf_counter_ns()
    function()
    once = time.perf_counter_ns() - start
    n = 20000 // (once + 1) + 1 if once < 20000 else 1
    samples = []
    end = time.perf_counter_ns() + milliseconds * 1000000
    while len(samples) < 4096 and (len(samples) < 3 or time.perf_counter_ns() < end):
        begin = time.perf_counter_ns()
        for _ in range(n):
            function()
        samples.append(time.perf_counter_ns() - begin)
    samples.sort()
    return samples[len(samples) // 2] / n


class Prepared:
    """A case with its arrays, on both sides."""

    def __init__(self, case, program):
        self.case, self.program = case, program
        function, dtype, shape = case.peer
        self.values = {name: make_array(kind, dims) for name, kind, dims in case.inputs}
        self.out = np.empty(shape, DTYPES[dtype])
        self.n_read = sum(a.nbytes for a in self.values.values())
        self.n_bytes = self.n_read + self.out.nbytes
        self.model = case.model() if case.model else None

    def load(self):
        self.program.ask("clear")
        for name, kind, dims in self.case.inputs:
            self.program.ask("array", name, kind, "x".join(map(str, dims)) or "scalar")
        for call in self.case.calls:
            self.program.ask("call", *call)
        if self.model:
            self.program.ask("model", self.model, *[name for name, _, _ in self.case.inputs])
        self.program.ask("moves", self.n_read, self.out.nbytes)

    def check(self):
        self.case.peer[0](self.values, self.out)
        expected = self.out.ravel()
        expected = expected[::len(expected) // 100 + 1].astype(np.float64)
        last = self.case.calls[-1][1] if self.case.calls else "z"
        got = np.array([float(x) for x in self.program.ask("print", last).split()])
        if not np.allclose(got, expected, rtol=1e-3, atol=1e-5):
            sys.exit("%s: results differ from NumPy's: %s, %s" % (self.case.title, got[:5], expected[:5]))

    def round(self, milliseconds):
        ours, limit = map(float, self.program.ask("time", milliseconds).split())
        peer = median_time(lambda: self.case.peer[0](self.values, self.out), milliseconds)
        return ours, limit, peer


def summary(rounds):
    best = [min(r[i] for r in rounds) for i in range(3)]
    middle = [sorted(r[i] for r in rounds)[len(rounds) // 2] for i in range(3)]
    return best, [middle[i] / best[i] - 1 for i in range(3)]


def cell(ns, spread):
    text = "%.1f" % (ns / 1000) if ns < 1e6 else "%.0f" % (ns / 1000)
    return "%s +%.0f %%" % (text, 100 * spread)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--milliseconds", type=int, default=15, help="for each of the three in each round")
    arguments.add_argument("--only", default="", help="cases whose title holds this text")
    arguments.add_argument("--program", default=os.path.join(here, "..", "build", "bench_elementwise"))
    arguments.add_argument("--output", help="write the table to this file as well")
    options = arguments.parse_args()

    program = Program(options.program)
    cases = [c for c in all_cases() if options.only in c.title]
    prepared = []
    for case in cases:
        p = Prepared(case, program)
        p.load()
        p.check()
        prepared.append((p, []))
    for number in range(options.rounds):
        for p, rounds in prepared:
            if sys.stderr.isatty():
                print("\rround %d of %d: %-60s" % (number + 1, options.rounds, p.case.title[:60]), end="", file=sys.stderr)
            p.load()
            rounds.append(p.round(options.milliseconds))
    if sys.stderr.isatty():
        print("\r%80s\r" % "", end="", file=sys.stderr)

    lines = ["| case (float32 unless said) | KiB | ours, us | limit, us | NumPy, us "
             "| ours / limit | NumPy / limit | NumPy / ours |",
             "|---|---:|---:|---:|---:|---:|---:|---:|"]
    log_sum = n_large = 0
    slower = []
    for p, rounds in prepared:
        best, spread = summary(rounds)
        ours, limit, peer = best
        lines.append("| %s | %d | %s | %s | %s | %.2f | %.2f | %.2f |" %
                     (p.case.title, round(p.n_bytes / 1024), cell(ours, spread[0]), cell(limit, spread[1]), cell(peer, spread[2]),
                      ours / limit, peer / limit, peer / ours))
        if ours > peer:
            slower.append(p.case.title)
        if p.n_bytes >= 65536:
            log_sum += math.log(ours / limit)
            n_large += 1
        if p.model:
            os.unlink(p.model)
    mean = math.exp(log_sum / n_large) if n_large else 1
    lines += ["", "Geometric mean of ours / limit over the %d rows of 64 KiB and more: **%.2f**. Slower than NumPy: %s." %
              (n_large, mean, ", ".join(slower) or "none")]
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)
    return 1 if slower or mean > 2 else 0


if __name__ == "__main__":
    sys.exit(main())
