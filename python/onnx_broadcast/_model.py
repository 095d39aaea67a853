"""Models: reading, rewriting, fixing, writing."""
from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Optional, Union

from . import _native
from ._calls import Watch, collect, own
from ._errors import c_text, check as check_status, new_error, text
from ._options import CheckOptions

ffi, lib = _native.ffi, _native.lib

#: What stands for a model: the path of a file, its bytes, a ModelProto of the package onnx, or a Model.
ModelLike = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, "Model", Any]

_FORMATS = {None: "AUTO", "protobuf": "PROTOBUF", "aligned": "PROTOBUF_ALIGNED", "text": "TEXT", "textproto": "PROTOBUF_TEXT",
            "json": "JSON"}


def _format(name: Optional[str]) -> int:
    if name not in _FORMATS:
        raise ValueError(f"format {name!r} is not one of {', '.join(str(known) for known in _FORMATS if known)}")
    return int(getattr(lib, "OB_FORMAT_" + _FORMATS[name]))


class Model:
    """A model that the library read.

    >>> Model("models/slope.onnx").node_count
    2

    - model: a path, the bytes of a file in any of ONNX's formats, an open binary file, or a ModelProto, which is serialized
      at once: later changes of it do not matter.
    - operators: paths of libraries with operators (docs/operators-of-your-own.md). They run code.
    - limits: fields of ob_load_limits, for instance {"max_bytes": 10**9}.
    """

    def __init__(self, model: ModelLike, *, name: Optional[str] = None, operators: Iterable[Union[str, "os.PathLike[str]"]] = (),
                 limits: Optional[Mapping[str, int]] = None) -> None:
        self._lock = threading.RLock()
        self._keep: list[Any] = []
        self._operators: Any = None
        options, out, error = ffi.new("ob_load_options *"), ffi.new("ob_model **"), new_error()
        lib.ob_load_options_init(options)
        for key, value in (limits or {}).items():
            setattr(options.limits, key, value)
        if isinstance(model, Model):
            model = model.to_bytes()
        if isinstance(model, (str, os.PathLike)):
            self.name = os.fspath(model)
            path = os.fsencode(model)
            if b"\0" in path:
                raise ValueError(f"the path {self.name!r} contains a NUL byte")
            check_status(lib.ob_model_load(path, options, out, error), error)
        else:
            data = _bytes_of(model)
            self.name = "<memory>" if name is None else name
            borrowed = ffi.from_buffer(data)
            self._keep += [data, borrowed]
            status = lib.ob_model_load_memory(borrowed, len(data), c_text(self.name), options, out, error)
            check_status(status, error)
        self._c = own(self, lib.ob_model_close, "ob_model", out[0], self._keep)
        self._load_operators([os.fsencode(path) for path in operators])

    def _load_operators(self, paths: list[bytes]) -> None:
        if not paths:
            return
        out, error = ffi.new("ob_operators **"), new_error()
        check_status(lib.ob_operators_create(ffi.NULL, out))
        self._operators = ffi.gc(out[0], lambda c: lib.ob_operators_close(ffi.new("ob_operators **", c)))
        self._keep.append(self._operators)
        for path in paths:
            check_status(lib.ob_operators_load(self._operators, path, error), error)
        check_status(lib.ob_model_set_operators(self._c, self._operators))

    @property
    def node_count(self) -> int:
        """Nodes of all graphs, subgraphs and functions."""
        return int(lib.ob_model_node_count(self._c))

    @property
    def ir_version(self) -> int:
        return int(lib.ob_model_ir_version(self._c))

    @property
    def opsets(self) -> dict[str, int]:
        """Imported versions by domain; "" is ai.onnx."""
        imports = (lib.ob_model_opset_at(self._c, index) for index in range(lib.ob_model_opset_count(self._c)))
        return {text(item.domain): int(item.version) for item in imports}

    def metadata(self, key: str) -> Optional[str]:
        """The first value of the model's metadata for this key."""
        value = lib.ob_model_metadata(self._c, c_text(key))
        return text(value) if value else None

    def to_bytes(self, format: Optional[str] = None) -> bytes:
        """The model as a file. format: "protobuf" (default), "aligned", "text", "textproto" or "json"."""
        with self._lock:
            return collect(lib.ob_model_write, self._c, _format(format))

    def save(self, path: Union[str, "os.PathLike[str]"], format: Optional[str] = None) -> None:
        """Writes the model to a file, which is replaced as a whole or not at all. Without a format the ending decides."""
        error = new_error()
        with self._lock:
            check_status(lib.ob_model_save(self._c, os.fsencode(path), _format(format), error), error)

    def to_proto(self) -> Any:
        """The model as a ModelProto. Needs the package onnx."""
        import onnx  # type: ignore[import]  # the only use: not a dependency

        return onnx.load_model_from_string(self.to_bytes())

    def clone(self) -> "Model":
        """An independent copy. It borrows the weights and keeps this model alive."""
        other = object.__new__(Model)
        out, error = ffi.new("ob_model **"), new_error()
        with self._lock:
            check_status(lib.ob_model_clone(self._c, out, error), error)
        other._lock, other._keep, other._operators, other.name = threading.RLock(), [self], self._operators, self.name
        other._c = own(other, lib.ob_model_close, "ob_model", out[0], other._keep)
        return other

    def __repr__(self) -> str:
        return f"<onnx_broadcast.Model {self.name!r}: {self.node_count} nodes>"


def _bytes_of(model: Any) -> bytes:
    if isinstance(model, bytes):
        return model
    if isinstance(model, (bytearray, memoryview)):
        return bytes(model)  # a copy: the library borrows, and these can change
    if hasattr(model, "SerializeToString"):
        return bytes(model.SerializeToString())
    if hasattr(model, "read"):
        data = model.read()
        if isinstance(data, bytes):
            return data
    raise TypeError(f"{type(model).__name__} is not a model: a path, bytes, a binary file, a ModelProto or a Model")


def as_model(model: ModelLike) -> Model:
    return model if isinstance(model, Model) else Model(model)


@dataclass(frozen=True)
class Rewritten:
    """The result of rewrite(): the new model and the counts of ob_rewrite_stats."""

    model: Model
    inserted: int
    removed: int
    lowered: int
    left: int
    functions: int
    weights: int
    exchanged: int
    #: (node, operator, reason) of each node that stays as it is
    notes: tuple[tuple[str, str, str], ...]


class _Notes:
    def __init__(self) -> None:
        self.notes: list[tuple[str, str, str]] = []
        self.failure: Optional[BaseException] = None


def rewrite(model: ModelLike, form: Optional[str] = None, *, target: Optional[str] = None) -> Rewritten:
    """Writes every broadcast of the model explicitly, or implicitly again. The given model does not change.

    - form: "function" (default), "broadcast", "expand", "implicit" or "fused", as --emit of the command.
    - target: in its place a deployment target, "tosa-8k" ...: the weakest form that the target accepts.

    Raises OBError: E_SHAPE, E_TYPE, E_MODEL for a model that is not sound; E_UNSUPPORTED; E_NOT_FOUND (no such target).

    >>> rewrite("models/digits.onnx", "broadcast").inserted
    5
    """
    if form is not None and target is not None:
        raise ValueError("give form or target, not both")
    number = lib.ob_form_from_name(c_text(form or "function"))
    if number == lib.OB_FORM_COUNT:
        raise ValueError(f"there is no form {form!r}: function, broadcast, expand, implicit or fused")
    new = as_model(model).clone()
    notes = _Notes()
    handle = ffi.new_handle(notes)
    stats, error = ffi.new("ob_rewrite_stats *"), new_error()
    options = ffi.new("ob_rewrite_options *", {"note": lib.ob_python_note, "context": handle})
    if target is not None:
        status = lib.ob_rewrite_for_target(new._c, c_text(target), options, stats, error)
    else:
        status = lib.ob_rewrite(new._c, number, options, stats, error)
    check_status(status, error)
    if notes.failure is not None:
        raise notes.failure
    return Rewritten(new, stats.n_inserted, stats.n_removed, stats.n_lowered, stats.n_left, stats.n_functions, stats.n_weights,
                     stats.n_exchanged, tuple(notes.notes))


@dataclass(frozen=True)
class Fix:
    """One fix of a finding, made or not."""

    id: str
    node: str
    op_type: str
    path: str
    kind: str
    text: str
    #: "applied", "refused" or "unsafe"
    outcome: str
    reason: str
    before: str
    after: str


@dataclass(frozen=True)
class Fixed:
    """The result of fix(): the new model and what became of each fix."""

    model: Model
    fixes: tuple[Fix, ...]

    @property
    def applied(self) -> tuple[Fix, ...]:
        return tuple(fix for fix in self.fixes if fix.outcome == "applied")


def fix(model: ModelLike, *, all: bool = False, ids: Iterable[str] = (), max_checks: int = 0, **options: Any) -> Fixed:
    """Makes the fixes that the findings propose. The given model does not change.

    - all: also fixes that are not safe; ids: only findings with these ids, safe or not ("OB0401", "OB04").
    - options: those of check() without sizes, shapes and assumptions.

    >>> [made.id for made in fix("models/slope.onnx").applied]
    ['OB0102']
    """
    new = as_model(model).clone()
    watch = Watch()
    checked = CheckOptions(watch, **options)
    names = [ffi.new("char[]", c_text(name)) for name in ids]
    wanted = ffi.new("ob_fix_options *", {"all": all, "check": checked.c, "max_checks": max_checks, "n_ids": len(names)})
    array = ffi.new("char *[]", names) if names else ffi.NULL
    wanted.ids = array
    out, error = ffi.new("ob_fixes **"), new_error()
    with watch.during():
        check_status(lib.ob_fix_model(new._c, wanted, out, error), error)
    fixes = ffi.gc(out[0], lambda c: lib.ob_fixes_close(ffi.new("ob_fixes **", c)))
    outcomes = {lib.OB_FIX_APPLIED: "applied", lib.OB_FIX_REFUSED: "refused", lib.OB_FIX_UNSAFE: "unsafe"}
    found = []
    for index in range(lib.ob_fixes_count(fixes)):
        c = lib.ob_fixes_at(fixes, index)
        found.append(Fix(text(c.id), text(c.node), text(c.op_type), text(c.path), text(c.kind), text(c.text),
                         outcomes[c.outcome], text(c.reason), text(c.before), text(c.after)))
    return Fixed(new, tuple(found))
