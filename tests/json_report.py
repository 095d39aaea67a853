#!/usr/bin/env python3
"""Reports in JSON follow docs/report.schema.json, also for names that are not UTF-8.

    json_report.py COMMAND SCHEMA MODEL...

Checks the keywords that the schema uses; needs nothing but Python.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "required", "additionalProperties", "properties", "items",
         "enum", "const", "pattern", "minimum", "anyOf"}


class Invalid(Exception):
    pass


def check(value, schema, root, where):
    unknown = set(schema) - KNOWN
    if unknown:
        raise Invalid("%s: the schema uses %s, which this test does not know" % (where, sorted(unknown)))
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].split("/")[1:]:
            target = target[part]
        check(value, target, root, where)
    if "anyOf" in schema:
        reasons = []
        for choice in schema["anyOf"]:
            try:
                check(value, choice, root, where)
                break
            except Invalid as invalid:
                reasons.append(str(invalid))
        else:
            raise Invalid("; or ".join(reasons))
    if "const" in schema and value != schema["const"]:
        raise Invalid("%s: %r is not %r" % (where, value, schema["const"]))
    if "enum" in schema and value not in schema["enum"]:
        raise Invalid("%s: %r is not one of %r" % (where, value, schema["enum"]))
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(isinstance(value, TYPES[name]) and isinstance(value, bool) == (name == "boolean") for name in names):
            raise Invalid("%s: %r is not of type %s" % (where, value, names))
    if "pattern" in schema and not re.search(schema["pattern"], value):
        raise Invalid("%s: %r does not match %s" % (where, value, schema["pattern"]))
    if "minimum" in schema and isinstance(value, int) and value < schema["minimum"]:
        raise Invalid("%s: %r is too small" % (where, value))
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            check(item, schema["items"], root, "%s[%d]" % (where, i))
    if isinstance(value, dict):
        for name in schema.get("required", ()):
            if name not in value:
                raise Invalid("%s: %s is missing" % (where, name))
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for name, item in value.items():
            if name in properties:
                check(item, properties[name], root, where + "." + name)
            elif others is False:
                raise Invalid("%s: %s is not in the schema" % (where, name))
            elif isinstance(others, dict):
                check(item, others, root, where + "." + name)


def report(command, schema, paths):
    done = subprocess.run([command, "--format", "json", "--graph", "--cost", *paths], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    text = done.stdout.decode("utf-8")  # strict: bytes of the model must not appear unescaped
    document = json.loads(text)
    check(document, schema, schema, "report")
    return done.returncode, document


def with_hostile_name(path, folder):
    """The model with a name of the same length that is neither UTF-8 nor harmless."""
    with open(path, "rb") as file:
        data = file.read()
    hostile = b'\xff"\\\x01\n\x1b\xc3\xc3'
    if b"position" not in data:
        raise SystemExit("%s has no value called position" % path)
    changed = os.path.join(folder, "hostile.onnx")
    with open(changed, "wb") as file:
        file.write(data.replace(b"position", hostile))
    return changed


def whole(text, names):
    """The text with every numbered name put in its place."""
    found = re.search(r"\.\.\.\{(\d+)\}\.\.\.", text)
    if not found:
        return text
    name = names[int(found.group(1))]
    begin = text[:found.start()]
    for n in range(min(len(begin), len(name)), 400, -1):
        if begin.endswith(name[:n]):
            break
    else:
        raise Invalid("not the beginning of the name: %r" % begin[-40:])
    end = text[found.end():]
    for m in range(min(len(end), len(name)), 400, -1):
        if name.endswith(end[:m]):
            break
    else:
        raise Invalid("not the end of the name: %r" % end[:40])
    return whole(begin[:-n] + name + end[m:], names)


def nothing_is_cut(command, schema, folder):
    """Names of 1200 and 20000 letters that differ in the middle only, in 300 nodes and in conditions."""
    for size in (1200, 20000):
        symbols = [letter * (size // 2) + "_%d_" % i + letter * (size // 2) for i, letter in ((1, "s"), (2, "s"))]
        node = "n" * (size // 2) + "%d" + "n" * (size // 2)
        sums = "".join("[%s] y%d = Add(x, z)\n" % (node % i, i) for i in range(300))
        path = os.path.join(folder, "long.onnxtxt")
        with open(path, "w") as file:
            file.write('<ir_version: 8, opset_import: ["" : 17]>\ng (float[%s] x, float[%s] z) => (%s) {\n%s}\n'
                       % (symbols[0], symbols[1], ", ".join("float[] y%d" % i for i in range(300)), sums))
        _, document = report(command, schema, [path])
        (model,) = document["models"]
        names = model["long_names"]
        if len(set(names)) != len(names) or set(names) != set(symbols) | {node % i for i in range(300)}:
            raise Invalid("%d names of %d letters" % (len(names), size))
        if [whole(broadcast["node"], names) for broadcast in model["broadcasts"]] != [node % i for i in range(300)]:
            raise Invalid("the names of nodes are lost")
        texts = [model["contract"]["clauses"][0]["text"]] + [condition["text"] for condition in model["conditions"]]
        for text in texts:
            if sorted(re.split(" = | or ", whole(text, names))) != sorted(2 * symbols + ["1", "1"]):
                raise Invalid("the text of a condition is cut: %s" % re.sub("s{99,}", "S", whole(text, names)))
        if whole(model["values"][0]["type"], names) != "float[%s]" % symbols[0]:
            raise Invalid("the type of a value is cut")
        if sorted(whole(name, names) for name in model["contract"]["clauses"][0]["holds"]) != symbols:
            raise Invalid("the witness names other sizes")
        if os.path.getsize(path) > 10 * size and len(json.dumps(document)) > 25 * 1000 * 300 + 3 * os.path.getsize(path):
            raise Invalid("%d bytes of report" % len(json.dumps(document)))


def look_at_graph(path, model):
    """Each index names what the rest of the report says."""
    graph, values = model["graph"], model["values"]
    if len(graph["axes"]) != len(values) or len(graph["nodes"]) != model["summary"]["nodes"]:
        raise Invalid("%s: the graph has other nodes or values than the report" % path)
    for name in ("findings", "broadcasts"):
        for item, node in zip(model[name], graph[name], strict=True):
            if (graph["nodes"][node]["name"] if node is not None else "") != item["node"]:
                raise Invalid("%s: the node of %r is %r" % (path, item, node))
    defined = [v for graph_ in graph["graphs"] for v in set(graph_["inputs"] + graph_["initializers"])]
    defined += [v for node in graph["nodes"] for v in node["outputs"] if v is not None]
    if sorted(defined) != list(range(len(values))):
        raise Invalid("%s: the graph defines other values than the report lists" % path)
    for value, axes in zip(values, graph["axes"]):
        numbers = [axis for axis in axes or [] if axis is not None]
        if axes is not None and (len(axes) != len(value["shape"]) or max(numbers + [0]) >= len(graph["origins"])):
            raise Invalid("%s: the axes of %r are %r" % (path, value, axes))


def main():
    command, schema_path, models = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    n_findings = n_broadcasts = 0
    for path in models:
        _, document = report(command, schema, ["--target", "tosa-8k,hls4ml-parallel,webnn", path])
        (model,) = document["models"]
        summary = model["summary"]
        for name, key in (("findings", None), ("broadcasts", "broadcasts"), ("conditions", "conditions"), ("values", "values")):
            if key and len(model[name]) != summary[key]:
                raise Invalid("%s: %d %s, the summary says %d" % (path, len(model[name]), name, summary[key]))
        look_at_graph(path, model)
        n_findings += len(model["findings"])
        n_broadcasts += len(model["broadcasts"])
    status, document = report(command, schema, models + ["missing.onnx"])
    missing = document["models"].pop()
    if missing["file"] != "missing.onnx" or not missing["error"]["message"]:
        raise Invalid("the entry of a file that is not there: %r" % missing)
    if document["tool"]["name"] != "onnx-broadcast-check" or not document["tool"]["version"]:
        raise Invalid("the tool is %r" % document["tool"])
    if status != 2 or len(document["models"]) != len(models):
        raise Invalid("several files: status %d, %d models" % (status, len(document["models"])))
    accidental = [path for path in models if path.endswith("accidental.onnx")]
    _, document = report(command, schema, ["--assume", "N >= 1", *accidental])
    assumptions = document["models"][0]["contract"]["assumptions"]
    if assumptions != [{"text": "N >= 1", "source": "given", "value": ""}]:
        raise Invalid("the assumptions are %r" % assumptions)
    with tempfile.TemporaryDirectory() as folder:
        wrong = [path for path in models if path.endswith("wrong.onnx")]
        status, document = report(command, schema, [with_hostile_name(wrong[0], folder)])
        names = [operand["name"] for finding in document["models"][0]["findings"] for operand in finding["operands"]]
        if '\ufffd"\\\x01\n\x1b\ufffd\ufffd' not in names:
            raise Invalid("the hostile name is not there: %r" % names)
    _, document = report(command, schema, ["--independent", "N", "--independent", "-", *accidental])
    answers = document["models"][0]["independence"]
    if [answer["symbol"] for answer in answers] != ["N", "N"] or answers[0] != answers[1] or answers[0]["mixing"] != "product":
        raise Invalid("the answers about independence are %r" % answers)
    if answers[0]["path"][0] != answers[0]["node"]:
        raise Invalid("the path begins with %r" % answers[0]["path"][0])
    with tempfile.TemporaryDirectory() as folder:
        nothing_is_cut(command, schema, folder)
    print("%d models: %d findings, %d broadcasts, all as the schema says" % (len(models), n_findings, n_broadcasts))


if __name__ == "__main__":
    main()
