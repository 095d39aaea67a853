"""compare(): how a new version of a model differs from the old one."""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Union

from . import _native
from ._calls import collect, own
from ._errors import check as check_status, new_error
from ._model import ModelLike
from ._report import Report, check

ffi, lib = _native.ffi, _native.lib


@dataclass(frozen=True)
class Change:
    """A difference between two models."""

    #: "input", "output", "contract", "values", "broadcast", "finding", "operators", "weight bytes" or "copied bytes"
    kind: str
    #: programs that run the old model can fail with the new one, or get results of other shapes
    breaking: bool
    name: str
    before: str
    after: str
    text: str

    def __str__(self) -> str:
        return f"{'BREAKING ' if self.breaking else ''}{self.kind}: {self.text}"


class ModelComparison:
    """The result of compare(). It is true when no change is breaking."""

    def __init__(self, c: Any) -> None:
        own(self, lib.ob_comparison_close, "ob_comparison", c)
        data = json.loads(collect(lib.ob_comparison_to_json, c))
        self.json: Mapping[str, Any] = data
        self.compatible: bool = data["compatible"]
        #: "equal", "wider", "narrower", "neither" or "unknown": the new contract beside the old one
        self.contract: str = data["contract"]["relation"]
        self.reason: str = data["contract"].get("reason") or ""
        #: sizes that only one of the contracts admits, with the clause of the other that they break; None: none
        self.only_old: Optional[Mapping[str, Any]] = data["contract"].get("only_old")
        self.only_new: Optional[Mapping[str, Any]] = data["contract"].get("only_new")
        self.changes = tuple(Change(item["kind"], item["breaking"], item["name"], item["before"], item["after"], item["text"])
                             for item in data["changes"])

    def __bool__(self) -> bool:
        return self.compatible

    def __str__(self) -> str:
        return "\n".join([*map(str, self.changes), f"contract: {self.contract}"])


def compare(old: Union[ModelLike, Report], new: Union[ModelLike, Report], **options: Any) -> ModelComparison:
    """Compares two models, or the reports of two: signature, contract, broadcasts, findings, bytes. Options: those of check().

    >>> compare("models/slope.onnx", "models/slope.onnx").changes
    ()
    """
    before, after = (item if isinstance(item, Report) else check(item, **options) for item in (old, new))
    out, error = ffi.new("ob_comparison **"), new_error()
    first, second = sorted((before, after), key=id)  # one order for all threads
    with first._lock:
        if second is first:
            status = lib.ob_compare(before._c, after._c, out, error)
        else:
            with second._lock:
                status = lib.ob_compare(before._c, after._c, out, error)
    check_status(status, error)
    return ModelComparison(out[0])
