"""Builds the package onnx_broadcast: the library by CMake as a static archive, and one module of the stable ABI with it.

ONNX_BROADCAST_SYSTEM=1 links the installed shared library instead (pkg-config onnx_broadcast), for distributions.
"""
import os
import re
import shlex
import subprocess
import tempfile

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

TOP = os.path.dirname(os.path.abspath(__file__))
OLDEST = "cp39"  # the wheel serves this Python and every later one
SYSTEM = os.environ.get("ONNX_BROADCAST_SYSTEM", "0") not in ("", "0")


def version():
    with open(os.path.join(TOP, "include/onnx_broadcast/version.h"), encoding="utf-8") as file:
        return ".".join(re.findall(r"^#define OB_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", file.read(), re.M))


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def page_layout(folder):
    """The folder of the library that lays out the graph of the HTML report. Without npm and network the page lists nodes."""
    for made in (os.path.join(TOP, "build", "page_layout"), folder):
        if os.path.exists(os.path.join(made, "dist", "dagre.min.js")):
            return made
    done = subprocess.run(["bash", os.path.join(TOP, "cmake", "page_layout.sh"), folder], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(f"warning: HTML reports will list nodes instead of drawing the graph: {done.stdout.strip()}")
    return folder


class build_with_library(build_ext):
    """Builds the C library before the module that contains it."""

    def build_extension(self, extension):
        if SYSTEM:
            flags = shlex.split(run("pkg-config", "--cflags", "--libs", "onnx_broadcast"))
        else:
            folder = os.path.join(TOP, "include")
            flags = [f"-I{folder}", *self.build_library()]
        extension.extra_compile_args += [flag for flag in flags if flag.startswith("-I")]
        extension.extra_link_args += [flag for flag in flags if not flag.startswith("-I")]
        # Prototypes that do not fit the headers are errors.
        extension.extra_compile_args += ["-fvisibility=hidden", "-Werror=incompatible-pointer-types", "-Werror=int-conversion"]
        super().build_extension(extension)

    def build_library(self):
        """The static archive, made by CMake; what to link."""
        folder = os.path.join(os.path.abspath(self.build_temp), "cmake")
        os.makedirs(folder, exist_ok=True)
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DOB_BUILD_SHARED=OFF", "-DOB_BUILD_TOOLS=OFF", "-DOB_BUILD_TESTS=OFF",
                   "-DOB_BUILD_BENCH=OFF", "-DCMAKE_INSTALL_PREFIX=/usr", "-DCMAKE_INSTALL_LIBDIR=lib"]
        options.append("-DOB_PAGE_LAYOUT_DIR=" + page_layout(os.path.join(os.path.abspath(self.build_temp), "page_layout")))
        options += shlex.split(os.environ.get("ONNX_BROADCAST_CMAKE", ""))
        run("cmake", "-S", TOP, "-B", folder, *options)
        run("cmake", "--build", folder, "--target", "onnx_broadcast", "--parallel", str(self.parallel or os.cpu_count() or 1))
        with open(os.path.join(folder, "config", "onnx_broadcast.pc"), encoding="utf-8") as file:
            needed = re.search(r"^Libs: (.*)$", file.read(), re.M)[1].split()
        libraries = [flag for flag in needed if flag.startswith("-l") and flag != "-lonnx_broadcast"]
        return [os.path.join(folder, "libonnx_broadcast.a"), *libraries, "-Wl,--exclude-libs,ALL"]


class sdist_with_commit(sdist):
    """Writes the commit into the distribution, where git does not know it."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        with tempfile.TemporaryDirectory() as folder:
            header = os.path.join(folder, "commit.h")
            run("cmake", f"-DSOURCE={TOP}", f"-DHEADER={header}", "-P", os.path.join(TOP, "cmake", "commit.cmake"))
            with open(header, encoding="utf-8") as file:
                commit = file.read().split('"')[1]
        path = os.path.join(base_dir, "cmake", "archive_commit.txt")
        os.remove(path)  # it may be a link to the file of this tree
        with open(path, "w", encoding="utf-8") as file:
            file.write(commit + "\n")


setup(version=version(), cffi_modules=["python/native.py:ffi"],
      cmdclass={"build_ext": build_with_library, "sdist": sdist_with_commit},
      options={"bdist_wheel": {"py_limited_api": OLDEST}})
