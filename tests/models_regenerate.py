#!/usr/bin/python3
"""usage: models_regenerate.py SOURCE_DIR. Runs every models/make_*.py into a fresh folder and compares with the repository.

Bytes must be equal: structure, integers, and numbers for which every operation is exact. Tensors that depend on the processor
are in ROUNDED. For these everything but the contents must be equal, and the contents within the tolerance. test_models measures
how good the weights are.
"""
import filecmp
import fnmatch
import glob
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
    import sklearn  # noqa: F401
    from onnx import numpy_helper
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

# Files, tensors, largest absolute difference, why it is not 0.
ROUNDED = [
    # The BLAS of each processor adds in its own order, and 1800 steps of training enlarge the difference in the last bit (to 6e-6
    # where it was measured). One step moves a weight by up to 0.003: another seed, rate or number of steps does not pass.
    ("digits.onnx", "*", 1e-3),
    # Normally distributed numbers go through the C library's logarithm, whose last bit depends on whether the processor has FMA.
    ("attention.onnx", "*", 1e-6),
    ("attention_test/*/input_0.pb", "x", 1e-6),
    # NumPy's matrix products, exponentials and sums; the same tolerance as in test_models.
    ("attention_test/*/output_0.pb", "y", 1e-5),
]


def read(path):
    """The message without the contents of its tensors, and the tensors."""
    if path.endswith(".onnx"):
        message = onnx.load(path)
        tensors = list(message.graph.initializer)
    else:
        message = onnx.load_tensor(path)
        tensors = [message]
    contents = [(tensor.name, numpy_helper.to_array(tensor).copy()) for tensor in tensors]
    for tensor in tensors:
        tensor.ClearField("raw_data")
    return message.SerializeToString(deterministic=True), contents


def tolerance(path, name):
    return next((t for files, names, t in ROUNDED if fnmatch.fnmatch(path, files) and fnmatch.fnmatch(name, names)), 0)


def difference(path, old, new):
    """What differs, or None."""
    if filecmp.cmp(old, new, shallow=False):
        return None
    (old_rest, old_tensors), (new_rest, new_tensors) = read(old), read(new)
    if old_rest != new_rest:
        return "the structure differs"
    changed = [(name, a, b) for (name, a), (_, b) in zip(old_tensors, new_tensors) if a.tobytes() != b.tobytes()]
    for name, a, b in changed:
        allowed = tolerance(path, name) if a.dtype == numpy.float32 else 0
        largest = numpy.abs(a.astype(numpy.float64) - b.astype(numpy.float64)).max()
        if allowed == 0 or not largest <= allowed:
            return f"'{name}' differs by up to {largest:g}, {allowed:g} allowed"
    return None if changed else "the bytes differ"


def main():
    models = os.path.join(sys.argv[1], "models")
    scripts = sorted(glob.glob(os.path.join(models, "make_*.py")))
    bad, seen = [], 0
    with tempfile.TemporaryDirectory() as fresh:
        for script in scripts:
            subprocess.run([sys.executable, "-B", script, fresh], check=True)
        for folder, _, files in os.walk(models):
            for name in sorted(files):
                if not name.endswith((".onnx", ".pb")):
                    continue
                path = os.path.relpath(os.path.join(folder, name), models)
                old, new = os.path.join(models, path), os.path.join(fresh, path)
                seen += 1
                what = difference(path, old, new) if os.path.exists(new) else "no script makes it"
                if what:
                    bad.append(f"{path}: {what}")
        made = sum(len(files) for _, _, files in os.walk(fresh))
    if made != seen:
        bad.append(f"{made} files made, {seen} in the repository")
    print("\n".join(bad) or f"{seen} files of {len(scripts)} scripts are up to date")
    return 1 if bad or seen == 0 else 0


sys.exit(main())
