"""Cases of matrix products, whose leading axes broadcast, and of Einsum's ellipsis."""
import numpy as np

import operators as ops
from covering import pairwise
from elements import encode, make
from families import DIMS, add_operands, add_set, design, option_tags, seeded
from model import Case
from shapes import pair

BATCH = "batch axes broadcast as in numpy.matmul"
VECTORS = ("none", "left", "right", "both")


def matrix_shapes(random, row):
    """Shapes of both operands: batch axes that broadcast, then the matrices."""
    left, right = pair(random, row["rank"], row["gap"], row["stretch"], row["sizes"])
    m, k, n = row["m"], row["k"], row["n"]
    left, right = left + (m, k), right + (k, n)
    if row["vector"] in ("left", "both"):
        left = (k,)
    if row["vector"] in ("right", "both"):
        right = (k,)
    return left, right


def factors_of(of_types):
    return {"type": of_types, "rank": range(7), "gap": ("equal rank", "left shorter", "right shorter", "left scalar",
                                                        "right scalar"),
            "stretch": ("none", "left", "right", "both"), "sizes": ("n", "1",
                                                                    "0"), "vector": VECTORS, "m": (1, 2, 0), "k": (1, 3, 0),
            "n": (1, 2, 0), "source": ("inputs", "first constant", "last constant"), "dims": DIMS}


REFUSED = (
    ("inner sizes 3 and 2", (2, 3), (2, 4)),
    ("inner sizes 0 and 2", (2, 0), (2, 4)),
    ("an inner size of 1 is not stretched", (2, 1), (3, 4)),
    ("batch sizes 2 and 3", (2, 2, 3), (3, 3, 2)),
    ("batch sizes 0 and 2", (0, 2, 3), (2, 3, 2)),
    ("batch sizes 3 and 2 below a stretched axis", (1, 3, 2, 3), (2, 2, 3, 2)),
    ("a scalar on the right", (2, 3), ()),
    ("a scalar on the left", (), (3, 2)),
    ("a vector of another length", (2, 3), (2,)),
    ("two vectors of different lengths", (3,), (4,)),
)


def matmul(seed):
    for since in ops.versions("MatMul"):
        of_types = ops.types("MatMul", since)
        rows = design(seed, "MatMul", since, factors_of(of_types))
        for k, row in enumerate(rows):
            random = seeded(seed, "MatMul", since, k)
            yield matmul_case(since, row["type"], matrix_shapes(random, row), row["source"], row["dims"], random)
        for k, (reason, left, right) in enumerate(REFUSED):
            source = ("inputs", "first constant", "last constant")[k % 3]
            yield matmul_case(since, of_types[k % len(of_types)], (left, right), source, DIMS[k % 2],
                              seeded(seed, "MatMul", since, "refused", k), reason)


def matrix_tags(shapes):
    left, right = shapes
    found = ["empty sum"] if left and left[-1] == 0 else []
    return found + (["vector"] if 1 in (len(left), len(right)) else [])


def batch_set(case, inputs, shapes, expected, extra):
    """The tags speak of the batch axes."""
    add_set(case, inputs, [shape[:-2] for shape in shapes], expected, extra + matrix_tags(shapes))


def matmul_case(since, of_type, shapes, source, dims, random, reason=None):
    case = Case("batch axes", "MatMul", since, since, f"MatMul-{since}: {BATCH}")
    values = [(of_type, make(random, of_type, shape, "few")) for shape in shapes]
    case.types, case.result, case.tolerance = [of_type], of_type, ops.tolerance(case.operator, of_type)
    inputs = add_operands(case, values, source, dims)
    batch_set(case, inputs, shapes, reason or [ops.matmul(of_type, values[0][1], values[1][1])], option_tags(source, dims))
    return case


def integers(seed):
    """MatMulInteger, and QLinearMatMul with scales that keep results exact."""
    for name in ("MatMulInteger", "QLinearMatMul"):
        factors = factors_of(("uint8", "int8"))
        factors["right"] = ("uint8", "int8")
        rows = pairwise(seeded(seed, name), factors)
        for k, row in enumerate(rows):
            random = seeded(seed, name, k)
            yield integer_case(name, row["type"], row["right"], matrix_shapes(random, row), row["source"], row["dims"], random)
        for k, (reason, left, right) in enumerate(REFUSED[:6]):
            yield integer_case(name, "uint8", ("int8", "uint8")[k % 2], (left, right), "inputs", DIMS[k % 2],
                               seeded(seed, name, "refused", k), reason)


def integer_case(name, left_type, right_type, shapes, source, dims, random, reason=None):
    case = Case("batch axes", name, 10, 10, f"{name}-10: {BATCH}")
    values = [(left_type, make(random, left_type, shapes[0], "few")), (right_type, make(random, right_type, shapes[1], "few"))]
    zeros = [1, 2 if right_type == "uint8" else -1]
    case.types = sorted({left_type, right_type})
    inputs = add_operands(case, values, source, dims)
    scalars = [("za", left_type, zeros[0]), ("zb", right_type, zeros[1])]
    expected = reason
    if not reason:
        left, right = (array.astype(np.int64) - zero for (_, array), zero in zip(values, zeros))
        expected = np.matmul(left, right)
    if name == "MatMulInteger":
        case.result = "int32"
        case.operands += ["za", "zb"]
    else:  # (a * 0.5) (b * 2) = y * 1, then the zero point of y
        case.result = left_type
        scalars += [("sa", "float", 0.5), ("sb", "float", 2.0), ("sy", "float", 1.0), ("zy", left_type, 3)]
        case.operands = ["a", "sa", "za", "b", "sb", "zb", "sy", "zy"]
        if not reason:
            expected = np.clip(expected + 3, *((0, 255) if left_type == "uint8" else (-128, 127)))
    for label, of_type, value in scalars:
        case.constants.append((label, of_type, encode(of_type, np.array(value))))
    batch_set(case, inputs, shapes, expected if reason else [(case.result, encode(case.result, expected))],
              option_tags(source, dims))
    return case


# ---- Einsum ----------------------------------------------------------------------------------------------------------

EQUATIONS = ("...,...->...", "...i,...i->...i", "...i,...i->...", "i...,i...->...i", "...ij,...jk->...ik")


def einsum(seed):
    """Every ellipsis of an equation stands for the same number of axes; their sizes broadcast."""
    of_types = ("float", "double", "int32", "int64")
    factors = {"type": of_types, "equation": EQUATIONS, "rank": range(5), "stretch": ("none", "left", "right", "both"),
               "sizes": ("n", "1", "0"), "dims": DIMS}
    for k, row in enumerate(pairwise(seeded(seed, "Einsum"), factors)):
        random = seeded(seed, "Einsum", k)
        left, right = pair(random, row["rank"], "equal rank", row["stretch"], row["sizes"])
        yield einsum_case(row["equation"], row["type"], left, right, row["dims"], random)
    for k, (reason, left, right) in enumerate((("the ellipsis stands for sizes 2 and 3", (2,), (3,)),
                                               ("sizes 0 and 2", (0,), (2,)), ("sizes 3 and 2 below a stretched axis",
                                                                               (1, 3), (2, 2)))):
        yield einsum_case("...i,...i->...", "float", left, right, DIMS[k % 2], seeded(seed, "Einsum", "refused", k), reason)


def einsum_case(equation, of_type, left, right, dims, random, reason=None):
    sizes = {"i": 2, "j": 3, "k": 2}
    terms = equation.split("->")[0].split(",")
    shapes = []
    for term, ellipsis in zip(terms, (left, right)):
        before, after = term.split("...")
        shapes.append(tuple(sizes[c] for c in before) + ellipsis + tuple(sizes[c] for c in after))
    case = Case("batch axes", "Einsum", 12, 12, "Einsum-12: dimensions of the ellipsis broadcast")
    case.attributes = {"equation": equation}
    values = [(of_type, make(random, of_type, shape, "few")) for shape in shapes]
    case.types, case.result, case.tolerance = [of_type], of_type, ops.tolerance(case.operator, of_type)
    inputs = add_operands(case, values, "inputs", dims)
    expected = reason or [(of_type, encode(of_type, np.einsum(equation, *(array for _, array in values))))]
    add_set(case, inputs, [left, right], expected, option_tags("inputs", dims))
    return case
