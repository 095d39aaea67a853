#!/usr/bin/python3
"""accidental.onnx: a mean squared error whose prediction kept an axis.

(N, 1) - (N) is a legal broadcast and gives (N, N): every prediction is compared with every target. The model runs, and the
number is wrong.
"""
from sample import FLOAT, node, save_model, value


def main():
    nodes = [
        node("Sub", ["prediction", "target"], ["difference"], "difference"),
        node("Mul", ["difference", "difference"], ["square"], "square"),
        node("ReduceMean", ["square"], ["loss"], "mean", keepdims=0),
    ]
    save_model("accidental.onnx", nodes, [value("prediction", FLOAT, ["N", 1]), value("target", FLOAT, ["N"])],
               [value("loss", FLOAT, [])], [], 17, "A loss with an accidental outer difference")


main()
