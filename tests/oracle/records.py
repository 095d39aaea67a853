"""The records of record.c: read, with symbols renamed by their order, each problem once."""
import json

CLAUSE_LISTS = ("given", "clauses", "goals", "left", "right")


class Renaming:
    """Symbols become s0, s1 ... in order of appearance, so that equal problems are equal records."""

    def __init__(self):
        self.names = {}

    def term(self, term):
        if isinstance(term, str):
            return self.names.setdefault(term, f"s{len(self.names)}")
        if not isinstance(term, list):
            return term
        if term[0] == "+":
            return ["+", term[1], *([m[0], *map(self.term, m[1:])] for m in term[2:])]
        return [term[0], *map(self.term, term[1:])]

    def literals(self, literals):
        return [[kind, *map(self.term, terms)] for kind, *terms in literals]

    def sizes(self, sizes):
        return sizes and {self.term(name): size for name, size in sizes.items()}

    def clause(self, clause):
        made = dict(clause, literals=self.literals(clause["literals"]))
        for name in ("holds", "fails"):
            if name in clause:
                made[name] = self.sizes(clause[name])
        return made

    def record(self, record):
        made = dict(record)
        for name in CLAUSE_LISTS:
            if name in record:
                made[name] = [self.clause(clause) for clause in record[name]]
        if "condition" in record:
            kind, *terms = record["condition"]
            made["condition"] = [kind, *map(self.term, terms)]
        for name in ("guards", "inputs"):
            if name in record:
                made[name] = [self.term(term) for term in record[name]]
        return made


def read(paths):
    """(distinct records in order, number of lines, number of lines that were too long to be recorded)"""
    found, n_lines, n_long = {}, 0, 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                n_lines += 1
                record = json.loads(line)
                if record["kind"] == "long":
                    n_long += 1
                    continue
                made = Renaming().record(record)
                found.setdefault(json.dumps(made), made)
    return list(found.values()), n_lines, n_long
