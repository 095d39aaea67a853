"""find_first_difference(): the first node whose result differs from that of another runtime."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _native
from ._errors import check as check_status, new_error
from ._model import Model, ModelLike, as_model
from ._report import check
from ._session import Session

ffi, lib = _native.ffi, _native.lib


@dataclass(frozen=True)
class Difference:
    """A value that differs, and the node that computed it."""

    value: str
    #: "" when the value is an input of a comparison without nodes
    node: str
    op_type: str
    #: inputs of the node that were compared and agree, and those that nobody could compare (results inside subgraphs)
    inputs_agree: tuple[str, ...]
    inputs_not_compared: tuple[str, ...]
    #: elements that differ, elements in all, and the first that differs
    n_different: int
    n: int
    index: tuple[int, ...]
    ours: Any
    theirs: Any
    reason: str

    def __str__(self) -> str:
        node = f'node "{self.node}" ({self.op_type})' if self.node else "a result whose node is not known"
        where = f" at {list(self.index)}: {self.ours!r} here, {self.theirs!r} there" if self.reason == "elements" else ""
        words = f"{self.n_different} of {self.n} elements differ, first{where}" if where else self.reason
        rest = f"; not compared: {', '.join(self.inputs_not_compared)}" if self.inputs_not_compared else ""
        return f'{node}: result "{self.value}": {words}{rest}'


@dataclass(frozen=True)
class Comparison:
    """The result of find_first_difference(). It is true when a difference was found.

    - first: the first node in the model's order whose result differs while its inputs agree; None: no value differs.
    - different: names of all values that differ; n_compared: number of values that were compared.
    - not_compared: results of nodes that the other side did not give. Results inside subgraphs and functions are never compared.
    """

    first: Optional[Difference]
    different: tuple[str, ...]
    not_compared: tuple[str, ...]
    n_compared: int

    def __bool__(self) -> bool:
        return self.first is not None

    def __str__(self) -> str:
        what = str(self.first) if self.first else "no difference"
        left = f"; {len(self.not_compared)} results were not compared" if self.not_compared else ""
        return f"{what} ({self.n_compared} values compared{left}; values inside subgraphs and functions are not looked into)"


Other = Union[Callable[..., Any], Mapping[str, Any], Any]


def _ask(other: Other, model: Model, feeds: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The values of the other side by name."""
    if isinstance(other, Mapping):
        return dict(other)
    if isinstance(other, type) and hasattr(other, "run"):  # the class of a session: onnxruntime.InferenceSession
        other = other(model.to_bytes())
    if hasattr(other, "run") and hasattr(other, "get_outputs"):
        own = [argument.name for argument in other.get_outputs()]
        return dict(zip(own, other.run(None, dict(feeds))))
    if not callable(other):
        raise TypeError("other is a function, a session or its class, or a mapping from names of values to arrays")
    found = other(model.to_bytes(), dict(feeds))
    if isinstance(found, Mapping):
        return dict(found)
    found = list(found)
    if len(found) != len(names):
        raise ValueError(f"the other side gave {len(found)} results for {len(names)} outputs")
    return dict(zip(names, found))


def _differ(ours: Any, theirs: Any, rtol: float, atol: float) -> Optional[tuple[int, int, tuple[int, ...], Any, Any, str]]:
    a, b = np.asarray(ours), np.asarray(theirs)
    if a.shape != b.shape:
        return (0, a.size, (), None, None, f"shape {list(a.shape)} here, {list(b.shape)} there")
    if a.dtype.kind in "OUS" or b.dtype.kind in "OUS":
        bad = np.asarray(a.astype(object) != b.astype(object))
    else:
        if a.dtype != b.dtype:
            return (0, a.size, (), None, None, f"type {a.dtype} here, {b.dtype} there")
        if a.dtype.kind in "biu" and rtol == 0 and atol == 0:
            bad = a != b
        elif a.dtype.kind in "iu":
            bad = np.abs(a.astype(np.float64) - b.astype(np.float64)) > atol + rtol * np.abs(b.astype(np.float64))
        elif a.dtype.kind == "b":
            bad = a != b
        else:
            wide = np.complex128 if a.dtype.kind == "c" else np.float64
            bad = ~np.isclose(a.astype(wide), b.astype(wide), rtol=rtol, atol=atol, equal_nan=True)
    where = np.argwhere(np.atleast_1d(bad))
    if len(where) == 0:
        return None
    index = tuple(int(place) for place in where[0]) if a.ndim else ()
    return (len(where), a.size, index, a[index], b[index], "elements")


def find_first_difference(model: ModelLike, feeds: Mapping[str, Any], other: Other, *, rtol: float = 1e-5, atol: float = 1e-6,
                          **session_options: Any) -> Comparison:
    """Names the first node whose result differs from that of another runtime.

    All results of the main graph become outputs of a copy of the model, which runs once on each side. The nodes are compared in
    the model's order; the first with a different result and inputs that agree is the one to look at.

    - feeds: inputs by name.
    - other: a function (bytes of the model, feeds) -> results by name, or all in the order of the model's outputs; the class of
      a session such as onnxruntime.InferenceSession; a session that exists, whose outputs alone can be compared; or arrays by
      name.
    - rtol, atol: floats differ when |a - b| > atol + rtol * |b|; NaN agrees with NaN. Integers, too.
    """
    exposed = as_model(model).clone()
    error = new_error()
    check_status(lib.ob_model_expose_results(exposed._c, error), error)
    session = Session(exposed, **session_options)
    names = [argument.name for argument in session.outputs]
    ours = dict(zip(names, session.run(feeds).tuple))
    theirs = _ask(other, exposed, feeds, names)
    compared: dict[str, Any] = {}
    for name in names:
        if name in theirs:
            compared[name] = None if _is_no_tensor(ours[name]) else _differ(ours[name], theirs[name], rtol, atol)
    different = tuple(name for name in names if compared.get(name))
    left = tuple(name for name in names if name not in theirs or _is_no_tensor(ours[name]))
    first = _first(exposed, compared, set(feeds), left) if different else None
    return Comparison(first, different, left, len(compared) - sum(name in theirs for name in left))


def _is_no_tensor(value: Any) -> bool:
    return value is None or isinstance(value, (list, dict))


def _first(model: Model, compared: Mapping[str, Any], feeds: set[str], left: Sequence[str]) -> Difference:
    report = check(model)
    graph, values = report.graph(), report.values
    fallback = None
    for node in graph["nodes"]:
        if node["graph"] != 0:
            continue
        inputs = [values[index].name for index in node["inputs"] if index is not None]
        weights = {values[index].name for index in node["inputs"] if index is not None and values[index].kind == "initializer"}
        for index in node["outputs"]:
            name = values[index].name if index is not None else ""
            if not compared.get(name):
                continue
            agree = tuple(one for one in inputs if one in feeds or one in weights or (one in compared and not compared[one]))
            unknown = tuple(one for one in inputs if one not in agree and not compared.get(one))
            found = Difference(name, node["name"], node["op_type"], agree, unknown, *compared[name])
            if not any(compared.get(one) for one in inputs):
                return found
            fallback = fallback or found
    if fallback is None:
        name = next(name for name, difference in compared.items() if difference)
        return Difference(name, "", "", (), (), *compared[name])
    return fallback
