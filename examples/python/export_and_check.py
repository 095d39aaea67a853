#!/usr/bin/env python3
"""Checks a model where it is exported: broadcasts that are wrong or accidental end the export.

    export_and_check.py encoder.onnx        # needs PyTorch
"""
import io
import sys

import onnx_broadcast


def export_checked(export, path, *, severity="warning", **options):
    """Exports into memory, checks, and writes the file only when the model is clean.

    - export: a function that writes a model to an open file: lambda file: torch.onnx.export(module, arguments, file, ...)
    - options: those of onnx_broadcast.check().
    """
    file = io.BytesIO()
    export(file)
    report = onnx_broadcast.check(file.getvalue(), file=path, **options).raise_for_errors(severity)
    with open(path, "wb") as out:
        out.write(file.getvalue())
    return report


def main():
    import torch

    class Scale(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.factor = torch.nn.Parameter(torch.ones(64, 1, 1))

        def forward(self, x):
            return x * self.factor

    def export(file):
        torch.onnx.export(Scale(), (torch.zeros(2, 64, 8, 8),), file, input_names=["x"], output_names=["y"],
                          dynamic_axes={"x": {0: "batch"}})

    report = export_checked(export, sys.argv[1])
    print(report)
    print(report.contract)


if __name__ == "__main__":
    main()
