#!/usr/bin/python3
"""legacy_axis.onnx: opset 6, where broadcasting had to be asked for with `broadcast` and placed with `axis`.

x is [2, 3, 4, 5]. The bias [3] belongs to axis 1 (the middle), the table [4, 5] is a suffix (no axis), the row [4] counts its
axis from the end (-2). Plain right alignment would put two of the three elsewhere or refuse them.
"""
import numpy as np

from sample import FLOAT, constant, node, save_model, save_tensor, value


def main():
    bias = np.array([10, 20, 30], np.float32)
    table = np.arange(20, dtype=np.float32).reshape(4, 5) + 1
    row = np.array([0.5, 1, 2, 4], np.float32)
    nodes = [
        node("Add", ["x", "bias"], ["biased"], "add_bias", broadcast=1, axis=1),
        node("Mul", ["biased", "table"], ["weighted"], "weight", broadcast=1),
        node("Sub", ["weighted", "row"], ["y"], "subtract_row", broadcast=1, axis=-2),
    ]
    shape = [2, 3, 4, 5]
    # Before IR version 4 every initializer had to be an input as well.
    inputs = [value("x", FLOAT, shape), value("bias", FLOAT, [3]), value("table", FLOAT, [4, 5]), value("row", FLOAT, [4])]
    save_model("legacy_axis.onnx", nodes, inputs, [value("y", FLOAT, shape)],
               [constant("bias", bias), constant("table", table), constant("row", row)], 6,
               "Broadcasting as opset 1 to 6 had it", ir_version=3)
    x = np.random.RandomState(5).randint(-8, 8, shape).astype(np.float32)
    y = (x + bias.reshape(3, 1, 1)) * table - row.reshape(4, 1)
    save_tensor("legacy_axis_test/test_data_set_0/input_0.pb", "x", x)
    save_tensor("legacy_axis_test/test_data_set_0/output_0.pb", "y", y)


main()
