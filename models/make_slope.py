#!/usr/bin/python3
"""slope.onnx: a PRelu whose slope has one number per channel and the wrong rank. onnx's own full check accepts it.

The doc string names the line that an exporter would have written the node for.
"""
import numpy as np

from sample import FLOAT, constant, node, save_model, value


def main():
    nodes = [
        node("Abs", ["x"], ["feature"], "Abs_0"),
        node("PRelu", ["feature", "slope"], ["y"], "PRelu_1", doc_string="model.py(34): forward"),
    ]
    shape = ["batch", 64, 8, 8]
    save_model("slope.onnx", nodes, [value("x", FLOAT, shape)], [value("y", FLOAT, shape)],
               [constant("slope", np.full(64, 0.25))],  # one per channel needs (64, 1, 1)
               17, "A model that onnx's checker accepts and no runtime can run")


main()
