"""Broadcasting in ONNX models: explicit, checked, fast.

    import onnx_broadcast as ob

    report = ob.check("encoder.onnx")           # a path, bytes, or a ModelProto
    report.raise_for_errors()
    report.contract.admits(batch=3, tokens=7)
    y = ob.Session("encoder.onnx")(x=array)["y"]

docs/python.md is the guide.
"""
from ._build import build_info
from ._compare import Change, ModelComparison, compare
from ._difference import Comparison, Difference, find_first_difference
from ._errors import CancelledError, OBError
from ._model import Fix, Fixed, Model, Rewritten, fix, rewrite
from ._report import (Answer, Broadcast, BroadcastError, Clause, Contract, Finding, Operand, Place, Relation, Report, TargetRule,
                      Value, check, guard)
from ._session import Argument, Outputs, Session
from ._tensor import Tensor, from_dlpack
from . import _native as _native_module

#: The version of the C library.
__version__: str = _native_module.ffi.string(_native_module.lib.ob_version()).decode()

__all__ = [
    "Answer", "Argument", "Broadcast", "BroadcastError", "CancelledError", "Change", "Clause", "Comparison", "Contract",
    "Difference", "Finding", "Fix", "Fixed", "InferenceSession", "Model", "ModelComparison", "OBError", "Operand", "Outputs",
    "Place", "Relation", "Report", "Rewritten", "Session", "TargetRule", "Tensor", "Value", "build_info", "check",
    "compare", "find_first_difference", "fix", "from_dlpack", "guard", "rewrite",
]

from .inference import InferenceSession  # noqa: E402  (after what it uses)
