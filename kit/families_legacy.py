"""Cases of opsets 1 to 6, where the attributes broadcast and axis decide."""
import numpy as np

import operators as ops
from covering import pairwise
from elements import make, pick
from families import add_operands, add_set, attributes_of, binary_values, option_tags, seeded
from model import Case
from shapes import result_dims

RULE = "broadcast = 1: B is one element, or a contiguous part of the shape of A that begins at axis (without it: a suffix)"
PLACES = ("suffix", "suffix, axis given", "prefix", "middle", "whole", "scalar", "one element of rank 1", "negative axis")


def place(random, rank, where, sizes):
    """(shape of A, shape of B, axis or None) or None when the rank is too small for the place."""
    a = tuple(result_dims(random, rank, sizes))
    if where == "whole":
        return a, a, None
    if where == "scalar":
        return a, (), None
    if where == "one element of rank 1":
        return (a, (1,), None) if rank else None
    if rank < (3 if where == "middle" else 2):
        return None
    n = 1 + int(random.random() * (rank - (2 if where == "middle" else 1)))
    if where == "prefix":
        return a, a[:n], 0
    if where == "middle":
        start = 1 + int(random.random() * (rank - n - 1))
        return a, a[start:start + n], start
    start = rank - n
    axis = {"suffix": None, "suffix, axis given": start, "negative axis": start - rank}[where]
    return a, a[start:], axis


def versions(name):
    return [since for since in ops.versions(name) if since < 7]


def aligned(a, b, axis):
    """B with axes of size 1 after it, so that NumPy aligns it as axis says."""
    if b.size == 1 or axis is None:
        return b.reshape(()) if b.size == 1 and b.ndim <= 1 else b
    start = axis + a.ndim if axis < 0 else axis
    return b.reshape(b.shape + (1,) * (a.ndim - start - b.ndim))


def legacy_case(seed, name, since, of_type, shapes, axis, broadcast, source, label, reason=None, settled=True, extra=()):
    random = seeded(seed, name, since, "legacy", label)
    case = Case("opsets 1 to 6", name, since, since, f"{name}-{since}; {RULE}", settled)
    case.attributes = attributes_of(name, of_type, random)
    if broadcast is not None:
        case.attributes["broadcast"] = broadcast
    if axis is not None:
        case.attributes["axis"] = axis
    values = binary_values(name, random, of_type, shapes)
    case.types, case.result, case.tolerance = [of_type], ops.BINARY[name][1] or of_type, ops.tolerance(name, of_type)
    inputs = add_operands(case, values, source, "static")
    expected = reason
    if not reason:
        a, b = values[0][1], values[1][1]
        expected = [ops.binary(name, of_type, a, aligned(a, b, axis), case.attributes)]
    add_set(case, inputs, shapes, expected, option_tags(source, "static") + list(extra))
    return case


STRETCHED = "axes of size 1 in B are not stretched"
REFUSED = (
    ("without broadcast the shapes must be equal", (2, 3), (3,), None, None),
    ("broadcast = 0 and a scalar", (2, 3), (), None, 0),
    ("without axis B is a suffix, and this is a prefix", (2, 3, 4), (2,), None, 1),
    ("without axis B is a suffix, and this is a middle part", (2, 3, 4), (3,), None, 1),
    ("the axis is one too far", (2, 3, 4), (3, 4), 2, 1),
    ("the axis does not exist", (2, 3), (3,), 2, 1),
    ("the sizes at the axis differ", (2, 3, 4), (4,), 1, 1),
    ("B has the higher rank", (3,), (2, 3), None, 1),
    ("A would be stretched", (2, 1), (2, 3), None, 1),
    ("sizes 0 and 2", (2, 0), (2,), None, 1),
    (STRETCHED, (2, 3), (1, 3), None, 1),  # "1-dim expansion doesn't work yet": a state of 2017 rather than a rule
)


def binary(seed):
    for name in ops.BINARY:
        for since in versions(name):
            of_types = ops.types(name, since)
            factors = {"type": of_types, "rank": range(9), "place": PLACES, "sizes": ("n", "1", "0"),
                       "source": ("inputs", "last constant")}
            for k, row in enumerate(pairwise(seeded(seed, name, since), factors, ("type", "rank"))):
                found = place(seeded(seed, name, since, k, "place"), row["rank"], row["place"], row["sizes"])
                if not found:
                    continue
                a, b, axis = found
                negative = row["place"] == "negative axis"
                yield legacy_case(seed, name, since, row["type"], (a, b), axis, 1, row["source"], k, settled=not negative,
                                  extra=[f"legacy: {row['place']}"])
            for k, of_type in enumerate(of_types):
                yield legacy_case(seed, name, since, of_type, ((2, 3), (2, 3)), None, pick(seeded(seed, k), (None, 0)),
                                  "inputs", f"equal {k}", extra=["legacy: no broadcast"])
            for k, (reason, a, b, axis, broadcast) in enumerate(REFUSED):
                of_type, source = of_types[k % len(of_types)], ("inputs", "last constant")[k % 2]
                yield legacy_case(seed, name, since, of_type, (a, b), axis, broadcast, source, f"refused {k}", reason,
                                  settled=reason != STRETCHED, extra=["legacy: refused"])


def variadic(seed):
    """Sum, Mean, Max and Min take equal shapes before opset 8."""
    for name in ops.VARIADIC:
        for since in versions(name):
            of_types = ops.types(name, since)
            for k, (count, rank) in enumerate(pairwise_values(seeded(seed, name, since), range(1, 9), range(9))):
                random = seeded(seed, name, since, k)
                shape = tuple(result_dims(random, rank, pick(random, ("n", "1", "0"))))
                yield variadic_case(name, since, of_types[k % len(of_types)], [shape] * count, random)
            for k, shapes in enumerate(([(2, 3), (3,)], [(2, 3), (1, 3), (2, 3)], [(3,), ()], [(2,), (3,)])):
                yield variadic_case(name, since, of_types[k % len(of_types)], shapes,
                                    seeded(seed, name, since, "refused", k), "the shapes must be equal before opset 8")


def pairwise_values(random, first, second):
    rows = [(a, b) for a in first for b in second]
    return sorted(rows, key=lambda row: (random.random(), row))[:24]


def variadic_case(name, since, of_type, shapes, random, reason=None):
    case = Case("opsets 1 to 6", name, since, since, f"{name}-{since}: all operands have one shape")
    values = [(of_type, make(random, of_type, shape, "right")) for shape in shapes]
    case.types, case.result, case.tolerance = [of_type], of_type, ops.tolerance(name, of_type)
    inputs = add_operands(case, values, "inputs", "static")
    expected = reason or [ops.variadic(name, of_type, [array for _, array in values])]
    add_set(case, inputs, shapes, expected, option_tags("inputs", "static") +
            [f"{len(shapes)} operands", "legacy: refused" if reason else "legacy: no broadcast"])
    return case


def gemm(seed):
    for since in versions("Gemm"):
        of_types = ops.types("Gemm", since)
        rows = (((3, 4), None, None), ((3, 4), 1, None), ((4,), 1, None), ((1,), 1, None), ((), 1, None),
                ((3,), 1, "C is a column of rank 1"), ((4,), None, "C has another shape and broadcast is 0"),
                ((2, 3, 4), 1, "C has rank 3"))
        for k, (shape, broadcast, reason) in enumerate(rows):
            of_type = of_types[k % len(of_types)]
            random = seeded(seed, "Gemm", since, k)
            case = Case("opsets 1 to 6", "Gemm", since, since, f"Gemm-{since}: C is broadcast if the attribute says so")
            case.attributes = {"broadcast": broadcast} if broadcast is not None else {}
            values = [(of_type, make(random, of_type, s, "few")) for s in ((3, 2), (2, 4), shape)]
            case.types, case.result, case.tolerance = [of_type], of_type, ops.tolerance("Gemm", of_type)
            inputs = add_operands(case, values, "inputs", "static")
            expected = reason or [ops.gemm(of_type, *(array for _, array in values), case.attributes)]
            add_set(case, inputs, [(3, 4), shape], expected,
                    option_tags("inputs", "static") + ["legacy: refused" if reason else "legacy: Gemm"])
            yield case


def prelu(seed):
    for since in versions("PRelu"):
        for k, of_type in enumerate(ops.types("PRelu", since)):
            for x in ((2, 3), (2, 3, 4), (1, 3, 2, 2), (0, 3)):
                for slope, settled in (((1,), True), ((3,), False)):
                    random = seeded(seed, "PRelu", since, k, x, slope)
                    rule = "one slope is shared" if settled else "one slope for each channel, which the text implies"
                    case = Case("opsets 1 to 6", "PRelu", since, since, f"PRelu-{since}: {rule}", settled)
                    values = [(of_type, make(random, of_type, x, "left")), (of_type, make(random, of_type, slope, "right"))]
                    case.types, case.result = [of_type], of_type
                    inputs = add_operands(case, values, "last constant", "static")
                    channels = values[1][1] if settled else values[1][1].reshape((3,) + (1,) * (len(x) - 2))
                    add_set(case, inputs, [x, slope], [ops.prelu(of_type, values[0][1], channels)],
                            option_tags("last constant", "static") + ["legacy: PRelu"])
                    yield case
