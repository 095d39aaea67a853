#!/usr/bin/env python3
"""The statements of README and models/README.md about onnx's checker are true.

    readme_checked.py COMMAND SOURCE_DIR
"""
import os
import subprocess
import sys

try:
    import onnx
    import onnx.checker
except ImportError:
    print("skipped: no onnx for python3")
    sys.exit(77)


def accepts(path):
    try:
        onnx.checker.check_model(onnx.load(path), full_check=True)  # of a path, onnx 1.12 writes what it infers into the file
        return True, ""
    except Exception as problem:  # the checker and the inference raise unrelated classes
        return False, str(problem)


def expect(holds, what):
    if not holds:
        raise SystemExit("not so: " + what)


def main():
    command, source = sys.argv[1], sys.argv[2]
    slope, wrong = (os.path.join(source, "models", name) for name in ("slope.onnx", "wrong.onnx"))
    with open(os.path.join(source, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    claim = ("onnx's own full check accepts the model. This checker refuses it:\n\n"
             "```\n$ build/onnx-broadcast-check models/slope.onnx\n")
    expect(claim in readme, "README shows models/slope.onnx as what onnx's full check accepts")
    expect(accepts(slope)[0], "onnx's full check accepts models/slope.onnx: " + accepts(slope)[1])
    done = subprocess.run([command, slope], stdout=subprocess.PIPE)
    expect(done.returncode == 1 and b"error[OB0102]" in done.stdout, "the command refuses it with OB0102")
    accepted, why = accepts(wrong)
    expect(not accepted and "Add_0" in why, "onnx's full check refuses models/wrong.onnx for its Add: " + why)
    model = onnx.load(wrong)
    del model.graph.node[0]
    del model.graph.output[0]
    onnx.checker.check_model(model, full_check=True)
    print("onnx %s: three claims hold" % onnx.__version__)


if __name__ == "__main__":
    main()
