"""What a record claims, by the comments of core/solve/solve.h."""
from facts import NEVER, AllOfOne, Clause, Defined, Required, Sizes, clauses_of, defined_in


class Claim:
    """For all sizes: where every premise holds, so does every conclusion. With is_possible: at some sizes every premise
    holds and a conclusion does not.

    Terms that are undefined at some sizes make a difference (solve.h). `defined`: where these statements hold, the claim
    must. Elsewhere it must hold too if the clauses `whole` imply these statements: then the clauses that require the
    broadcasts and divisors are in the set. With is_possible: if the clauses `whole` hold for no sizes at all, the solver
    has not seen a contradiction, which is a gap and no mistake. `hint`: sizes to try first."""

    def __init__(self, what, premises, conclusions, defined=(), whole=(), is_possible=False, hint=None):
        self.what, self.premises, self.is_possible, self.hint = what, premises, is_possible, hint
        self.defined, self.whole = list(defined), list(whole)
        known = [premise.literals for premise in premises if isinstance(premise, Clause)]
        self.conclusions = [fact for fact in conclusions if not isinstance(fact, Clause) or fact.literals not in known]

    def facts(self):
        return [*self.premises, *self.conclusions]

    def is_broken(self, sizes):
        """Do these sizes refute it, or show what is possible?"""
        return all(fact.holds(sizes) for fact in self.premises) and not all(fact.holds(sizes) for fact in self.conclusions)


def of_add(record):
    """The clauses hold where the condition does, or a guard is below 1. Sizes at which one of the terms is undefined are
    left out: a difference of equal terms has no term left."""
    if not record["stated"]:
        return []
    required = Required(record["condition"], record["guards"])
    defined = [Defined(record["condition"][1:], required.guards)]
    made = clauses_of(record["clauses"])
    return [Claim("the clauses are the condition", [AllOfOne([made, [required]]), *defined], [*made, required])]


def of_solve(record):
    """The solved clauses and the assumptions admit the sizes that the given clauses admit."""
    if record["contradictory"]:
        return of_core(record)
    given, defined = clauses_of(record["given"]), defined_in(record["given"])
    assumed = [clause for clause in record["given"] if clause["assumed"]]
    usual = {name: size for clause in record["clauses"] for name, size in (clause["holds"] or {}).items()}
    return [Claim("the solved clauses follow from the given ones", given, clauses_of(record["clauses"]), defined, given,
                  hint=usual),
            Claim("the given clauses follow from the solved ones", clauses_of([*assumed, *record["clauses"]]), given,
                  defined, given, hint=usual),
            *of_examples(record, usual)]


def of_examples(record, usual):
    """Of the sizes in a solution: they are those of symbols that clauses connect, and sizes of the others go with them. A
    clause that is not of inputs is not part of the contract (solve.h)."""
    claims, of_inputs = [], [clause for clause in record["clauses"] if clause["of_inputs"]]
    assumed = [clause for clause in record["given"] if clause["assumed"]]
    whole = clauses_of([*assumed, *of_inputs])
    if len(of_inputs) == len(record["clauses"]):
        whole += clauses_of(record["given"])
    for clause in record["clauses"]:
        if clause["holds"] is not None:
            claims.append(Claim("the sizes satisfy the contract", [Sizes(clause["holds"]), *whole], [NEVER], whole=whole,
                                is_possible=True, hint={**usual, **clause["holds"]}))
        if clause["fails"] is not None:
            others = [other for other in of_inputs if other is not clause]
            claims.append(Claim("the sizes break this clause alone", [Sizes(clause["fails"]), *clauses_of([*assumed, *others])],
                                clauses_of([clause]), whole=whole, is_possible=True, hint={**usual, **clause["fails"]}))
    return claims


def of_core(record):
    """The refuted clauses contradict each other; if the core is minimal, those of no smaller part of its origins do."""
    core = [clause for clause, fate in zip(record["given"], record["fates"]) if fate == "refuted"]
    claims = [Claim("the core is contradictory", clauses_of(core), [NEVER])]
    for origin in record["core"] if record["core_minimal"] else []:
        rest = [clause for clause in core if clause["origin"] != origin]
        claims.append(Claim("the core without one origin is not contradictory", clauses_of(rest), [NEVER],
                            whole=clauses_of(rest), is_possible=True))
    return claims


def of_implied(record):
    given, claims = clauses_of(record["given"]), []
    for goal, truth in zip(record["goals"], record["truths"]):
        made = clauses_of([goal])
        if truth == "true":
            claims.append(Claim("a goal follows", given, made, defined_in([*record["given"], goal])))
        if truth == "false":
            claims.append(Claim("a goal does not follow", given, made, is_possible=True))
    return claims


def of_equivalent(record):
    left, right = clauses_of(record["left"]), clauses_of(record["right"])
    if record["truths"] == ["true"]:
        return [Claim("the right clauses follow from the left ones", left, right, defined_in(record["left"]), left),
                Claim("the left clauses follow from the right ones", right, left, defined_in(record["right"]), right)]
    if record["truths"] == ["false"]:
        return [Claim("the clauses differ", [AllOfOne([left, right])], [*left, *right], is_possible=True)]
    return []


OF = {"add": of_add, "solve": of_solve, "implied": of_implied, "equivalent": of_equivalent}
