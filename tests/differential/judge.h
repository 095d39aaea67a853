/* Judges a case: by our executor in all its modes, by the checker, by the naive oracle, by ONNX Runtime. */
#ifndef OB_TESTS_DIFFERENTIAL_JUDGE_H
#define OB_TESTS_DIFFERENTIAL_JUDGE_H

#include "case.h"
#include "ours.h"

#define VERDICT_LIST(X)                                                                                                          \
    X(SAME, "same")               /* no error */                                                                                 \
    X(UNSUPPORTED, "unsupported") /* our executor refuses it: not a difference */                                                \
    X(REFUSED, "refused")         /* a valid graph is refused */                                                                 \
    X(CHECKER, "checker")         /* the checker finds errors in a valid graph */                                                \
    X(INFERRED, "inferred")       /* a run contradicts a shape, type or condition that the checker stated */                     \
    X(ALONE, "alone")             /* nodes that run alone, one after the other, give other bits than the graph */                \
    X(OPTIMISED, "optimised")     /* optimised or with threads: other bits than plain */                                         \
    X(FORM, "form")               /* a rewritten form fails, or gives other bits */                                              \
    X(ORACLE, "oracle")           /* the naive oracle differs */                                                                 \
    X(VALUES, "values")           /* ONNX Runtime differs by more than the tolerance */                                          \
    X(FORM_VALUES, "form-values") /* ONNX Runtime runs the graph, and refuses its form or gets something else from it */         \
    X(LAX, "lax")                 /* of a mutant: the checker reports an error, and it runs */                                   \
    X(UNCHECKED, "unchecked")     /* of a mutant: the run refuses its shapes, and the checker reports no error */                \
    X(BROKEN, "broken")           /* sizes that break (keep) the stated conditions run (are refused) */                          \
    X(INTERNAL, "internal")       /* an internal error */                                                                        \
    X(CRASH, "crash")             /* the process died in our code */

typedef enum verdict_kind {
#define VERDICT_ENUM(name, text) VERDICT_##name,
    VERDICT_LIST(VERDICT_ENUM)
#undef VERDICT_ENUM
        VERDICT_COUNT
} verdict_kind;
extern const char *const verdict_names[VERDICT_COUNT];

typedef struct verdict {
    verdict_kind kind;
    int node;       /* the node, or -1: the graph */
    char what[600]; /* one sentence */
} verdict;

/* Runs the nodes one by one (their outputs' contents are set), then everything else that needs no peer. `refused`: the node
 * that did not run, or -1; nothing further is done then. */
void judge_ours(graph_case *c, verdict *v);
/* The same graph with a fault: the checker reports an error of shapes exactly if the run refuses it. */
void judge_mutant(graph_case *c, verdict *v);
/* Other sizes for the symbols: sizes that the conditions admit run, and others are refused. */
void judge_sizes(graph_case *c, verdict *v);

/* Sets the verdict; returns false, for `return fail(...)`. */
bool judged(verdict *v, verdict_kind kind, int node, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---- The naive oracle (oracle.c, oracle_moves.c) ---- */

/* The expected first output of the node, by loops over indices; false: the oracle does not know the operator or type. */
bool oracle_node(const graph_case *c, const case_node *node, pool *p, ob_view *out);
bool oracle_moves(const graph_case *c, const case_node *node, pool *p, ob_view *out);

/* ---- Tolerances (tolerance.c) ---- */

/* True if `got` is within the tolerance of the operator and type; otherwise tells the place of the difference. */
bool close_enough(const graph_case *c, const case_node *node, const ob_view *got, const ob_view *want, char *why, size_t n_bytes);

#endif
