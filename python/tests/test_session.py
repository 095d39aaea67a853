import ctypes
import gc
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import onnx
import onnx_broadcast as ob
import pytest
from conftest import ADD
from onnx import numpy_helper


def one(op, kind, n=2, shape="N", opset=17):
    inputs = ", ".join(f"{kind}[{shape}] x{k}" for k in range(n))
    text = f'<ir_version: 9, opset_import: ["" : {opset}]> g ({inputs}) => ({kind}[{shape}] y) ' + "{ y = " + op + " }"
    return ob.Session(text.encode())


def data_sets(folder):
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.startswith("test_data_set"):
            yield os.path.join(folder, name)


def tensors(folder, kind):
    files = sorted((name for name in os.listdir(folder) if name.startswith(kind)), key=lambda name: int(name[len(kind):-3]))
    return [numpy_helper.to_array(onnx.load_tensor(os.path.join(folder, name))) for name in files]


@pytest.mark.parametrize("name", ["attention", "legacy_axis", "scale_bias_nchw"])
def test_models_give_their_results(models, name):
    session, n = ob.Session(f"{models}/{name}.onnx"), 0
    folder = f"{models}/{name}_test"
    for folder in list(data_sets(folder)) or [folder]:
        for _ in range(2):  # the second run writes into memory that this package made
            for ours, theirs in zip(session(*tensors(folder, "input_")).tuple, tensors(folder, "output_")):
                np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6)
                n += 1
    assert n >= 2


def test_shared_models_give_their_results():
    shared = os.path.join(os.environ.get("OB_SHARED", "../shared"), "models")
    if not os.path.isdir(shared):
        pytest.skip(f"no models in {shared}")
    n = 0
    for name in sorted(os.listdir(shared)):
        path = os.path.join(shared, name, "model.onnx")
        if not os.path.isfile(path) or os.path.getsize(path) > 30e6:
            continue
        for folder in list(data_sets(os.path.join(shared, name)))[:1]:
            try:
                session = ob.Session(path)
                inputs = tensors(folder, "input_")
            except (ob.OBError, TypeError, ValueError):
                continue
            if len(inputs) != len(session.inputs):
                continue
            for ours, theirs in zip(session(*inputs).tuple, tensors(folder, "output_")):
                if isinstance(ours, np.ndarray) and ours.dtype.kind == "f":
                    np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-3)
                    n += 1
    assert n >= 1


@pytest.mark.parametrize("kind, dtype", [("float", "f4"), ("double", "f8"), ("int32", "i4"), ("int64", "i8"), ("uint8", "u1"),
                                         ("int8", "i1"), ("float16", "f2"), ("uint64", "u8")])
def test_types(kind, dtype):
    session = one("Add(x0, x1)", kind)
    a = np.arange(5).astype(dtype)
    for _ in range(2):
        y = session(a, a)["y"]
        assert y.dtype == a.dtype and (y == a + a).all()


def test_bool_and_lists_and_scalars():
    assert one("And(x0, x1)", "bool")([True, False], [True, True]).tuple[0].tolist() == [True, False]
    assert one("Add(x0, x1)", "float")([1, 2], [3.5, 4]).tuple[0].dtype == np.float32
    rank0 = ob.Session(b'<ir_version: 8, opset_import: ["" : 17]> g (float x) => (float y) { y = Neg(x) }')
    assert rank0(np.float32(3))["y"].shape == () and rank0(2)["y"] == -2


def test_zero_sizes(add):
    for _ in range(2):
        assert add(np.zeros(0, "f4"), np.zeros(1, "f4"))["y"].shape == (0,)


def test_any_strides_without_a_copy():
    session = one("Add(x0, x1)", "float", shape="N,M")
    x = np.random.rand(8, 6).astype("f4")
    for view in (x.T, x[::-1], x[:, ::-2], x[1::3, ::2], np.broadcast_to(x[0], (4, 6)), np.asfortranarray(x)):
        assert (session(view, view)["y"] == view + view).all()


def test_read_only_swapped_and_unaligned(add):
    x = np.arange(4, dtype="f4")
    x.flags.writeable = False
    assert (add(x, x)["y"] == x + x).all() and not x.flags.writeable
    assert (add(x.astype(">f4"), x)["y"] == x + x).all()
    raw = np.frombuffer(b"\0" + x.tobytes(), "u1")[1:].view("f4")
    assert not raw.flags.aligned or raw.ctypes.data % 4 == 0
    assert (add(raw, x)["y"] == x + x).all()
    assert (add(memoryview(x), memoryview(x))["y"] == x + x).all()


def test_strings():
    session = one("Identity(x0)", "string", n=1)
    words = ["", "caf\u00e9", "a\0b", "\udcff", "x" * 1000]
    assert session(np.array(words, dtype=object))["y"].tolist() == words
    assert session(np.array(["a", "bc"]))["y"].tolist() == ["a", "bc"]
    assert session(np.array([b"a", b"bc"], dtype="S2"))["y"].tolist() == ["a", "bc"]
    assert session([])["y"].shape == (0,)
    with pytest.raises(ob.OBError) as caught:
        session(np.array([1, "a"], dtype=object))
    assert caught.value.code == "E_TYPE"


def test_types_that_numpy_does_not_have_come_as_bits():
    session = one("Add(x0, x1)", "bfloat16")
    bits = (np.array([1.5, -2, 0.25], "f4").view("u4") >> 16).astype("u2")
    y = np.asarray(session(bits, bits)["y"]).view("u2")
    assert ((y.astype("u4") << 16).view("f4") == [3, -4, 0.5]).all()
    int4 = one("Identity(x0)", "int4", n=1, opset=21)
    assert np.asarray(int4(np.array([-8, 7], "i1"))["y"]).view("i1").tolist() == [-8, 7]
    with pytest.raises(ob.OBError, match="bfloat16"):
        session(np.zeros(2, "f4"), np.zeros(2, "f4"))


def test_sequences_and_optionals():
    text = b'<ir_version: 8, opset_import: ["" : 17]> g (seq(float[N]) s, int64 i) => (float[M] y) { y = SequenceAt(s, i) }'
    session = ob.Session(text)
    assert session.inputs[0].type == "seq(tensor(float))"
    assert session([[1, 2], np.array([3], "f4")], 0)["y"].tolist() == [1, 2]
    text = b'<ir_version: 8, opset_import: ["" : 17]> g (float[N] a) => (seq(float[N]) s) { s = SequenceConstruct(a, a) }'
    out = ob.Session(text)
    assert [item.tolist() for item in out([1, 2])["s"]] == [[1, 2], [1, 2]]


def test_shapes_that_depend_on_data():
    session = ob.Session(b'<ir_version: 8, opset_import: ["" : 17]> g (float[N] x) => (int64[R, M] y) { y = NonZero(x) }')
    assert session([0, 1, 2])["y"].shape == (1, 2) and session([0, 0, 0])["y"].shape == (1, 0)
    text = b'<ir_version: 8, opset_import: ["" : 17]> g (float[N] x, int64[K] s) => (float[A, B] y) { y = Reshape(x, s) }'
    session = ob.Session(text)
    x = np.arange(6, dtype="f4")
    for shape in ([2, 3], [2, 3], [3, 2], [6, 1]):
        assert session(x, np.array(shape))["y"].tolist() == x.reshape(shape).tolist()


def test_names_and_order(add):
    assert add(a=[1], b=[2]).tuple[0] == 3 and dict(add([1], b=[2])) == {"y": 3}
    (y,) = add.run({"a": [1], "b": [2]}, ["y"]).tuple
    assert y == 3
    for wrong in (lambda: add([1]), lambda: add([1], [2], c=1), lambda: add.run({"a": [1], "b": [1]}, ["z"])):
        with pytest.raises(ob.OBError):
            wrong()
    with pytest.raises(TypeError):
        add([1], [2], [3])
    with pytest.raises(TypeError, match="twice"):
        add([1], a=[2])


def test_errors_have_the_words_of_c(add):
    with pytest.raises(ob.OBError) as caught:
        add(np.zeros(3, "f4"), np.zeros(4, "f4"))
    assert caught.value.code == "E_CONDITION" and str(caught.value) == (
        'node "y" (Add): axis 0: M = N or M = 1 or N = 1 does not hold: M = 4, N = 3')
    assert (caught.value.node, caught.value.op_type, caught.value.axis) == ("y", "Add", 0)
    assert add(np.zeros(3, "f4"), np.zeros(3, "f4"))["y"].shape == (3,)  # the session is still good
    with pytest.raises(ob.OBError) as caught:
        add(np.zeros(3, "i4"), np.zeros(3, "f4"))
    assert caught.value.code == "E_TYPE"
    with pytest.raises(ob.OBError) as caught:
        ob.Session(b'<ir_version: 8, opset_import: ["" : 17, "d" : 1]> g (float[N] x) => (float[N] y) { y = d.Nothing(x) }')
    assert caught.value.code == "E_UNSUPPORTED" and "Nothing" in str(caught.value)


def test_results_live_longer_than_their_session(add):
    session = ob.Session(ADD)
    ones = [session(np.full(1000, k, "f4"), [0])["y"] for k in range(20)]
    del session
    gc.collect()
    for k, y in enumerate(ones):
        assert (y == k).all()


def loop(n, threads=1, **options):
    """A session whose run takes long: a Loop of n matrix products."""
    text = f"""<ir_version: 8, opset_import: ["" : 17]> g (float[64,64] x) => (float[64,64] y)
        <int64 n = {{{n}}}, bool c = {{1}}> {{ y = Loop(n, c, x) <body = b (int64 i, bool k, float[64,64] v) =>
        (bool k2, float[64,64] w) {{ k2 = Identity(k) z = MatMul(v, v) w = Tanh(z) }}> }}"""
    return ob.Session(text.encode(), **options)


def test_the_lock_of_the_interpreter_is_not_held():
    session, counted, stop = loop(400000), [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    start = time.monotonic()
    session(np.zeros((64, 64), "f4"))
    took = time.monotonic() - start
    stop.set()
    other.join()
    assert took > 0.1 and counted[0] > took * 20  # 1000 in a second, less on a busy machine; with the lock held: hardly any


def test_two_threads_share_a_session(add):
    wrong = []

    def work(k):
        for n in range(200):
            if not (add(np.full(n % 7 + 2, k, "f4"), [1])["y"] == k + 1).all():
                wrong.append((k, n))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_cancel_and_timeout():
    session = loop(10**9)
    threading.Timer(0.2, session.cancel).start()
    with pytest.raises(ob.CancelledError):
        session(np.zeros((64, 64), "f4"))
    with pytest.raises(ob.OBError) as caught:
        loop(10**9, timeout=0.2)(np.zeros((64, 64), "f4"))
    assert caught.value.code == "E_LIMIT"
    options = ob.inference.RunOptions()
    threading.Timer(0.2, setattr, (options, "terminate", True)).start()
    with pytest.raises(ob.inference.RuntimeException):
        ob.InferenceSession(session.model).run(None, {"x": np.zeros((64, 64), "f4")}, options)


def test_control_c_ends_a_run():
    code = """if True:
        import signal, sys; sys.path.insert(0, "python/tests")
        signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in background jobs
        import numpy as np, test_session
        session = test_session.loop(10**9)
        print("ready", flush=True)
        try:
            session(np.zeros((64, 64), "f4"))
        except KeyboardInterrupt:
            print("interrupted")
    """
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=20)[0] == "interrupted\n" and child.returncode == 0


def test_memory_does_not_grow(models):
    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def work(n):
        for _ in range(n):
            session = ob.Session(ADD)
            for size in (1, 5, 70000):
                session(np.zeros(size, "f4"), np.zeros(size, "f4"))
            with pytest.raises(ob.OBError):
                session([1, 2], [1, 2, 3])
            ob.check(models + "/wrong.onnx").contract.admits()
            ob.fix(models + "/slope.onnx")
            np.asarray(ob.from_dlpack(ob.Tensor(np.zeros(100000, "f4"))))
        gc.collect()

    work(20)
    before = resident()
    work(100)
    assert resident() - before < 4e6  # one leaked array a round would be 28 MB


class Foreign:
    """A tensor of another library: DLPack as PyTorch offers it, before version 1 or from it on."""

    def __init__(self, tensor, versioned):
        self.tensor, self.versioned = tensor, versioned

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **options):
        if not self.versioned and "max_version" in options:
            raise TypeError("unexpected keyword max_version")
        return self.tensor.__dlpack__(**options)


@pytest.mark.parametrize("versioned", [False, True])
def test_dlpack_shares_memory(add, versioned):
    x = np.arange(6, dtype="f4")[::2]
    tensor = ob.from_dlpack(Foreign(ob.Tensor(x), versioned))
    assert tensor.array.ctypes.data == x.ctypes.data and tensor.array.strides == x.strides
    assert (add(Foreign(ob.Tensor(x), versioned), x)["y"] == x + x).all()
    bits = ob.Tensor(np.array([1, 2], "u2"), "bfloat16")
    again = ob.from_dlpack(Foreign(bits, versioned))
    assert again.dtype == bits.dtype and again.array.tolist() == [1, 2]
    x.flags.writeable = False
    if versioned:
        assert not ob.from_dlpack(Foreign(ob.Tensor(x), True)).array.flags.writeable
    else:
        with pytest.raises(BufferError, match="read-only"):
            ob.from_dlpack(Foreign(ob.Tensor(x), False))


def test_dlpack_with_numpy(add):
    y = add(np.ones(3, "f4"), [1])["y"]
    assert ob.from_dlpack(Foreign(y, False)).array.ctypes.data == y.ctypes.data  # of NumPy
    assert np.from_dlpack(ob.Tensor(y)).ctypes.data == y.ctypes.data  # by NumPy


def test_dlpack_gives_memory_back():
    def references(array):
        return sys.getrefcount(array)

    x = np.zeros(5, "f4")
    before = references(x)
    capsules = [ob.Tensor(x).__dlpack__(), ob.Tensor(x).__dlpack__(max_version=(1, 0))]
    assert references(x) > before
    del capsules  # nobody consumed them
    tensors = [ob.from_dlpack(Foreign(ob.Tensor(x), versioned)) for versioned in (False, True)]
    arrays = [np.asarray(tensor) for tensor in tensors]
    del tensors
    gc.collect()
    assert references(x) > before
    del arrays
    gc.collect()
    assert references(x) == before


def test_dlpack_from_another_device():
    class Device(Foreign):
        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(BufferError, match="device"):
        ob.from_dlpack(Device(ob.Tensor(np.zeros(1)), True))
    with pytest.raises(BufferError):
        ob.Tensor(np.zeros(1, "i1"), "int4").__dlpack__()


def test_the_module_exports_its_entry_only():
    from onnx_broadcast import _native

    assert _native.__file__.endswith(".abi3.so")
    if not os.path.exists("/usr/bin/nm"):
        pytest.skip("no nm")
    found = subprocess.run(["nm", "-D", "--defined-only", _native.__file__], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert [line.split()[-1] for line in found.splitlines()] == ["PyInit__native"]
    assert not hasattr(ctypes.CDLL(_native.__file__), "ob_check")
