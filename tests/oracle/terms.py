"""The meaning of terms, conditions and clauses (term_json.h), as numbers and as formulas of Z3.

This file and those that use it share no code with the solver: they know the meaning of a term, and nothing about normal
forms. A size is a whole number of 0 or more. A term is undefined where members of a broadcast term do not broadcast, or
a divisor is below 1. A literal with an undefined term does not hold.
"""
import z3

# ---- As numbers ----


def value(term, sizes):
    """The number, or None where the term is undefined or a symbol has no size."""
    if term is None or isinstance(term, int):
        return term
    if isinstance(term, str):
        return sizes.get(term)
    if term[0] == "+":
        return _sum(term, sizes)
    parts = [value(part, sizes) for part in term[1:]]
    if None in parts:
        return None
    if term[0] == "/":
        return parts[0] // parts[1] if parts[1] >= 1 else None
    return {"min": min, "max": max, "bcast": _common}[term[0]](parts)


def _sum(term, sizes):
    total = term[1]
    for coefficient, *factors in term[2:]:
        for factor in factors:
            number = value(factor, sizes)
            if number is None:
                return None
            coefficient *= number
        total += coefficient
    return total


def _common(sizes):
    others = {size for size in sizes if size != 1}
    if len(others) > 1:
        return None
    return others.pop() if others else 1


def literal_holds(literal, sizes):
    kind, *terms = literal
    numbers = [value(term, sizes) for term in terms]
    if None in numbers:
        return False
    p, q = numbers[0], numbers[-1]
    if kind == "divides":
        return q >= 1 and p % q == 0
    if kind == "not_divides":
        return q < 1 or p % q != 0
    return {"zero": p == 0, "nonzero": p != 0, "nonnegative": p >= 0}[kind]


def clause_holds(literals, sizes):
    return any(literal_holds(literal, sizes) for literal in literals)


def condition_holds(condition, sizes):
    kind, *terms = condition
    a, b = (value(term, sizes) for term in terms)
    if a is None or b is None:
        return False
    if kind == "divisible":
        return b >= 1 and a % b == 0
    return {"equal": a == b, "at_least": a >= b, "broadcast_to": a in (1, b), "broadcast": a == b or 1 in (a, b)}[kind]


def symbols(term, found=None):
    """The names in a term, or in anything made of terms, in order of appearance."""
    found = {} if found is None else found
    if isinstance(term, (list, tuple)):
        for part in term[1:] if term and term[0] in OPERATORS else term:
            symbols(part, found)
    elif isinstance(term, str):
        found[term] = None
    return found


OPERATORS = ("+", "/", "min", "max", "bcast", "zero", "nonzero", "nonnegative", "divides", "not_divides",
             "equal", "broadcast", "broadcast_to", "divisible", "at_least")

# ---- As formulas ----


def variable(name):
    return z3.Int(name)


def formula(term):
    """(expression, condition under which the term is defined). An unknown size is never defined."""
    made, defined = _formula(term)
    return made, z3.And(*defined)


def _formula(term):
    """(expression, conditions that make it defined, few because Z3's expressions are slow to make)"""
    if term is None:
        return z3.IntVal(0), [z3.BoolVal(False)]
    if isinstance(term, int):
        return z3.IntVal(term), []
    if isinstance(term, str):
        return variable(term), []
    if term[0] == "+":
        return _sum_formula(term)
    parts, defined = _formulas(term[1:])
    made = parts[0]
    if term[0] == "/":  # Z3 divides as Euclid, which rounds down where the divisor is positive
        return made / parts[1], defined + ([] if isinstance(term[2], int) and term[2] > 0 else [parts[1] >= 1])
    for part in parts[1:]:
        if term[0] == "bcast":
            defined.append(z3.Or(made == 1, part == 1, made == part))
            made = z3.If(made == 1, part, made)
        else:
            made = z3.If(made <= part if term[0] == "min" else made >= part, made, part)
    return made, defined


def _formulas(terms):
    made = [_formula(term) for term in terms]
    return [expression for expression, _ in made], [condition for _, conditions in made for condition in conditions]


def _sum_formula(term):
    parts, defined = [z3.IntVal(term[1])] if term[1] or len(term) == 2 else [], []
    for coefficient, *factors in term[2:]:
        made, conditions = _formulas(factors)
        defined += conditions
        product = made[0] if made else z3.IntVal(1)
        for factor in made[1:]:
            product = product * factor
        parts.append(product if coefficient == 1 else coefficient * product)
    return parts[0] if len(parts) == 1 else z3.Sum(parts), defined


def literal_formula(literal):
    kind, *terms = literal
    made, defined = _formulas(terms)
    p, q = made[0], made[-1]
    holds = {"zero": lambda: p == 0, "nonzero": lambda: p != 0, "nonnegative": lambda: p >= 0,
             "divides": lambda: z3.And(q >= 1, p % q == 0), "not_divides": lambda: z3.Or(q < 1, p % q != 0)}[kind]()
    return z3.And(holds, *defined) if defined else holds


def clause_formula(literals):
    made = [literal_formula(literal) for literal in literals]
    return made[0] if len(made) == 1 else z3.Or(*made)


def condition_formula(condition):
    kind, *terms = condition
    (a, b), defined = _formulas(terms)
    holds = {"equal": lambda: a == b, "at_least": lambda: a >= b, "divisible": lambda: z3.And(b >= 1, a % b == 0),
             "broadcast_to": lambda: z3.Or(a == b, a == 1),
             "broadcast": lambda: z3.Or(a == b, a == 1, b == 1)}[kind]()
    return z3.And(holds, *defined) if defined else holds


def sizes_below(names, limit):
    """Every name is a size below the limit."""
    return z3.And(*(z3.And(variable(name) >= 0, variable(name) < limit) for name in names))
