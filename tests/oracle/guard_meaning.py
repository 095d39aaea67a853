"""What a guard must answer, from the JSON of the contract (guards.c), as formulas of Z3 and as numbers.

A term is evaluated with numbers in a range: a product from left to right, a sum from left to right, both within 64 bits, and
the sum within 62. What leaves the range first, or is undefined first, decides the answer.
"""
import functools

import z3

import guard_helpers as helpers
from c_exec import LEAST, MOST
from guard_helpers import OUT_OF_RANGE, UNDEFINED, Number

OPERATIONS = {"min": helpers.least, "max": helpers.greatest, "bcast": helpers.common}
QUESTIONS = {"zero": lambda p: helpers.answer(p.v == 0, p), "nonzero": lambda p: helpers.answer(p.v != 0, p),
             "nonnegative": lambda p: helpers.answer(p.v >= 0, p), "divides": helpers.divides,
             "not_divides": helpers.divides_not}

# ---- Formulas ----


class Formulas:
    """Numbers and answers of one contract; each term is made once."""

    def __init__(self, most):
        self.most, self.known = most, {}

    def number(self, term):
        key = str(term)
        if key not in self.known:
            self.known[key] = self._number(term)
        return self.known[key]

    def _number(self, term):
        if isinstance(term, int):
            return Number(term)
        if isinstance(term, str):
            return Number(z3.Int(term))
        if term[0] == "+":
            return self._sum(term)
        parts = [self.number(part) for part in term[1:]]
        if term[0] == "/":
            return helpers.divided(parts[0], term[2]) if isinstance(term[2], int) else helpers.quotient(*parts)
        return functools.reduce(OPERATIONS[term[0]], parts)

    def _sum(self, term):
        total = Number(term[1])
        for coefficient, *factors in term[2:]:
            product = functools.reduce(helpers.multiplied, [self.number(factor) for factor in factors], Number(coefficient))
            total = helpers.added(total, product)
        return helpers.bounded(total, self.most)

    def answer(self, literals):
        """The answer to a clause."""
        answers = [QUESTIONS[kind](*(self.number(term) for term in terms)) for kind, *terms in literals]
        return functools.reduce(helpers.any_of_two, answers, helpers.truth_of(0))

    def without_range(self, literal):
        """The answer to a literal with numbers that never leave the range."""
        kind, *terms = literal
        numbers = [self.number(term) for term in terms]
        return QUESTIONS[kind](*(Number(n.v, tuple(check for check in n.checks if check[1] == UNDEFINED)) for n in numbers))


# ---- Numbers ----


class Bad(Exception):
    """A term that is undefined or out of range: its code."""


def within(number, least, most):
    if not least <= number <= most:
        raise Bad(OUT_OF_RANGE)
    return number


def value(term, sizes, most):
    if isinstance(term, int):
        return term
    if isinstance(term, str):
        return sizes[term]
    if term[0] == "+":
        total = term[1]
        for coefficient, *factors in term[2:]:
            for factor in factors:
                coefficient = within(coefficient * value(factor, sizes, most), LEAST, MOST)
            total = within(total + coefficient, LEAST, MOST)
        return within(total, -most, most)
    parts = (value(part, sizes, most) for part in term[1:])
    return functools.reduce({"/": quotient, "min": min, "max": max, "bcast": common}[term[0]], parts)


def quotient(a, b):
    if b < 1:
        raise Bad(UNDEFINED)
    return a // b


def common(a, b):
    if 1 not in (a, b) and a != b:
        raise Bad(UNDEFINED)
    return b if a == 1 else a


HOLDS = {"zero": lambda p: p == 0, "nonzero": lambda p: p != 0, "nonnegative": lambda p: p >= 0,
         "divides": lambda p, q: q >= 1 and p % q == 0, "not_divides": lambda p, q: q < 1 or p % q != 0}


def literal_answer(literal, sizes, most):
    """0 no, 1 yes, 2 unknown"""
    kind, *terms = literal
    try:
        return int(HOLDS[kind](*[value(term, sizes, most) for term in terms]))
    except Bad as bad:
        return 2 if bad.args[0] == OUT_OF_RANGE else 0


def clause_answer(literals, sizes, most):
    answers = [literal_answer(literal, sizes, most) for literal in literals]
    return 1 if 1 in answers else 2 if 2 in answers else 0


def verdict(contract, sizes):
    """The number that the guard must return."""
    most, unknown = contract["most"], False
    if any(not 0 <= size <= most for size in sizes.values()):
        return -3
    for number, literals in enumerate(contract["clauses"], 1):
        answered = clause_answer(literals, sizes, most)
        if answered == 0:
            return number
        unknown |= answered == 2
    if contract["status"] == "contradictory":
        return len(contract["clauses"]) + 1
    return -1 if unknown else -2 if contract["status"] == "partial" else 0


# ---- The range ----


def span(term, size, most):
    """(least, greatest) number of a term at sizes up to `size`; Bad if a part of it may leave the range."""
    if isinstance(term, int):
        return term, term
    if isinstance(term, str):
        return 0, size
    if term[0] == "+":
        total = term[1], term[1]
        for coefficient, *factors in term[2:]:
            product = coefficient, coefficient
            for factor in factors:
                ends = [a * b for a in product for b in span(factor, size, most)]
                product = within(min(ends), LEAST, MOST), within(max(ends), LEAST, MOST)
            total = within(total[0] + product[0], LEAST, MOST), within(total[1] + product[1], LEAST, MOST)
        return within(total[0], -most, most), within(total[1], -most, most)
    spans = [span(part, size, most) for part in term[1:]]
    if term[0] == "/":
        return min(0, spans[0][0]), max(0, spans[0][1])
    return min(a for a, _ in spans), max(b for _, b in spans)


def is_safe(contract, size):
    try:
        for literals in contract["clauses"]:
            for _, *terms in literals:
                for term in terms:
                    span(term, size, contract["most"])
    except Bad:
        return False
    return True


def safe_bits(contract):
    """The largest n up to 62 so that no number can leave the range at sizes below 2^n."""
    return next((bits for bits in range(62, 0, -1) if is_safe(contract, 2**bits - 1)), 0)
