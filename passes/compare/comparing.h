/* A comparison while it is made. */
#ifndef OB_PASSES_COMPARE_COMPARING_H
#define OB_PASSES_COMPARE_COMPARING_H

#include "core/base/map.h"
#include "core/solve/solve.h"
#include "onnx_broadcast/compare.h"
#include "passes/report/report.h"

struct ob_comparison {
    ob_allocator allocator;
    ob_arena arena;
    ob_comparison_info info;
    ob_change *changes;
    size_t n_changes, capacity;
};

enum { OB_BEFORE, OB_AFTER };

typedef struct ob_comparing {
    ob_comparison *result;
    ob_arena *arena; /* of the result */
    ob_report *reports[2];
    ob_dims *dims; /* own pool: its symbols are axes of inputs, by place */
    /* The symbol of each model's input sizes -> the place where it comes first; the map's values are symbols of `dims`. */
    ob_map places[2];
    ob_clauses clauses[2];   /* on the places */
    const char **texts[2];   /* of the clauses, as the model states them; an entry for each */
    uint32_t n_lost[2];      /* clauses that could not be stated on the places */
    const char *why_unknown; /* inputs that cannot be compared; NULL: none */
} ob_comparing;

/* Adds a change; texts are kept as they are and must live in the arena or be static. E_MEMORY. */
ob_status ob__change_add(ob_comparing *c, const ob_change *change);
/* The value's type and shape with the names of its own model, in the arena. NULL: out of memory. */
const char *ob__compared_type(ob_comparing *c, int which, const ob_value *value);
const ob_type *ob__compared_fact(const ob_comparing *c, int which, const ob_value *value);
/* The value with this name; NULL: none. */
const ob_value *ob__compared_find(ob_value *const *values, uint32_t n, const char *name);

/* -- places.c -- */
/* Fills places, clauses and texts. E_MEMORY. */
ob_status ob__compare_places(ob_comparing *c);
/* The term with the model's symbols replaced by places; OB_DIM_UNKNOWN if that is not possible. Recurses: terms are shallow. */
ob_dim ob__compared_dim(ob_comparing *c, int which, ob_dim dim);
/* Gives a size that only a run knows the name of an axis of a class of values (classes.h), unless it has one. E_MEMORY. */
ob_status ob__compared_name(ob_comparing *c, int which, ob_dim size, uint32_t number, int32_t axis);

/* -- compare.c -- */
/* Prepares both models, up to the places. E_MEMORY. */
ob_status ob__comparing_begin(ob_comparing *c, ob_comparison *result, ob_report *before, ob_report *after);
/* Frees what is not in the result. */
void ob__comparing_end(ob_comparing *c);

/* -- contracts.c -- */
/* The relation, with witnesses. E_MEMORY. */
ob_status ob__compare_contracts(ob_comparing *c);

/* -- lists.c -- */
ob_status ob__compare_signatures(ob_comparing *c);
ob_status ob__compare_broadcasts(ob_comparing *c);
ob_status ob__compare_findings(ob_comparing *c);
ob_status ob__compare_values(ob_comparing *c);
ob_status ob__compare_counts(ob_comparing *c);

#endif
