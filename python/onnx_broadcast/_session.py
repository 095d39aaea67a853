"""Running models."""
from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from . import _native
from ._calls import Watch, own
from ._errors import OBError, c_text, check as check_status, new_error, text
from ._model import Model, ModelLike, as_model
from ._tensor import CARRIERS, DTYPES, STRING, Input, copied, dtype_name

ffi, lib = _native.ffi, _native.lib


@dataclass(frozen=True)
class Argument:
    """An input or an output of a session."""

    name: str
    #: name of the element type, "float"; None: not known, or not a tensor
    dtype: Optional[str]
    #: sizes: a number, a term over named sizes, or None; None in place of it: the rank is not known
    shape: Optional[tuple[Union[int, str, None], ...]]
    #: "[N, 3, 224, 224]"
    shape_text: str
    #: the whole type as ONNX Runtime writes it: "tensor(float)", "seq(tensor(int64))"
    type: str
    #: number of the element type, 0: none
    number: int


class Outputs(Mapping[str, Any]):
    """The results of a run: by name as a mapping, in the model's order by unpacking `tuple`.

    outputs["y"], outputs[0], outputs.tuple
    """

    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None:
        self.names = tuple(names)
        self.tuple = tuple(values)

    def __getitem__(self, key: Union[str, int]) -> Any:
        if isinstance(key, int):
            return self.tuple[key]
        for name, value in zip(self.names, self.tuple):
            if name == key:
                return value
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Outputs({dict(self)!r})"


class Session:
    """Runs a model; calling it is a run.

    >>> session = Session("models/scale_bias_nchw.onnx")
    >>> import numpy as np
    >>> session(np.ones((1, 3, 2, 2), np.float32)).tuple[0].shape
    (1, 3, 2, 2)

    - model: as for check().
    - threads: threads of a run (1).
    - optimize: fold constants, compute in place (True); results have the same bits.
    - dims: sizes of symbols, {"batch": 1}.
    - numerics: "exact" (default), or "relaxed": sums may use another order.
    - external_data, external_folder: whether and where weights may be in other files; by default in the model's folder.
    - max_memory, max_output_bytes, max_nodes, max_plans: limits; 0: the defaults of ob_session_config.
    - timeout: seconds for creating the session and for each run; None: no limit.
    - strict_declarations: a wrong declared shape is an error.

    Threads: several threads may call one session; their runs wait for each other. Runs of several sessions are simultaneous:
    the interpreter's lock is not held. Results are arrays of their own, valid after the session. Arrays that are given must not
    change during a run. Ctrl-C ends a run with KeyboardInterrupt, cancel() of another thread with CancelledError.
    """

    def __init__(self, model: ModelLike, *, threads: int = 1, optimize: bool = True, dims: Optional[Mapping[str, int]] = None,
                 numerics: str = "exact", external_data: bool = True,
                 external_folder: Union[None, str, "os.PathLike[str]"] = None, max_memory: int = 0, max_output_bytes: int = 0,
                 max_nodes: int = 0, max_plans: int = 0, timeout: Optional[float] = None, strict_declarations: bool = False,
                 constants_in_place: bool = False) -> None:
        self.model: Model = as_model(model)
        self._lock = threading.Lock()
        self._watch = Watch()
        config, error, out = ffi.new("ob_session_config *"), new_error(), ffi.new("ob_session **")
        lib.ob_session_config_init(config)
        config.n_threads, config.optimize, config.external_data = threads, optimize, external_data
        config.max_memory, config.max_output_bytes, config.max_nodes = max_memory, max_output_bytes, max_nodes
        config.max_plans, config.strict_declarations = max_plans, strict_declarations
        config.constants_in_place = constants_in_place
        if numerics not in ("exact", "relaxed"):
            raise ValueError(f"numerics {numerics!r} is neither exact nor relaxed")
        config.numerics = lib.OB_NUMERICS_RELAXED if numerics == "relaxed" else lib.OB_NUMERICS_EXACT
        if timeout is not None:
            config.max_run_ns = max(1, int(timeout * 1e9))
        folder = ffi.NULL if external_folder is None else ffi.new("char[]", os.fsencode(external_folder))
        config.external_folder = folder
        names = [ffi.new("char[]", c_text(name)) for name in dims or {}]
        sizes = ffi.new("ob_named_size[]", list(zip(names, (dims or {}).values())))
        config.dims, config.n_dims = sizes, len(names)
        config.cancelled, config.context = ffi.addressof(lib, "ob_python_cancelled"), self._watch.c
        with self._watch.during():
            check_status(lib.ob_session_create(self.model._c, config, out, error), error)
        self._c = own(self, lib.ob_session_close, "ob_session", out[0], self.model, self._watch)
        self.inputs = self._arguments(lib.ob_session_input_count, lib.ob_session_input)
        self.outputs = self._arguments(lib.ob_session_output_count, lib.ob_session_output)
        self._index = {argument.name: index for index, argument in enumerate(self.inputs)}
        self._types = self._input_types()
        self._cells = any(not argument.type.startswith("tensor") for argument in self.inputs + self.outputs)
        # For inputs of these types and shapes the last run gave results of these: their memory can be made before the next.
        self._shapes: dict[Any, list[tuple[int, tuple[int, ...]]]] = {}

    def _arguments(self, count: Callable[[Any], int], get: Callable[..., bool]) -> tuple[Argument, ...]:
        found, c, dims = [], ffi.new("ob_session_value *"), lib.ob_session_dims(self._c)
        for index in range(count(self._c)):
            get(self._c, index, c)
            shape = None
            if c.shape.rank >= 0:
                shape = tuple(_dim(dims, c.shape.dims[axis]) for axis in range(c.shape.rank))
            number = int(c.dtype)
            found.append(Argument(text(c.name), dtype_name(number) if number else None, shape, text(c.shape_text),
                                  _type_text(c.type), number))
        return tuple(found)

    def _input_types(self) -> dict[str, Any]:
        c, types = ffi.new("ob_session_value *"), {}
        for index, argument in enumerate(self.inputs):
            lib.ob_session_input(self._c, index, c)
            types[argument.name] = c.type
        return types

    def __call__(self, *arrays: Any, **named: Any) -> Outputs:
        """Runs the model. Inputs by position, or by name; run() takes names that are not identifiers."""
        feeds = dict(named)
        if len(arrays) > len(self.inputs):
            raise TypeError(f"{len(arrays)} inputs given; the model has {len(self.inputs)}")
        for argument, array in zip(self.inputs, arrays):
            if argument.name in feeds:
                raise TypeError(f"input {argument.name!r} is given twice")
            feeds[argument.name] = array
        return self.run(feeds)

    def run(self, feeds: Mapping[str, Any], outputs: Optional[Iterable[str]] = None, *,
            wanted_stop: Optional[Callable[[], bool]] = None) -> Outputs:
        """Runs the model.

        - feeds: an array for each input: NumPy arrays, whatever numpy.asarray takes, and tensors with __dlpack__. Views with any
          strides are read in place. Copied are only arrays with another order of bytes, or not aligned. A list of arrays for a
          sequence, a dict for a map, None for an optional without an element.
        - outputs: names of the results to return, all without it.
        - wanted_stop: asked every 50 ms; when it returns True the run ends with CancelledError.
        """
        unknown = [name for name in feeds if name not in self._index]
        missing = [argument.name for argument in self.inputs if argument.name not in feeds]
        if unknown or missing:
            words = [f"the model has no input {', '.join(map(repr, unknown))}"] if unknown else []
            words += [f"input {', '.join(map(repr, missing))} is missing"] if missing else []
            raise OBError("E_ARGUMENT", "; ".join(words), value=(unknown + missing)[0])
        names = [argument.name for argument in self.outputs]
        chosen = names if outputs is None else list(outputs)
        for name in chosen:
            if name not in names:
                raise OBError("E_NOT_FOUND", f"the model has no output {name!r}", value=name)
        values = self._run([feeds[argument.name] for argument in self.inputs], wanted_stop)
        return Outputs(chosen, [values[names.index(name)] for name in chosen])

    def cancel(self) -> None:
        """Ends the run of another thread."""
        self._watch.stop()

    def memory(self) -> dict[str, int]:
        """The facts of ob_session_memory about the last plan."""
        facts = ffi.new("ob_session_memory *")
        with self._lock:
            lib.ob_session_get_memory(self._c, facts)
        return {name: int(getattr(facts, name)) for name, _ in ffi.typeof("ob_session_memory").fields}

    def _run(self, values: list[Any], wanted: Optional[Callable[[], bool]]) -> list[Any]:
        n = len(values)
        views, results = ffi.new("ob_view[]", max(1, n)), ffi.new("ob_view[]", max(1, len(self.outputs)))
        given = [self._given(value, argument, views + index) for index, (value, argument) in enumerate(zip(values, self.inputs))]
        key = tuple((views[index].dtype, *views[index].dims[0:views[index].rank]) for index in range(n))
        with self._lock:
            with self._watch.during(wanted):
                if self._cells:
                    return self._run_cells(views, given, results)
                arrays = self._prepared(key, results)
                error = new_error()
                status = lib.ob_session_run(self._c, views, n, results, len(self.outputs), error)
                if arrays and status in (lib.OB_E_SHAPE, lib.OB_E_TYPE):
                    # Perhaps shapes that depend on data: the memory of the session has any.
                    self._shapes.pop(key, None)
                    arrays, results = [], ffi.new("ob_view[]", max(1, len(self.outputs)))
                    status = lib.ob_session_run(self._c, views, n, results, len(self.outputs), error)
                check_status(status, error)
            if arrays:
                return arrays
            self._remember(key, results)
            return [copied(results + index) for index in range(len(self.outputs))]

    def _given(self, value: Any, argument: Argument, view: Any) -> Any:
        if argument.type.startswith("tensor"):
            return Input(value, argument.number, argument.name, view)
        return _cell_of(value, self._types[argument.name], argument.name)

    def _prepared(self, key: Any, results: Any) -> list[Any]:
        """Memory for results whose shapes are known from an earlier run."""
        arrays = []
        for index, (number, shape) in enumerate(self._shapes.get(key, ())):
            array = np.empty(shape, CARRIERS[number])
            check_status(lib.ob_view_init(results + index, ffi.cast("void *", array.ctypes.data), number, len(shape), shape))
            arrays.append(array if DTYPES[number] == array.dtype else array.view(DTYPES[number]))
        return arrays

    def _remember(self, key: Any, results: Any) -> None:
        facts = ffi.new("ob_session_memory *")
        lib.ob_session_get_memory(self._c, facts)
        views = [results[index] for index in range(len(self.outputs))]
        if facts.n_dynamic == 0 and all(view.dtype in CARRIERS for view in views):
            if len(self._shapes) >= 64:
                self._shapes.clear()
            self._shapes[key] = [(view.dtype, tuple(view.dims[0:view.rank])) for view in views]

    def _run_cells(self, views: Any, given: list[Any], results: Any) -> list[Any]:
        error, n = new_error(), len(self.outputs)
        cells = ffi.new("ob_cell *[]", [ffi.NULL if isinstance(item, Input) else item for item in given] or 1)
        out = ffi.new("ob_cell *[]", max(1, n))
        check_status(lib.ob_session_run_cells(self._c, views, cells, len(given), results, out, n, error), error)
        return [_value_of(out[index]) if out[index] else copied(results + index) for index in range(n)]


def _dim(dims: Any, dim: int) -> Union[int, str, None]:
    if dim == lib.OB_DIM_UNKNOWN:
        return None
    if abs(dim) <= 0x3FFFFFFFFFFFFFFF:
        return dim
    n = lib.ob_dim_format(dims, dim, ffi.NULL, 0)
    buffer = ffi.new("char[]", n + 1)
    lib.ob_dim_format(dims, dim, buffer, n + 1)
    return text(buffer)


def _type_text(c: Any, depth: int = 0) -> str:
    if c == ffi.NULL or depth > 32 or c.kind == lib.OB_TYPE_UNKNOWN:
        return "unknown"
    if c.kind in (lib.OB_TYPE_TENSOR, lib.OB_TYPE_SPARSE_TENSOR):
        return f"{'sparse_' if c.kind == lib.OB_TYPE_SPARSE_TENSOR else ''}tensor({dtype_name(c.dtype)})"
    element = _type_text(c.element, depth + 1)
    if c.kind == lib.OB_TYPE_MAP:
        return f"map({dtype_name(c.dtype)},{element})"
    return f"{'seq' if c.kind == lib.OB_TYPE_SEQUENCE else 'optional'}({element})"


# ---- Sequences, maps and optionals ----


def _close_cell(c: Any) -> None:
    lib.ob_cell_close(ffi.new("ob_cell **", c))


def _cell_of(value: Any, declared: Any, name: str) -> Any:
    """A cell that owns its elements; declared: an ob_type."""
    while declared and declared.kind == lib.OB_TYPE_OPTIONAL and value is not None:
        declared = declared.element
    element = declared.element if declared else ffi.NULL
    number = int(declared.dtype) if declared and declared.kind == lib.OB_TYPE_TENSOR else lib.OB_NONE
    is_tensor = declared and declared.kind == lib.OB_TYPE_TENSOR
    out, error, view = ffi.new("ob_cell **"), new_error(), ffi.new("ob_view *")
    if value is None:
        status = lib.ob_cell_none(ffi.NULL, out, error)
    elif isinstance(value, Mapping):
        keys = list(value)
        items = [_cell_of(item, element, name) for item in value.values()]
        number = STRING if keys and isinstance(keys[0], str) else lib.OB_INT64
        held = Input(np.asarray(keys, dtype=object if number == STRING else np.int64), number, name, view)
        status = lib.ob_cell_map(view, ffi.new("ob_cell *[]", items or 1), len(items), ffi.NULL, out, error)
        del held
    elif isinstance(value, (list, tuple)) and not is_tensor:
        items = [_cell_of(item, element, name) for item in value]
        held_type = int(element.dtype) if element and element.kind == lib.OB_TYPE_TENSOR else lib.OB_NONE
        status = lib.ob_cell_sequence(held_type, ffi.new("ob_cell *[]", items or 1), len(items), ffi.NULL, out, error)
    else:
        held = Input(value, number, name, view)
        status = lib.ob_cell_tensor(view, ffi.NULL, out, error)
        del held
    check_status(status, error)
    return ffi.gc(out[0], _close_cell)


def _value_of(c: Any) -> Any:
    kind = lib.ob_cell_get_kind(c)
    if kind == lib.OB_CELL_NONE:
        return None
    view = ffi.new("ob_view *")
    if kind == lib.OB_CELL_TENSOR:
        lib.ob_cell_view(c, view)
        return copied(view)
    items = [_value_of(lib.ob_cell_at(c, index)) for index in range(lib.ob_cell_count(c))]
    if kind == lib.OB_CELL_SEQUENCE:
        return items
    lib.ob_cell_keys(c, view)
    return dict(zip(copied(view).tolist(), items))
