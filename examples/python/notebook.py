#!/usr/bin/env python3
"""A tour in cells, as in a notebook (editors and jupytext read "# %%"): check, fix, run, find a difference.

    notebook.py MODELS_FOLDER
"""
# %% Check: in a notebook the last line of a cell shows a table
import sys

import numpy as np
import onnx_broadcast as ob

models = sys.argv[1] if len(sys.argv) > 1 else "models"
report = ob.check(f"{models}/slope.onnx")
print(report)

# %% Fix, and check what the fix made
fixed = ob.fix(f"{models}/slope.onnx")
for fix in fixed.applied:
    print(f"{fix.id} {fix.node}: {fix.text}")
    print(f"    {fix.before} becomes {fix.after}")
assert not ob.check(fixed.model).errors

# %% Run: arrays are read where they are
session = ob.Session(f"{models}/scale_bias_nchw.onnx")
images = np.random.default_rng(1).random((8, 8, 3, 2), np.float32)
print(session(images.transpose(3, 2, 0, 1))["y"].shape)

# %% Which sizes does a model admit?
model = b'<ir_version: 8, opset_import: ["" : 17]> add (float[N] a, float[M] b) => (float[K] y) { y = Add(a, b) }'
contract = ob.check(model).contract
print(contract)
print(contract.admits(N=3, M=3), contract.admits(N=3, M=4), contract.broken_clause(N=3, M=4))

# %% Two runtimes, node by node
feeds = {"a": np.ones(3, np.float32), "b": np.ones(1, np.float32)}
print(ob.find_first_difference(model, feeds, ob.InferenceSession))
