/* Facts for all sizes, prepared so that a plan evaluates them at the sizes of a run instead of inferring again. For runtime/plan/
 * only. */
#ifndef OB_RUNTIME_PLAN_TEMPLATE_H
#define OB_RUNTIME_PLAN_TEMPLATE_H

#include "runtime/plan/builder.h"

/* The size of a symbol is that of an axis of an input. */
typedef struct ob_size_source {
    uint32_t input;
    int32_t axis;
} ob_size_source;

/* A number of the facts that is the value of a term. */
typedef struct ob_size_place {
    ob_dim *to;
    uint32_t term; /* index */
    int64_t most;  /* beyond it, and its negative, an element of the type would wrap or round */
} ob_size_place;

struct ob_template {
    ob_arena arena;
    const ob_facts *facts; /* for all sizes: the session's, or `own` */
    ob_facts own;          /* inferred for the case of some sizes, and the elements of the inputs that decide shapes */
    int64_t **contents;    /* the key: by input, as those of a plan */
    uint32_t *n_contents;
    bool usable; /* false: plans infer */
    ob_facts at; /* the facts at some sizes: those of the values below change */
    ob_binding *bindings;
    ob_size_source *sources; /* of the first of them; the others are those of the session */
    uint32_t n_bindings, n_sources;
    const ob_dim *terms;
    int64_t *values; /* of the terms */
    uint32_t n_terms;
    ob_size_place *places;
    uint32_t n_places;
    const ob_fact **sized; /* facts of `at` whose shapes have places */
    uint32_t n_sized;
    const ob_requirement **tested; /* conditions that the test of the contract leaves out */
    uint32_t n_tested;
    ob_node **open; /* nodes of the main graph that are inferred again, in order */
    uint32_t n_open;
    ob_known_value *known; /* values that they read, without types and contents */
    uint32_t n_known;
    const ob_value **made; /* values that they and their bodies make */
    uint32_t n_made;
    struct ob_template *next; /* of the session */
};

/* runtime/plan/template.c: the template for these elements of inputs. It is made when a plan for the same elements and other
 * sizes is there. *out NULL: none yet, or it cannot be used. */
ob_status ob__template_find(ob_builder *b, ob_template **out);

#endif
