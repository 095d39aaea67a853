"""Tests of the installed package: python/ itself is not on the path."""
import os
import sys

import numpy as np
import onnx_broadcast
import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
pytest_plugins = ["pytester"]

# Add of two inputs that fit when N = M, or one of them is 1.
ADD = b'<ir_version: 8, opset_import: ["" : 17]> add (float[N] a, float[M] b) => (float[K] y) { y = Add(a, b) }'


def pytest_configure(config):
    assert not onnx_broadcast.__file__.startswith(os.path.join(TOP, "python")), "the tests are for the installed package"
    sys.path.insert(0, os.path.join(TOP, "models"))


@pytest.fixture
def models():
    return os.path.join(TOP, "models")


@pytest.fixture
def add():
    return onnx_broadcast.Session(ADD)


@pytest.fixture(autouse=True)
def in_top(monkeypatch):
    monkeypatch.chdir(TOP)
    np.random.seed(1)
