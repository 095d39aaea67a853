#!/usr/bin/python3
"""attention.onnx: one block of a transformer encoder with dynamic batch and length.

Broadcasts: the padding mask [batch, 1, 1, length] on the scores [batch, heads, length, length], the biases, a scalar scale,
and a layer normalisation written out. The weights are random (fixed seed); test_data_set_0 and _1 hold inputs and NumPy's
results for them.
"""
import numpy as np

from sample import FLOAT, INT64, constant, node, save_model, save_tensor, value

HEADS, WIDTH = 4, 32
DEPTH = WIDTH // HEADS


def weights():
    random = np.random.RandomState(2)
    w = {}
    for name in ("query", "key", "value", "out"):
        w[name + "_weight"] = (random.randn(WIDTH, WIDTH) / np.sqrt(WIDTH)).astype(np.float32)
        w[name + "_bias"] = (random.randn(WIDTH) * 0.1).astype(np.float32)
    w["gamma"] = (1 + random.randn(WIDTH) * 0.1).astype(np.float32)
    w["beta"] = (random.randn(WIDTH) * 0.1).astype(np.float32)
    return w


def expected(x, mask, w):
    def heads(name):
        return (x @ w[name + "_weight"] + w[name + "_bias"]).reshape(*x.shape[:2], HEADS, DEPTH).transpose(0, 2, 1, 3)

    scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) * np.float32(DEPTH ** -0.5)
    scores = scores + (1 - mask[:, None, None, :].astype(np.float32)) * np.float32(-10000)
    weight = np.exp(scores - scores.max(-1, keepdims=True))
    weight = weight / weight.sum(-1, keepdims=True)
    context = (weight @ heads("value")).transpose(0, 2, 1, 3).reshape(x.shape)
    y = x + (context @ w["out_weight"] + w["out_bias"])
    centred = y - y.mean(-1, keepdims=True)
    deviation = np.sqrt((centred * centred).mean(-1, keepdims=True) + np.float32(1e-5))
    return centred / deviation * w["gamma"] + w["beta"]


def projection(name, perm):
    """x -> [batch, heads, length, depth] (or its transpose)."""
    return [
        node("MatMul", ["x", name + "_weight"], [name + "_product"], name + "_matmul"),
        node("Add", [name + "_product", name + "_bias"], [name + "_sum"], name + "_add_bias"),
        node("Reshape", [name + "_sum", "split_heads"], [name + "_split"], name + "_split_heads"),
        node("Transpose", [name + "_split"], [name], name + "_transpose", perm=perm),
    ]


def main():
    w = weights()
    nodes = projection("query", [0, 2, 1, 3]) + projection("key", [0, 2, 3, 1]) + projection("value", [0, 2, 1, 3]) + [
        node("MatMul", ["query", "key"], ["products"], "scores_matmul"),
        node("Mul", ["products", "scale"], ["scaled"], "scores_scale"),
        node("Unsqueeze", ["mask", "mask_axes"], ["mask_4d"], "mask_unsqueeze"),
        node("Cast", ["mask_4d"], ["mask_float"], "mask_cast", to=FLOAT),
        node("Sub", ["one", "mask_float"], ["mask_off"], "mask_invert"),
        node("Mul", ["mask_off", "minus_many"], ["mask_bias"], "mask_scale"),
        node("Add", ["scaled", "mask_bias"], ["masked"], "scores_add_mask"),
        node("Softmax", ["masked"], ["attention"], "scores_softmax", axis=-1),
        node("MatMul", ["attention", "value"], ["context"], "context_matmul"),
        node("Transpose", ["context"], ["context_rows"], "context_transpose", perm=[0, 2, 1, 3]),
        node("Reshape", ["context_rows", "join_heads"], ["joined"], "context_join_heads"),
        node("MatMul", ["joined", "out_weight"], ["out_product"], "out_matmul"),
        node("Add", ["out_product", "out_bias"], ["out_sum"], "out_add_bias"),
        node("Add", ["x", "out_sum"], ["residual"], "residual_add"),
        node("ReduceMean", ["residual"], ["row_mean"], "norm_mean", axes=[-1], keepdims=1),
        node("Sub", ["residual", "row_mean"], ["centred"], "norm_centre"),
        node("Mul", ["centred", "centred"], ["squares"], "norm_square"),
        node("ReduceMean", ["squares"], ["variance"], "norm_variance", axes=[-1], keepdims=1),
        node("Add", ["variance", "epsilon"], ["variance_eps"], "norm_add_epsilon"),
        node("Sqrt", ["variance_eps"], ["deviation"], "norm_sqrt"),
        node("Div", ["centred", "deviation"], ["normalised"], "norm_divide"),
        node("Mul", ["normalised", "gamma"], ["stretched"], "norm_gamma"),
        node("Add", ["stretched", "beta"], ["y"], "norm_beta"),
    ]
    initializers = [constant(name, array) for name, array in w.items()] + [
        constant("scale", DEPTH ** -0.5),
        constant("one", 1),
        constant("minus_many", -10000),
        constant("epsilon", 1e-5),
        constant("mask_axes", [1, 2], np.int64),
        constant("split_heads", [0, 0, HEADS, DEPTH], np.int64),
        constant("join_heads", [0, 0, WIDTH], np.int64),
    ]
    save_model("attention.onnx", nodes,
               [value("x", FLOAT, ["batch", "length", WIDTH]), value("mask", INT64, ["batch", "length"])],
               [value("y", FLOAT, ["batch", "length", WIDTH])], initializers, 17,
               "Self-attention with a padding mask, residual and layer normalisation")

    random = np.random.RandomState(3)
    for index, lengths in enumerate(([7, 4], [1])):  # real lengths; the rest of each row is padding
        x = random.randn(len(lengths), max(lengths), WIDTH).astype(np.float32)
        mask = (np.arange(max(lengths)) < np.array(lengths)[:, None]).astype(np.int64)
        folder = f"attention_test/test_data_set_{index}/"
        save_tensor(folder + "input_0.pb", "x", x)
        save_tensor(folder + "input_1.pb", "mask", mask)
        save_tensor(folder + "output_0.pb", "y", expected(x, mask, w))


main()
