#!/usr/bin/env python3
"""Plants faults in the code that writes guards: guards.py must find each.

usage: guard_faults.py BUILD_DIR [PART OF A NAME]

BUILD_DIR has guard_cases. The last line is `N faults planted, M not found`; the exit status is 1 if M is not 0, 77 without Z3 or
pycparser.
"""
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

import guards
import guard_helpers

sys.path.insert(0, os.path.join(guards.TOP, "tests"))
from planted import Planter, tell

SIZES, TERMS, VALUES = (f"passes/report/guard{part}.c" for part in ("", "_terms", "_values"))

# name, file, one place in it, what it becomes
FAULTS = [
    ("an answer that is unknown counts as no", SIZES, "a == 1 || b == 1 ? 1 : a == 2 || b == 2 ? 2 : 0;", "a == 1 || b == 1;"),
    ("the greatest number is out of range", SIZES, "(a.v > OBG_MOST ||", "(a.v >= OBG_MOST ||"),
    ("a number below the range is allowed", SIZES, "a.v < -OBG_MOST", "a.v < -OBG_MOST - 1"),
    ("a sum is called too large one early", SIZES, "a.v > INT64_MAX - b.v", "a.v >= INT64_MAX - b.v"),
    ("a sum is called too small one early", SIZES, "a.v < INT64_MIN - b.v", "a.v <= INT64_MIN - b.v"),
    ("a product is called too large one early", SIZES, "b.v > 0 ? a.v > INT64_MAX / b.v", "b.v > 0 ? a.v >= INT64_MAX / b.v"),
    ("a product that is too large is computed", SIZES, "b.v > 0 ? a.v > INT64_MAX / b.v",
     "b.v > 0 ? a.v > INT64_MAX / b.v + 1"),
    ("a product with 0 divides by 0", SIZES, "a.v != 0 && b.v < INT64_MAX / a.v", "b.v < INT64_MAX / a.v"),
    ("a product is called too small one early", SIZES, "b.v < INT64_MIN / a.v", "b.v <= INT64_MIN / a.v"),
    ("a negative quotient is rounded towards 0", SIZES, "a.v = a.v / b - (a.v % b < 0)", "a.v = a.v / b"),
    ("every negative quotient by a term is rounded down once more", SIZES, "a.v / b.v - (a.v % b.v < 0)",
     "a.v / b.v - (a.v < 0)"),
    ("a divisor of 0 is allowed", SIZES, "if (b.v < 1)", "if (b.v < 0)"),
    ("a minimum within 1000", SIZES, "(!b.bad && a.v <= b.v)", "(!b.bad && a.v < b.v + 1000)"),
    ("a maximum looks at an undefined number", SIZES, "a.bad || (!b.bad && a.v >= b.v)", "a.bad || a.v >= b.v"),
    ("sizes of 1 do not broadcast", SIZES, "if (b.v != 1 && b.v != a.v) a.bad = 1", "if (b.v != a.v) a.bad = 1"),
    ("sizes that do not broadcast are out of range", SIZES, "if (b.v != 1 && b.v != a.v) a.bad = 1",
     "if (b.v != 1 && b.v != a.v) a.bad = 2"),
    ("an undefined term is 0", SIZES, "(p.bad == 1 ? 0 : 2) : p.v == 0", "(p.bad == 1 ? 1 : 2) : p.v == 0"),
    ("a term out of range is 0", SIZES, "(p.bad == 1 ? 0 : 2) : p.v != 0", "0 : p.v != 0"),
    ("0 is negative", SIZES, "p.v >= 0;", "p.v > 0;"),
    ("a negative divisor divides", SIZES, "q.v >= 1 && p.v % q.v == 0", "q.v != 0 && p.v % q.v == 0"),
    ("divisors below 1 divide", SIZES, "q.v < 1 || p.v % q.v != 0", "p.v % q.v != 0"),
    ("the divisor is undefined, and is used", SIZES,
     'if (!p.bad && q.bad) p = q;\\n"\n                       "    return p.bad ? (p.bad == 1 ? 0 : 2) : q.v >= 1',
     '"\n                       "    return p.bad ? (p.bad == 1 ? 0 : 2) : q.v >= 1'),
    ("sizes beyond 62 bits are allowed", SIZES, "if (sizes[i] < 0 || sizes[i] > OBG_MOST)", "if (sizes[i] < 0)"),
    ("clauses are numbered from 0", SIZES, "contract->clauses[i], i + 1)", "contract->clauses[i], i)"),
    ("the first clause is missing", SIZES, "for (uint32_t i = 0; i < contract->n_clauses && !g->sizes.failed",
     "for (uint32_t i = 1; i < contract->n_clauses"),
    ("a partial contract decides", SIZES, "contract->n_unverified ? -2 : 0", "0"),
    ("a contradiction has the wrong number", SIZES, "(int)contract->n_clauses + 1", "(int)contract->n_clauses + 2"),
    ("the first literal is missing", SIZES,
     'uint32_t i = 0; i < clause->n; i++) {\n        ob__text_puts(&g->body, "    holds = obg_or',
     'uint32_t i = 1; i < clause->n; i++) {\n        ob__text_puts(&g->body, "    holds = obg_or'),
    ("divides is its opposite", SIZES, '[OB_LITERAL_DIVIDES] = {"obg_divides", OB_GUARD_DIVIDES',
     '[OB_LITERAL_DIVIDES] = {"obg_divides_not", OB_GUARD_NOT_DIVIDES'),
    ("a clause that is unknown counts as yes", SIZES, '"    if (holds == 2) all = -1;\\n"', '""'),
    ("a clause that is unknown counts as no", SIZES, "if (holds == 0) {", "if (holds != 1) {"),
    ("all sizes have one name", SIZES, 'write_symbol(g, contract->inputs[i]);\n        ob__text_puts(&g->file, "\\";',
     'write_symbol(g, contract->inputs[0]);\n        ob__text_puts(&g->file, "\\";'),
    ("another text of a clause", SIZES, '        if (clause) *clause = \\"', '        if (clause) *clause = \\"never '),
    ("a sum may leave 62 bits", TERMS, '    ob__text_printf(&g->body, "    t%u = obg_bounded(t%u);\\n", variable, variable);\n',
     ""),
    ("the constant of a sum is missing", TERMS,
     "ob__guard_operand(g, term->words[0]);\n"
     '    ob__text_puts(&g->body, ";\\n");\n    for (uint32_t i = 1; i < term->n_words;) {',
     'ob__guard_operand(g, 0);\n    ob__text_puts(&g->body, ";\\n");\n    for (uint32_t i = 1; i < term->n_words;) {'),
    ("the first factor of a product is all of them", TERMS, "ob__guard_operand(g, term->words[i + 2 + k]);",
     "ob__guard_operand(g, term->words[i + 2]);"),
    ("a minimum is a maximum", TERMS, 'write_members(g, term, variable, "obg_min")',
     'g->uses |= OB_GUARD_MAX; write_members(g, term, variable, "obg_max")'),
    ("a divisor is one larger", TERMS, "ob__guard_number(&g->body, term->words[1]);",
     "ob__guard_number(&g->body, term->words[1] + 1);"),
    ("the second member is missing", TERMS, "for (uint32_t i = 1; i < term->n_words; i++) {",
     "for (uint32_t i = 2; i < term->n_words; i++) {"),
    ("small negative numbers lose their sign", TERMS, 'value < 0 ? "-INT64_C', 'value < -1000000 ? "-INT64_C'),
    ("two symbols are one size", TERMS, "variable_of(g, g->contract->inputs[i]), i);",
     "variable_of(g, g->contract->inputs[i]), i / 2);"),
    ("the highest element is refused", VALUES, "v > high.v) return 0", "v >= high.v) return 0"),
    ("an index by the first size", VALUES, "index * dims[a].v + at[a]", "index * dims[0].v + at[a]"),
    ("a part may end beyond the input", VALUES, " || end[a].v > dims[a].v) return 2", ") return 2"),
    ("the second row begins at 0", VALUES, "++at[a] == end[a].v; a--) at[a] = first[a].v",
     "++at[a] == end[a].v; a--) at[a] = 0"),
    ("the upper limit is out of range, and is used", VALUES, "if (low.bad || high.bad) return 2", "if (low.bad) return 2"),
    ("integers of 16 bits have no sign", VALUES, "case 5: *v = ((const int16_t *)data)[i]",
     "case 5: *v = ((const uint16_t *)data)[i]"),
    ("NaN is an integer", VALUES, "if (!(x > -9.0e18 && x < 9.0e18)) return 0", "if (x <= -9.0e18 || x >= 9.0e18) return 0"),
    ("another type is allowed", VALUES, "    if (types[%u] != %d || counts[%u] < 0",
     "    if (types[%u] < %d || counts[%u] < 0"),
    ("fewer elements are allowed", VALUES, "n.v != counts[%u]) return -3", "n.v > counts[%u]) return -3"),
    ("the part begins at its end", VALUES, 'list_terms(g, "first", b->first', 'list_terms(g, "first", b->end'),
    ("no lower limit is 0", VALUES, 'write_end(g, b->lowest, "INT64_MIN")', 'write_end(g, b->lowest, "0")'),
    ("the upper limit is the lower one", VALUES, 'write_end(g, b->highest, "INT64_MAX")',
     'write_end(g, b->lowest, "INT64_MAX")'),
    ("a guard of 0 asks", VALUES, "(p.bad == 1 ? 0 : 2) : p.v >= 1", "(p.bad == 1 ? 0 : 2) : p.v >= 0"),
    ("a guard that is unknown counts as yes", VALUES, "a == 0 || b == 0 ? 0 : a == 2 || b == 2 ? 2 : 1",
     "a == 0 || b == 0 ? 0 : 1"),
    ("a condition on values has no text", VALUES,
     'ob__guard_escaped(&g->body, text.data ? text.data : "", text.n);\n'
     '    ob__text_printf(&g->body, "\\";\\n            return',
     'ob__text_printf(&g->body, "\\";\\n            return'),
    ("a condition is asked where its guard is unknown", VALUES, '"    if (asked == 2) all = -1;\\n    if (asked == 1) {\\n"',
     '"    if (asked != 0) {\\n"'),
    ("two inputs are one", VALUES, "return n;\n        n += is_first(contract, i);", "return n;\n        n += 0;"),
    ("the first condition on values is missing", VALUES,
     "for (uint32_t i = 0; i < contract->n_bounds && !g->failed; i++) write_bound",
     "for (uint32_t i = 1; i < contract->n_bounds && !g->failed; i++) write_bound"),
]


def found(job):
    """(name of a fault, whether it is found, the first difference)"""
    build, (name, *fault) = job
    guard_helpers.SECONDS = 5
    with tempfile.TemporaryDirectory() as folder:
        program = Planter(guards.TOP, build, "guard_cases", folder).program(*fault)
        contracts = guards.contracts_of(program, folder, [20, 20, 60], quiet=True)
        contracts.sort(key=lambda contract: not contract["bounds"])
        for at in range(0, len(contracts), 20):
            problems = guards.check_some((folder, at, contracts[at:at + 20])).problems
            if problems:
                return name, True, problems[0]
    return name, False, "no difference"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    with ProcessPoolExecutor(2) as pool:
        return tell(pool.map(found, [(sys.argv[1], fault) for fault in FAULTS if wanted in fault[0]]))


if __name__ == "__main__":
    sys.exit(main())
