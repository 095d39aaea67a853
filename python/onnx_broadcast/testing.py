"""Helpers for tests with pytest (or any other): assert_broadcasts_clean(model)."""
from __future__ import annotations

from typing import Any, Iterable

from ._model import ModelLike
from ._report import Report, check


def assert_broadcasts_clean(model: ModelLike, *, severity: str = "warning", allow: Iterable[str] = (), **options: Any) -> Report:
    """Fails when the model has findings of this severity or a worse one, and says which and where.

    - severity: "error", "warning" (default) or "note".
    - allow: ids, or beginnings of ids, that are accepted: ["OB0401"].
    - options: those of check().

    Returns the report, for further assertions.

        def test_export():
            report = assert_broadcasts_clean("encoder.onnx", targets=["tosa-8k"])
            assert report.contract.admits(batch=3, tokens=7)
    """
    __tracebackhide__ = True
    report = check(model, **options)
    allowed = tuple(name.upper() for name in allow)
    found = [finding for finding in report.select(severity) if not (allowed and finding.id.startswith(allowed))]
    if found:
        lines = [f"{report.file}: {len(found)} finding{'' if len(found) == 1 else 's'}, {severity} or worse:"]
        for finding in found[:20]:
            lines.append(f"  {finding}")
            shapes = ", ".join(f"{operand.name or '?'} {_shape(operand.shape)}" for operand in finding.operands)
            lines += [f"    operands: {shapes}"] if shapes else []
            lines += [f"    fix: {finding.fix}"] if finding.fix else []
            lines += [f"    at: {finding.source}"] if finding.source else []
        if len(found) > 20:
            lines.append(f"  ... {len(found) - 20} more")
        raise AssertionError("\n".join(lines))
    return report


def _shape(shape: Any) -> str:
    return "[...]" if shape is None else "[" + ", ".join("?" if size is None else str(size) for size in shape) + "]"
