/* Which values of two models have equal shapes and elements for all sizes that both admit, as far as that is proved. */
#ifndef OB_PASSES_COMPARE_SAME_H
#define OB_PASSES_COMPARE_SAME_H

#include "passes/report/report.h"

typedef enum ob_shape_evidence {
    OB_SHAPE_OPEN,  /* nothing is proved */
    OB_SHAPE_TERMS, /* equal terms on the sizes of the inputs */
    OB_SHAPE_VALUE  /* the values are equal */
} ob_shape_evidence;

/* A value of both main graphs with one name. */
typedef struct ob_compared_value {
    const char *name;
    bool is_output;
    ob_shape_evidence shape;
    const char *why_shape; /* of OPEN: the reason */
    bool equal;            /* shape and elements */
    uint32_t lemmas;       /* on which that rests, OB_LEMMA(...) of classes.h; 0: the same operators on the same values */
    const char *why;       /* not equal: the reason */
} ob_compared_value;

typedef struct ob_compared_values {
    ob_compared_value *items;
    size_t n; /* outputs first, then results of nodes, each in the order of the old model */
} ob_compared_values;

/* Results live in `arena`; names are those of the models. E_MEMORY. */
ob_status ob__compare_main_values(ob_report *before, ob_report *after, ob_arena *arena, ob_compared_values *out);

#endif
