#!/usr/bin/env python3
"""usage: kernel_messages.py SOURCE_DIR
No message begins with the name of its operator: the caller that reports it prints node and operator before it
(ops/kernel/kernel.h). Examines every call in ops/ and runtime/ that makes a message: its first text and the argument
that fills a leading %s."""
import pathlib
import re
import sys

MAKERS = re.compile(r"\b(?:OB_FAIL_IF|ob__fail|ob__problem|ob__unverified|ob__survey_note|OB__\w+)\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
NAMES = r"\b(?:op_type|op->name|body->name)\b"


def end_of_call(text, begin):
    """The position after the parenthesis that closes the one before `begin`."""
    depth, at, quoted = 1, begin, False
    while depth and at < len(text):
        c = text[at]
        if quoted:
            at += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        else:
            depth += (c == "(") - (c == ")")
        at += 1
    return at


def first_format(call):
    """The first text of a call that is not an operand of a comparison or of another call, with the text after it."""
    for match in LITERAL.finditer(call):
        if re.search(r",\s*$", call[: match.start()]) and (" " in match[1] or "%" in match[1]):
            return match[1], call[match.end() :]
    return None, ""


def main():
    source = pathlib.Path(sys.argv[1])
    operators = set()
    for path in source.glob("ops/*/family.def"):
        operators |= set(re.findall(r'^OB_OP\w*\("[^"]*",\s*"?(\w+)"?', path.read_text(), re.M))
    assert len(operators) > 200, "the operators are not found"
    named = re.compile(r"(?:%s)\b" % "|".join(sorted(operators, key=len, reverse=True)))
    calls = bad = 0
    for path in sorted([*source.glob("ops/**/*.[ch]"), *source.glob("runtime/**/*.[ch]")]):
        if "ort" in path.parts:
            continue  # operators of ONNX Runtime, which prints its own places
        text = path.read_text()
        for match in MAKERS.finditer(text):
            call = text[match.end() : end_of_call(text, match.end())]
            message, rest = first_format(call)
            if message is None:
                continue
            calls += 1
            filled = message.startswith("%s") and re.match(r'(?:\s*"[^"]*")*\s*,[^,]*' + NAMES, rest)
            if named.match(message) or filled:
                bad += 1
                line = text.count("\n", 0, match.start()) + 1
                print(f'{path.relative_to(source)}:{line}: a message begins with the operator: "{message}"')
    assert calls > 600, f"only {calls} calls are found"
    print(f"{calls} messages, {bad} begin with the operator")
    return 1 if bad else 0


sys.exit(main())
