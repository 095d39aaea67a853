"""Element types of ONNX as NumPy arrays, and tensors as files.

A tensor is a pair: the name of its ONNX type, and an array. bfloat16, which NumPy does not have, is kept as its 16 bits;
strings are an array of bytes objects.
"""
import numpy as np
from onnx import TensorProto

NUMBERS = {
    "float": (TensorProto.FLOAT, np.float32), "double": (TensorProto.DOUBLE, np.float64),
    "float16": (TensorProto.FLOAT16, np.float16), "bfloat16": (TensorProto.BFLOAT16, np.uint16),
    "int8": (TensorProto.INT8, np.int8), "int16": (TensorProto.INT16, np.int16),
    "int32": (TensorProto.INT32, np.int32), "int64": (TensorProto.INT64, np.int64),
    "uint8": (TensorProto.UINT8, np.uint8), "uint16": (TensorProto.UINT16, np.uint16),
    "uint32": (TensorProto.UINT32, np.uint32), "uint64": (TensorProto.UINT64, np.uint64),
    "bool": (TensorProto.BOOL, np.bool_), "string": (TensorProto.STRING, object),
    "complex64": (TensorProto.COMPLEX64, np.complex64), "complex128": (TensorProto.COMPLEX128, np.complex128),
}
BY_NUMBER = {number: name for name, (number, _) in NUMBERS.items()}
FLOATS = ("float", "double", "float16", "bfloat16")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")


def onnx_type(name):
    return NUMBERS[name][0]


def storage(name):
    """The NumPy type in which elements of the type are kept."""
    return np.dtype(NUMBERS[name][1])


def to_bfloat16(values):
    """Bits of the nearest bfloat16, halfway cases to even."""
    bits = np.ascontiguousarray(values, np.float32).reshape(-1).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    quiet = ((bits >> 16) | 0x40).astype(np.uint16)  # rounding could turn a NaN into infinity
    return np.where(np.isnan(values).reshape(-1), quiet, rounded).reshape(np.shape(values)).astype(np.uint16)


def decode(name, array):
    """Values to compute with: bfloat16 becomes float32, everything else stays."""
    if name != "bfloat16":
        return array
    return (array.reshape(-1).astype(np.uint32) << 16).view(np.float32).reshape(array.shape)


def encode(name, values):
    """The inverse of decode, with rounding to the type."""
    if name == "bfloat16":
        return to_bfloat16(np.asarray(values, np.float32))
    if name == "string":
        return np.asarray(values, object)
    with np.errstate(over="ignore"):
        return np.asarray(values).astype(storage(name))


def little_endian(array):
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def proto(name, array, label=""):
    tensor = TensorProto()
    tensor.data_type = onnx_type(name)
    tensor.dims.extend(array.shape)
    tensor.name = label
    if name == "string":
        tensor.string_data.extend(array.reshape(-1).tolist())
    else:
        tensor.raw_data = little_endian(array)
    return tensor


def _typed(tensor, name):
    """Elements that stand in the typed fields of a TensorProto."""
    kept = storage(name)
    if name in ("complex64", "complex128"):
        parts = tensor.float_data if name == "complex64" else tensor.double_data
        return np.array(parts, kept.char.lower()).view(kept)
    if name in ("float", "double"):
        return np.array(tensor.float_data if name == "float" else tensor.double_data, kept)
    if name == "int64":
        return np.array(tensor.int64_data, kept)
    if name in ("uint32", "uint64"):
        return np.array(tensor.uint64_data, kept)
    if name in ("float16", "bfloat16"):
        return np.array(tensor.int32_data, np.uint16).view(kept)
    return np.array(tensor.int32_data, kept)


def from_proto(tensor):
    """(type, array) of a TensorProto; ValueError for types and sizes that cannot be."""
    if tensor.data_type not in BY_NUMBER:
        raise ValueError(f"element type {tensor.data_type}")
    name = BY_NUMBER[tensor.data_type]
    if name == "string":
        array = np.empty(len(tensor.string_data), object)
        array[:] = list(tensor.string_data)
    elif tensor.HasField("raw_data"):
        array = np.frombuffer(tensor.raw_data, storage(name).newbyteorder("<")).astype(storage(name))
    else:
        array = _typed(tensor, name)
    return name, array.reshape(tuple(tensor.dims))


def read(path):
    tensor = TensorProto()
    with open(path, "rb") as file:
        tensor.ParseFromString(file.read())
    return from_proto(tensor)


# ---- Elements for tests: small, so that results are exact in every type -----------------------------------------------

def pick(random, choices):
    return choices[int(random.random() * len(choices))]


ROLES = {
    # role: (of floats, of signed integers, of unsigned integers)
    "left": ([-7, -3.5, -2, -0.5, 0, 0.25, 1, 1.5, 3, 6], list(range(-7, 8)), list(range(8, 16))),
    "right": ([-2, -0.75, -0.5, 0.5, 1, 1.25, 2, 5], [-5, -3, -2, -1, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5]),
    "divisor": ([-4, -2, -0.5, 0.25, 0.5, 1, 2, 8], [-5, -3, -2, -1, 1, 2, 3, 4], [1, 2, 3, 4, 5]),
    "few": ([-1, 0, 0.5, 1], [-1, 0, 1, 2], [0, 1, 2]),
    "base": ([0.5, 1, 1.5, 2, 3], [-3, -2, -1, 0, 1, 2, 3], [0, 1, 2, 3]),
    "exponent": ([0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]),
    "shift": ([0], [0], [0, 1, 2, 3, 7]),
    "moved": ([-0.0, 0.0, float("inf"), float("-inf"), float("nan"), 1.5, -2, 3], list(range(-120, 121, 7)),
              list(range(0, 250, 7))),
}
STRINGS = [b"", b"a", b"b", b"ab", "\u00e4\u00f6".encode(), b"a longer text, of more than one word"]


def make(random, name, shape, role="left"):
    """An array of the type; the role says for which place of an operator its elements are right."""
    count = int(np.prod(shape, dtype=np.int64))
    of_floats, of_signed, of_unsigned = ROLES[role]
    if name == "string":
        array = np.empty(count, object)
        array[:] = [pick(random, STRINGS) for _ in range(count)]
        return array.reshape(shape)
    if name == "bool":
        values = [random.random() < 0.5 for _ in range(count)]
    elif name in FLOATS:
        values = [pick(random, of_floats) for _ in range(count)]
    elif name in ("complex64", "complex128"):
        values = [complex(pick(random, of_floats[-3:]), pick(random, of_floats[-3:])) for _ in range(count)]
    else:
        values = [pick(random, of_signed if name in SIGNED else of_unsigned) for _ in range(count)]
    return encode(name, np.array(values, np.float64 if name in FLOATS else None).reshape(shape))
