#!/usr/bin/env python3
"""Protobuf's text format and JSON, compared with protobuf's parsers and printers, which onnx.save uses.

    formats.py COMMAND MODEL...

The command reads protobuf's print of a model as the model itself: it rewrites both to the same bytes. Protobuf reads the
command's output in these formats as the message that the command writes in binary. Exit status 77: onnx is not installed.
"""
import os
import subprocess
import sys
import tempfile

try:
    import onnx
    from google.protobuf import json_format, text_format
except ImportError:
    sys.exit(77)

PRINTERS = (
    ("textproto", lambda m: text_format.MessageToString(m)),
    ("textproto", lambda m: text_format.MessageToString(m, as_utf8=True, use_short_repeated_primitives=True)),
    ("textproto", lambda m: text_format.MessageToString(m, as_one_line=True, pointy_brackets=True)),
    ("json", lambda m: json_format.MessageToJson(m, preserving_proto_field_name=True)),
    ("json", lambda m: json_format.MessageToJson(m, indent=0)),
)


def rewrite(command, source, target):
    done = subprocess.run([command, "--quiet", source, "--emit", "expand", "--force", "-o", target], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit("%s to %s: exit status %d: %s" % (source, target, done.returncode, done.stdout.decode("utf-8", "replace")))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    command, models = sys.argv[1], sys.argv[2:]
    n = 0
    with tempfile.TemporaryDirectory() as folder:
        def at(name):
            return os.path.join(folder, name)
        for path in models:
            if os.path.getsize(path) > 300000:
                continue
            if subprocess.run([command, "--quiet", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
                continue  # a model with errors is not written
            message = onnx.load(path, load_external_data=False)
            with open(at("plain.onnx"), "wb") as file:
                file.write(message.SerializeToString())
            rewrite(command, at("plain.onnx"), at("wanted.onnx"))
            wanted = read(at("wanted.onnx"))
            for ending, printer in PRINTERS:
                source = at("plain." + ending)
                with open(source, "w") as file:
                    file.write(printer(message))
                rewrite(command, source, at("found.onnx"))
                if read(at("found.onnx")) != wanted:
                    sys.exit("%s: another model when it is read from %s" % (path, ending))
            for ending, parse in (("textproto", text_format.Parse), ("json", json_format.Parse)):
                rewrite(command, at("plain.onnx"), at("written." + ending))
                with open(at("written." + ending)) as file:
                    if parse(file.read(), onnx.ModelProto()) != onnx.load_from_string(wanted):
                        sys.exit("%s: another model when it is written as %s" % (path, ending))
            n += 1
    print("%d models" % n)
    if n == 0:
        sys.exit("no model was tried")


main()
