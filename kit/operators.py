"""The operators of the kit: element types of each version, and their results by NumPy.

Types of versions up to opset 17 are read from the schemas of the Python package onnx; later ones stand here, from the
text of the specification.
"""
import functools

import numpy as np
from onnx import defs

from elements import NUMBERS, SIGNED, UNSIGNED, decode, encode

INTEGERS = SIGNED + UNSIGNED
LATER = {  # versions above opset 17: {parameter: types}
    ("Equal", 19): {"T": ("bool", "float", "double", "float16", "bfloat16", "string") + INTEGERS},
    ("BitwiseAnd", 18): {"T": INTEGERS}, ("BitwiseOr", 18): {"T": INTEGERS}, ("BitwiseXor", 18): {"T": INTEGERS},
    ("StringConcat", 20): {"T": ("string",)},
    ("RMSNormalization", 23): {"T": ("float", "double", "float16", "bfloat16")},
}


def versions(name):
    """Opsets that changed the operator."""
    known = {s.since_version for s in defs.get_all_schemas_with_history() if s.name == name and s.domain == ""}
    return sorted(known | {version for other, version in LATER if other == name})


def types(name, version, parameter="T"):
    if (name, version) in LATER:
        return list(LATER[name, version][parameter])
    for constraint in defs.get_schema(name, version, "").type_constraints:
        if constraint.type_param_str == parameter:
            inside = (text[len("tensor("):-1] for text in constraint.allowed_type_strs if text.startswith("tensor("))
            return sorted(set(inside) & set(NUMBERS))
    raise KeyError((name, version, parameter))


def ir_version(opset):
    """The version of the file format that came with the opset, roughly: runtimes compare both."""
    for least, version in ((23, 11), (21, 10), (19, 9), (15, 8), (12, 7), (11, 6), (10, 5), (9, 4)):
        if opset >= least:
            return version
    return 3


# ---- Results: f(type of the operands, arrays, attributes) -> values, which the caller rounds to the type ------------

def _divide(name, a, b, _):
    if name in INTEGERS:  # towards zero, as integers divide
        wide = np.abs(a.astype(object)) // np.abs(b.astype(object))
        return np.where((a < 0) != (b < 0), -wide, wide)
    return a / b


def _mod(name, a, b, attributes):
    return np.fmod(a, b) if attributes.get("fmod") else np.mod(a, b)


def _shift(name, a, b, attributes):
    return np.left_shift(a, b) if attributes["direction"] == "LEFT" else np.right_shift(a, b)


def _power(name, a, b, _):
    return np.power(a.astype(np.float64), b.astype(np.float64))


def _concat(name, a, b, _):
    a, b = np.broadcast_arrays(a, b)
    result = np.empty(a.shape, object)
    result.reshape(-1)[:] = [x + y for x, y in zip(a.reshape(-1), b.reshape(-1))]
    return result


def _equal(name, a, b, _):
    return np.asarray(np.equal(a, b), bool)


BINARY = {
    # name: (function, result type or None for the operands', role of the left, role of the right)
    "Add": (lambda t, a, b, _: a + b, None, "left", "right"),
    "Sub": (lambda t, a, b, _: a - b, None, "left", "right"),
    "Mul": (lambda t, a, b, _: a * b, None, "left", "right"),
    "Div": (_divide, None, "left", "divisor"),
    "Pow": (_power, None, "base", "exponent"),
    "Mod": (_mod, None, "left", "divisor"),
    "And": (lambda t, a, b, _: a & b, "bool", "left", "left"),
    "Or": (lambda t, a, b, _: a | b, "bool", "left", "left"),
    "Xor": (lambda t, a, b, _: a ^ b, "bool", "left", "left"),
    "Equal": (_equal, "bool", "few", "few"),
    "Less": (lambda t, a, b, _: a < b, "bool", "few", "few"),
    "Greater": (lambda t, a, b, _: a > b, "bool", "few", "few"),
    "LessOrEqual": (lambda t, a, b, _: a <= b, "bool", "few", "few"),
    "GreaterOrEqual": (lambda t, a, b, _: a >= b, "bool", "few", "few"),
    "BitShift": (_shift, None, "left", "shift"),
    "BitwiseAnd": (lambda t, a, b, _: a & b, None, "left", "right"),
    "BitwiseOr": (lambda t, a, b, _: a | b, None, "left", "right"),
    "BitwiseXor": (lambda t, a, b, _: a ^ b, None, "left", "right"),
    "StringConcat": (_concat, None, "left", "left"),
}
VARIADIC = {
    "Max": lambda arrays: functools.reduce(np.maximum, arrays),
    "Min": lambda arrays: functools.reduce(np.minimum, arrays),
    "Sum": lambda arrays: functools.reduce(np.add, arrays),
    "Mean": lambda arrays: functools.reduce(np.add, [a.astype(np.float64) for a in arrays]) / len(arrays),
}


def binary(name, of_type, left, right, attributes=None, right_type=None):
    """(type, array) of a binary operator."""
    function, result, _, _ = BINARY[name]
    result = result or of_type
    with np.errstate(all="ignore"):
        values = function(of_type, decode(of_type, left), decode(right_type or of_type, right), attributes or {})
    return result, encode(result, values)


def variadic(name, of_type, arrays):
    return of_type, encode(of_type, VARIADIC[name]([decode(of_type, array) for array in arrays]))


def where(of_type, condition, left, right):
    return of_type, np.where(condition, left, right).astype(left.dtype)


def prelu(of_type, x, slope):
    x_values, slope_values = decode(of_type, x), decode(of_type, slope)
    return of_type, encode(of_type, np.where(x_values < 0, x_values * slope_values, x_values))


def _wide(of_type, array):
    return decode(of_type, array).astype(np.float64 if of_type in ("float", "double", "float16", "bfloat16") else np.int64)


def gemm(of_type, a, b, c, attributes):
    a, b = _wide(of_type, a), _wide(of_type, b)
    product = (a.T if attributes.get("transA") else a) @ (b.T if attributes.get("transB") else b)
    result = attributes.get("alpha", 1) * product
    if c is not None:
        result = result + attributes.get("beta", 1) * _wide(of_type, c)
    return of_type, encode(of_type, result)


def matmul(of_type, a, b):
    return of_type, encode(of_type, np.matmul(_wide(of_type, a), _wide(of_type, b)))


def normalize(of_type, x, scale, bias, axis, epsilon, centre):
    """LayerNormalization (centre) or RMSNormalization."""
    values = _wide(of_type, x)
    axes = tuple(range(axis % x.ndim, x.ndim))
    if x.size == 0:
        return of_type, encode(of_type, np.zeros(x.shape))
    if centre:
        values = values - values.mean(axis=axes, keepdims=True)
    result = values / np.sqrt((values * values).mean(axis=axes, keepdims=True) + epsilon) * _wide(of_type, scale)
    if bias is not None:
        result = result + _wide(of_type, bias)
    return of_type, encode(of_type, result)


def clip(of_type, x, least, most):
    values = decode(of_type, x)
    if least is not None:
        values = np.maximum(values, decode(of_type, least))
    if most is not None:
        values = np.minimum(values, decode(of_type, most))
    return of_type, encode(of_type, values)


def tolerance(name, of_type):
    """(relative, absolute); 0, 0 compares bits. Elements are chosen so that most results are exact in every type."""
    if name in ("Mean", "LayerNormalization", "RMSNormalization"):
        return {"float16": (2e-3, 1e-3), "bfloat16": (2e-2, 1e-2), "double": (1e-6, 1e-6)}.get(of_type, (1e-5, 1e-5))
    if name == "Pow":
        return {"float16": (1e-3, 0), "bfloat16": (1e-2, 0)}.get(of_type, (1e-6, 0))
    if name == "Div" and of_type in ("float", "double"):
        return (1e-6, 0)
    if name in ("Gemm", "MatMul", "Einsum"):  # sums of exact products; only the sign of a sum of zeros is open
        return (0, 1e-12)
    return (0, 0)
