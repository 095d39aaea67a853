#!/usr/bin/env python3
"""Plants one fault after the other in the library's broadcasting, and expects that the comparison with the definition finds it.

usage: faults.py BUILD_DIR [PART_OF_NAME]

BUILD_DIR has compare_definition. The last line is `N faults planted, M not found`; the exit status is 1 if M is not 0.
"""
import os
import sys

import compare

sys.path.insert(0, os.path.join(compare.SOURCE, "tests"))
from planted import Planter, tell

SHAPES = "core/dims/broadcast.c"
ALGEBRA = "core/dims/algebra.c"
VIEWS = "core/graph/view.c"
COPIES = "core/graph/copy.c"
ITERATION = "kernels/elementwise/nd.c"

# name, file, one place in it, what it becomes
FAULTS = [
    ("size 0 gives way to the largest size", SHAPES, "        if (d == 1) continue;", "        if (d == 1 || d == 0) continue;"),
    ("1 is not neutral in the third operand", SHAPES, "        if (d == 1) continue;", "        if (d == 1 && i != 2) continue;"),
    ("the third operand is not compared", SHAPES, "} else if (d != constant) {", "} else if (d != constant && i != 2) {"),
    ("aligned on the left", SHAPES,
     "    int32_t i = state->axis - (state->rank - shape->rank);\n    return shape->rank < 0 || i < 0 ?",
     "    int32_t i = state->axis;\n    return shape->rank < 0 || i >= shape->rank ?"),
    ("the third operand does not raise the rank", SHAPES, "if (shapes[i].rank > rank) rank",
     "if (shapes[i].rank > rank && i < 2) rank"),
    ("no condition of a term with a number for the last operand", SHAPES, "if (ob_dim_is_const(condition.a) || was_seen",
     "if (i + 1 == state->n || ob_dim_is_const(condition.a) || was_seen"),
    ("no condition between two terms", SHAPES, "    OB_TRY(require(state, &condition, operand, met->operand));\n",
     "    (void)condition;\n"),
    ("terms seen on one axis count on the next", SHAPES, "    state->n_seen = 0;\n", ""),
    ("EQUAL instead of BROADCAST", SHAPES, "{OB_COND_BROADCAST, d, met->dim}", "{OB_COND_EQUAL, d, met->dim}"),
    ("BROADCAST_TO instead of BROADCAST", SHAPES, "{OB_COND_BROADCAST, d, met->dim}", "{OB_COND_BROADCAST_TO, d, met->dim}"),
    ("EQUAL instead of BROADCAST_TO", SHAPES, "{OB_COND_BROADCAST_TO, dim_at(state, i), constant}",
     "{OB_COND_EQUAL, dim_at(state, i), constant}"),
    ("a condition names another operand", SHAPES, "        OB_TRY(require(state, &condition, i, constant_operand));",
     "        OB_TRY(require(state, &condition, constant_operand, i));"),
    ("the size of two terms is that of the first", SHAPES, "    met->dim = folded;\n", ""),
    ("equal first operands end the inference", SHAPES, "n == 2 && ob__same_shape", "n >= 2 && ob__same_shape"),
    ("a clash names another axis", SHAPES, "(ob_clash){OB_CLASH_SIZES, state->axis, a_size",
     "(ob_clash){OB_CLASH_SIZES, state->rank - 1 - state->axis, a_size"),
    ("BROADCAST instead of BROADCAST_TO, one way", SHAPES, "{OB_COND_BROADCAST_TO, from->dims[i], to->dims[axis]}",
     "{OB_COND_BROADCAST, from->dims[i], to->dims[axis]}"),
    ("conditions of one way are not reported", SHAPES, "pass < (undecided && sink ? 2 : 1)", "pass < 1"),
    ("aligned on the left, one way", SHAPES, "axes[i] = to->rank - from->rank + i;", "axes[i] = i;"),
    ("a broadcast term has no second member", ALGEBRA, "    if (n == n_left) return a;", "    if (n >= n_left) return a;"),
    ("a stretched axis keeps its stride", VIEWS, "from->dims[i] == dims[axis] ? from->strides[i] : 0", "from->strides[i]"),
    ("views aligned on the left", VIEWS, "axes[i] = rank - from->rank + i;", "axes[i] = i;"),
    ("1 is not neutral in a view", VIEWS, "view->dims[k] == 1 || view->dims[k] == common", "view->dims[k] == common"),
    ("size 0 is neutral in a view", VIEWS, "view->dims[k] == 1 || view->dims[k] == common",
     "view->dims[k] <= 1 || view->dims[k] == common"),
    ("new axes keep old sizes", VIEWS, "for (int32_t k = 0; k < grown; k++) common.dims[k] = 1;",
     "for (int32_t k = 1; k < grown; k++) common.dims[k] = 1;"),
    ("a stride leaves out a size", VIEWS, "        stride *= dims[i] ? dims[i] : 1;\n    }\n    return OB_OK;",
     "        if (i != 1) stride *= dims[i] ? dims[i] : 1;\n    }\n    return OB_OK;"),
    ("axes in any order", SHAPES, "if (i > 0 && axis < broadcast_dimensions[i - 1])",
     "if (i > 1 && axis < broadcast_dimensions[i - 1])"),
    ("axes beside a placed shape have size 0", SHAPES, "i < result_rank; i++) dims[i] = 1;",
     "i < result_rank; i++) dims[i] = 0;"),
    ("any axes between equal ranks", SHAPES, "if (broadcast_dimensions[i] != (int64_t)i)",
     "if (i > 0 && broadcast_dimensions[i] < 0)"),
    ("a negative axis counts from the start", SHAPES, "axis + a->rank : axis", "-axis : axis"),
    ("an axis beyond the first operand", SHAPES, "start >= 0 && start <= first", "start >= 0 && start < first"),
    ("a view's stride at another axis", VIEWS, "made.strides[axis] = from", "made.strides[i] = from"),
    ("an iteration keeps the stride of a stretched axis", ITERATION, "own < 0 || view->dims[own] == 1 ? 0", "own < 0 ? 0"),
    ("an iteration merges axes of the first operand alone", ITERATION, "k < n && merges; k++", "k < 1 && merges; k++"),
    ("size 0 is neutral in an iteration", ITERATION, "if (size == 1 || size == *common) continue;",
     "if (size <= 1 || size == *common) continue;"),
    ("a copy merges axes of its result alone", COPIES, " && l->from[last] == dims[a] * from[a]", ""),
]


def judge(planter, answers, chosen):
    for name, file, old, new in chosen:
        totals, told = compare.compare(planter.program(file, old, new), answers, ["--every", "20", "--first"])
        yield name, totals is None or dict(totals)["differ"] > 0, told[0] if told else "it fails"


def main():
    build = sys.argv[1]
    folder = os.path.join(build, "definition", "faults")
    answers = compare.make_answers(folder)
    planter = Planter(compare.SOURCE, build, "compare_definition", folder)
    chosen = [fault for fault in FAULTS if len(sys.argv) < 3 or sys.argv[2] in fault[0]]
    return tell(judge(planter, answers, chosen))


if __name__ == "__main__":
    sys.exit(main())
