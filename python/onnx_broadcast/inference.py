"""The interface of ONNX Runtime's Python package over this library, for programs that were written for it.

    from onnx_broadcast.inference import InferenceSession

What there is: InferenceSession with run(), get_inputs(), get_outputs(), get_overridable_initializers(), get_modelmeta(),
get_providers(), get_provider_options(), set_providers(), get_session_options(); SessionOptions, RunOptions, NodeArg,
ModelMetadata, GraphOptimizationLevel, get_available_providers(), get_device(). What ONNX Runtime has besides raises
NotImplementedError with its name. Options that cannot change results (logging, arenas) are accepted: see SessionOptions.
"""
from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Mapping, NoReturn, Optional, Sequence, Union

from . import _native
from ._errors import OBError
from ._model import Model, ModelLike
from ._session import Session

ffi, lib = _native.ffi, _native.lib
_PROVIDER = "CPUExecutionProvider"


class Fail(OBError):
    """ONNX Runtime's Fail."""


class InvalidArgument(OBError):
    """An input that does not fit the model."""


class NoSuchFile(OBError):
    """The model's file cannot be read."""


class InvalidProtobuf(OBError):
    """The file is not a model."""


class InvalidGraph(OBError):
    """The model's graph is ill-formed."""


class NotImplemented(OBError):
    """An operator, version or type that this library cannot run."""


class RuntimeException(OBError):
    """The run failed."""


_KINDS = {"E_ARGUMENT": InvalidArgument, "E_SHAPE": InvalidArgument, "E_TYPE": InvalidArgument, "E_CONDITION": InvalidArgument,
          "E_NOT_FOUND": InvalidArgument, "E_IO": NoSuchFile, "E_FORMAT": InvalidProtobuf, "E_MODEL": InvalidGraph,
          "E_UNSUPPORTED": NotImplemented, "E_CANCELLED": RuntimeException, "E_LIMIT": RuntimeException,
          "E_MEMORY": RuntimeException}


def _raise_as_runtime(error: OBError) -> NoReturn:
    kind = _KINDS.get(error.code, Fail)
    raise kind(error.code, error.message, error.node, error.op_type, error.value, error.axis) from error


class GraphOptimizationLevel(IntEnum):
    """ORT_DISABLE_ALL: nothing is folded or computed in place; all others are the same here."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_ALL = 99


class ExecutionMode(IntEnum):
    """Accepted; nodes run one after the other."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


@dataclass
class SessionOptions:
    """Used: intra_op_num_threads (0: one), graph_optimization_level, add_free_dimension_override_by_name(). The rest is accepted
    without effect, except what would change results or write files: that raises NotImplementedError."""

    intra_op_num_threads: int = 0
    inter_op_num_threads: int = 0
    graph_optimization_level: GraphOptimizationLevel = GraphOptimizationLevel.ORT_ENABLE_ALL
    execution_mode: ExecutionMode = ExecutionMode.ORT_SEQUENTIAL
    enable_cpu_mem_arena: bool = True
    enable_mem_pattern: bool = True
    enable_mem_reuse: bool = True
    log_severity_level: int = 2
    log_verbosity_level: int = 0
    logid: str = ""
    use_deterministic_compute: bool = True
    enable_profiling: bool = False
    optimized_model_filepath: str = ""
    profile_file_prefix: str = "onnxruntime_profile_"
    config_entries: dict[str, str] = field(default_factory=dict)
    dims: dict[str, int] = field(default_factory=dict)
    operator_libraries: list[str] = field(default_factory=list)

    def add_session_config_entry(self, key: str, value: str) -> None:
        self.config_entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        return self.config_entries[key]

    def add_free_dimension_override_by_name(self, name: str, size: int) -> None:
        self.dims[name] = size

    def register_custom_ops_library(self, path: str) -> None:
        """A library of operators for this project (docs/operators-of-your-own.md), not one of ONNX Runtime's."""
        self.operator_libraries.append(path)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError(f"onnx_broadcast: SessionOptions.{name} is not there")


@dataclass
class RunOptions:
    """Used: terminate, which ends a run from another thread. The rest is accepted without effect."""

    terminate: bool = False
    log_severity_level: int = 2
    log_verbosity_level: int = 0
    logid: str = ""
    only_execute_path_to_fetches: bool = False
    config_entries: dict[str, str] = field(default_factory=dict)

    def add_run_config_entry(self, key: str, value: str) -> None:
        self.config_entries[key] = value


@dataclass(frozen=True)
class NodeArg:
    """An input or output: type "tensor(float)", shape with a number, the name of a symbol, or None for each axis."""

    name: str
    type: str
    shape: Optional[list[Union[int, str, None]]]


@dataclass(frozen=True)
class ModelMetadata:
    """The header of the model."""

    producer_name: str
    graph_name: str
    domain: str
    description: str
    graph_description: str
    version: int
    custom_metadata_map: dict[str, str]


def get_available_providers() -> list[str]:
    return [_PROVIDER]


def get_device() -> str:
    return "CPU"


class InferenceSession:
    """ONNX Runtime's session over this library.

    >>> import numpy as np
    >>> session = InferenceSession("models/scale_bias_nchw.onnx", providers=["CPUExecutionProvider"])
    >>> name = session.get_inputs()[0].name
    >>> session.run(None, {name: np.zeros((2, 3, 4, 4), np.float32)})[0].shape
    (2, 3, 4, 4)

    - providers: CPUExecutionProvider only; others raise ValueError.
    - initializers with a default value stay as they are: get_overridable_initializers() is empty.
    """

    def __init__(self, path_or_bytes: ModelLike, sess_options: Optional[SessionOptions] = None,
                 providers: Optional[Sequence[Any]] = None, provider_options: Optional[Sequence[Mapping[str, Any]]] = None,
                 **kwargs: Any) -> None:
        if kwargs:
            raise TypeError(f"onnx_broadcast: InferenceSession has no {', '.join(sorted(kwargs))}")
        self._options = sess_options or SessionOptions()
        self._meta: Optional[ModelMetadata] = None
        for name in ("enable_profiling", "optimized_model_filepath"):
            if getattr(self._options, name):
                raise NotImplementedError(f"onnx_broadcast: SessionOptions.{name} is not there")
        self.set_providers(providers or [_PROVIDER], provider_options)
        if not isinstance(path_or_bytes, (str, bytes, os.PathLike, Model)) and not hasattr(path_or_bytes, "SerializeToString"):
            raise TypeError(f"Unable to load from type '{type(path_or_bytes)}'")
        options = self._options
        try:
            self._model = Model(path_or_bytes, operators=options.operator_libraries)
            self._session = Session(self._model, threads=max(1, options.intra_op_num_threads), dims=options.dims,
                                    optimize=options.graph_optimization_level != GraphOptimizationLevel.ORT_DISABLE_ALL)
        except OBError as error:
            _raise_as_runtime(error)

    def run(self, output_names: Optional[Sequence[str]], input_feed: Mapping[str, Any],
            run_options: Optional[RunOptions] = None) -> list[Any]:
        """The results in the order of output_names, or all of them in the model's order."""
        names = [argument.name for argument in self._session.inputs]
        missing = [name for name in names if name not in input_feed]
        if missing:
            raise ValueError(f"Required inputs ({missing}) are missing from input feed ({list(input_feed)}).")
        stop = (lambda: run_options.terminate) if run_options is not None else None
        try:
            return list(self._session.run(input_feed, output_names or None, wanted_stop=stop).tuple)
        except OBError as error:
            _raise_as_runtime(error)

    def get_inputs(self) -> list[NodeArg]:
        return [_argument(argument) for argument in self._session.inputs]

    def get_outputs(self) -> list[NodeArg]:
        return [_argument(argument) for argument in self._session.outputs]

    def get_overridable_initializers(self) -> list[NodeArg]:
        return []

    def get_modelmeta(self) -> ModelMetadata:
        """The header of the model. The first call writes the whole model as JSON in memory."""
        if self._meta is None:
            self._meta = _metadata(self._model)
        return self._meta

    def get_providers(self) -> list[str]:
        return [_PROVIDER]

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        return {_PROVIDER: {}}

    def set_providers(self, providers: Sequence[Any], provider_options: Optional[Sequence[Mapping[str, Any]]] = None) -> None:
        for provider in providers:
            name = provider[0] if isinstance(provider, tuple) else provider
            if name != _PROVIDER:
                raise ValueError(f"onnx_broadcast: provider {name!r} is not there; available: {_PROVIDER}")

    def get_session_options(self) -> SessionOptions:
        return self._options

    def disable_fallback(self) -> None:
        """There is no other provider to fall back to."""

    def enable_fallback(self) -> None:
        """There is no other provider to fall back to."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotImplementedError(f"onnx_broadcast: InferenceSession.{name} is not there")


def _argument(argument: Any) -> NodeArg:
    shape = None
    if argument.shape is not None:
        # A size without a name is None in ONNX Runtime, its name by place here.
        shape = [None if isinstance(size, str) and _by_place(size, argument.name) else size for size in argument.shape]
    return NodeArg(argument.name, argument.type, shape)


def _by_place(size: str, name: str) -> bool:
    return size.startswith("?") or (size.startswith(name + "[") and size.endswith("]"))


def _metadata(model: Model) -> ModelMetadata:
    """The fields of ModelProto, from the model in protobuf's JSON form, which the library writes."""
    data = json.loads(model.to_bytes("json"))
    graph = data.get("graph", {})
    custom = {item["key"]: item.get("value", "") for item in data.get("metadata_props", ())}
    return ModelMetadata(data.get("producer_name", ""), graph.get("name", ""), data.get("domain", ""), data.get("doc_string", ""),
                         graph.get("doc_string", ""), int(data.get("model_version", 0)), custom)
