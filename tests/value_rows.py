#!/usr/bin/env python3
"""The parts of the specification that the lines of tests/values leave out.

    value_rows.py VALUE_ROWS SOURCE

One line must set each attribute. Each optional operand and result of an operator's newest version must be given by one line and
left out by another. VALUE_ROWS prints the calls in the lines (value_rows.c). The text is that of op_rows.py. Exit status 77: it
is not there.
"""
import os
import re
import subprocess
import sys

from op_rows import read_text

# Operators whose values are compared elsewhere: the test must name the operator, and each attribute that no line sets.
ELSEWHERE = {
    "Adagrad": "ops/test_training.c",
    "Adam": "ops/test_training.c",
    "Bernoulli": "ops/test_random.c",
    "Constant": "proto/test_sparse.c",
    "Gradient": "ops/test_gradient.c",
    "ImageDecoder": "ops/test_image.c",
    "Momentum": "ops/test_training.c",
    "Multinomial": "ops/test_random.c",
    "NegativeLogLikelihoodLoss": "ops/test_loss.c",
    "RandomNormal": "ops/test_random.c",
    "RandomNormalLike": "ops/test_random.c",
    "RandomUniform": "ops/test_random.c",
    "RandomUniformLike": "ops/test_random.c",
    "RegexFullMatch": "ops/test_strings.c",
    "SoftmaxCrossEntropyLoss": "ops/test_loss.c",
    "StringNormalizer": "ops/test_strings.c",
    "StringSplit": "ops/test_strings.c",
    "TfIdfVectorizer": "ops/test_strings.c",
}
# Attributes that no result depends on, with the reason.
WITHOUT_EFFECT = {
    "consumed_inputs": "a hint of the first releases about memory",
}


def read_calls(command):
    """{(domain, name): {attribute}}, {(domain, name, since): [(given, wanted)]}"""
    attributes, calls = {}, {}
    for line in subprocess.run([command], check=True, capture_output=True, text=True).stdout.splitlines():
        domain, name, since, names, given, wanted = line.split("\t")
        attributes.setdefault((domain, name), set()).update(names.split(",") if names else [])
        calls.setdefault((domain, name, int(since)), []).append((given, wanted))
    return attributes, calls


def one_sided(row, text, calls, side, what):
    """Optional ones of the newest version that all calls have, or none, in the versions that have them."""
    wrong = []
    key = ("in", "out")[side]
    for i, (name, flags, _, _) in enumerate(text[max(text)][key][0]):
        if flags != "?":
            continue
        alike = [since for since in text if [formal[:2] for formal in text[since][key][0][i:i + 1]] == [(name, flags)]]
        seen = {call[side][i:i + 1] == "1" for since in alike for call in calls.get(row + (since,), ())}
        if seen != {True, False}:
            wrong.append("%s %s is never %s" % (what, name, "left out" if True in seen else "given"))
    return wrong


def gaps(row, text, attributes, calls):
    """The parts of an operator that no line uses; text: {since: row}."""
    named = {name for version in text.values() for name in version["attributes"]} - WITHOUT_EFFECT.keys()
    return (["attribute %s is never set" % name for name in sorted(named - attributes.get(row, set()))] +
            one_sided(row, text, calls, 0, "operand") + one_sided(row, text, calls, 1, "result"))


def said_elsewhere(source, row, wrong):
    """The parts that the test comparing the operator does not name either."""
    path = os.path.join(source, "tests", ELSEWHERE[row[1]])
    with open(path, encoding="utf-8") as file:
        code = file.read()
    if not re.search(r"\b%s\b" % row[1], code):
        return ["%s does not name it" % ELSEWHERE[row[1]]]
    named = re.compile("attribute (\\w+) is")
    return [what for what in wrong if named.match(what) and not re.search(r"\b%s\b" % named.match(what).group(1), code)]


def main():
    command, source = sys.argv[1:3]
    folder = os.path.join(os.environ.get("OB_SHARED") or os.path.join(source, "..", "shared"), "onnx-spec")
    path = os.path.join(folder, "Changelog.md")
    if not os.path.exists(path):
        print("skipped: no Changelog.md in %s" % folder)
        return 77
    operators = {}
    texts = read_text(path, "ai.onnx")
    texts.update(read_text(os.path.join(folder, "next.md"), "ai.onnx"))
    for (domain, name, since), text in texts.items():
        if not text["deprecated"]:
            operators.setdefault((domain, name), {})[since] = text
    attributes, calls = read_calls(command)
    n_wrong = 0
    for row in sorted(operators):
        wrong = gaps(row, operators[row], attributes, calls)
        if row[1] in ELSEWHERE:
            wrong = said_elsewhere(source, row, wrong)
        n_wrong += len(wrong)
        for what in wrong:
            print("%s %s: %s" % (row + (what,)))
    print("%d operators, %d gaps" % (len(operators), n_wrong))
    return 1 if n_wrong or not operators else 0


if __name__ == "__main__":
    sys.exit(main())
