#!/usr/bin/env python3
"""Every rewritten form of ONNX's own test models is valid by onnx's checker, and the way back gives the original nodes.

    rewrite_valid.py COMMAND FOLDER...     folders that hold */model.onnx

Models that onnx's checker refuses as they are count only for this project's checker. Exit status 77: onnx is not installed.
"""
import concurrent.futures
import glob
import os
import subprocess
import sys
import tempfile

try:
    import onnx
except ImportError:
    sys.exit(77)

FORMS = ("broadcast", "function", "expand", "implicit")


def refusal(model):
    """The error of onnx's full check, or None."""
    try:
        onnx.checker.check_model(model, full_check=True)
        return None
    except Exception as error:  # the checker raises several unrelated classes
        return str(error).strip().replace("\n", " ")[:200]


def run(command, *arguments):
    done = subprocess.run([command, "--quiet", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def nodes_of(model):
    """The nodes as bytes.

    Before opset 7 attributes come back in another order, and an `axis` that changes nothing is left out.
    """
    nodes = []
    for node in model.graph.node:
        if any(attribute.name == "broadcast" for attribute in node.attribute):
            kept = sorted((a for a in node.attribute if a.name != "axis"), key=lambda a: a.name)
            copy = onnx.NodeProto()
            copy.CopyFrom(node)
            del copy.attribute[:]
            copy.attribute.extend(kept)
            node = copy
        nodes.append(node.SerializeToString(deterministic=True))
    return nodes


def check_model(command, path, folder):
    """The errors of one model, and the number of valid rewritten models."""
    name = os.path.basename(os.path.dirname(path))
    wrong, n_valid = [], 0
    status, text = run(command, path)
    if status != 0:
        return ["%s: exit status %d: %s" % (name, status, text.strip()[-300:])], 0
    original = onnx.load(path)
    base = refusal(original)
    for form in FORMS:
        out = os.path.join(folder, "%s.%s.onnx" % (name, form))
        status, text = run(command, path, "-o", out, "--emit", form)
        if status == 2 and form == "function" and "opset 8" in text:
            continue
        if status != 0:
            wrong.append("%s %s: exit status %d: %s" % (name, form, status, text.strip()[-300:]))
            continue
        rewritten = onnx.load(out)
        if form == "broadcast":  # operators that onnx does not know: the structure can be checked
            said = None if base else refusal_of_structure(rewritten)
        else:
            said = None if base else refusal(rewritten)
        if said:
            wrong.append("%s %s: %s" % (name, form, said))
            continue
        n_valid += 1
        if form == "broadcast":
            back = os.path.join(folder, name + ".back.onnx")
            implicit = os.path.join(folder, name + ".implicit.onnx")
            run(command, path, "-o", implicit, "--emit", "implicit")
            status, text = run(command, out, "-o", back, "--emit", "implicit")
            if status != 0 or nodes_of(onnx.load(back)) != nodes_of(onnx.load(implicit)):
                wrong.append("%s: the way back differs: %s" % (name, text.strip()[-200:]))
        again = os.path.join(folder, "%s.%s.again.onnx" % (name, form))
        status, text = run(command, out, "-o", again, "--emit", form)
        if status != 0 or nodes_of(onnx.load(again)) != nodes_of(rewritten):
            wrong.append("%s %s: a second time changes the model: %s" % (name, form, text.strip()[-200:]))
    return wrong, n_valid


def refusal_of_structure(model):
    try:
        onnx.checker.check_model(model)
        return None
    except Exception as error:
        return str(error).strip().replace("\n", " ")[:200]


def main():
    command, folders = sys.argv[1], sys.argv[2:]
    paths = sorted(path for folder in folders for path in glob.glob(os.path.join(folder, "*", "model.onnx")))
    if not paths:
        print("no models found: skipped")
        return 77
    n_wrong = n_valid = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for wrong, n in pool.map(lambda path: check_model(command, path, folder), paths):
            n_valid += n
            n_wrong += len(wrong)
            for line in wrong:
                print(line)
    print("%d models, %d rewritten models valid, %d problems" % (len(paths), n_valid, n_wrong))
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
