"""The cases of every operator that broadcasts, by the rule that it follows."""
import random as random_module

import numpy as np

import operators as ops
from covering import pairwise
from elements import encode, make, pick
from model import Case, Set
from shapes import GAPS, MISMATCHES, RANKS, SIZES, STRETCHES, broadcast, many, one_way, pair, tags

MULTIDIRECTIONAL = "Broadcasting.md, multidirectional broadcasting"
UNIDIRECTIONAL = "Broadcasting.md, unidirectional broadcasting"
SOURCES = ("inputs", "first constant", "last constant")
DIMS = ("static", "symbolic")


def seeded(seed, *words):
    return random_module.Random("/".join(str(word) for word in (seed,) + words))


def design(seed, name, since, factors):
    """The rows for a version. Every type meets every rank in the newest version of an operator only."""
    newest = since == max(ops.versions(name))
    return pairwise(seeded(seed, name, since), factors, () if newest else ("type", "rank", "right", "count"))


def add_operands(case, values, source, dims, names="abcdefghijklmnop"):
    """Declares the operands of (type, array): inputs, or one of them a constant. Returns the arrays that are inputs."""
    constant = {"first constant": 0, "last constant": len(values) - 1}.get(source)
    arrays = []
    for k, (of_type, array) in enumerate(values):
        case.operands.append(names[k])
        if k == constant:
            case.constants.append((names[k], of_type, array))
            continue
        shape = [f"{names[k]}{axis}" for axis in range(array.ndim)] if dims == "symbolic" else array.shape
        case.inputs.append((names[k], of_type, shape))
        arrays.append((of_type, array))
    return arrays


def option_tags(source, dims):
    return ["constant operand" if "constant" in source else "inputs only", f"{dims} sizes"]


def add_set(case, inputs, shapes, expected, extra):
    result = None if isinstance(expected, str) else expected[0][1].shape
    case.sets.append(Set(inputs, expected, sorted(set(tags(shapes, result) + list(extra)))))


# ---- All operands --------------------------------------------------------------------------------------------------

def attributes_of(name, of_type, random):
    if name == "BitShift":
        return {"direction": pick(random, ("LEFT", "RIGHT"))}
    if name == "Mod":
        return {"fmod": 1} if of_type in ("float", "double", "float16", "bfloat16") or random.random() < 0.4 else {}
    return {}


def binary_values(name, random, of_type, shapes, right_type=None):
    _, _, left, right = ops.BINARY[name]
    return [(of_type, make(random, of_type, shapes[0], left)),
            (right_type or of_type, make(random, right_type or of_type, shapes[1], right))]


def binary_case(seed, name, since, of_type, right_type, shapes, source, dims, label, reason=None):
    random = seeded(seed, name, since, label)
    case = Case("all operands", name, since, since, f"{name}-{since}; {MULTIDIRECTIONAL}")
    case.attributes = attributes_of(name, of_type, random)
    values = binary_values(name, random, of_type, shapes, right_type)
    case.types = sorted({of_type, right_type or of_type})
    case.result = ops.BINARY[name][1] or of_type
    case.tolerance = ops.tolerance(name, of_type)
    inputs = add_operands(case, values, source, dims)
    extra = option_tags(source, dims)
    expected = reason or [ops.binary(name, of_type, values[0][1], values[1][1], case.attributes, right_type)]
    add_set(case, inputs, shapes, expected, extra)
    if dims == "symbolic" and source == "inputs" and not reason:
        more_sizes(case, name, random, of_type, right_type, [len(shape) for shape in shapes], extra)
    return case


def more_sizes(case, name, random, of_type, right_type, ranks, extra):
    """The same model with other sizes of the same ranks, and with sizes that do not fit."""
    for sizes in ("n", "0"):
        shapes = pair(random, max(ranks), "equal rank", pick(random, STRETCHES), sizes)
        shapes = [shape[len(shape) - rank:] for shape, rank in zip(shapes, ranks)]
        values = binary_values(name, random, of_type, shapes, right_type)
        expected = [ops.binary(name, of_type, values[0][1], values[1][1], case.attributes, right_type)]
        add_set(case, values, shapes, expected, extra + ["one model, several sizes"])
    if min(ranks) > 0:
        axis = 1 + int(random.random() * min(ranks))
        shapes = [list(shape) for shape in shapes]
        shapes[0][-axis], shapes[1][-axis] = pick(random, ((2, 3), (3, 2), (0, 2), (3, 0)))
        values = binary_values(name, random, of_type, [tuple(shape) for shape in shapes], right_type)
        add_set(case, values, [tuple(shape) for shape in shapes], "sizes of the inputs that do not fit",
                extra + ["one model, several sizes"])


def multidirectional(seed):
    for name in ops.BINARY:
        for since in ops.versions(name):
            if since < 7:
                continue
            of_types = ops.types(name, since)
            factors = {"type": of_types, "rank": RANKS, "gap": GAPS, "stretch": STRETCHES, "sizes": SIZES,
                       "source": SOURCES, "dims": DIMS}
            right_types = ops.types(name, since, "T1") if name == "Pow" and since >= 12 else None
            if right_types:
                factors["right"] = right_types
            for k, row in enumerate(design(seed, name, since, factors)):
                shapes = pair(seeded(seed, name, since, k, "shapes"), row["rank"], row["gap"], row["stretch"], row["sizes"])
                yield binary_case(seed, name, since, row["type"], row.get("right"), shapes, row["source"], row["dims"], k)
            for k, (reason, shapes) in enumerate(MISMATCHES):
                source, dims = SOURCES[k % 3], DIMS[k % 2]
                of_type = of_types[k % len(of_types)]
                yield binary_case(seed, name, since, of_type, None, shapes, source, dims, f"refused {k}", reason)


def variadic(seed):
    for name in ops.VARIADIC:
        for since in ops.versions(name):
            if since < 8:
                continue
            of_types = ops.types(name, since)
            factors = {"type": of_types, "rank": RANKS, "count": range(1, 9), "sizes": SIZES, "source": SOURCES, "dims": DIMS}
            for k, row in enumerate(design(seed, name, since, factors)):
                random = seeded(seed, name, since, k)
                shapes = many(random, row["rank"], row["count"], row["sizes"])
                yield variadic_case(name, since, row["type"], shapes, row["source"], row["dims"], random)
            for k, (reason, shapes) in enumerate(MISMATCHES):
                random = seeded(seed, name, since, "refused", k)
                others = [(), (1,), (1, 1), shapes[0]][:k % 5]
                place = int(random.random() * (len(others) + 1))
                listed = [shapes[0]] + others[:place] + [shapes[1]] + others[place:]
                yield variadic_case(name, since, of_types[k % len(of_types)], listed, SOURCES[k % 3], DIMS[k % 2], random, reason)


def variadic_case(name, since, of_type, shapes, source, dims, random, reason=None):
    case = Case("all operands", name, since, since, f"{name}-{since}; {MULTIDIRECTIONAL}")
    values = [(of_type, make(random, of_type, shape, "right")) for shape in shapes]
    case.types, case.result, case.tolerance = [of_type], of_type, ops.tolerance(name, of_type)
    source = "inputs" if len(shapes) == 1 else source  # a model without inputs is another test
    inputs = add_operands(case, values, source, dims)
    expected = reason or [ops.variadic(name, of_type, [array for _, array in values])]
    add_set(case, inputs, shapes, expected, option_tags(source, dims) + [f"{len(shapes)} operands"])
    return case


def where(seed):
    for since in ops.versions("Where"):
        of_types = ops.types("Where", since)
        factors = {"type": of_types, "rank": RANKS, "sizes": SIZES, "source": SOURCES, "dims": DIMS,
                   "short": ("none", "condition", "left", "right", "two")}
        rows = design(seed, "Where", since, factors)
        for k, row in enumerate(rows):
            random = seeded(seed, "Where", since, k)
            shapes = many(random, row["rank"], 3, row["sizes"])
            drop = {"condition": (0,), "left": (1,), "right": (2,), "two": (1, 2)}.get(row["short"], ())
            shapes = [() if at in drop else shape for at, shape in enumerate(shapes)]
            yield where_case(since, row["type"], shapes, row["source"], row["dims"], random)
        for k, (reason, shapes) in enumerate(MISMATCHES):
            random = seeded(seed, "Where", since, "refused", k)
            listed = [shapes[0], shapes[1]]
            listed.insert(k % 3, ())
            yield where_case(since, of_types[k % len(of_types)], listed, SOURCES[k % 3], DIMS[k % 2], random, reason)


def where_case(since, of_type, shapes, source, dims, random, reason=None):
    case = Case("all operands", "Where", since, since, f"Where-{since}; {MULTIDIRECTIONAL}")
    values = [("bool", make(random, "bool", shapes[0])), (of_type, make(random, of_type, shapes[1], "moved")),
              (of_type, make(random, of_type, shapes[2], "moved"))]
    case.types, case.result = sorted({"bool", of_type}), of_type
    inputs = add_operands(case, values, source, dims)
    expected = reason or [ops.where(of_type, values[0][1], values[1][1], values[2][1])]
    add_set(case, inputs, shapes, expected, option_tags(source, dims) + ["3 operands"])
    return case


# ---- One operand into the shape of another ---------------------------------------------------------------------------

def prelu(seed):
    for since in ops.versions("PRelu"):
        if since < 7:
            continue
        of_types = ops.types("PRelu", since)
        factors = {"type": of_types, "rank": RANKS, "gap": ("equal rank", "right shorter", "right scalar"),
                   "stretch": ("none", "right"), "sizes": SIZES, "source": ("inputs", "last constant"), "dims": DIMS}
        for k, row in enumerate(design(seed, "PRelu", since, factors)):
            shapes = pair(seeded(seed, "PRelu", since, k, "shapes"), row["rank"], row["gap"], row["stretch"], row["sizes"])
            yield prelu_case(seed, since, row["type"], shapes, row["source"], row["dims"], k)
        refused = list(MISMATCHES) + [
            ("the slope has the higher rank", [(3,), (2, 3)]),
            ("the slope has the higher rank, by an axis of size 1", [(3,), (1, 3)]),
            ("the slope would stretch x", [(1, 3), (2, 3)]),
            ("the slope would stretch x, a scalar", [(), (3,)]),
            ("one slope for each channel, without the axes after it", [(1, 4, 2, 2), (4,)]),
            ("both would be stretched", [(2, 1), (1, 3)]),
            ("a slope of size 0 would stretch x", [(1,), (0,)]),
        ]
        for k, (reason, shapes) in enumerate(refused):
            yield prelu_case(seed, since, of_types[k % len(of_types)], shapes, ("inputs", "last constant")[k % 2],
                             DIMS[k // 2 % 2], f"refused {k}", reason)


def prelu_case(seed, since, of_type, shapes, source, dims, label, reason=None):
    random = seeded(seed, "PRelu", since, label)
    case = Case("one way", "PRelu", since, since, f"PRelu-{since}; {UNIDIRECTIONAL}")
    values = [(of_type, make(random, of_type, shapes[0], "left")), (of_type, make(random, of_type, shapes[1], "right"))]
    if reason is None and not one_way(shapes[0], shapes[1]):
        reason = "the slope would stretch x"
    case.types, case.result = [of_type], of_type
    inputs = add_operands(case, values, source, dims)
    expected = reason or [ops.prelu(of_type, values[0][1], values[1][1])]
    add_set(case, inputs, shapes, expected, option_tags(source, dims))
    return case


def gemm(seed):
    forms = ("absent", "full", "row", "row of rank 1", "column", "one", "one of rank 1", "scalar")
    for since in ops.versions("Gemm"):
        if since < 7:
            continue
        of_types = ops.types("Gemm", since)
        factors = {"type": of_types, "c": forms if since >= 11 else forms[1:], "m": (1, 3, 0), "n": (1, 4, 0),
                   "k": (1, 2, 0), "transA": (0, 1), "transB": (0, 1), "source": ("inputs", "last constant"), "dims": DIMS}
        for k, row in enumerate(design(seed, "Gemm", since, factors)):
            m, n = row["m"], row["n"]
            shape = {"absent": None, "full": (m, n), "row": (1, n), "row of rank 1": (n,), "column": (m, 1), "one": (1, 1),
                     "one of rank 1": (1,), "scalar": ()}[row["c"]]
            yield gemm_case(seed, since, row, shape, k)
        refused = [("C has rank 3", (1, 3, 4)), ("C is a column of rank 1", (3,)), ("C has the sizes in the other order", (4, 3)),
                   ("C has more rows", (6, 4)), ("C has size 0", (0, 4)), ("C has two columns", (3, 2))]
        plain = {"type": "float", "m": 3, "n": 4, "k": 2, "transA": 0, "transB": 0, "source": "inputs", "dims": "static"}
        for k, (reason, shape) in enumerate(refused):
            row = dict(plain, type=of_types[k % len(of_types)], source=("inputs", "last constant")[k % 2], dims=DIMS[k // 2 % 2])
            yield gemm_case(seed, since, row, shape, f"refused {k}", reason)
        wider = [("C would stretch the product's rows", (3, 4), {"m": 1}),
                 ("C would stretch the product's columns", (3, 4), {"n": 1}), ("C would stretch both", (3, 4), {"m": 1, "n": 1})]
        for k, (reason, shape, sizes) in enumerate(wider):
            yield gemm_case(seed, since, dict(plain, dims=DIMS[k % 2], **sizes), shape, f"wider {k}", reason)


def gemm_case(seed, since, row, shape, label, reason=None):
    random = seeded(seed, "Gemm", since, label)
    of_type, m, n, k = row["type"], row["m"], row["n"], row["k"]
    case = Case("one way", "Gemm", since, since, f"Gemm-{since}; {UNIDIRECTIONAL}")
    case.attributes = {name: row[name] for name in ("transA", "transB") if row[name]}
    if of_type in ("float", "double", "float16", "bfloat16") and random.random() < 0.5:
        case.attributes.update(alpha=0.5, beta=2.0)
    values = [(of_type, make(random, of_type, (k, m) if row["transA"] else (m, k), "few")),
              (of_type, make(random, of_type, (n, k) if row["transB"] else (k, n), "few"))]
    if shape is not None:
        values.append((of_type, make(random, of_type, shape, "right")))
    case.types, case.result, case.tolerance = [of_type], of_type, ops.tolerance("Gemm", of_type)
    inputs = add_operands(case, values, row["source"], row["dims"])
    expected = reason or [ops.gemm(of_type, values[0][1], values[1][1], values[2][1] if shape is not None else None,
                                   case.attributes)]
    extra = option_tags(row["source"], row["dims"]) + (["empty sum"] if k == 0 else [])
    add_set(case, inputs, [(m, n)] + ([shape] if shape is not None else []), expected, extra)
    return case


def normalizations(seed):
    for name, since in (("LayerNormalization", 17), ("RMSNormalization", 23)):
        of_types = ops.types(name, since)
        factors = {"type": of_types, "rank": RANKS[1:], "axis": ("first", "middle", "last", "last, negative"),
                   "scale": ("normalized axes", "last axis", "one", "scalar",
                             "full rank"), "sizes": SIZES, "bias": (0, 1), "source": ("inputs", "last constant"), "dims": DIMS}
        for k, row in enumerate(design(seed, name, since, factors)):
            yield normalization_case(seed, name, since, row, k)
        plain = {"type": "float", "rank": 3, "axis": "last", "sizes": "n", "bias": 0, "source": "inputs", "dims": "static"}
        for k, (reason, x, scale) in enumerate((("the scale has another size", (2, 3, 4), (3,)),
                                                ("the scale would stretch x", (2, 1, 4), (3, 4)),
                                                ("the scale has the higher rank", (2, 4),
                                                 (2, 2, 4)), ("a size of 0", (2, 3, 4), (0,)))):
            row = dict(plain, source=("inputs", "last constant")[k % 2], dims=DIMS[k // 2])
            yield normalization_case(seed, name, since, row, f"refused {k}", (x, scale), reason)


def normalization_case(seed, name, since, row, label, given=None, reason=None):
    random = seeded(seed, name, since, label)
    of_type = row["type"]
    x, _ = pair(random, row["rank"], "equal rank", "none", row["sizes"])
    axis = {"first": 0, "middle": len(x) // 2, "last": len(x) - 1, "last, negative": -1}[row["axis"]]
    if given:
        x, scale, axis = given[0], given[1], -1
    else:
        normalized = x[axis % len(x):]
        scale = {"normalized axes": normalized, "last axis": x[-1:], "one": (1,), "scalar": (),
                 "full rank": (1,) * (len(x) - len(normalized)) + normalized}[row["scale"]]
    case = Case("one way", name, since, since, f"{name}-{since}; {UNIDIRECTIONAL}")
    case.attributes = {"axis": axis, "epsilon": 0.0625}
    values = [(of_type, make(random, of_type, x, "left")), (of_type, make(random, of_type, scale, "right"))]
    if row["bias"] and name == "LayerNormalization":
        values.append((of_type, make(random, of_type, scale, "right")))
    case.types, case.result, case.tolerance = [of_type], of_type, ops.tolerance(name, of_type)
    inputs = add_operands(case, values, row["source"], row["dims"])
    bias = values[2][1] if len(values) > 2 else None
    expected = reason or [ops.normalize(of_type, values[0][1], values[1][1], bias, axis, 0.0625, name == "LayerNormalization")]
    add_set(case, inputs, [x, scale], expected, option_tags(row["source"], row["dims"]) + (["negative axis"] if axis < 0 else []))
    return case


def clip(seed):
    for since in ops.versions("Clip"):
        if since < 11:
            continue
        of_types = ops.types("Clip", since)
        factors = {"type": of_types, "rank": RANKS, "sizes": SIZES, "least": (0, 1), "most": (0, 1),
                   "source": ("inputs", "last constant"), "dims": DIMS}
        for k, row in enumerate(design(seed, "Clip", since, factors)):
            random = seeded(seed, "Clip", since, k)
            x, _ = pair(random, row["rank"], "equal rank", "none", row["sizes"])
            yield clip_case(since, row["type"], x, () if row["least"] else None, () if row["most"] else None,
                            row["source"], row["dims"], random)
        for k, (reason, least) in enumerate((("a least value of 3 elements", (3,)), ("a least value for each element", (2, 3)))):
            yield clip_case(since, of_types[k], (2, 3), least, (), "inputs", DIMS[k],
                            seeded(seed, "Clip", since, "refused", k), reason)


def clip_case(since, of_type, x, least, most, source, dims, random, reason=None):
    case = Case("one way", "Clip", since, since, f"Clip-{since}: min and max are scalars")
    values = [(of_type, make(random, of_type, x, "left"))]
    bounds = [None, None]
    for at, (shape, value) in enumerate(((least, 1), (most, 2))):
        if shape is not None:
            bounds[at] = encode(of_type, np.full(shape, 9 + value if of_type.startswith("u") else value))
            values.append((of_type, bounds[at]))
    case.types, case.result = [of_type], of_type
    source = "inputs" if len(values) == 1 else source
    inputs = add_operands(case, values, source, dims)
    if least is None and most is not None:
        case.operands.insert(1, "")
    expected = reason or [ops.clip(of_type, values[0][1], *bounds)]
    add_set(case, inputs, [x] + [shape for shape in (least, most) if shape is not None], expected, option_tags(source, dims))
    return case


# ---- To a shape --------------------------------------------------------------------------------------------------------

def expand(seed):
    for since in ops.versions("Expand"):
        of_types = ops.types("Expand", since)
        factors = {"type": of_types, "rank": RANKS, "gap": GAPS, "stretch": STRETCHES, "sizes": SIZES,
                   "source": ("inputs", "last constant"), "dims": DIMS}
        for k, row in enumerate(design(seed, "Expand", since, factors)):
            random = seeded(seed, "Expand", since, k)
            yield expand_case(since, row["type"], pair(random, row["rank"], row["gap"], row["stretch"], row["sizes"]),
                              row["source"], row["dims"], random)
        for k, (reason, shapes) in enumerate(MISMATCHES):
            yield expand_case(since, of_types[k % len(of_types)], shapes, ("inputs", "last constant")[k % 2],
                              DIMS[k // 2 % 2], seeded(seed, "Expand", since, "refused", k), reason)


def expand_case(since, of_type, shapes, source, dims, random, reason=None):
    case = Case("to a shape", "Expand", since, since, f"Expand-{since}: multidirectional, also where the input is the larger")
    array = make(random, of_type, shapes[0], "moved")
    values = [(of_type, array), ("int64", np.array(shapes[1], np.int64))]
    case.types, case.result = [of_type], of_type
    inputs = add_operands(case, values, source, "static")
    if dims == "symbolic":
        case.inputs[0] = ("a", of_type, [f"a{axis}" for axis in range(array.ndim)])
    expected = reason or [(of_type, np.broadcast_to(array, broadcast(shapes)))]
    add_set(case, inputs, shapes, expected, option_tags(source,
                                                        dims) + (["shape known only at run time"] if source == "inputs" else []))
    return case
