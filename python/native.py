"""Builds the C interface of the package: `onnx_broadcast._native`.

The declarations are the public headers themselves, run through the C preprocessor, so they cannot differ from the library. Used
by setup.py (through cffi), and by CMake for the Debian package: `native.py OUT.c` writes the C source of the module.
"""
import os
import re
import shlex
import subprocess
import sys
import sysconfig

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(os.path.dirname(HERE), "include")
# operator.h describes the operators of C programs: Python can only load libraries with them. ahead.h is for models as C, which
# have a library of their own.
LEFT_OUT = ("/operator.h", "/ahead.h")
LOADING = """
typedef struct ob_operators ob_operators;
ob_status ob_operators_create(const ob_allocator *allocator, ob_operators **out);
void ob_operators_close(ob_operators **operators);
ob_status ob_operators_load(ob_operators *operators, const char *path, ob_error *error);
ob_status ob_model_set_operators(ob_model *model, const ob_operators *operators);
"""
CONSTANTS = """
#define OB_MAX_RANK ...
#define OB_RANK_UNKNOWN ...
static const int64_t OB_DIM_UNKNOWN;
#define OB_VERSION_MAJOR ...
#define OB_VERSION_MINOR ...
#define OB_VERSION_PATCH ...
"""


def include_folders():
    """The folders of the headers: those of this source tree, or of the installed library (ONNX_BROADCAST_SYSTEM=1)."""
    if os.environ.get("ONNX_BROADCAST_SYSTEM", "0") in ("", "0"):
        return [INCLUDE]
    flags = subprocess.run(["pkg-config", "--cflags-only-I", "onnx_broadcast"], check=True, stdout=subprocess.PIPE, text=True)
    return [flag[2:] for flag in shlex.split(flags.stdout)] or ["/usr/include"]


def public_declarations():
    """The public headers after the preprocessor, without what they include from the system and without inline functions."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    folders = [argument for folder in include_folders() for argument in ("-I", folder)]
    text = subprocess.run(compiler + ["-E", "-D__attribute__(x)=", *folders, "-x", "c", "-"], check=True,
                          input="#include <onnx_broadcast/onnx_broadcast.h>\n", stdout=subprocess.PIPE, text=True).stdout
    kept, ours = [], False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "(.*)"', line)
        if marker:
            ours = "onnx_broadcast/" in marker[1] and not marker[1].endswith(LEFT_OUT)
        elif ours and line.strip() and not line.startswith("#"):
            kept.append(line)
    text = "\n".join(kept)
    text = re.sub(r"static inline [^{;]*\{[^{}]*\}", "", text)
    return re.sub(r"\bextern\b|_Static_assert\([^;]*;", "", text)


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def make_ffi():
    ffi = cffi.FFI()
    ffi.cdef(CONSTANTS + public_declarations() + LOADING, override=True)
    ffi.cdef(read("glue.cdef"))
    # The module exports nothing but its entry.
    ffi.set_source("onnx_broadcast._native",
                   "#include <onnx_broadcast/onnx_broadcast.h>\n#include <onnx_broadcast/operator.h>\n" + read("glue.c"))
    return ffi


if __name__ == "__main__":
    make_ffi().emit_c_code(sys.argv[1])
else:
    ffi = make_ffi()
