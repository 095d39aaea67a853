/* How each value of a model depends on a batch: on nothing of it, on its size, or element by element along one axis. */
#ifndef OB_PASSES_INDEPENDENCE_MARKS_H
#define OB_PASSES_INDEPENDENCE_MARKS_H

#include "onnx_broadcast/independence.h"
#include "passes/check/facts.h"

/* Compared are a run with a batch of n elements and the n runs with one of them each. */
typedef enum ob_mark_kind {
    OB_MARK_FREE,   /* the same in all of them */
    OB_MARK_SIZE,   /* known integers, terms of the size of the batch; the same shape in all of them */
    OB_MARK_ALONG,  /* along `axis`, the parts of the single runs; otherwise the same shapes */
    OB_MARK_BROKEN, /* elements of the batch mix, or the size or a place is used as a number */
    OB_MARK_UNKNOWN /* not known; `reason` says why */
} ob_mark_kind;

typedef struct ob_mark {
    ob_mark_kind kind;
    /* ALONG: the size of the axis is outer * n * inner. Element (o, i, k) is element (o, 0, k) of run i. */
    int32_t axis;
    ob_dim outer, inner;
    /* ALONG: the only input of the model (1 + its index) from which the value follows in a way that can be inverted, all others
     * being given; 0: not known. */
    uint32_t source;
    bool uniform; /* ALONG: all elements along the axis are equal */
    /* BROKEN: the value differs for some elements of the inputs, since no node on the way can cancel it. */
    bool live;
    ob_mixing mixing;      /* BROKEN */
    const char *reason;    /* BROKEN, UNKNOWN: a sentence; static */
    const ob_node *node;   /* BROKEN, UNKNOWN: where that began; NULL: at an input */
    const ob_node *stops;  /* BROKEN and not live: the node that may cancel it, or NULL */
    const ob_value *value; /* BROKEN, UNKNOWN: the first value with this mark */
    const ob_value *from;  /* BROKEN, UNKNOWN: the operand that brought it here; NULL: it began here */
} ob_mark;

typedef struct ob_marks {
    ob_model *model;
    const ob_facts *facts;
    ob_dim symbol;
    ob_mark *of; /* by id of a value, model->n_values */
    ob_arena scratch;
} ob_marks;

/* Whether the term contains the symbol. */
bool ob__marks_mention(const ob_marks *marks, ob_dim d);
/* Whether a known element differs between a batch of 1 and one of 3. */
bool ob__marks_differ(const ob_marks *marks, const ob_value *value);
/* Marks the values of the main graph, whose nodes are in topological order, linear in nodes and operands. Operators are resolved
 * and calls inlined. E_MEMORY. */
ob_status ob__mark_values(ob_marks *marks);

#endif
