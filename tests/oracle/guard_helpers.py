"""The helper functions of guards: their meaning, proved from their text.

A Number is a whole number with checks, conditions with a code: 1 undefined, 2 out of range. The first that holds is `bad` of
the machine's value; where none does, `v` is the number. A Truth is 1 (yes), 2 (unknown) or 0 (no).
"""
import itertools

import z3

from c_exec import LEAST, MOST, Machine, Struct, Unreadable, as_bool, as_int, both, either, is_number, negated, whole

UNDEFINED, OUT_OF_RANGE = 1, 2
SECONDS = 30

# ---- Values ----


class Number:
    def __init__(self, v, checks=()):
        self.v, self.checks = v, checks

    def __getitem__(self, field):
        """bad is only asked whether it is 0, v only after that."""
        return {"bad": either_of(condition for condition, _ in self.checks), "v": self.v}[field]


class Truth:
    """Compared by a Machine, it becomes two symbols, and is the next of machine.cuts."""

    def __init__(self, yes, unknown):
        self.yes, self.unknown, self.symbols = yes, unknown, None

    def no(self):
        return both(negated(self.yes), negated(self.unknown))

    def compared(self, op, code, machine):
        if op != "==" or code not in (0, 1, 2):
            raise Unreadable("another comparison of an answer")
        if not self.symbols:
            n = len(machine.cuts)
            self.symbols = Truth(z3.Bool(f"yes!{n}"), z3.Bool(f"unknown!{n}"))
            machine.cuts.append(self)
        return {0: self.symbols.no(), 1: self.symbols.yes, 2: self.symbols.unknown}[code]


def either_of(conditions):
    made = False
    for condition in conditions:
        made = either(made, condition)
    return made


def truth_of(x):
    """A number of the text, 0, 1 or 2, is an answer too."""
    return Truth(x == 1, x == 2) if is_number(x) else x


OUTSIDE = {}  # (number of an expression, limits) -> (expression, condition): making them anew takes most of the time


def outside(v, least, most):
    if is_number(v):
        return not least <= v <= most
    key = v.get_id(), least, most
    if key not in OUTSIDE:
        OUTSIDE[key] = v, z3.Or(v < least, v > most)
    return OUTSIDE[key][1]


def unique(*checks):
    """Later checks of the same condition never decide."""
    found = {}
    for condition, code in itertools.chain(*checks):
        if condition is not False:
            found.setdefault(condition if condition is True else condition.get_id(), (condition, code))
    return tuple(found.values())


def answer(holds, *numbers):
    """The answer to a question about numbers. It is unknown where one is out of range and nothing before it is undefined."""
    checks = unique(*(number.checks for number in numbers))
    if any(condition is True for condition, _ in checks):
        raise Unreadable("a number that is never good")
    groups, undefined = [([], [])], []
    for condition, code in checks:
        if code == OUT_OF_RANGE:
            groups[-1][1].append(condition)
        else:
            undefined.append(condition)
            groups.append((list(undefined), []))
    unknown = either_of(both(negated(any_of(before)), any_of(conditions)) for before, conditions in groups)
    return Truth(both(negated(any_of([condition for condition, _ in checks])), holds), unknown)


def any_of(conditions):
    return z3.Or(*conditions) if len(conditions) > 1 else conditions[0] if conditions else False


# ---- The meaning of each function ----


def with_check(v, condition, code, *numbers):
    return Number(v, unique(*(number.checks for number in numbers), ((condition, code),)))


def added(a, b):
    """A number of 64 bits plus 0, or times 1, is that number."""
    if is_number(a.v) and a.v == 0:
        return Number(b.v, unique(a.checks, b.checks))
    return with_check(a.v + b.v, outside(a.v + b.v, LEAST, MOST), OUT_OF_RANGE, a, b)


def multiplied(a, b):
    if is_number(a.v) and a.v == 1:
        return Number(b.v, unique(a.checks, b.checks))
    return with_check(a.v * b.v, outside(a.v * b.v, LEAST, MOST), OUT_OF_RANGE, a, b)


def bounded(a, most):
    return with_check(a.v, outside(a.v, -most, most), OUT_OF_RANGE, a)


def divided(a, b):
    return Number(as_int(a.v) / b, a.checks)


def quotient(a, b):
    return with_check(as_int(a.v) / b.v, b.v < 1, UNDEFINED, a, b)


def least(a, b):
    return Number(z3.If(as_int(a.v) <= as_int(b.v), as_int(a.v), as_int(b.v)), unique(a.checks, b.checks))


def greatest(a, b):
    return Number(z3.If(as_int(a.v) >= as_int(b.v), as_int(a.v), as_int(b.v)), unique(a.checks, b.checks))


def common(a, b):
    a_v, b_v = as_int(a.v), as_int(b.v)
    return with_check(z3.If(a_v == 1, b_v, a_v), z3.And(a_v != 1, b_v != 1, a_v != b_v), UNDEFINED, a, b)


def divides(p, q):
    return answer(both(q.v >= 1, as_int(p.v) % q.v == 0), p, q)


def divides_not(p, q):
    return answer(either(q.v < 1, as_int(p.v) % q.v != 0), p, q)


def any_of_two(a, b):
    a, b = truth_of(a), truth_of(b)
    yes = either(a.yes, b.yes)
    return Truth(yes, both(negated(yes), either(a.unknown, b.unknown)))


def both_of_two(a, b):
    a, b = truth_of(a), truth_of(b)
    no = either(a.no(), b.no())
    return Truth(both(a.yes, b.yes), both(negated(no), either(a.unknown, b.unknown)))


def meanings(most):
    """{name: (kinds of the parameters; meaning)}. n: Number, a: Truth, w: a whole number, d: a divisor, which the text states."""
    return {"obg_number": ("w", Number), "obg_add": ("nn", added), "obg_mul": ("nn", multiplied),
            "obg_bounded": ("n", lambda a: bounded(a, most)), "obg_floor_div": ("nd", divided), "obg_quotient": ("nn", quotient),
            "obg_min": ("nn", least), "obg_max": ("nn", greatest), "obg_bcast": ("nn", common),
            "obg_is_zero": ("n", lambda p: answer(p.v == 0, p)), "obg_is_nonzero": ("n", lambda p: answer(p.v != 0, p)),
            "obg_is_nonnegative": ("n", lambda p: answer(p.v >= 0, p)),
            "obg_is_positive": ("n", lambda p: answer(p.v >= 1, p)), "obg_divides": ("nn", divides),
            "obg_divides_not": ("nn", divides_not), "obg_or": ("aa", any_of_two), "obg_and": ("aa", both_of_two)}


# ---- Proofs ----


def parameter(kind, name):
    """(what the function is given, what its meaning is given, what is known)"""
    v, bad = z3.Ints(f"{name}.v {name}.bad")
    fits = z3.And(v >= LEAST, v <= MOST)
    if kind == "n":
        number = Number(v, ((bad == UNDEFINED, UNDEFINED), (bad == OUT_OF_RANGE, OUT_OF_RANGE)))
        return Struct(v=v, bad=bad), number, z3.And(fits, bad >= 0, bad <= 2)
    if kind == "a":
        return bad, Truth(bad == 1, bad == 2), z3.And(bad >= 0, bad <= 2)
    return v, v, z3.And(fits, v >= 1) if kind == "d" else fits


def agreement(result, meaning):
    """[(that the machine's result is of this meaning)]"""
    if isinstance(meaning, Truth):
        result = as_int(whole(result))
        is_answer = z3.And(result >= 0, result <= 2)
        return [as_bool(meaning.yes) == (result == 1), as_bool(meaning.unknown) == (result == 2), is_answer]
    bad = z3.IntVal(0)
    for condition, code in reversed(meaning.checks):
        bad = z3.If(condition, z3.IntVal(code), bad)
    return [result["bad"] == bad, z3.Implies(bad == 0, result["v"] == meaning.v)]


def multiple(q, k):
    """A multiple of q that is not 0 is not between 0 and q: a fact about products that Z3 proves, and does not find by itself."""
    return z3.Implies(q >= 1, z3.And(z3.Implies(k >= 1, q * k >= q), z3.Implies(k <= -1, q * k < 0)))


def hints(name, p, q):
    """That fact, where the division of p by q and of -p by q are compared, and where a quotient of a limit is."""
    if name.startswith("obg_divides"):
        return [multiple(q, -(p / q) - (-p) / q)]
    if name != "obg_mul":
        return []
    by_limit = [(b, a - MOST / b) for a, b in ((p, q), (q, p))] + [(b, a + -LEAST / b) for a, b in ((p, q), (q, p))]
    return [multiple(divisor, k) for divisor, k in by_limit] + [multiple(-b, a - MOST / b) for a, b in ((p, q), (q, p))]


def goals(file, name, kinds, meaning):
    """[(what is given, what must hold)] of one function."""
    machine = Machine(file, {})
    given, meant, known = zip(*(parameter(kind, f"p{i}") for i, kind in enumerate(kinds)))
    result = machine.call(name, None, list(given))
    asked = [(conditions, goal) for conditions, goal in machine.obligations]
    asked += [((), goal) for goal in agreement(result, meaning(*meant))]
    known += tuple(hints(name, given[0]["v"], given[1]["v"])) if kinds == "nn" else ()
    return [(known + conditions, goal) for conditions, goal in asked]


def prove(known, goal, seconds=None):
    """None, or the counter-example or reason."""
    if z3.is_true(z3.simplify(goal)):
        return None
    solver = z3.SimpleSolver()
    solver.set("timeout", 1000 * (seconds or SECONDS))
    solver.add(*known, z3.Not(goal))
    answered = solver.check()
    return None if answered == z3.unsat else str(solver.model()) if answered == z3.sat else "Z3 does not decide it"


def call_of(kinds, meaning):
    def call(_machine, _frame, arguments):
        if any(kind == "d" and not (is_number(argument) and argument >= 1) for kind, argument in zip(kinds, arguments)):
            raise Unreadable("a divisor that is not 1 or more")
        return meaning(*arguments)
    return call


class Helpers:
    """The functions of a file, as calls of a Machine. Each text is proved once."""

    def __init__(self):
        self.known = {}  # (text, the bound of sizes) -> None or what is wrong
        self.n_proved = 0

    def calls(self, file):
        """({name: call}, [what is wrong])"""
        most, wrong, calls = file.numbers.get("OBG_MOST", 0), [], {}
        for name, (kinds, meaning) in meanings(most).items():
            if name not in file.functions:
                continue
            key = file.functions[name], most
            if key not in self.known:
                self.known[key] = self.problem(file, name, kinds, meaning)
            if self.known[key]:
                wrong.append(f"{name}: {self.known[key]}")
            calls[name] = call_of(kinds, meaning)
        return calls, wrong

    def problem(self, file, name, kinds, meaning):
        for known, goal in goals(file, name, kinds, meaning):
            found = prove(known, goal)
            if found:
                return found
        self.n_proved += 1
        return None
