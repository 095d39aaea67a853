#!/usr/bin/python3
"""Plants one fault after the other in the rewrites, and in what certificates prove, and expects that rewrites.py finds it.

usage: rewrites_faults.py BUILD_DIR

BUILD_DIR has the programs rewrites and test_same_values; the second is asked about faults in the comparison that only special
pairs of models show. The last line is `N faults planted, M not found`; the exit status is 1 if M is not 0.
"""
import contextlib
import io
import os
import subprocess
import sys

import rewrites

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from planted import Planter, tell

INSERT, LOWER, CLASSES, SAME = ("passes/rewrite/insert_broadcast.c", "passes/rewrite/lower.c", "passes/compare/classes.c",
                                "passes/compare/same.c")
DESCRIBE = "passes/compare/describe.c"

# name, program, file, one place in it, what it becomes
FAULTS = [
    ("results of a Broadcast are exchanged", "rewrites", INSERT, "made->inputs[i] = operand;",
     "made->inputs[group->n - 1 - i] = operand;"),
    ("one size is declared wrong", "rewrites", INSERT,
     "dims[i] = ob_dim_is_const(d) || ob_dim_is_named(model->dims, d) ? d : OB_DIM_UNKNOWN;",
     "dims[i] = ob_dim_is_const(d) ? d : ob_dim_is_named(model->dims, d) ? 8 : OB_DIM_UNKNOWN;"),
    ("a stretched operand is read in front of the stretching", "rewrites", LOWER,
     "    node->inputs[0] = value;\n    node->inputs[1] = shape;",
     "    node->inputs[0] = before->inputs[0];\n    node->inputs[1] = shape;"),
    ("attributes do not count", "rewrites", CLASSES,
     "ob__describe_number(text, node->n_attributes);\n    for (uint32_t i = 0; i < node->n_attributes; i++)",
     "ob__describe_number(text, node->n_attributes);\n    for (uint32_t i = node->n_attributes; i < node->n_attributes; i++)"),
    ("elements of weights do not count", "rewrites", DESCRIBE,
     "describe_bytes(text, tensor->data, n * ob_dtype_size(tensor->dtype));", "ob__describe_number(text, (uint32_t)n);"),
    ("results of bodies do not count", "rewrites", CLASSES,
     "        ob__describe_number(text, number);\n    }\n    return OB_OK;\n}\n\n/* Adds the results",
     "    }\n    return OB_OK;\n}\n\n/* Adds the results"),
    ("unknown sizes are taken for equal", "test_same_values", CLASSES, "if (dim == OB_DIM_UNKNOWN) return false;", ""),
    ("what has no class names sizes", "test_same_values", CLASSES, "if (number_of(k, value) == 0) return OB_OK;", ""),
    ("sizes of the run are taken for equal", "test_same_values", SAME, "if (x == y && x != OB_DIM_UNKNOWN) continue;",
     "if (x == y || ob_dim_is_anonymous(c->reports[OB_AFTER]->model->dims, b->dims[axis])) continue;"),
    ("results that vary are equal", "test_same_values", CLASSES, "if (op->varies)", "if (op->varies && op->deprecated)"),
    ("the common shape does not count", "test_same_values", CLASSES,
     "ob__describe(text, list->items, list->n * sizeof *list->items);", "ob__describe_number(text, 0);"),
    ("the number of outputs does not count", "test_same_values", CLASSES,
     "    ob__describe_number(text, node->n_outputs); /* of Split the sizes depend on it */\n", ""),
    ("every operand may be expanded before", "test_same_values", CLASSES, "return op->broadcast == OB_BCAST_UNI && onto && ",
     "return (onto || op->broadcast != OB_BCAST_UNI) && "),
    ("a default that a caller may replace is a constant", "test_same_values", CLASSES,
     "value->is_input && graph->model->ir_version >= 4", "value->is_input && graph->model->ir_version >= 400"),
    ("a gradient is like other operators", "test_same_values", CLASSES, "if (ob__is_gradient(node))",
     "if (ob__is_gradient(node) && node->n_inputs == 0)"),
]


def is_found(program, path):
    """(found, what was told)"""
    if program == "test_same_values":
        run = subprocess.run([path], capture_output=True, text=True)
        return run.returncode != 0, [line for line in (run.stdout + run.stderr).splitlines() if ": shape " in line]
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        count = rewrites.work([path, "--random", "40"])
    return count["differ"] > 0, told.getvalue().splitlines()


def judge(planters):
    for name, program, file, old, new in FAULTS:
        found, told = is_found(program, planters[program].program(file, old, new))
        yield name, found, told[-1] if told else "it fails"


def main():
    build = sys.argv[1]
    planters = {target: Planter(SOURCE, build, target, os.path.join(build, "rewrites_faults"))
                for target in ("rewrites", "test_same_values")}
    return tell(judge(planters))


if __name__ == "__main__":
    sys.exit(main())
