import pathlib

import numpy as np
import onnx
import onnx_broadcast as ob
import pytest
from conftest import ADD
from onnx_broadcast import inference


def test_drop_in(models):
    session = inference.InferenceSession(models + "/attention.onnx", inference.SessionOptions(), ["CPUExecutionProvider"])
    arguments = session.get_inputs()
    assert [(one.name, one.type, one.shape) for one in arguments] == [
        ("x", "tensor(float)", ["batch", "length", 32]), ("mask", "tensor(int64)", ["batch", "length"])]
    feed = {"x": np.random.rand(2, 5, 32).astype("f4"), "mask": np.ones((2, 5), "i8")}
    names = [one.name for one in session.get_outputs()]
    found = session.run(None, feed)
    assert isinstance(found, list) and len(found) == len(names) and found[0].shape == (2, 5, 32)
    assert (session.run(names[::-1], feed, inference.RunOptions())[-1] == found[0]).all()
    assert session.get_providers() == inference.get_available_providers() == ["CPUExecutionProvider"]
    assert session.get_overridable_initializers() == [] and session.get_provider_options() == {"CPUExecutionProvider": {}}
    assert session.get_modelmeta().graph_name and inference.get_device() == "CPU"


def test_forms_of_models(models):
    path = pathlib.Path(models, "digits.onnx")
    for model in (str(path), path, path.read_bytes()):
        assert inference.InferenceSession(model).get_inputs()
    with pytest.raises(TypeError, match="Unable to load from type"):
        inference.InferenceSession(3)


def test_sizes_without_a_name_are_none():
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph([onnx.helper.make_node("Neg", ["x"], ["y"])], "g", [value("x", 1, [None, 3])],
                                   [value("y", 1, [None, 3])])
    session = inference.InferenceSession(onnx.helper.make_model(graph).SerializeToString())
    assert session.get_inputs()[0].shape == [None, 3]


def test_errors():
    session = inference.InferenceSession(ADD)
    with pytest.raises(ValueError, match="missing from input feed"):
        session.run(None, {"a": [1]})
    with pytest.raises(inference.InvalidArgument) as caught:
        session.run(None, {"a": np.zeros(2, "f4"), "b": np.zeros(3, "f4")})
    assert isinstance(caught.value, RuntimeError) and isinstance(caught.value, ob.OBError)
    with pytest.raises(inference.InvalidArgument):
        session.run(["nothing"], {"a": [1], "b": [1]})
    with pytest.raises(inference.NoSuchFile):
        inference.InferenceSession("none.onnx")
    with pytest.raises(inference.InvalidProtobuf):
        inference.InferenceSession(b"\x00\x01")
    with pytest.raises(inference.NotImplemented, match="Nothing"):
        inference.InferenceSession(
            b'<ir_version: 8, opset_import: ["" : 17, "d" : 1]> g (float[N] x) => (float[N] y) { y = d.Nothing(x) }')
    with pytest.raises(ValueError, match="CUDAExecutionProvider"):
        inference.InferenceSession(ADD, providers=["CUDAExecutionProvider"])


def test_what_is_not_there_says_so():
    session = inference.InferenceSession(ADD)
    for name in ("io_binding", "run_with_iobinding", "end_profiling", "run_async"):
        with pytest.raises(NotImplementedError, match=name):
            getattr(session, name)
    options = inference.SessionOptions()
    options.enable_profiling = True
    with pytest.raises(NotImplementedError, match="enable_profiling"):
        inference.InferenceSession(ADD, options)
    with pytest.raises(NotImplementedError, match="add_initializer"):
        options.add_initializer


def test_options():
    options = inference.SessionOptions()
    options.intra_op_num_threads = 2
    options.graph_optimization_level = inference.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_free_dimension_override_by_name("N", 4)
    session = inference.InferenceSession(ADD, options)
    assert session.get_inputs()[0].shape == [4] and session.get_session_options() is options


CHAIN = b'''<ir_version: 8, opset_import: ["" : 17]> chain (float[N] x) => (float[N] y)
{ a = Neg(x) b = Exp(a) c = Abs(a) y = Add(b, c) }'''


class Faulty(inference.InferenceSession):
    """A runtime with a wrong Exp."""

    def run(self, names, feed, options=None):
        good = dict(zip([one.name for one in self.get_outputs()], super().run(None, feed)))
        if "b" in good:
            good["b"] = good["b"] * np.float32(1.01)
            good["y"] = good["b"] + good["c"]
        return [good[one.name] for one in self.get_outputs()]


def test_first_difference_is_where_the_fault_is():
    x = {"x": np.linspace(-1, 1, 5, dtype="f4")}
    found = ob.find_first_difference(CHAIN, x, Faulty)
    assert found and (found.first.op_type, found.first.value, found.first.inputs_agree) == ("Exp", "b", ("a",))
    assert found.different == ("b", "y") and found.n_compared == 4 and "not looked into" in str(found)
    assert not ob.find_first_difference(CHAIN, x, Faulty, rtol=0.1)
    same = ob.find_first_difference(CHAIN, x, inference.InferenceSession)
    assert not same and "no difference (4 values compared" in str(same)


def test_first_difference_with_functions_arrays_and_sessions():
    x = {"x": np.linspace(-1, 1, 5, dtype="f4")}
    a = -x["x"]
    assert ob.find_first_difference(CHAIN, x, {"a": a, "c": np.abs(a) + 1}).first.op_type == "Abs"
    partial = ob.find_first_difference(CHAIN, x, {"c": np.abs(a) + 1})
    assert partial.first.inputs_not_compared == ("a",) and set(partial.not_compared) == {"a", "b", "y"}
    whole = ob.find_first_difference(CHAIN, x, inference.InferenceSession(CHAIN))
    assert not whole and whole.n_compared == 1
    assert ob.find_first_difference(CHAIN, x, {"a": a[:2]}).first.reason == "shape [5] here, [2] there"
    assert ob.find_first_difference(CHAIN, x, {"a": a.astype("f8")}).first.reason == "type float32 here, float64 there"
    nan = {"x": np.array([np.nan], "f4")}
    assert not ob.find_first_difference(CHAIN, nan, lambda data, feeds: inference.InferenceSession(data).run(None, feeds))
    with pytest.raises(ValueError, match="results for"):
        ob.find_first_difference(CHAIN, x, lambda data, feeds: [a])
    with pytest.raises(TypeError):
        ob.find_first_difference(CHAIN, x, 3)
