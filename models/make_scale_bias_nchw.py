#!/usr/bin/python3
"""scale_bias_nchw.onnx: y = x * scale + bias, one number per channel of an image batch [N, 3, H, W].

scale and bias have shape [3, 1, 1]: without the two ones they would land on H and W, the commonest mistake with this layout.
"""
import numpy as np

from sample import FLOAT, constant, node, save_model, save_tensor, value

SCALE, BIAS = np.array([0.5, 2, -1], np.float32), np.array([0.25, -1, 8], np.float32)


def main():
    shape = ["N", 3, "H", "W"]
    save_model("scale_bias_nchw.onnx",
               [node("Mul", ["x", "scale"], ["scaled"], "scale_channels"), node("Add", ["scaled", "bias"], ["y"], "add_bias")],
               [value("x", FLOAT, shape)], [value("y", FLOAT, shape)],
               [constant("scale", SCALE.reshape(3, 1, 1)), constant("bias", BIAS.reshape(3, 1, 1))], 13,
               "A scale and a bias per channel")
    x = np.random.RandomState(4).randint(-64, 64, (2, 3, 4, 5)).astype(np.float32)
    save_tensor("scale_bias_nchw_test/test_data_set_0/input_0.pb", "x", x)
    save_tensor("scale_bias_nchw_test/test_data_set_0/output_0.pb", "y", x * SCALE.reshape(3, 1, 1) + BIAS.reshape(3, 1, 1))


main()
