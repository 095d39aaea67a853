"""Arrays: NumPy arrays and DLPack tensors as views of the library, and back, without copies where that is possible."""
from __future__ import annotations

import ctypes
import sys
from typing import Any, Optional

import numpy as np

from . import _native
from ._calls import keep
from ._errors import OBError, check as check_status

ffi, lib = _native.ffi, _native.lib

if sys.byteorder != "little":
    raise ImportError("onnx_broadcast: this package needs a little-endian machine")

STRING = lib.OB_STRING
_SAME = {"FLOAT": "float32", "UINT8": "uint8", "INT8": "int8", "UINT16": "uint16", "INT16": "int16", "INT32": "int32",
         "INT64": "int64", "BOOL": "bool", "FLOAT16": "float16", "DOUBLE": "float64", "UINT32": "uint32", "UINT64": "uint64",
         "COMPLEX64": "complex64", "COMPLEX128": "complex128"}
# Types that NumPy does not have: name in ml_dtypes, and the type that carries their bits without it.
_NARROW = {"BFLOAT16": ("bfloat16", "uint16"), "FLOAT8E4M3FN": ("float8_e4m3fn", "uint8"),
           "FLOAT8E4M3FNUZ": ("float8_e4m3fnuz", "uint8"), "FLOAT8E5M2": ("float8_e5m2", "uint8"),
           "FLOAT8E5M2FNUZ": ("float8_e5m2fnuz", "uint8"), "UINT4": ("uint4", "uint8"), "INT4": ("int4", "int8"),
           "FLOAT4E2M1": ("float4_e2m1fn", "uint8"), "FLOAT8E8M0": ("float8_e8m0fnu", "uint8"), "UINT2": ("uint2", "uint8"),
           "INT2": ("int2", "int8")}
# DLPack's type codes: bool 6, bfloat16 4, complex 5, float 2, uint 1, int 0, and those of float8 and float4.
_DLPACK = {"FLOAT": (2, 32), "UINT8": (1, 8), "INT8": (0, 8), "UINT16": (1, 16), "INT16": (0, 16), "INT32": (0, 32),
           "INT64": (0, 64), "BOOL": (6, 8), "FLOAT16": (2, 16), "DOUBLE": (2, 64), "UINT32": (1, 32), "UINT64": (1, 64),
           "COMPLEX64": (5, 64), "COMPLEX128": (5, 128), "BFLOAT16": (4, 16), "FLOAT8E4M3FN": (10, 8), "FLOAT8E4M3FNUZ": (11, 8),
           "FLOAT8E5M2": (12, 8), "FLOAT8E5M2FNUZ": (13, 8), "FLOAT8E8M0": (14, 8)}


def _number(name: str) -> int:
    return int(getattr(lib, "OB_" + name))


def _ml_dtypes() -> Any:
    try:
        import ml_dtypes  # type: ignore[import]
    except ImportError:
        return None
    return ml_dtypes


def _tables() -> tuple[dict[int, Any], dict[int, Any], dict[Any, int]]:
    dtypes: dict[int, Any] = {_number(name): np.dtype(numpy) for name, numpy in _SAME.items()}
    carriers: dict[int, Any] = dict(dtypes)
    module = _ml_dtypes()
    for name, (own, carrier) in _NARROW.items():
        carriers[_number(name)] = np.dtype(carrier)
        dtypes[_number(name)] = np.dtype(getattr(module, own)) if hasattr(module, own) else np.dtype(carrier)
    numbers = {dtype: number for number, dtype in dtypes.items() if number in {_number(name) for name in _SAME}}
    numbers.update({dtype: number for number, dtype in dtypes.items() if dtype not in numbers})
    return dtypes, carriers, numbers


#: NumPy's type of each element type of ONNX; that which carries its bits; and the number of each type of NumPy.
DTYPES, CARRIERS, NUMBERS = _tables()
_DLPACK_NUMBERS = {code: _number(name) for name, code in _DLPACK.items()}
_DLPACK_CODES = {number: code for code, number in _DLPACK_NUMBERS.items()}


def dtype_name(number: int) -> str:
    return str(ffi.string(lib.ob_dtype_name(number)).decode())


class Input:
    """A view of an array for the library. Keeps alive what the view borrows."""

    def __init__(self, value: Any, declared: int, name: str, view: Any) -> None:
        self.view = view
        self.owner: Any = None
        if hasattr(value, "__dlpack__") and not isinstance(value, (np.ndarray, np.generic)):
            self.owner = Tensor.from_dlpack(value)
            value = self.owner
        if isinstance(value, Tensor):
            self.owner = value
            self._fill(value.array, value.dtype)
            return
        array = np.asarray(value)
        if declared == STRING or array.dtype.kind in "US" or (array.dtype.kind == "O" and declared == lib.OB_NONE):
            self._strings(array, name)
            return
        number = NUMBERS.get(array.dtype.newbyteorder("="), lib.OB_NONE)
        if declared in CARRIERS and number != declared:
            # Lists and numbers take the declared type. A type that NumPy does not have comes as the type that carries its bits.
            if not hasattr(value, "dtype"):
                array, number = self._converted(array, declared, name), declared
            elif array.dtype == CARRIERS[declared] and dtype_name(declared).upper() in _NARROW:
                number = declared
        if number == lib.OB_NONE:
            raise OBError("E_TYPE", f"input '{name}': ONNX has no element type for NumPy's {array.dtype}", value=name)
        self._fill(array, number)

    @staticmethod
    def _converted(array: Any, declared: int, name: str) -> Any:
        try:
            return np.asarray(array, DTYPES[declared])
        except (TypeError, ValueError) as problem:
            raise OBError("E_TYPE", f"input '{name}' is {dtype_name(declared)}: {problem}", value=name) from None

    def _fill(self, array: Any, number: int) -> None:
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))  # swapped: a copy
        if not array.flags.aligned:
            array = array.copy()
        if array.ndim > lib.OB_MAX_RANK:
            raise OBError("E_LIMIT", f"an array of rank {array.ndim}; at most {lib.OB_MAX_RANK}")
        self.owner = (self.owner, array)
        view = self.view
        view.data = ffi.cast("void *", array.__array_interface__["data"][0])
        view.dtype, view.rank = number, array.ndim
        for axis in range(array.ndim):
            view.dims[axis] = array.shape[axis]
            view.strides[axis] = array.strides[axis]

    def _strings(self, array: Any, name: str) -> None:
        encoded = []
        for item in array.reshape(-1).tolist():
            if isinstance(item, str):
                item = item.encode("utf-8", "surrogateescape")
            elif not isinstance(item, bytes):
                raise OBError("E_TYPE", f"input '{name}' takes strings, not {type(item).__name__}", value=name)
            encoded.append(item)
        joined = b"".join(encoded)
        data, items = ffi.new("char[]", joined), ffi.new("ob_string[]", max(1, len(encoded)))
        at = 0
        for index, item in enumerate(encoded):
            items[index].data, items[index].n = data + at, len(item)
            at += len(item)
        self.owner = (data, items)
        check_status(lib.ob_view_init(self.view, items, STRING, array.ndim, list(array.shape)))


def copied(view: Any) -> Any:
    """The contiguous view as an array of its own."""
    shape = tuple(view.dims[axis] for axis in range(view.rank))
    count = int(lib.ob_view_count(view))
    if view.dtype == STRING:
        items = ffi.cast("ob_string *", view.data)
        out = np.empty(count, dtype=object)
        for index in range(count):
            item = items[index]
            out[index] = bytes(ffi.buffer(item.data, item.n)).decode("utf-8", "surrogateescape") if item.n else ""
        return out.reshape(shape)
    array = np.empty(shape, CARRIERS[view.dtype])
    n_bytes = array.nbytes
    if n_bytes:
        ctypes.memmove(array.ctypes.data, int(ffi.cast("uintptr_t", view.data)), n_bytes)
    return array.view(DTYPES[view.dtype]) if DTYPES[view.dtype] != array.dtype else array


# ---- DLPack ----

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_capsule_valid = ctypes.pythonapi.PyCapsule_IsValid
_capsule_valid.restype, _capsule_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
_rename_capsule = ctypes.pythonapi.PyCapsule_SetName
_rename_capsule.restype, _rename_capsule.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]

# Capsules borrow their names.
_NAME, _VERSIONED_NAME = b"dltensor", b"dltensor_versioned"
_USED_NAME, _USED_VERSIONED_NAME = b"used_dltensor", b"used_dltensor_versioned"
_READ_ONLY, _COPIED = 1, 2
_CPU = (1, 0)


class _Consumed:
    """Memory of another library's tensor, as NumPy's array interface describes memory. Gives it back with the last array."""

    def __init__(self, managed: Any, versioned: bool, tensor: Any, carrier: Any, read_only: bool) -> None:
        self._managed = ffi.gc(managed, lambda c: lib.ob_python_consumed(versioned, c))
        shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
        strides = None
        if tensor.strides:
            strides = tuple(tensor.strides[axis] * carrier.itemsize for axis in range(tensor.ndim))
        address = int(ffi.cast("uintptr_t", tensor.data)) + tensor.byte_offset
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": carrier.str, "strides": strides,
                                    "data": (address, read_only)}


class Tensor:
    """An array with an element type of ONNX, also one that NumPy does not have, which speaks DLPack in both directions.

    >>> Tensor(np.arange(3, dtype=np.float32)).shape
    (3,)

    - array: the memory, shared. For a type that NumPy does not have, the array carries its bits (bfloat16: uint16).
    - dtype: name of the element type, "bfloat16"; that of the array without one.
    """

    def __init__(self, array: Any, dtype: Optional[str] = None) -> None:
        self.array = np.asarray(array)
        if dtype is None:
            self.dtype = NUMBERS.get(self.array.dtype.newbyteorder("="), lib.OB_NONE)
        else:
            self.dtype = int(lib.ob_dtype_from_name(dtype.encode()))
        if self.dtype not in CARRIERS or self.array.dtype.itemsize != CARRIERS[self.dtype].itemsize:
            raise TypeError(f"{dtype or self.array.dtype} does not describe an array of {self.array.dtype}")

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        array = self.array if dtype is None else self.array.astype(dtype)
        return array.copy() if copy else array

    @classmethod
    def from_dlpack(cls, other: Any) -> "Tensor":
        """Shares the memory of a tensor of another library (an object with __dlpack__, in the processor's memory)."""
        if tuple(other.__dlpack_device__()) != _CPU:
            raise BufferError(f"the tensor is on device {tuple(other.__dlpack_device__())}, not in the processor's memory")
        try:
            capsule = other.__dlpack__(max_version=(1, 0))
        except TypeError:  # a library of before DLPack 1
            capsule = other.__dlpack__()
        versioned = bool(_capsule_valid(capsule, b"dltensor_versioned"))
        address = _capsule_pointer(capsule, _VERSIONED_NAME if versioned else _NAME)
        managed = ffi.cast("ob_python_managed_versioned *" if versioned else "ob_python_managed *", address)
        if versioned and managed.major > 1:
            raise BufferError(f"version {managed.major} of DLPack is not known")
        tensor, code = managed.tensor, managed.tensor.dtype
        number = _DLPACK_NUMBERS.get((code.code, code.bits))
        if number is None or code.lanes != 1:
            raise BufferError(f"no element type has DLPack's code {code.code} with {code.bits} bits and {code.lanes} lanes")
        if not 0 <= tensor.ndim <= lib.OB_MAX_RANK:
            raise BufferError(f"a tensor of rank {tensor.ndim}")
        _rename_capsule(capsule, _USED_VERSIONED_NAME if versioned else _USED_NAME)
        memory = _Consumed(managed, versioned, tensor, CARRIERS[number], versioned and bool(managed.flags & _READ_ONLY))
        return cls(np.asarray(memory), dtype_name(number))

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU

    def __dlpack__(self, *, stream: Any = None, max_version: Optional[tuple[int, int]] = None,
                   dl_device: Optional[tuple[int, int]] = None, copy: Optional[bool] = None) -> Any:
        """A capsule with the memory of this tensor: of DLPack 1 when max_version allows it."""
        if stream is not None or dl_device not in (None, _CPU):
            raise BufferError("the tensor is in the processor's memory")
        if self.dtype not in _DLPACK_CODES:
            raise BufferError(f"DLPack has no type for {dtype_name(self.dtype)}")
        versioned = max_version is not None and max_version[0] >= 1
        array = self.array.copy() if copy else self.array
        if not versioned and not array.flags.writeable:
            raise BufferError("the array is read-only, which DLPack before version 1 cannot say")
        if not array.dtype.isnative or any(stride % array.itemsize for stride in array.strides):
            raise BufferError("the elements are not in the order of bytes of this machine, or not at whole strides")
        flags = (0 if array.flags.writeable else _READ_ONLY) | (_COPIED if copy else 0)
        code = ffi.new("ob_python_dltype *", {"code": _DLPACK_CODES[self.dtype][0], "bits": _DLPACK_CODES[self.dtype][1],
                                              "lanes": 1})
        handle = keep(array)
        data = ffi.cast("void *", array.__array_interface__["data"][0])
        strides = [stride // array.itemsize for stride in array.strides]
        managed = lib.ob_python_export(versioned, flags, data, code[0], array.ndim, list(array.shape), strides, handle)
        if not managed:
            raise MemoryError
        name = _VERSIONED_NAME if versioned else _NAME
        return _new_capsule(int(ffi.cast("uintptr_t", managed)), name, int(ffi.cast("uintptr_t", lib.ob_python_destructor())))


def from_dlpack(other: Any) -> Tensor:
    """Tensor.from_dlpack()."""
    return Tensor.from_dlpack(other)
