#!/usr/bin/env python3
"""Every row of the operator table against the text of the specification.

    op_rows.py OP_ROWS SOURCE

Compared are the types, the counts of operands, the optional and variadic ones, the versions, and the attributes with their
types and defaults. OP_ROWS prints the table (op_rows.c). The text is ONNX's Changelog.md and Changelog-ml.md in the folder
onnx-spec of OB_SHARED, or of ../shared beside SOURCE; next.md there has the versions in development. Exit status 77: it is not
there.
"""
import html
import os
import re
import subprocess
import sys

# Places where the text contradicts the operator's schema or itself, with the reason.
EXPERIMENTAL = "experimental in ONNX 1.0 to 1.4, gone from the text since"
KNOWN = {("ai.onnx", name, since): EXPERIMENTAL for since in (1, 10) for name in
         ("ATen", "Affine", "ConstantFill", "Crop", "DynamicSlice", "GRUUnit", "GivenTensorFill", "ImageScaler",
          "ParametricSoftplus", "Scale", "ScaledTanh")}
KNOWN["ai.onnx", "SimplifiedLayerNormalization", 1] = "of ONNX Runtime, whose exports have it in this domain"
KNOWN["ai.onnx", "GroupNormalization", 18] = ("deprecated by a later release for its scale, which goes by groups; "
                                              "models of opset 18 to 20 have it, and it runs")
# Attributes of which the text's formal default is missing or wrong: (name, since, attribute): what the row has, and why.
KNOWN_ATTRIBUTES = {
    ("Concat", 1, "axis"): ("=1", "the words: default value is 1"),
    ("Split", 1, "axis"): ("=0", "as of version 2; the text does not say"),
    ("SequenceEmpty", 11, "dtype"): ("=1", "the words: the default type is float"),
    ("GRU", 1, "direction"): ("=forward", "a misspelt default"),
    ("Selu", 6, "alpha"): ("=1.67326319", "the words have more digits"),
    ("Selu", 22, "alpha"): ("=1.67326319", "the words have more digits"),
    ("Selu", 6, "gamma"): ("=1.05070102", "the words have more digits"),
    ("Selu", 22, "gamma"): ("=1.05070102", "the words have more digits"),
    ("RegexFullMatch", 20, "pattern"): ("needed", "without it there is nothing to match"),
}
KINDS = {"float": 1, "int": 2, "string": 3, "tensor": 4, "graph": 5, "list of floats": 6, "list of ints": 7,
         "list of strings": 8, "sparse_tensor": 11, "type_proto": 13}


def element_types(text, constraints):
    """The set of types that the text gives for an operand: of a constraint, or written out."""
    text = text.strip()
    if text in constraints:
        return constraints[text]
    types = set()
    for part in re.findall(r"(?:tensor|seq|optional|map|sparse_tensor)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", text):
        outer, inner = re.match(r"(\w+)\((.*)\)$", part).groups()
        types.add(inner if outer == "tensor" else outer)
    return types


def operands(section, title, constraints):
    """[(name, flags, constraint or None, types)], least, most of "Inputs" or "Outputs"."""
    match = re.search(r"^#### %s(?: \((\d+) - (\d+|&#8734;)\))?\n(.*?)(?=^#### |\Z)" % title, section, re.M | re.S)
    if not match:
        return [], 0, 0
    found = []
    for name, notes, types in re.findall(r"^<dt><tt>([^<]*)</tt>(?: \(([^)]*)\))? : (.*?)</dt>", match.group(3), re.M):
        notes = notes or ""
        flags = "?" if "optional" in notes else "~" if "heterogeneous" in notes else "*" if "variadic" in notes else ""
        found.append((name, flags, types.strip() if types.strip() in constraints else None, element_types(types, constraints)))
    least, most = len(found), len(found)
    if match.group(1):
        least, most = int(match.group(1)), -1 if match.group(2) == "&#8734;" else int(match.group(2))
    return found, least, most


def attributes(section):
    """{name: (number of the type, "needed", "open" or "=" and the default)} of "Attributes"."""
    match = re.search(r"^#### Attributes\n(.*?)(?=^#### |\Z)", section, re.M | re.S)
    found = {}
    for name, kind in re.findall(r"^<dt><tt>([^<]*)</tt> : (.*?)</dt>", match.group(1) if match else "", re.M):
        kind, needed, default = re.match(r"(.*?)(?: \((required)\)| \(default is (.*)\))?$", kind).groups()
        if default is not None and kind.startswith("list"):
            default = ",".join(re.findall(r"'([^']*)'", default))
        found[name] = (KINDS[kind], "needed" if needed else "open" if default is None else "=" + default.strip("()"))
    return found


def same_default(kind, ours, text):
    if kind == KINDS["float"] and ours[:1] == text[:1] == "=":
        return abs(float(ours[1:]) - float(text[1:])) <= 1e-6 * abs(float(text[1:])) and (ours[1:2] == "-") == (text[1:2] == "-")
    return ours == text


def compare_attributes(row, ours, text):
    wrong = []
    for name in sorted(set(ours) | set(text)):
        if name not in text or name not in ours:
            wrong.append("attribute %s: %s the text" % (name, "not in" if name not in text else "only in"))
            continue
        known = KNOWN_ATTRIBUTES.get(row[1:] + (name,))
        if ours[name][0] != text[name][0]:
            wrong.append("attribute %s is of type %d, the text: %d" % (name, ours[name][0], text[name][0]))
        elif known:
            if ours[name][1] != known[0] or ours[name][1] == text[name][1]:
                wrong.append("attribute %s is %s, listed as %s" % (name, ours[name][1], known[0]))
        elif not same_default(*ours[name], text[name][1]):
            wrong.append("attribute %s is %s, the text: %s" % (name, ours[name][1], text[name][1]))
    return wrong


def read_text(path, default_domain):
    """{(domain, name, since): {...}}"""
    rows = {}
    domain = default_domain
    with open(path, encoding="utf-8") as file:
        text = html.unescape(file.read().replace("&#8734;", "\0")).replace("\0", "&#8734;")
    for part in re.split(r"^(?=# [\w.]+|### <a name=)", text, flags=re.M):
        heading = re.match(r"# (ai\.[\w.]+)", part)
        if heading:
            domain = heading.group(1)
            continue
        heading = re.match(r"### <a name=\"[^\"]*\"></a>\*\*(?:[\w.]+\.)?(\w+)-(\d+)\*\*( \(deprecated\))?", part)
        if not heading:
            continue
        constraints = {}
        match = re.search(r"^#### Type Constraints\n(.*)", part, re.M | re.S)
        for name, types in re.findall(r"^<dt><tt>([^<]*)</tt> : (.*?)</dt>", match.group(1) if match else "", re.M):
            constraints[name] = element_types(types, {})
        rows[domain, heading.group(1), int(heading.group(2))] = {
            "deprecated": bool(heading.group(3)),
            "attributes": attributes(part),
            "in": operands(part, "Inputs", constraints),
            "out": operands(part, "Outputs", constraints),
        }
    return rows


def read_table(command):
    rows = {}
    for line in subprocess.run([command], check=True, capture_output=True, text=True).stdout.splitlines():
        domain, name, since, counts, signature, attribute_list = line.split("\t")
        in_min, in_max, out_min, out_max, deprecated = map(int, counts.split())
        sides = []
        for side in signature.split(">"):
            sides.append([(flags, set(types.split(",")) if types else set())
                          for flags, _, types in (operand.partition(":") for operand in side.split("|") if operand)])
        rows[domain, name, int(since)] = {
            "deprecated": bool(deprecated),
            "in": (sides[0], in_min, in_max),
            "out": (sides[1], out_min, out_max),
            "attributes": {attribute: (int(kind), default)
                           for attribute, kind, default in (entry.split(":", 2) for entry in attribute_list.split("|") if entry)},
        }
    return rows


def compare(row, ours, text):
    """The differences between a row and the text."""
    wrong = []
    if ours["deprecated"] != text["deprecated"]:
        wrong.append("deprecated: %s, the text: %s" % (ours["deprecated"], text["deprecated"]))
    if text["deprecated"]:
        return wrong
    wrong += compare_attributes(row, ours["attributes"], text["attributes"])
    before = [] # what has been seen of both sides: letter, constraint, name
    for side in "in", "out":
        is_list, is_least, is_most = ours[side]
        operand_list, least, most = text[side]
        if (is_least, is_most) != (least, most):
            wrong.append("%sputs %d to %d, the text: %d to %d" % (side, is_least, is_most, least, most))
        if len(is_list) != len(operand_list):
            wrong.append("%d formal %sputs, the text: %d" % (len(is_list), side, len(operand_list)))
        for i, ((flags, types), (name, notes, constraint, wanted)) in enumerate(zip(is_list, operand_list)):
            where = "%sput %d (%s)" % (side, i, name)
            letter = re.sub(r"[?*~]", "", flags)
            flag = flags[:len(flags) - len(letter)]
            if flag != notes:
                wrong.append("%s is '%s', the text: '%s'" % (where, flag, notes))
            if types != wanted:
                more, less = sorted(types - wanted), sorted(wanted - types)
                wrong.append("%s:%s%s" % (where, " takes %s against the text" % ", ".join(more) if more else "",
                                          " lacks %s" % ", ".join(less) if less else ""))
            for other_letter, other_constraint, other in before:
                together = letter != "" and letter == other_letter
                if len(types) > 1 and together != (constraint is not None and constraint == other_constraint):
                    wrong.append("%s and %s: of one type in one of row and text only" % (where, other))
            before.append((letter, constraint, name))
    return wrong


def main():
    command, source = sys.argv[1:3]
    folder = os.path.join(os.environ.get("OB_SHARED") or os.path.join(source, "..", "shared"), "onnx-spec")
    files = [("Changelog.md", "ai.onnx"), ("Changelog-ml.md", "ai.onnx.ml"), ("next.md", "ai.onnx")]
    if not all(os.path.exists(os.path.join(folder, name)) for name, _ in files):
        print("skipped: no Changelog.md, Changelog-ml.md and next.md in %s" % folder)
        return 77
    text = {}
    for name, domain in files:
        text.update(read_text(os.path.join(folder, name), domain))
    table = read_table(command)
    names = {row[:2] for row in table}
    errors = []
    for row in sorted(text):
        if row[:2] not in names:
            continue
        if row not in table:
            errors.append((row, ["no row of this version"]))
        else:
            errors.append((row, compare(row, table[row], text[row])))
    for row in sorted(set(table) - set(text)):
        if row[0] in {known[0] for known in text}:
            errors.append((row, ["the text has no such version"]))
    n_wrong = n_compared = 0
    for row, wrong in errors:
        n_compared += 1
        if row in KNOWN:
            if not wrong:
                wrong = ["listed as otherwise, and is not"]
            else:
                continue
        for what in wrong:
            n_wrong += 1
            print("%s %s-%d: %s" % (row + (what,)))
    missing = sorted({row[:2] for row in text} - names)
    print("%d rows compared, %d differences; %d operators without a row%s" %
          (n_compared, n_wrong, len(missing), ": " + ", ".join(name for _, name in missing) if missing else ""))
    return 1 if n_wrong or n_compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
