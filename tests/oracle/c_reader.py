"""Reads the C of a guard: its functions as syntax trees of pycparser.

Lines of the preprocessor are removed. Each function is parsed apart, when it is asked for, and once for all files that have
the same text. The name of the guard becomes "guard" for that.
"""
import re

from pycparser import CParser, c_ast

COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', re.S)
ONLY_IN_CXX = re.compile(r"^#ifdef __cplusplus\n.*?^#endif\n", re.S | re.M)
DIRECTIVE = re.compile(r"^#(?:include <stdint.h>|define (?P<name>\w+) (?P<text>.+))\n", re.M)
CHUNK = re.compile(r"^(?P<head>\S[^;{}]*)(?P<body>\{\n.*?^\})(?P<rest>[^\n]*)\n", re.S | re.M)
DECLARATION = re.compile(r"^\w[^;{}]*\);\n", re.M)
TYPES = " ".join(f"typedef long {name};" for name in ("int64_t", "int32_t", "int16_t", "int8_t", "uint8_t", "uint16_t",
                                                      "uint32_t"))
VALUE = "typedef struct obg_value { int64_t v; int bad; } obg_value;"
PARSER = CParser()
KNOWN = {}


class File:
    """functions: {name: text}; numbers: {name of a macro: number}."""

    def __init__(self, text, name):
        text = COMMENT_OR_STRING.sub(lambda found: " " if found[0][0] == "/" else found[0], text)
        text = re.sub(rf"\b{name}(?=\b|_)", "guard", ONLY_IN_CXX.sub("", text))
        self.numbers = {name: number(found) for name, found in DIRECTIVE.findall(text) if name}
        text = DECLARATION.sub("", DIRECTIVE.sub("", text))
        self.functions = {}
        for chunk in CHUNK.finditer(text):
            self._take(chunk)
        rest = CHUNK.sub("", text).split()
        if rest:
            raise ValueError(f"this is no function: {' '.join(rest)[:200]}")

    def _take(self, chunk):
        if chunk["head"].startswith("typedef "):
            if " ".join(chunk[0].split()) != VALUE:
                raise ValueError(f"another type than obg_value: {chunk[0]}")
            return
        name = re.match(r"[^(]*?(\w+)\(", chunk["head"])[1]
        if name in self.functions:
            raise ValueError(f"two functions {name}")
        self.functions[name] = chunk[0].strip()

    def tree(self, name):
        return parsed(self.functions[name])


def number(text):
    found = re.fullmatch(r"(?:INT64_C\()?(\d+)\)?", text)
    if not found:
        raise ValueError(f"a macro that is no number: {text}")
    return int(found[1])


def parsed(text):
    if text not in KNOWN:
        tree = PARSER.parse(f"{TYPES} {VALUE} {text}").ext[-1]
        if not isinstance(tree, c_ast.FuncDef):
            raise ValueError(f"this is no function: {text[:200]}")
        KNOWN[text] = tree
    return KNOWN[text]


def string(literal):
    """The bytes of a string literal as a text."""
    return re.sub(rb"\\(\d{3})", lambda found: bytes([int(found[1], 8)]), literal[1:-1].encode()).decode("utf-8", "replace")
