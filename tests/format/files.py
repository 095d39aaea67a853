"""usage: files.py BUILD_FOLDER SOURCE_FOLDER

Reports as files: SARIF, GitHub's annotations and Markdown of good, wrong and hostile models. SARIF is compared with the classes
of python3-sarif-python-om, which are generated from OASIS's schema, and with the rules of GitHub's code scanning. All formats
have the same bytes for every number of jobs.
"""
import html
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile

import onnx
from onnx import TensorProto, helper

build, source = (os.path.abspath(path) for path in sys.argv[1:3])
check = os.path.join(build, "onnx-broadcast-check")
failures = []


def must(condition, text):
    if not condition:
        failures.append(text)


# ---- Models ----

HOSTILE = [
    "plain",
    "a%0A::error::b",
    "new\nline::error file=x::y",
    "::stop-commands::token",
    "comma, colon: 100%",
    "</script><script>alert(1)</script>",
    "| cell | <img src=x onerror=alert(1)> `code`",
    "[link](http://example.com) @someone #12 www.example.com",
    "rtl \u202e gnp.exe",
    "zero\u200bwidth",
    "\u00fcml\u00e4ut \U0001f600",
    '"quotes" \\back\\',
    "x" * 5000,
]


def value(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def add_model(folder, file, name, source_line):
    """An Add whose operands do not fit, and a Sub of probably another axis than meant, both with hostile names."""
    wrong = helper.make_node("Add", ["a", name], ["sum"], name=name)
    shifted = helper.make_node("Sub", ["p", "t"], ["difference"], name=name + "2")
    wrong.doc_string = source_line
    graph = helper.make_graph(
        [wrong, shifted], "g", [value("a", [3, 4]), value(name, [3, 5]), value("p", ["N", 1]), value("t", ["N"])],
        [value("sum", None), value("difference", None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    path = os.path.join(folder, file)
    with open(path, "wb") as out:
        out.write(model.SerializeToString())


def run(folder, *arguments, expect=(0, 1, 2)):
    result = subprocess.run([check, *arguments], cwd=folder, capture_output=True, timeout=300)
    must(result.returncode in expect, f"{arguments}: exit status {result.returncode}: {result.stderr[-500:]!r}")
    return result.stdout


# ---- SARIF ----

# The class of each property; a property that is not here holds a plain value.
CLASSES = {
    "SarifLog": {"runs": "Run"},
    "Run": {"tool": "Tool", "artifacts": "Artifact", "results": "Result", "invocations": "Invocation"},
    "Tool": {"driver": "ToolComponent"},
    "ToolComponent": {"rules": "ReportingDescriptor"},
    "ReportingDescriptor": {"shortDescription": "MultiformatMessageString", "fullDescription": "MultiformatMessageString",
                            "help": "MultiformatMessageString", "defaultConfiguration": "ReportingConfiguration"},
    "Artifact": {"location": "ArtifactLocation"},
    "Result": {"message": "Message", "locations": "Location", "relatedLocations": "Location"},
    "Location": {"physicalLocation": "PhysicalLocation", "logicalLocations": "LogicalLocation", "message": "Message"},
    "PhysicalLocation": {"artifactLocation": "ArtifactLocation", "region": "Region"},
    "Invocation": {"toolExecutionNotifications": "Notification"},
    "Notification": {"message": "Message"},
}


def look_at_schema(node, name, om, path):
    members = {a.metadata["schema_property_name"]: a for a in getattr(om, name).__attrs_attrs__}
    for key, child in node.items():
        must(key in members, f"{path}: {name} has no property {key}")
        if key in CLASSES.get(name, {}):
            for index, item in enumerate(child if isinstance(child, list) else [child]):
                look_at_schema(item, CLASSES[name][key], om, f"{path}.{key}[{index}]")
        else:
            must(key == "properties" or not isinstance(child, dict) or key == "partialFingerprints",
                 f"{path}.{key}: an object of unknown class")
    for key, member in members.items():
        required = repr(member.default) == "NOTHING"
        must(not required or key in node, f"{path}: {name} lacks {key}")


def text_of(node, *keys):
    for key in keys:
        node = node.get(key, {}) if isinstance(node, dict) else {}
    return node if isinstance(node, str) else ""


def look_at_github(log):
    """What GitHub requires of SARIF files ("SARIF support for code scanning")."""
    must(log["version"] == "2.1.0" and log["$schema"].startswith("https://"), "version and $schema")
    must(len(log["runs"]) == 1, "one run")
    for run_ in log["runs"]:
        rules = run_["tool"]["driver"]["rules"]
        must(run_["tool"]["driver"]["name"] and run_["tool"]["driver"]["semanticVersion"], "name and version of the tool")
        must(len(run_["results"]) <= 25000, "at most 25000 results")
        seen, ranks = set(), []
        for rule in rules:
            for keys, most in ((("id",), 255), (("name",), 255), (("shortDescription", "text"), 1024),
                               (("fullDescription", "text"), 1024), (("help", "text"), 10**9), (("help", "markdown"), 10**9)):
                must(0 < len(text_of(rule, *keys)) <= most, f"rule {rule['id']}: {keys}")
            must(rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error"), "level of a rule")
            must(rule["properties"]["problem.severity"] in ("recommendation", "warning", "error"), "problem.severity")
            must(len(rule["properties"]["tags"]) <= 10, "tags")
        for result in run_["results"]:
            must(rules[result["ruleIndex"]]["id"] == result["ruleId"], "ruleIndex")
            must(result["level"] in ("note", "warning", "error"), "level of a result")
            must(text_of(result, "message", "text"), "message")
            must(1 <= len(result["locations"]) <= 10, "locations")
            for location in result["locations"] + result.get("relatedLocations", []):
                place = location["physicalLocation"]
                uri = place["artifactLocation"]["uri"]
                must(re.fullmatch(r"(file://)?[A-Za-z0-9._~/%-]+", uri), f"uri {uri!r}")
                must(uri.startswith("file:///") or place["artifactLocation"]["uriBaseId"] == "%SRCROOT%", "uriBaseId")
                must(all(place["region"][key] >= 1 for key in ("startLine", "startColumn", "endLine", "endColumn")), "region")
            fingerprint = result["partialFingerprints"]["primaryLocationLineHash"]
            must(re.fullmatch(r"[0-9a-f]{16}:[1-9][0-9]*", fingerprint), f"fingerprint {fingerprint}")
            must(fingerprint not in seen, f"fingerprint {fingerprint} twice")
            seen.add(fingerprint)
            ranks.append(("error", "warning", "note").index(result["level"]))
        must(ranks == sorted(ranks), "the worst results come first")


def look_at_sarif(text):
    log = json.loads(text)
    look_at_github(log)
    try:
        om = importlib.import_module("sarif_om")
    except ImportError:
        print("skipped: the classes of SARIF's schema (python3-sarif-python-om)")
        return log
    look_at_schema(log, "SarifLog", om, "log")
    return log


# ---- GitHub's annotations ----


def unescape(text, property_):
    for code, plain in (("%0D", "\r"), ("%0A", "\n"), *((("%3A", ":"), ("%2C", ",")) if property_ else ()), ("%25", "%")):
        text = text.replace(code, plain)
    return text


def look_at_annotations(text, n_rest):
    """As the runner reads the lines; returns the annotations."""
    found = []
    for line in text.decode().splitlines():
        match = re.fullmatch(r"::(error|warning|notice) ((?:[a-z]+=[^,:\r\n]*,?)*)::(.*)", line)
        must(match, f"no annotation: {line[:200]!r}")
        if not match:
            continue
        properties = dict(item.split("=", 1) for item in match[2].split(","))
        found.append((match[1], {key: unescape(item, True) for key, item in properties.items()}, unescape(match[3], False)))
        must(len(found[-1][2]) <= 4096, "a message of more than 4096 characters")
    for kind in ("error", "warning", "notice"):
        must(sum(item[0] == kind for item in found) <= 10, f"more than ten of {kind}")
    rest = [item for item in found if "without annotation" in item[2]]
    must((len(rest) == 1 and rest[0][2].startswith(f"{n_rest} more finding")) if n_rest else not rest, f"rest: {rest}")
    return found


# ---- Markdown ----


def look_at_markdown(text):
    plain = text.decode()
    names = re.sub(r"</?(code|br|details|summary)>|\*\*|\*Fix:\*", "", plain)
    names = re.sub(r"&#[0-9]+;", "", names)
    names = re.sub(r"^(### |- |\|(---\|)+$)", "", names, flags=re.M)
    markup = re.findall(r".{0,20}(?:[<>`*_\[\]@#\\]|www\.).{0,20}", names)
    must(not markup, f"markup of a name: {markup[:3]}")
    rows = [line for line in plain.splitlines() if line.startswith("|")]
    must(rows and all(line.count("|") == 5 for line in rows), "a name makes a cell")
    must("::error file=x::y" in html.unescape(plain).replace("\\x0a", ""), "names are readable")
    must("\u202e" not in plain and "u{202e}" in html.unescape(plain), "direction of text")


def main():
    with tempfile.TemporaryDirectory() as folder:
        files = []
        open(os.path.join(folder, "exporter.py"), "w").close()
        for index, name in enumerate(HOSTILE):
            line = {0: 'File "exporter.py", line 7, in f', 1: f'File "{folder}/exporter.py", line 8, in f',
                    2: 'File "/elsewhere/exporter.py", line 9, in f', 3: 'File "../exporter.py", line 10, in f',
                    4: 'File "missing.py", line 11, in f'}.get(index, "")
            files.append(f"m {index}%.onnx")
            add_model(folder, files[-1], name, line)
        with open(os.path.join(folder, "broken.onnx"), "wb") as out:
            out.write(b"no model")
        files += ["broken.onnx", "absent.onnx", os.path.join(source, "models/wrong.onnx")]

        log = look_at_sarif(run(folder, "--format", "sarif", *files))
        results = log["runs"][0]["results"]
        places = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]:
                  result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in results}
        must(places.get("exporter.py") in (7, 8), f"the exporter's line: {places}")
        must(not any("missing" in uri or "elsewhere" in uri or ".." in uri for uri in places), "lines outside the repository")
        must("m%202%25.onnx" in places, f"encoded names: {sorted(places)}")
        invocation = log["runs"][0]["invocations"][0]
        must(not invocation["executionSuccessful"] and len(invocation["toolExecutionNotifications"]) == 2, "files not checked")
        must(any(result["properties"].get("fix") for result in results), "fixes")
        empty = look_at_sarif(run(folder, "--format", "sarif", os.path.join(source, "models/digits.onnx")))
        must(empty["runs"][0]["results"] == [] and empty["runs"][0]["invocations"][0]["executionSuccessful"], "no findings")

        n_findings = len(results) + 2
        annotations = run(folder, "--format", "github", *files)
        levels = [result["level"] for result in results]
        n_annotated = min(10, levels.count("error") + 2) + min(10, levels.count("warning")) + min(10, levels.count("note"))
        found = look_at_annotations(annotations, n_findings - n_annotated)
        must(found[0][1]["file"] == "exporter.py" and found[0][1]["line"] == "7", f"first annotation: {found[0]}")
        must(any("\\x0aline::error" in item[2] for item in found), "a line end in a name is shown")
        look_at_annotations(run(folder, "--format", "github", os.path.join(source, "models/wrong.onnx")), 0)
        must(run(folder, "--format", "github", os.path.join(source, "models/digits.onnx")) == b"", "nothing to annotate")

        look_at_markdown(run(folder, "--format", "markdown", *files))

        for format_ in ("text", "json", "sarif", "github", "markdown"):
            alone = run(folder, "--format", format_, *files)
            for jobs in ("2", "7", "256"):
                must(run(folder, "--format", format_, "--jobs", jobs, *files) == alone, f"{format_} with {jobs} jobs")
        coloured = run(folder, "--color", "always", files[0])
        must(b"\033[1;31m" in coloured and b"\033" not in run(folder, "--color=never", files[0]), "--color")

    for failure in failures[:20]:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
