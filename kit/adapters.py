"""The runtimes that the kit knows."""
import collections
import json
import os
import subprocess
import sys

from runners import Command, Server

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SERVERS = os.path.join(TOP, "kit", "servers")
Adapter = collections.namedtuple("Adapter", "name version runner")


def _build(*names):
    return os.path.join(os.environ.get("OB_BUILD", os.path.join(TOP, "build")), *names)


def _executor_version():
    printed = subprocess.run([_build("onnx-broadcast-run"), "--version"], check=True, capture_output=True, text=True).stdout
    return printed.splitlines()[0].split()[-1]


def _executor(limit):
    run = _build("onnx-broadcast-run")
    return Command(f"{run} {{model}} --input {{input}} --output-dir {{output}} --quiet", limit, unsupported_status=3)


def _package_version(folder, name):
    with open(os.path.join(folder, "node_modules", name, "package.json"), encoding="utf-8") as file:
        return json.load(file)["version"]


def _node(folder, package, limit):
    return Server(["node", os.path.join(SERVERS, "onnxruntime.cjs"), package], limit,
                  {"NODE_PATH": os.path.join(folder, "node_modules")})


def _opencv_version():
    return subprocess.run([sys.executable, "-c", "import cv2; print(cv2.__version__)"], check=True, capture_output=True,
                          text=True).stdout.strip()


_ORT = _build("onnxruntime", "node")
_WEB = _build("kit-web")
_ADAPTERS = {
    "onnx-broadcast": Adapter("onnx-broadcast", _executor_version, _executor),
    "onnxruntime": Adapter("ONNX Runtime", lambda: _package_version(_ORT, "onnxruntime-node"),
                           lambda limit: _node(_ORT, "onnxruntime-node", limit)),
    "onnxruntime-web": Adapter("ONNX Runtime Web (WebAssembly)", lambda: _package_version(_WEB, "onnxruntime-web"),
                               lambda limit: _node(_WEB, "onnxruntime-web", limit)),
    "opencv": Adapter("OpenCV", _opencv_version, lambda limit: Server([sys.executable, os.path.join(SERVERS, "opencv.py")],
                                                                      limit)),
}
NAMES = tuple(_ADAPTERS)


def find(name):
    if name not in _ADAPTERS:
        raise SystemExit(f"run.py: no adapter '{name}'; there are {', '.join(NAMES)}")
    return _ADAPTERS[name]
