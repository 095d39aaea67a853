"""What a claim is made of: statements about sizes, each as a test of numbers and as a formula of Z3."""
import z3

import terms


class Clause:
    """One of the literals holds."""

    def __init__(self, literals):
        self.literals = literals

    def holds(self, sizes):
        return terms.clause_holds(self.literals, sizes)

    def formula(self):
        return terms.clause_formula(self.literals)

    def terms(self):
        return [term for literal in self.literals for term in literal[1:]]


NEVER = Clause([])


class Required:
    """A condition, where every guard is 1 or more. A guard below 1 excuses it; one that is undefined does not."""

    def __init__(self, condition, guards):
        self.condition, self.guards = condition, [["nonnegative", ["+", 0, [-1, guard]]] for guard in guards]

    def holds(self, sizes):
        return terms.clause_holds(self.guards, sizes) or terms.condition_holds(self.condition, sizes)

    def formula(self):
        return z3.Or(terms.clause_formula(self.guards), terms.condition_formula(self.condition))

    def terms(self):
        return [*self.condition[1:], *(term for guard in self.guards for term in guard[1:])]


class Sizes:
    """These symbols have these sizes."""

    def __init__(self, sizes):
        self.sizes = sizes

    def holds(self, sizes):
        return all(sizes.get(name) == size for name, size in self.sizes.items())

    def formula(self):
        return z3.And(*(terms.variable(name) == size for name, size in self.sizes.items()))

    def terms(self):
        return list(self.sizes)


class AllOfOne:
    """Everything in one of the lists holds."""

    def __init__(self, lists):
        self.lists = lists

    def holds(self, sizes):
        return any(all(fact.holds(sizes) for fact in facts) for facts in self.lists)

    def formula(self):
        return z3.Or(*(z3.And(*(fact.formula() for fact in facts)) for facts in self.lists))

    def terms(self):
        return [term for facts in self.lists for fact in facts for term in fact.terms()]


class Defined:
    """The terms are defined, and so are the guards, one of which excuses the terms if it holds."""

    def __init__(self, of, guards=()):
        self.of, self.guards = [term for term in of if is_partial(term)], list(guards)
        self.of_guards = [term for guard in self.guards for term in guard[1:] if is_partial(term)]

    def holds(self, sizes):
        if any(terms.value(term, sizes) is None for term in self.of_guards):
            return False
        return terms.clause_holds(self.guards, sizes) or all(terms.value(term, sizes) is not None for term in self.of)

    def formula(self):
        defined = z3.And(*(terms.formula(term)[1] for term in self.of))
        return z3.And(z3.Or(terms.clause_formula(self.guards), defined),
                      *(terms.formula(term)[1] for term in self.of_guards))

    def terms(self):
        return [*self.of, *(term for guard in self.guards for term in guard[1:])]


def is_partial(term):
    """Is the term undefined at some sizes?"""
    if not isinstance(term, list):
        return term is None
    if term[0] == "+":
        return any(is_partial(factor) for monomial in term[2:] for factor in monomial[1:])
    if term[0] == "bcast" or term[0] == "/" and not isinstance(term[2], int):
        return True
    return any(is_partial(part) for part in term[1:])


def clauses_of(listed):
    return [Clause(clause["literals"]) for clause in listed]


def defined_in(listed):
    """One statement for each clause with terms that are undefined at some sizes."""
    made = []
    for clause in listed:
        literals, n = clause["literals"], clause["n_guard"]
        if any(is_partial(term) for literal in literals for term in literal[1:]):
            made.append(Defined([term for literal in literals[n:] for term in literal[1:]], literals[:n]))
    return made
