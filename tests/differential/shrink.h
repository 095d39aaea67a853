/* Reduces a case while it still fails, and mutates cases. */
#ifndef OB_TESTS_DIFFERENTIAL_SHRINK_H
#define OB_TESTS_DIFFERENTIAL_SHRINK_H

#include "judge.h"
#include "rng.h"

typedef struct shrink_judge {
    void (*judge)(void *context, graph_case *c, verdict *v);
    void *context;
} shrink_judge;

/* Cuts c as far as it gets within `budget` judgements; *v is of the result. */
void shrink(graph_case *c, verdict *v, const shrink_judge *by, int budget);

/* One fault: another size, rank, type, attribute or operand. False: nothing to change. */
bool mutate(graph_case *c, rng *r);
/* Other sizes for some of the symbols of the inputs; contents are repeated or cut. False: no symbols. */
bool resize_symbols(graph_case *c, rng *r);

#endif
