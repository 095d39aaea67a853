"""Options of a check, from Python's words to those of C."""
from __future__ import annotations

import json
import os
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from . import _native
from ._calls import Watch
from ._errors import c_text, check as check_status, new_error

ffi, lib = _native.ffi, _native.lib

_SEVERITIES = {"none": lib.OB_SEVERITY_NONE, "note": lib.OB_SEVERITY_NOTE, "warning": lib.OB_SEVERITY_WARNING,
               "error": lib.OB_SEVERITY_ERROR}


class CheckOptions:
    """An ob_check_options and all that it borrows.

    - rules: "onnx" (default), "numpy", "array-api", "mlir", "xla", "sonnx"
    - dims: sizes to check with, {"batch": 3}
    - shapes: shapes of inputs to check with, {"x": (1, 3, None, None)}; None: an open size
    - assumptions: conditions that the contract may assume, ["batch >= 1"]
    - severities: other severities, {"OB0401": "error", "OB02": "none"}; the last match decides
    - ignores: findings to leave out at nodes, [("OB0401", "layer_1/*")]
    - baseline: accepted findings: the path, the bytes or the JSON object of a baseline file; baseline_model: name of the model
      in it, the name of the file without one
    - targets: names of deployment targets, ["tosa-8k"]
    - max_nodes, max_finding_bytes: limits, 0 for the defaults
    """

    def __init__(self, watch: Watch, *, rules: str = "onnx", dims: Optional[Mapping[str, int]] = None,
                 shapes: Optional[Mapping[str, Sequence[Optional[int]]]] = None, assumptions: Iterable[str] = (),
                 severities: Optional[Mapping[str, str]] = None, ignores: Iterable[tuple[str, str]] = (),
                 baseline: Union[None, str, "os.PathLike[str]", bytes, Mapping[str, Any]] = None,
                 baseline_model: Optional[str] = None, targets: Iterable[str] = (), max_nodes: int = 0,
                 max_finding_bytes: int = 0, file: str = "") -> None:
        self._keep: list[Any] = [watch, watch.c]
        self.c = ffi.new("ob_check_options *")
        lib.ob_check_options_init(self.c)
        number = lib.ob_rules_from_name(c_text(rules))
        if number == lib.OB_RULES_COUNT:
            raise ValueError(f"there are no rules {rules!r}: onnx, numpy, array-api, mlir, xla or sonnx")
        self.c.rules = number
        self.c.max_nodes, self.c.max_finding_bytes = max_nodes, max_finding_bytes
        self.c.after_pass, self.c.context = ffi.addressof(lib, "ob_python_after_pass"), watch.c
        self._list("dims", "ob_named_size", [(self._text(name), size) for name, size in (dims or {}).items()])
        self._list("shapes", "ob_shape_given", [self._shape(name, sizes) for name, sizes in (shapes or {}).items()])
        self._list("severities", "ob_severity_given", [(self._text(name), self._severity(s)) for name, s in
                                                       (severities or {}).items()])
        self._list("ignores", "ob_ignore_given", [(self._text(name), self._text(pattern)) for name, pattern in ignores])
        self._list("assumptions", "char *", [self._text(condition) for condition in _several(assumptions, "assumptions")])
        self._list("targets", "char *", [self._text(name) for name in _several(targets, "targets")])
        if baseline is not None:
            self._baseline(baseline, baseline_model or file)

    def _text(self, value: str) -> Any:
        item = ffi.new("char[]", c_text(value, "text"))
        self._keep.append(item)
        return item

    def _shape(self, name: str, sizes: Sequence[Optional[int]]) -> tuple[Any, int, Any]:
        dims = ffi.new("int64_t[]", [lib.OB_DIM_UNKNOWN if size is None else size for size in sizes])
        self._keep.append(dims)
        return self._text(name), len(sizes), dims

    @staticmethod
    def _severity(name: str) -> int:
        if name not in _SEVERITIES:
            raise ValueError(f"{name!r} is not a severity: error, warning, note or none")
        return int(_SEVERITIES[name])

    def _list(self, field: str, kind: str, items: list[Any]) -> None:
        if items:
            array = ffi.new(f"{kind}[]", items)
            self._keep.append(array)
            setattr(self.c, field, array)
            setattr(self.c, "n_" + field, len(items))

    def _baseline(self, baseline: Any, model: str) -> None:
        if isinstance(baseline, (str, os.PathLike)):
            with open(baseline, "rb") as file:
                baseline = file.read()
        elif isinstance(baseline, Mapping):
            baseline = json.dumps(baseline).encode()
        out, error = ffi.new("ob_baseline **"), new_error()
        check_status(lib.ob_baseline_read(ffi.from_buffer(baseline), len(baseline), ffi.NULL, out, error), error)
        owned = ffi.gc(out[0], lambda c: lib.ob_baseline_close(ffi.new("ob_baseline **", c)))
        self._keep.append(owned)
        self.c.baseline = owned
        self.c.baseline_model = self._text(model)


def _several(items: Iterable[str], what: str) -> list[str]:
    if isinstance(items, str):
        raise TypeError(f"{what} is a list of texts, not one text")
    return list(items)
