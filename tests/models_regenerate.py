#!/usr/bin/python3
"""usage: models_regenerate.py SOURCE_DIR. Runs every models/make_*.py into a fresh folder and compares with what the repository holds.

All bytes must be equal, except the trained weights of digits.onnx: another BLAS rounds differently. There the structure must be equal; how good
the committed weights are is measured by test_models.
"""
import filecmp
import glob
import os
import subprocess
import sys
import tempfile

try:
    import numpy  # noqa: F401
    import onnx
    import sklearn  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def structure(path):
    """The model without the contents of its weights."""
    model = onnx.load(path)
    for initializer in model.graph.initializer:
        initializer.ClearField("raw_data")
    return model.SerializeToString(deterministic=True)


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
                if not os.path.exists(new):
                    bad.append(f"{path}: no script makes it")
                elif path == "digits.onnx":
                    if structure(old) != structure(new):
                        bad.append(f"{path}: the structure differs")
                elif not filecmp.cmp(old, new, shallow=False):
                    bad.append(f"{path}: differs")
        made = sum(len(files) for _, _, files in os.walk(fresh))
    if made != seen:
        bad.append(f"{made} files made, {seen} in the repository")
    print("\n".join(bad) or f"{seen} files of {len(scripts)} scripts are up to date")
    return 1 if bad or seen == 0 else 0


sys.exit(main())
