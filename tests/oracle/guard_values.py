"""The second function of a guard, which asks about elements of inputs.

It is run on symbols like the first; obg_within, which visits the elements, is a question there. The question must have the box,
the limits, the type and the input that the contract states. The text of obg_within is run for all small boxes of numbers
with elements as symbols: it must visit exactly the elements of the box, by row-major index, and find each within the limits.
Larger boxes, ranks above 3 and the conversion of elements (obg_element) are only tested, by runs (guard_runs.py).
"""
import functools
import itertools

import z3

import guard_helpers as helpers
from c_exec import Address, Machine, Struct, Unreadable, all_of, as_bool, as_int, both, either, is_number
from guard_helpers import Number, Truth, either_of


class Within(Truth):
    """The answer of obg_within."""

    def __init__(self, arguments):
        super().__init__(z3.Bool("within"), z3.Bool("within unknown"))  # never read: a comparison has its own symbols
        self.arguments = arguments


def inputs_of(contract):
    """{name of an input: (place, a bound on it)} in the order of the guard."""
    found = {}
    for bound in contract["bounds"]:
        found.setdefault(bound["input"], (len(found), bound))
    return found


class Arguments:
    """The parameters of the function."""

    def __init__(self, contract):
        n = max(1, len(inputs_of(contract)))
        self.sizes = [z3.Int(name) for name in contract["sizes"]]
        self.data, self.types, self.counts = ([z3.Int(f"{name}!{i}") for i in range(n)] for name in ("data", "type", "count"))

    def listed(self):
        return [self.sizes, self.data, self.types, self.counts, Address("condition")]


# ---- What the contract asks ----


def mismatch(bound, place, arguments, formulas):
    """The data are not of the input's type and size."""
    count = arguments.counts[place]
    made = either(arguments.types[place] != bound["type"], either(count < 0, both(count > 0, arguments.data[place] == 0)))
    if bound["shape"] is None:
        return made
    n = functools.reduce(helpers.multiplied, map(formulas.number, bound["shape"]), Number(1))
    return either(made, either(n["bad"], n.v != count))


def question(bound, place, arguments, formulas):
    """The arguments of obg_within, with rank entries in its lists."""
    count = Number(arguments.counts[place])
    box = [[count], [Number(0)], [count]]
    if "first" in bound:
        box = [[formulas.number(term) for term in bound[name]] for name in ("shape", "first", "end")]
    limits = [Number(other) if bound[name] is None else formulas.number(bound[name])
              for name, other in (("lowest", -2**63), ("highest", 2**63 - 1))]
    return [arguments.data[place], bound["type"], len(box[0]), *box, *limits]


def asked(bound, formulas):
    """Is the requirement asked at all?"""
    positive = [helpers.answer(number.v >= 1, number) for number in map(formulas.number, bound["guards"])]
    return functools.reduce(helpers.both_of_two, positive, helpers.truth_of(1))


def expected_result(contract, pairs, refused):
    """The number that the function must return. pairs: (is it asked, is it so) as symbols, for each bound."""
    unknown = either_of(either(ask.unknown, both(ask.yes, holds.unknown)) for ask, holds in pairs)
    made = z3.If(as_bool(unknown), z3.IntVal(-1), z3.IntVal(0))
    for number, (ask, holds) in reversed(list(enumerate(pairs, 1))):
        made = z3.If(as_bool(both(ask.yes, holds.no())), z3.IntVal(number), made)
    return z3.If(as_bool(refused), z3.IntVal(-3), made)


# ---- What the guard asks ----


def pairs_of(contract, machine):
    """[(is it asked, is it so)], the cuts of the machine in the order of the bounds."""
    cuts, pairs = list(machine.cuts), []
    for bound in contract["bounds"]:
        ask = cuts.pop(0) if bound["guards"] and cuts else helpers.truth_of(1)
        if not cuts or not isinstance(cuts[0], Within):
            raise Unreadable(f"no question for {bound['text']}")
        pairs.append((ask, cuts.pop(0)))
    if cuts:
        raise Unreadable("more questions than conditions on values")
    return pairs


def same_number(a, b):
    """Numbers with equal checks, in form."""
    return (z3.simplify(as_int(a.v)).eq(z3.simplify(as_int(b.v))) and len(a.checks) == len(b.checks)
            and all(x[1] == y[1] and z3.simplify(as_bool(x[0])).eq(z3.simplify(as_bool(y[0])))
                    for x, y in zip(a.checks, b.checks)))


def same_argument(a, b, rank):
    if isinstance(a, list):
        return len(a) >= rank and all(same_number(x, y) for x, y in zip(a[:rank], b))
    if isinstance(a, Number):
        return same_number(a, b)
    return a == b if is_number(a) else a.eq(b)


def bound_problem(bound, place, pair, arguments, formulas):
    wanted = question(bound, place, arguments, formulas)
    ask, holds = asked(bound, formulas), pair[0]
    for name in ("yes", "unknown"):
        if not z3.simplify(as_bool(getattr(ask, name))).eq(z3.simplify(as_bool(getattr(holds, name)))):
            return "it is asked at other sizes"
    names = ("data", "type", "rank", "sizes", "first", "end", "lowest", "highest")
    for name, found, meant in zip(names, pair[1].arguments, wanted):
        if not same_argument(found, meant, wanted[2]):
            return f"another {name}"
    return None


def run(contract, file, calls, formulas):
    """(machine, its returns, what it must return, [what is wrong with a bound])"""
    calls = {**calls, "obg_within": lambda machine, frame, given: Within(given)}
    machine, arguments, inputs = Machine(file, calls), Arguments(contract), inputs_of(contract)
    returns = machine.returns("guard_values", arguments.listed())
    pairs = pairs_of(contract, machine)
    wrong = [f"{bound['text']}: {problem}" for bound, pair in zip(contract["bounds"], pairs)
             if (problem := bound_problem(bound, inputs[bound["input"]][0], pair, arguments, formulas))]
    refused = either_of(mismatch(bound, place, arguments, formulas) for place, bound in inputs.values())
    symbols = [tuple(part.symbols or part for part in pair) for pair in pairs]
    return machine, returns, expected_result(contract, symbols, refused), wrong


# ---- The visit of the elements ----


class Visit:
    """A run of obg_within on a box of numbers. The elements, and whether each is an integer, are symbols."""

    def __init__(self, file, box, bad=(0, 0)):
        self.low, self.high, self.visited = z3.Int("low"), z3.Int("high"), []
        machine = Machine(file, {"obg_element": self.element})
        sizes = [[Struct(v=v, bad=0) if is_number(v) else v for v in column] for column in zip(*box)] or [[], [], []]
        self.returns = machine.returns("obg_within", ["data", 7, len(box), *sizes, Struct(v=self.low, bad=bad[0]),
                                                      Struct(v=self.high, bad=bad[1])])

    def element(self, _, frame, arguments):
        data, kind, index, place = arguments
        if data != "data" or kind != 7:
            raise Unreadable("obg_within reads other data")
        self.visited.append(index)
        frame.variables[place.name] = z3.Int(f"x!{index}")
        return z3.Bool(f"is!{index}")

    def matches(self, result, indices):
        """result: of a box without elements; None: it depends on the elements at `indices`."""
        if result is not None:
            return [value for _, value, _ in self.returns] == [result] and not self.visited
        if self.visited != indices or [value for _, value, _ in self.returns] != [0] * len(indices) + [1]:
            return False
        return all(z3.simplify(as_bool(all_of(conditions[-1:]))).eq(z3.simplify(self.violates(index)))
                   for index, (conditions, _, _) in zip(indices, self.returns))

    def violates(self, index):
        x = z3.Int(f"x!{index}")
        return z3.Or(z3.Not(z3.Bool(f"is!{index}")), x < self.low, x > self.high)


def expected_visit(box):
    """(the result without a look at elements, or None; the indices of the elements)"""
    if any(first < 0 or end > size for size, first, end in box):
        return 2, []
    if any(first >= end for _, first, end in box):
        return 1, []
    indices = []
    for at in itertools.product(*(range(first, end) for _, first, end in box)):
        indices.append(functools.reduce(lambda index, axis: index * axis[0][0] + axis[1], zip(box, at), 0))
    return None, indices


def boxes():
    """Boxes as (size, first, end) for each axis."""
    axes = [(size, first, end) for size in range(4) for first in range(-1, size + 1) for end in range(size + 2)]
    few = [axis for axis in axes if axis[0] < 3 and axis[1] >= 0] + [(2, -1, 1)]
    within = [(1, 0, 1), (2, 0, 2), (2, 1, 2), (2, 0, 1), (2, 1, 1), (3, 1, 3)]
    yield ()
    yield from itertools.product(axes)
    yield from itertools.product(few, few)
    yield from itertools.product(within, within, within)


def visit_problem(file):
    """What is wrong with obg_within, on all these boxes and with each part of them undefined or out of range."""
    for box in boxes():
        if not Visit(file, box).matches(*expected_visit(box)):
            return f"the box {box} is not visited as it should be"
    for code, part in itertools.product((1, 2), range(3)):
        bad = [2, 0, 2]
        bad[part] = Struct(v=bad[part], bad=code)
        if not Visit(file, (tuple(bad),)).matches(2, []):
            return "a size that is not known is used"
    for bad in ((1, 0), (0, 2)):
        if not Visit(file, ((2, 0, 1),), bad).matches(2, []) or not Visit(file, ((2, 1, 1),), bad).matches(1, []):
            return "a limit that is not known is used"
    return None
