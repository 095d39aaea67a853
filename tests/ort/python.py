#!/usr/bin/env python3
"""The form `fused` in ONNX Runtime from Python: with the plugin and by the bodies of its functions, each beside our executor.

    python.py CHECK RUN FOLDER PLUGIN    CHECK, RUN: the commands; FOLDER: where ./dev onnxruntime put ONNX Runtime

Where the package onnxruntime is installed, that package runs the models. Elsewhere its C library is called from here by ctypes;
the places of functions in its table are read from its header. Exit status 77: ONNX Runtime or the plugin is not there.
"""
import ctypes
import os
import re
import struct
import subprocess
import sys
import tempfile
from array import array

MODEL = """<ir_version: 8, opset_import: ["" : 18]>
g (float[N,3,H,W] x, float[3,1,1] a, float[3,1,1] b) => (float[N,3,H,W] y) {
  p = Mul(x, a)
  q = Add(p, b)
  r = Tanh(q)
  y = Mul(q, r)
}
"""
SIZES = [(1, 3, 2, 2), (2, 3, 1, 3), (0, 3, 2, 2), (4, 3, 64, 65)]


def write_npy(path, sizes, numbers):
    text = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (tuple(sizes),)
    text = text.ljust((10 + len(text) + 1 + 63) // 64 * 64 - 11) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + numbers.tobytes())


class Library:
    """ONNX Runtime's C library: sessions of tensors of floats."""

    def __init__(self, folder):
        with open(os.path.join(folder, "include", "onnxruntime_c_api.h")) as file:
            header = re.sub(r"/\*.*?\*/|//[^\n]*", "", file.read(), flags=re.S)
        members = re.search(r"^struct OrtApi \{(.*?)^\};", header, re.S | re.M).group(1)
        members = re.sub(r"^\s*#.*$", "", members, flags=re.M).split(";")
        name = re.compile(r"ORT_API2_STATUS\(\s*(\w+)|ORT_CLASS_RELEASE\((\w+)\)|\(\s*ORT_API_CALL\s*\*\s*(\w+)\)")
        found = [name.search(member) for member in members if member.strip()]
        self.places = {m.group(1) or m.group(3) or "Release" + m.group(2): i for i, m in enumerate(found)}
        library = ctypes.CDLL(os.path.join(folder, "lib", "libonnxruntime.so.1"))
        library.OrtGetApiBase.restype = ctypes.POINTER(ctypes.c_void_p)
        get_api = ctypes.CFUNCTYPE(ctypes.POINTER(ctypes.c_void_p), ctypes.c_uint32)(library.OrtGetApiBase()[0])
        newest = int(re.search(r"#define ORT_API_VERSION (\d+)", header).group(1)) # an older library has fewer functions
        self.api = next(api for api in map(get_api, range(newest, 0, -1)) if api)
        self.environment = self.make("CreateEnv", 3, b"test", before=True)
        self.memory = self.make("CreateCpuMemoryInfo", 0, 0)

    def function(self, name, result=ctypes.c_void_p):
        def call(*arguments):
            given = [ctypes.c_void_p(a) if a is None else ctypes.c_int(a) if isinstance(a, int) else a for a in arguments]
            return ctypes.CFUNCTYPE(result, *[type(a) if not isinstance(a, (bytes, ctypes.Array)) else ctypes.c_void_p
                                              for a in given])(self.api[self.places[name]])(
                *[ctypes.cast(a, ctypes.c_void_p) if isinstance(a, (bytes, ctypes.Array)) else a for a in given])
        return call

    def call(self, name, *arguments):
        status = self.function(name)(*arguments)
        if status:
            text = self.function("GetErrorMessage", ctypes.c_char_p)(ctypes.c_void_p(status)).decode()
            self.function("ReleaseStatus", None)(ctypes.c_void_p(status))
            raise RuntimeError("%s: %s" % (name, text))

    def make(self, name, *arguments, before=False):
        """Calls a function whose last argument is the place of what it makes."""
        made = (ctypes.c_void_p * 1)()
        self.call(name, *arguments, made)
        return ctypes.c_void_p(made[0])

    def open(self, path, plugin):
        options = self.make("CreateSessionOptions")
        if plugin:
            self.call("RegisterCustomOpsLibrary_V2", options, plugin.encode())
        session = self.make("CreateSession", self.environment, path.encode(), options)
        self.function("ReleaseSessionOptions", None)(options)

        def run(inputs):
            values = (ctypes.c_void_p * len(inputs))()
            for i, (sizes, numbers) in enumerate(inputs):
                data = (ctypes.c_char * max(1, len(numbers) * 4)).from_buffer(numbers if numbers else array("f", [0]))
                values[i] = self.make("CreateTensorWithDataAsOrtValue", self.memory, data, ctypes.c_size_t(len(numbers) * 4),
                                      (ctypes.c_int64 * len(sizes))(*sizes), ctypes.c_size_t(len(sizes)), 1).value
            names = (ctypes.c_char_p * len(inputs))(*[b"x", b"a", b"b"][:len(inputs)])
            result = (ctypes.c_void_p * 1)()
            self.call("Run", session, None, names, values, ctypes.c_size_t(len(inputs)), (ctypes.c_char_p * 1)(b"y"),
                      ctypes.c_size_t(1), result)
            value = ctypes.c_void_p(result[0])
            data = self.make("GetTensorMutableData", value)
            n = len(inputs[0][1]) # the result has the size of x
            numbers = array("f", ctypes.string_at(data, 4 * n)) if n else array("f")
            for given in list(values) + [value.value]:
                self.function("ReleaseValue", None)(ctypes.c_void_p(given))
            return numbers
        return run


class Package:
    """The package onnxruntime."""

    def __init__(self, module):
        import numpy
        self.module, self.numpy = module, numpy

    def open(self, path, plugin):
        options = self.module.SessionOptions()
        if plugin:
            options.register_custom_ops_library(plugin)
        session = self.module.InferenceSession(path, options, providers=["CPUExecutionProvider"])

        def run(inputs):
            given = {name: self.numpy.frombuffer(numbers, self.numpy.float32).reshape(sizes)
                     for name, (sizes, numbers) in zip("xab", inputs)}
            return array("f", session.run(["y"], given)[0].tobytes())
        return run


def find_host(folder):
    try:
        import onnxruntime
        return Package(onnxruntime)
    except ImportError:
        pass
    return Library(folder) if os.path.exists(os.path.join(folder, "lib", "libonnxruntime.so.1")) else None


def main():
    check, run, folder, plugin = sys.argv[1:]
    host = find_host(folder)
    if not host or not os.path.exists(plugin):
        print("skipped: ONNX Runtime or the plugin is not there (./dev onnxruntime brings it)")
        return 77
    with tempfile.TemporaryDirectory() as work:
        def at(name):
            return os.path.join(work, name)
        with open(at("model.onnxtxt"), "w") as file:
            file.write(MODEL)
        subprocess.run([check, at("model.onnxtxt"), "-o", at("fused.onnx"), "--emit", "fused", "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        with open(at("fused.onnx"), "rb") as file:
            if b"Fused_1" not in file.read():
                raise AssertionError("nothing was fused")
        with_plugin, by_bodies = host.open(at("fused.onnx"), plugin), host.open(at("fused.onnx"), None)
        for sizes in SIZES:
            n = sizes[0] * sizes[1] * sizes[2] * sizes[3]
            inputs = [(sizes, array("f", [i % 97 / 16 - 3 for i in range(n)])),
                      ((3, 1, 1), array("f", [0.5, -1.25, 2])), ((3, 1, 1), array("f", [1, 0.125, -0.75]))]
            names = []
            for name, (shape, numbers) in zip("xab", inputs):
                write_npy(at(name + ".npy"), shape, numbers)
                names += ["--input", at(name + ".npy")]
            subprocess.run([run, at("model.onnxtxt"), *names, "--output-dir", work, "--npy", "--quiet"], check=True)
            with open(at("output_0.npy"), "rb") as file:
                ours = array("f", file.read()[-4 * n:]) if n else array("f")
            fused, bodies = with_plugin(inputs), by_bodies(inputs)
            if fused.tobytes() != ours.tobytes():
                raise AssertionError("%s: the plugin's bits are not the executor's" % (sizes,))
            far = [i for i in range(n) if abs(bodies[i] - ours[i]) > 1e-5 * (1 + abs(ours[i]))]
            if len(bodies) != n or far:
                raise AssertionError("%s: the bodies give other numbers at %s" % (sizes, far[:4]))
    print("%s: %d sizes, the bits of onnx-broadcast-run with the plugin, its numbers by the bodies"
          % (type(host).__name__.lower(), len(SIZES)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
