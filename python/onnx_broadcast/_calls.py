"""Functions that the library calls: sinks, notes, logs, and the question whether a call is to stop."""
from __future__ import annotations

import logging
import threading
import weakref
from types import TracebackType
from typing import Any, Callable, Iterator, Optional
from contextlib import contextmanager

from . import _native
from ._errors import CancelledError, OBError, check, new_error, text

ffi, lib = _native.ffi, _native.lib
log = logging.getLogger("onnx_broadcast")


def own(owner: Any, close: Callable[[Any], None], kind: str, c: Any, *needed: Any) -> Any:
    """Closes `c` when `owner` dies, and keeps what `c` needs alive until then.

    The garbage collector clears the objects of a cycle in any order: only what weakref.finalize holds is there for certain.
    """
    weakref.finalize(owner, _close, close, kind, c, needed)
    return c


def _close(close: Callable[[Any], None], kind: str, c: Any, needed: tuple[Any, ...]) -> None:
    close(ffi.new(kind + " **", c))


class Sink:
    """Collects what the library writes, or passes it on."""

    def __init__(self, write: Optional[Callable[[bytes], Any]] = None) -> None:
        self.pieces: list[bytes] = []
        self.write = write or self.pieces.append
        self.failure: Optional[BaseException] = None
        self.handle = ffi.new_handle(self)

    def bytes(self) -> bytes:
        return b"".join(self.pieces)

    def check(self, status: int, error: Any = None) -> None:
        if self.failure is not None:
            raise self.failure
        check(status, error)


def collect(function: Callable[..., int], *arguments: Any) -> bytes:
    """The bytes that function(*arguments, sink, context, error) writes."""
    sink, error = Sink(), new_error()
    sink.check(function(*arguments, lib.ob_python_write, sink.handle, error), error)
    return sink.bytes()


def _keep_failure(kind: Any, failure: BaseException, trace: Optional[TracebackType]) -> None:
    # Found by the frame of the callback that failed: its first local is the context.
    context = trace.tb_frame.f_locals.get("context") if trace else None
    if context is not None:
        ffi.from_handle(context).failure = failure


@ffi.def_extern(error=lib.OB_E_IO, onerror=_keep_failure)  # type: ignore[misc]
def ob_python_write(context: Any, data: Any, n_bytes: int) -> int:
    ffi.from_handle(context).write(bytes(ffi.buffer(data, n_bytes)))
    return 0


@ffi.def_extern(onerror=_keep_failure)  # type: ignore[misc]
def ob_python_note(context: Any, node: Any, op_type: Any, reason: Any) -> None:
    ffi.from_handle(context).notes.append((text(node), text(op_type), text(reason)))


@ffi.def_extern()  # type: ignore[misc]
def ob_python_log(context: Any, level: int, message: Any) -> None:
    names = {lib.OB_LOG_WARNING: logging.WARNING, lib.OB_LOG_INFO: logging.INFO}
    log.log(names.get(level, logging.DEBUG), "%s", text(message))


def _stop(kind: Any, failure: BaseException, trace: Optional[TracebackType]) -> bool:
    _keep_failure(kind, failure, trace)
    return True


@ffi.def_extern(error=True, onerror=_stop)  # type: ignore[misc]
def ob_python_poll(context: Any) -> bool:
    # Running Python here is what lets the main thread handle signals: a handler that raises (Ctrl-C) ends in _stop().
    question = ffi.from_handle(context).wanted
    return bool(question and question())


class Watch:
    """Lets a call of the library stop, for Ctrl-C or because somebody asked for it."""

    def __init__(self) -> None:
        self.handle = ffi.new_handle(self)
        self.c = ffi.new("ob_python_watch *", {"context": self.handle})
        self.failure: Optional[BaseException] = None
        self.wanted: Optional[Callable[[], bool]] = None

    def stop(self) -> None:
        self.c.stop = True

    @contextmanager
    def during(self, wanted: Optional[Callable[[], bool]] = None) -> Iterator[None]:
        """Around a call. What a signal handler raised replaces the error of the call."""
        self.c.stop, self.failure, self.wanted = False, None, wanted
        try:
            yield
        except CancelledError:
            if self.failure is not None:
                raise self.failure from None
            raise
        finally:
            self.failure = self.wanted = None


_kept: dict[int, Any] = {}
_kept_lock = threading.Lock()


def keep(item: Any) -> Any:
    """Keeps an object until C calls ob_python_release() with the result."""
    handle = ffi.new_handle(item)
    with _kept_lock:
        _kept[int(ffi.cast("uintptr_t", handle))] = handle
    return handle


@ffi.def_extern()  # type: ignore[misc]
def ob_python_release(context: Any) -> None:
    with _kept_lock:
        _kept.pop(int(ffi.cast("uintptr_t", context)), None)


__all__ = ["OBError", "Sink", "Watch", "collect", "keep", "lib", "ffi", "log"]
