"""What the generators of the sample models share. Needs Debian's python3-onnx and python3-numpy."""
import os
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

# Where the files go: the first argument, or the folder of the scripts.
FOLDER = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))

FLOAT = onnx.TensorProto.FLOAT
UINT8 = onnx.TensorProto.UINT8
INT64 = onnx.TensorProto.INT64

node = helper.make_node
value = helper.make_tensor_value_info


def constant(name, array, dtype=np.float32):
    """An initializer."""
    return numpy_helper.from_array(np.asarray(array, dtype=dtype), name)


def save_model(file_name, nodes, inputs, outputs, initializers, opset, doc, ir_version=8):
    graph = helper.make_graph(nodes, os.path.splitext(file_name)[0], inputs, outputs, initializers, doc_string=doc)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir_version,
                              producer_name="onnx-broadcast samples")
    write(file_name, model)


def save_tensor(path, name, array):
    write(path, numpy_helper.from_array(np.ascontiguousarray(array), name))


def write(path, message):
    path = os.path.join(FOLDER, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(message.SerializeToString(deterministic=True))
