#!/usr/bin/python3
"""wrong.onnx: broadcasts that cannot work, each in its own way. onnx's own checker lets all but the first pass.

The doc strings name the line that an exporter would have written the node for.
"""
import numpy as np

from sample import FLOAT, constant, node, save_model, value


def main():
    nodes = [
        node("Add", ["x", "position"], ["shifted"], "Add_0", doc_string="model.py(31): forward"),
        node("PRelu", ["feature", "slope"], ["activated"], "PRelu_1", doc_string="model.py(34): forward"),
        node("Gemm", ["rows", "weight", "bias"], ["product"], "Gemm_2", doc_string="model.py(35): forward"),
    ]
    inputs = [value("x", FLOAT, ["batch", 12, 16]), value("feature", FLOAT, [1, 64, 8, 8]), value("rows", FLOAT, [2, 3])]
    outputs = [value("shifted", FLOAT, ["batch", 12, 16]), value("activated", FLOAT, [1, 64, 8, 8]),
               value("product", FLOAT, [2, 4])]
    save_model("wrong.onnx", nodes, inputs, outputs,
               [constant("position", np.zeros((10, 16))),  # made for a length of 10
                constant("slope", np.full(64, 0.25)),  # one per channel needs (64, 1, 1)
                constant("weight", np.ones((3, 4))),
                constant("bias", np.zeros(7))], 17, "A model that is plainly wrong")


main()
