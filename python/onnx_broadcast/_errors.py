"""Errors of the library as exceptions."""
from __future__ import annotations

from typing import Any, NoReturn, Optional

from . import _native

ffi, lib = _native.ffi, _native.lib

#: Names of the codes, by number: "E_SHAPE" ...
CODES: dict[int, str] = {getattr(lib, name): name[3:] for name in dir(lib) if name.startswith("OB_E_")}


class OBError(RuntimeError):
    """A call of the library failed. The message has the words of the C library.

    - code: "E_SHAPE", "E_IO" ... as in the C reference
    - message: the sentence, without node and operator
    - node, op_type: path and name of the node, its operator; "" when the error is not about a node
    - value: name of the value, or ""
    - axis: axis of the result, or None
    """

    def __init__(self, code: str, message: str, node: str = "", op_type: str = "", value: str = "",
                 axis: Optional[int] = None) -> None:
        self.code = code
        self.message = message
        self.node = node
        self.op_type = op_type
        self.value = value
        self.axis = axis
        super().__init__(code, message, node, op_type, value, axis)

    def __str__(self) -> str:
        if self.node and self.op_type:
            return f'node "{self.node}" ({self.op_type}): {self.message}'
        return f"unnamed {self.op_type} node: {self.message}" if self.op_type else self.message


class CancelledError(OBError):
    """A call was cancelled, by Session.cancel() or RunOptions.terminate."""


def text(c_string: Any) -> str:
    """A C string as str. Bytes that are not UTF-8 become surrogates, as in the names of files."""
    return str(ffi.string(c_string), "utf-8", "surrogateescape") if c_string else ""


def c_text(name: str, what: str = "name") -> bytes:
    """A str for C."""
    encoded = name.encode("utf-8", "surrogateescape")
    if b"\0" in encoded:
        raise ValueError(f"the {what} {name!r} contains a NUL byte")
    return encoded


def new_error() -> Any:
    error = ffi.new("ob_error *")
    lib.ob_error_clear(error)
    return error


def raise_error(status: int, error: Any = None) -> NoReturn:
    """Raises the error of a call that returned `status`."""
    code = CODES.get(status, "E_INTERNAL")
    kind = CancelledError if code == "E_CANCELLED" else OBError
    if error is None or error.code == 0:
        raise kind(code, text(lib.ob_status_text(status)))
    message = text(error.message) or text(lib.ob_status_text(status))
    raise kind(code, message, text(error.node), text(error.op_type), text(error.value), error.axis if error.axis >= 0 else None)


def check(status: int, error: Any = None) -> None:
    """Raises when a call failed."""
    if status != 0:
        raise_error(status, error)
