#!/usr/bin/python3
"""digits.onnx: a small convolutional classifier, trained here on scikit-learn's bundled digits (1797 images of 8 x 8).

Every bias and the normalisation are separate Add, Sub and Div nodes that broadcast. Needs python3-sklearn as well.
The training is plain NumPy with a fixed seed; another BLAS may round differently and end in slightly different weights.
"""
import numpy as np
from sklearn.datasets import load_digits

from sample import FLOAT, INT64, UINT8, constant, node, save_model, save_tensor, value

CHANNELS, HIDDEN, CLASSES = 12, 32, 10
EPOCHS, BATCH, RATE = 40, 32, 0.003


def split():
    """1437 images to train with, 360 to test with: a fixed shuffle."""
    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.target))
    images = digits.images.astype(np.uint8)[:, None][order]
    labels = digits.target.astype(np.int64)[order]
    return images[360:], labels[360:], images[:360], labels[:360]


def patches(x):
    """[n, 8, 8] -> [n, 64, 9]: the 3 x 3 neighbourhood of each pixel, zero outside."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    return np.stack([padded[:, i:i + 8, j:j + 8] for i in range(3) for j in range(3)], -1).reshape(-1, 64, 9)


def forward(x, w):
    """x: normalised images [n, 8, 8]. Returns the logits and what the backward pass needs."""
    columns = patches(x)
    convolved = columns @ w["conv"] + w["conv_bias"]  # [n, 64, channels]
    rectified = np.maximum(convolved, 0)
    blocks = rectified.reshape(-1, 4, 2, 4, 2, CHANNELS).transpose(0, 1, 3, 5, 2, 4).reshape(-1, 4, 4, CHANNELS, 4)
    pooled = blocks.max(-1).transpose(0, 3, 1, 2).reshape(len(x), -1)  # channels first, as ONNX flattens it
    hidden = np.maximum(pooled @ w["hidden"] + w["hidden_bias"], 0)
    return hidden @ w["output"] + w["output_bias"], (columns, convolved, blocks, pooled, hidden)


def backward(difference, w, kept):
    """difference: gradient at the logits. Returns the gradient of each weight."""
    columns, convolved, blocks, pooled, hidden = kept
    gradient = {"output": hidden.T @ difference, "output_bias": difference.sum(0)}
    d_hidden = (difference @ w["output"].T) * (hidden > 0)
    gradient["hidden"], gradient["hidden_bias"] = pooled.T @ d_hidden, d_hidden.sum(0)
    d_pooled = (d_hidden @ w["hidden"].T).reshape(-1, CHANNELS, 4, 4).transpose(0, 2, 3, 1)
    largest = np.eye(4, dtype=np.float32)[blocks.argmax(-1)]
    d_blocks = (d_pooled[..., None] * largest).reshape(-1, 4, 4, CHANNELS, 2, 2).transpose(0, 1, 4, 2, 5, 3)
    d_convolved = d_blocks.reshape(-1, 64, CHANNELS) * (convolved > 0)
    gradient["conv"] = np.tensordot(columns, d_convolved, ([0, 1], [0, 1]))
    gradient["conv_bias"] = d_convolved.sum((0, 1))
    return gradient


def train(x, labels):
    """Adam on the cross entropy."""
    random = np.random.RandomState(1)
    shapes = {"conv": (9, CHANNELS), "conv_bias": (CHANNELS,), "hidden": (CHANNELS * 16, HIDDEN), "hidden_bias": (HIDDEN,),
              "output": (HIDDEN, CLASSES), "output_bias": (CLASSES,)}
    w = {name: (random.randn(*shape) * np.sqrt(2 / shape[0]) if len(shape) > 1 else np.zeros(shape)).astype(np.float32)
         for name, shape in shapes.items()}
    mean = {name: np.zeros_like(array) for name, array in w.items()}
    square = {name: np.zeros_like(array) for name, array in w.items()}
    targets, step = np.eye(CLASSES, dtype=np.float32)[labels], 0
    for _ in range(EPOCHS):
        order = random.permutation(len(x))
        for begin in range(0, len(x), BATCH):
            some, step = order[begin:begin + BATCH], step + 1
            logits, kept = forward(x[some], w)
            exponent = np.exp(logits - logits.max(1, keepdims=True))
            softmax = exponent / exponent.sum(1, keepdims=True)
            for name, g in backward((softmax - targets[some]) / len(some), w, kept).items():
                mean[name] += 0.1 * (g - mean[name])
                square[name] += 0.001 * (g * g - square[name])
                rate = RATE * np.sqrt(1 - 0.999 ** step) / (1 - 0.9 ** step)
                w[name] -= (rate * mean[name] / (np.sqrt(square[name]) + 1e-8)).astype(np.float32)
    return w


def main():
    images, labels, test_images, test_labels = split()
    pixels = images[:, 0].astype(np.float32)
    mean, std = pixels.mean(0), pixels.std(0) + 1  # + 1: some corners are never drawn on
    w = train((pixels - mean) / std, labels)
    logits, _ = forward((test_images[:, 0] - mean) / std, w)
    right = int((logits.argmax(1) == test_labels).sum())
    print(f"digits: {right} of {len(test_labels)} test images right in NumPy ({right / len(test_labels):.1%})")

    nodes = [
        node("Cast", ["image"], ["pixels"], "to_float", to=FLOAT),
        node("Sub", ["pixels", "mean"], ["centred"], "centre"),
        node("Div", ["centred", "std"], ["normalised"], "normalise"),
        node("Conv", ["normalised", "conv_weight"], ["convolved"], "conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("Add", ["convolved", "conv_bias"], ["biased"], "conv_add_bias"),
        node("Relu", ["biased"], ["rectified"], "conv_relu"),
        node("MaxPool", ["rectified"], ["pooled"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", ["pooled"], ["flat"], "flatten", axis=1),
        node("MatMul", ["flat", "hidden_weight"], ["hidden_product"], "hidden"),
        node("Add", ["hidden_product", "hidden_bias"], ["hidden_sum"], "hidden_add_bias"),
        node("Relu", ["hidden_sum"], ["hidden_out"], "hidden_relu"),
        node("MatMul", ["hidden_out", "output_weight"], ["output_product"], "output"),
        node("Add", ["output_product", "output_bias"], ["logits"], "output_add_bias"),
        node("Softmax", ["logits"], ["probabilities"], "softmax", axis=-1),
        node("ArgMax", ["logits"], ["digit"], "argmax", axis=-1, keepdims=0),
    ]
    initializers = [
        constant("mean", mean),
        constant("std", std),
        constant("conv_weight", w["conv"].T.reshape(CHANNELS, 1, 3, 3)),
        constant("conv_bias", w["conv_bias"].reshape(CHANNELS, 1, 1)),
        constant("hidden_weight", w["hidden"]),
        constant("hidden_bias", w["hidden_bias"]),
        constant("output_weight", w["output"]),
        constant("output_bias", w["output_bias"]),
    ]
    save_model("digits.onnx", nodes, [value("image", UINT8, ["batch", 1, 8, 8])],
               [value("probabilities", FLOAT, ["batch", CLASSES]), value("digit", INT64, ["batch"])], initializers, 17,
               "Handwritten digits, 8 x 8 pixels of 0 to 16")
    save_tensor("digits_test/input_0.pb", "image", test_images)
    save_tensor("digits_test/labels.pb", "digit", test_labels)


main()
