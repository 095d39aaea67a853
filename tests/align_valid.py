#!/usr/bin/env python3
"""The aligned form (--align-weights) is, for onnx, the model that it was made from.

    align_valid.py COMMAND MODEL...

Each model is written plainly and aligned. Both must pass onnx's checker when the first does, and be equal: as messages where the
weights were raw data already, else after all typed numbers have become raw data. Exit status 77: onnx is not installed.
"""
import os
import subprocess
import sys
import tempfile

try:
    import onnx
    from onnx import numpy_helper
except ImportError:
    sys.exit(77)

TYPED = ("float_data", "int32_data", "int64_data", "double_data", "uint64_data")


def tensors_in(message):
    """Every TensorProto in the message, however deep."""
    if isinstance(message, onnx.TensorProto):
        yield message
        return
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for item in value if field.label == field.LABEL_REPEATED else [value]:
            yield from tensors_in(item)


def as_raw(model):
    """The model with all numbers as raw data."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for tensor in tensors_in(copy):
        if any(len(getattr(tensor, name)) for name in TYPED):
            raw = numpy_helper.from_array(numpy_helper.to_array(tensor)).raw_data
            for name in TYPED:
                tensor.ClearField(name)
            tensor.raw_data = raw
    return copy


def is_valid(model):
    try:
        onnx.checker.check_model(model, full_check=True)
        return True
    except Exception:  # the checker raises several unrelated classes
        return False


def main():
    command, models = sys.argv[1], sys.argv[2:]
    n_raw = n_typed = 0
    with tempfile.TemporaryDirectory() as folder:
        plain_file, aligned_file = os.path.join(folder, "plain.onnx"), os.path.join(folder, "aligned.onnx")
        for path in models:
            done = subprocess.run([command, "--quiet", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if done.returncode != 0:
                continue  # a model with errors is not written
            for out, options in ((plain_file, []), (aligned_file, ["--align-weights"])):
                done = subprocess.run([command, "--quiet", path, "--emit", "expand", "-o", out, *options], stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT)
                if done.returncode != 0:
                    sys.exit("%s: exit status %d: %s" % (path, done.returncode, done.stdout.decode("utf-8", "replace")))
            plain, aligned = onnx.load(plain_file), onnx.load(aligned_file)
            if is_valid(plain) and not is_valid(aligned):
                sys.exit("%s: the aligned form is not valid" % path)
            if aligned == plain:
                n_raw += 1
            elif aligned == as_raw(plain):
                n_typed += 1
            else:
                sys.exit("%s: the aligned form is another model" % path)
    print("%d models are the same message, %d after typed numbers became raw data" % (n_raw, n_typed))
    if n_raw == 0:
        sys.exit("no model with weights as raw data was tried")


main()
