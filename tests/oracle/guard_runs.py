"""Runs of compiled guards: answers at edges of sizes, elements at edges of limits, the conversion of elements.

Many guards are one translation unit: their helpers get names of their own by macros, so that the compiler starts once.
"""
import array
import ctypes
import itertools
import math
import os
import random
import re
import subprocess

from guard_meaning import Bad, clause_answer, value, verdict
from guard_values import inputs_of

EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 17, 31, 32, 33, 64, 127, 128, 224, 256, 511, 512, 1000, 2**20 - 1, 2**20,
         2**31 - 1, 2**31, 2**32, 2**33 + 1, 3037000499, 3037000500, 2**60, 2**61 - 1, 2**61, 2**62 - 2, 2**62 - 1]
BEYOND = [-1, -2**63, 2**62, 2**63 - 1]
HELPER = re.compile(r"\b(obg_\w+)\(|^\} (obg_value);", re.M)
FORMATS = {1: "f", 2: "B", 3: "b", 4: "H", 5: "h", 6: "i", 7: "q", 11: "d", 12: "I"}  # ONNX's number of a type: array's letter
POINTS, CALLS = 60, 40

# ---- Compiling ----


def library(folder, name, files):
    """A library of these guards."""
    unit, path = os.path.join(folder, f"{name}.all.c"), os.path.join(folder, f"{name}.so")
    with open(unit, "w", encoding="utf-8") as out:
        for file in files:
            with open(file, encoding="utf-8") as text:
                helpers = sorted({a or b for a, b in HELPER.findall(text.read())})
            out.write("".join(f"#undef {helper}\n#define {helper} {helper}_{out.tell()}\n" for helper in helpers))
            out.write(f'#undef OBG_MOST\n#undef OBG_RANK\n#include "{os.path.basename(file)}"\n')
    return compiled(unit, path)


def compiled(unit, path):
    how = [os.environ.get("CC", "cc"), "-std=c11", "-O0", "-w", "-fPIC", "-shared", "-o", path, unit]
    made = subprocess.run(how, stderr=subprocess.PIPE, text=True, check=False)
    if made.returncode != 0:
        raise Uncompiled(made.stderr[:300])
    return ctypes.CDLL(path)


class Uncompiled(Exception):
    """What the compiler says."""


class Guard:
    """The functions of a compiled guard."""

    def __init__(self, lib, name):
        self.holds, self.values = getattr(lib, name), getattr(lib, name + "_values")
        self.counts = getattr(lib, name + "_count"), getattr(lib, name + "_inputs")
        self.names = getattr(lib, name + "_name"), getattr(lib, name + "_input")
        self.kind = getattr(lib, name + "_input_type")
        for function in self.names:
            function.restype = ctypes.c_char_p

    def answer(self, sizes, with_text):
        text = ctypes.c_char_p(b"untouched")
        given = (ctypes.c_int64 * max(1, len(sizes)))(*sizes)
        number = self.holds(given, ctypes.byref(text) if with_text else None)
        return number, text.value


# ---- Sizes ----


def points(contract, rng):
    """Sizes at edges: equal ones, mixed ones, and some beyond the range."""
    n = len(contract["sizes"])
    if n == 0:
        return [()]
    found = [(edge,) * n for edge in EDGES]
    for _ in range(POINTS):
        pool = EDGES if rng.random() < 0.5 else EDGES[:12]
        found.append(tuple(rng.choice(pool) for _ in range(n)))
    for beyond in BEYOND:
        found.append(tuple(beyond if i == rng.randrange(n) else 1 for i in range(n)))
    return found


def sizes_problem(guard, contract, rng):
    """Asks at edges; what is wrong, or None."""
    names = [guard.names[0](i) for i in range(len(contract["names"]) + 1)]
    if guard.counts[0]() != len(contract["names"]) or names != [name.encode()[:1000] for name in contract["names"]] + [None]:
        return "the names of sizes"
    for point in points(contract, rng):
        number, text = guard.answer(point, True)
        wanted = verdict(contract, dict(zip(contract["sizes"], point)))
        if number != wanted or guard.answer(point, False)[0] != number:
            return f"sizes {point}: {number}, and the contract says {wanted}"
        if (text is not None) != (number > 0):
            return f"sizes {point}: text {text} with {number}"
    return None


def enumeration_problem(guard, contract, rng, n=3000):
    """The same at all small sizes and many random ones below 2^20, for clauses that Z3 does not decide."""
    names = contract["sizes"]
    small = itertools.islice(itertools.product(range(20 if len(names) < 3 else 7), repeat=len(names)), n)
    drawn = (tuple(int(2 ** rng.uniform(0, 20)) for _ in names) for _ in range(n))
    for point in itertools.chain(small, drawn):
        wanted = verdict(contract, dict(zip(names, point)))
        if guard.answer(point, False)[0] != wanted:
            return f"sizes {point}: the contract says {wanted}"
    return None


# ---- Elements ----


def element_of(x):
    """The integer that an element is, or None."""
    if isinstance(x, int):
        return x
    return math.trunc(x) if -9e18 < x < 9e18 else None


def part_of(bound, shape, sizes, most):
    """The indices of the elements in question."""
    if "first" not in bound:
        return range(math.prod(shape) if shape is not None else 0)
    first, end = ([value(term, sizes, most) for term in bound[name]] for name in ("first", "end"))
    if any(a < 0 or b > size for a, b, size in zip(first, end, shape)):
        raise Bad(2)
    found = []
    for at in itertools.product(*(range(a, b) for a, b in zip(first, end))):
        index = 0
        for size, i in zip(shape, at):
            index = index * size + i
        found.append(index)
    return found


def bound_answer(bound, shape, elements, sizes, most):
    """0 no, 1 yes, 2 unknown"""
    guards = [clause_answer([["nonnegative", ["+", -1, [1, guard]]]], sizes, most) for guard in bound["guards"]]
    if 0 in guards:
        return 1
    try:
        part = part_of(bound, shape, sizes, most) if "first" in bound else range(len(elements))
        if 2 in guards:
            return 2
        if not part:
            return 1
        low, high = (None if bound[name] is None else value(bound[name], sizes, most) for name in ("lowest", "highest"))
    except Bad:
        return 2
    for index in part:
        x = element_of(elements[index])
        if x is None or low is not None and x < low or high is not None and x > high:
            return 0
    return 1


def values_verdict(contract, shapes, elements, sizes):
    unknown = False
    for number, bound in enumerate(contract["bounds"], 1):
        place = inputs_of(contract)[bound["input"]][0]
        answered = bound_answer(bound, shapes[place], elements[place], sizes, contract["most"])
        if answered == 0:
            return number
        unknown |= answered == 2
    return -1 if unknown else 0


def draw_element(letter, reach, rng):
    if rng.random() < 0.02:
        edges = {"f": [math.nan, math.inf, -math.inf, 1e30], "d": [math.nan, 9.1e18, -9.1e18, 1e300]}
        if letter in edges:
            return rng.choice(edges[letter])
    x = rng.randint(-reach if letter not in "BHI" else 0, reach)
    return x + rng.choice((0.0, 0.25, -0.5)) if letter in "fd" else x


def call_problem(guard, contract, sizes, rng):
    """One call with random elements; what is wrong, or None. Without a look at the clauses: the function does not know them."""
    inputs, most = list(inputs_of(contract).values()), contract["most"]
    try:
        shapes = [None if b["shape"] is None else [value(term, sizes, most) for term in b["shape"]] for _, b in inputs]
    except Bad:
        return None
    letters = [FORMATS[bound["type"]] for _, bound in inputs]
    counts = [rng.randrange(6) if shape is None else math.prod(shape) for shape in shapes]
    if any(count > 300 or count < 0 for count in counts):
        return None
    reach = rng.randint(1, 14)
    arrays = [array.array(letter, (draw_element(letter, reach, rng) for _ in range(n))) for letter, n in zip(letters, counts)]
    data = (ctypes.c_void_p * len(arrays))(*(a.buffer_info()[0] if len(a) else None for a in arrays))
    types = (ctypes.c_int * len(inputs))(*(bound["type"] for _, bound in inputs))
    given = (ctypes.c_int64 * max(1, len(sizes)))(*sizes.values())
    wanted = values_verdict(contract, shapes, arrays, sizes)
    number = guard.values(given, data, types, (ctypes.c_int64 * len(counts))(*counts), None)
    return f"sizes {sizes}, elements {arrays}: {number}, and the contract says {wanted}" if number != wanted else None


def values_problem(guard, contract, rng):
    inputs = inputs_of(contract)
    if guard.counts[1]() != len(inputs):
        return "the number of inputs"
    for name, (place, bound) in inputs.items():
        if guard.names[1](place) != name.encode() or guard.kind(place) != bound["type"]:
            return f"the name or the type of input {place}"
    for _ in range(CALLS if inputs else 0):
        sizes = {name: rng.randrange(5) for name in contract["sizes"]}
        problem = call_problem(guard, contract, sizes, rng)
        if problem:
            return problem
    return None


# ---- The conversion of elements ----


def element_problem(folder, text):
    """Compiles obg_element alone, and compares it for every type at its edges."""
    unit, path = os.path.join(folder, "element.c"), os.path.join(folder, "element.so")
    with open(unit, "w", encoding="utf-8") as out:
        out.write("#include <stdint.h>\n" + text.replace("static int obg_element", "int obg_element", 1) + "\n")
    function = compiled(unit, path).obg_element
    most = math.nextafter(9.0e18, 0)
    floats = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.75, -2.75, 9.0e18, -9.0e18, most, -most, 1e30, -1e30,
              5e-324, math.nan, math.inf, -math.inf]
    for kind, letter in FORMATS.items():
        n_bits = 8 * array.array(letter).itemsize
        least = 0 if letter.isupper() else -2**(n_bits - 1)
        xs = array.array(letter, floats if letter in "fd" else [least, least + 1, 0, 1, 100, least + 2**n_bits - 1])
        for i, x in enumerate(xs):
            stored = ctypes.c_int64(77)
            is_integer = function(ctypes.c_void_p(xs.buffer_info()[0]), kind, ctypes.c_int64(i), ctypes.byref(stored))
            wanted = element_of(x)
            if is_integer != (wanted is not None) or wanted is not None and stored.value != wanted:
                return f"element {x} of type {kind} becomes {stored.value if is_integer else 'no integer'}"
    return None


def generator(contract):
    return random.Random(contract["name"])
