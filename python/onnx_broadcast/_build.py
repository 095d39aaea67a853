"""The build of the C library."""
from __future__ import annotations

from typing import Union

from . import _native

ffi, lib = _native.ffi, _native.lib


def build_info() -> dict[str, Union[str, bool]]:
    """The commit, compiler, options and instruction-set level of the C library, by the names of ob_build in version.h.

    >>> build_info()["level"] in build_info()["levels"].split()
    True
    """
    build = lib.ob_build_info()
    values = {name: getattr(build, name) for name, _ in ffi.typeof("ob_build").fields}
    return {name: value if isinstance(value, bool) else ffi.string(value).decode() for name, value in values.items()}
