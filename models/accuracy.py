#!/usr/bin/python3
"""usage: accuracy.py OUTPUT.pb LABELS.pb [LEAST]

Compares two tensors of class numbers, and fails when the share of equal ones is below LEAST.
"""
import sys

import onnx
from onnx import numpy_helper


def read(path):
    tensor = onnx.TensorProto()
    with open(path, "rb") as file:
        tensor.ParseFromString(file.read())
    return numpy_helper.to_array(tensor)


predicted, labels = read(sys.argv[1]), read(sys.argv[2])
if predicted.shape != labels.shape:
    sys.exit(f"shapes differ: {predicted.shape}, {labels.shape}")
right = int((predicted == labels).sum())
print(f"accuracy: {right} of {labels.size} right, {right / labels.size:.1%}")
sys.exit(0 if right / labels.size >= float(sys.argv[3] if len(sys.argv) > 3 else 0) else 1)
