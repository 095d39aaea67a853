#!/usr/bin/env python3
"""usage: opened_files.py BUILD SOURCE PRELOAD. The files that the commands open: the checker opens the model, and what its
options name; a run also opens the external data of the model, and what tells it the memory of the machine."""
import os
import shutil
import subprocess
import sys
import tempfile

BUILD, SOURCE, PRELOAD = map(os.path.abspath, sys.argv[1:4])
EXTERNAL = """\
ir_version: 8
opset_import { domain: "" version: 17 }
graph {
  name: "g"
  node { op_type: "Add" name: "add" input: "x" input: "w" output: "y" }
  initializer {
    dims: 2 data_type: 1 name: "w" data_location: EXTERNAL
    external_data { key: "location" value: "weights.bin" }
  }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_param: "batch" } dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 } } }
}
"""
# Options of the checker, and the names that they may open beside the model's; a file is written under a name that begins so.
CHECKS = [
    ([], []),
    (["--format", "json", "--graph"], []),
    (["--format", "html"], []),
    (["--list=all", "--cost", "--target", "all", "--independent", "batch"], []),
    (["--rules", "mlir", "--werror", "--assume", "batch >= 1", "--verbose"], []),
    (["-o", "explicit.onnx", "--emit", "broadcast"], ["explicit.onnx"]),
    (["-o", "explicit.onnx", "--emit", "expand"], ["explicit.onnx"]),
    (["--emit-guard", "guard.c"], ["guard.c"]),
    (["--write-baseline", "known.json"], ["known.json"]),
]
MACHINE = ("/proc/", "/sys/")  # limits of memory and processors


def opened(folder, command, *arguments):
    """The paths that the command opens, in order. Its exit status tells of the model, and is not looked at."""
    listing = os.path.join(folder, "opened.txt")
    if os.path.exists(listing):
        os.remove(listing)
    environment = dict(os.environ, LD_PRELOAD=PRELOAD, OB_OPENED=listing)
    done = subprocess.run([os.path.join(BUILD, command), *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):
        return [f"exit status {done.returncode}: {done.stderr.strip()}"]
    with open(listing, encoding="utf-8") as file:
        return file.read().splitlines()


def is_expected(path, model, names):
    """A file is written beside its name, and the folder is synced afterwards."""
    return path in (model, ".") or any(os.path.basename(path).startswith(name) for name in names)


def main():
    failed = n = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "external.textproto"), "w", encoding="utf-8") as file:
            file.write(EXTERNAL)
        with open(os.path.join(folder, "weights.bin"), "wb") as file:
            file.write(bytes(8))
        for name in ("digits.onnx", "attention.onnx"):
            shutil.copy(os.path.join(SOURCE, "models", name), folder)
        for model in ("external.textproto", "digits.onnx", "attention.onnx"):
            for options, names in CHECKS:
                found = opened(folder, "onnx-broadcast-check", *options, model)
                wrong = [path for path in found if not is_expected(path, model, names)]
                n += 1
                if wrong or model not in found:
                    failed += 1
                    print(f"onnx-broadcast-check {' '.join(options)} {model} opens {found}")
        found = opened(folder, "onnx-broadcast-run", "external.textproto", "--random", "--quiet")
        left = [path for path in found if not path.startswith(MACHINE)]
        if left != ["external.textproto", ".", "weights.bin"]:
            failed += 1
            print(f"onnx-broadcast-run external.textproto opens {left}")
    print(f"{n + 1} commands, {failed} open other files")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
