/* Runs a model node by node on concrete inputs, without any result of the checker. Control flow is implemented here; every
 * other node uses the executor's step for nodes whose shapes only the run determines (runtime/run/execute.c). */
#ifndef OB_TESTS_SOUNDNESS_ORACLE_H
#define OB_TESTS_SOUNDNESS_ORACLE_H

#include "core/graph/graph.h"
#include "onnx_broadcast/session.h"
#include "onnx_broadcast/view.h"

/* Limit of bytes for a run; larger runs are skipped. */
enum { ORACLE_MEMORY = 1 << 26 };

typedef enum outcome {
    RUN_WORKS,
    RUN_FAILS,    /* fails because of shapes */
    RUN_BAD_DATA, /* an index out of range, independent of sizes */
    RUN_SKIPPED   /* too large, no kernel, or a result that the specification leaves undefined */
} outcome;

typedef struct run_result {
    outcome outcome;
    ob_status status;
    uint64_t shapes; /* a hash of the shapes of all outputs, if it works */
    char node[128], op_type[64], message[300];
} run_result;

/* A copy in which calls of local functions are inlined. */
ob_status inlined_copy(const ob_model *model, ob_model **out, ob_error *error);

/* A hash of ranks and sizes. */
uint64_t run_hash(const ob_view *views, size_t n);

typedef struct oracle oracle;

/* Makes a copy of the model. NULL with error set if it cannot run at all. */
oracle *oracle_new(const ob_model *model, ob_error *error);
void oracle_free(oracle *o);

/* Inputs by their order in the graph; `dims` holds the sizes of all of them, one after the other. Elements: floats are 1,
 * indices and flags come from `data`, of which each input takes the next bits; an input with a default keeps it for all data
 * but one. */
void oracle_run(oracle *o, const int64_t *dims, uint32_t data, run_result *out);

#endif
