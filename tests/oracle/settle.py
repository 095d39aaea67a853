"""Is a claim (claims.py) right? By Z3, and where Z3 gives no answer within its limit, by trying sizes (points.py)."""
import z3

import terms
from facts import NEVER
from points import MOST, points, symbols

WORK = 60_000  # Z3's count of its own work, whatever the machine's load. Its timeouts can hang (4.8.12), and are not used
SOLVERS = (z3.SimpleSolver, lambda: z3.SolverFor("QF_NIA"))  # Z3's general solver takes ten times as long for these
PROVED, TRIED, WRONG, OPEN, GAP = "proved", "tried", "wrong", "open", "gap"


class Answer:
    """`how`: PROVED by Z3 or by numbers that show it; TRIED: Z3 gave up and no size refutes it; WRONG: `sizes` refute it;
    OPEN: nobody found the sizes of a claim that something is possible; GAP: there are none, because the solver has not seen
    a contradiction."""

    def __init__(self, how, sizes=None, where_defined=False):
        self.how, self.sizes, self.where_defined = how, sizes, where_defined


def ask(facts, broken):
    """Sizes at which all facts hold and not all of `broken` do; None: Z3 shows that there are none; False: it gave up."""
    names = symbols([*facts, *broken])
    formulas = [terms.sizes_below(names, MOST), *(fact.formula() for fact in facts),
                z3.Not(z3.And(*(fact.formula() for fact in broken)))]
    for make in SOLVERS:
        solver = make()
        solver.set("rlimit", WORK)
        solver.add(*formulas)
        found = solver.check()
        if found == z3.unsat:
            return None
        if found == z3.sat:
            model = solver.model()
            return {name: model.eval(terms.variable(name), model_completion=True).as_long() for name in names}
    return False


def search(claim, extra=()):
    """The same by trying sizes; extra: statements that hold there as well."""
    for sizes in points(claim.facts(), claim.hint or {}):
        if claim.is_broken(sizes) and all(fact.holds(sizes) for fact in extra):
            return sizes
    return None


def look(claim, extra=()):
    """(sizes that break it or None, did Z3 answer)"""
    found = ask([*claim.premises, *extra], claim.conclusions) if claim.conclusions else None
    if found is False:
        return search(claim, extra), False
    if found is not None and not (claim.is_broken(found) and all(fact.holds(found) for fact in extra)):
        raise ValueError(f"Z3's sizes {found} do not break the claim that {claim.what}")
    return found, True


def settle(claim):
    if claim.is_possible and claim.hint is not None and claim.is_broken(claim.hint):
        return Answer(PROVED, claim.hint)
    sizes, by_z3 = look(claim)
    if claim.is_possible and sizes is not None:
        return Answer(PROVED, sizes)
    if claim.is_possible and by_z3:
        return Answer(GAP if claim.whole and ask(claim.whole, [NEVER]) is None else WRONG)
    if claim.is_possible:
        return Answer(OPEN)
    if sizes is None:
        return Answer(PROVED if by_z3 else TRIED)
    if not claim.defined or all(fact.holds(sizes) for fact in claim.defined):
        return Answer(WRONG, sizes)
    return settle_where_defined(claim, sizes)


def settle_where_defined(claim, sizes):
    """These sizes break it, where a term is undefined."""
    others, by_z3 = look(claim, claim.defined)
    if others is not None:
        return Answer(WRONG, others)
    if claim.whole and ask(claim.whole, claim.defined) is None:
        return Answer(WRONG, sizes)
    return Answer(PROVED if by_z3 else TRIED, where_defined=True)
